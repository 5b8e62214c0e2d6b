"""Keeps the search index up to date, and searches it."""
