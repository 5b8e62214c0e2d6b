"""Repairs links by hand: links a commit by its id, unlinks it, and undoes that. No history is rewritten."""
