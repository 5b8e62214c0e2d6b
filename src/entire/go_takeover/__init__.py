"""Imports sessions that the Go CLI left."""
