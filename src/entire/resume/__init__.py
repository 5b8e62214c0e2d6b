"""Continuing stored sessions: what is meant, where it goes, what of it is counted."""
