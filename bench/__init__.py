"""Measures hooks and commands relative to git's and Python's own time in the same run: ``python -m bench``."""
