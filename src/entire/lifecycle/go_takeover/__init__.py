"""Importing the sessions that the Go Entire CLI left."""
