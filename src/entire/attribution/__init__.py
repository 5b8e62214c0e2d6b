"""Finds out which session or person wrote each line of a commit."""
