"""Which plugins there are, which may run, what they said of themselves, and what went wrong with them."""
