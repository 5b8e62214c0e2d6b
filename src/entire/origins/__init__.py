"""Where lines come from: the turn, the person or the commit behind each line of a file."""
