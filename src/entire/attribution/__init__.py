"""Whose line is this: content of sessions in commits, line by line."""
