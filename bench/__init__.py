"""What hooks and commands cost, as ratios to git's and Python's own cost in the same run: ``python -m bench``."""
