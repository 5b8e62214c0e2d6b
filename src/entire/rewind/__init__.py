"""Rewind: take files and conversations back to a point, and undo that."""
