"""What every screen is made of: text that fits a terminal, lists, questions, the pager, completion."""
