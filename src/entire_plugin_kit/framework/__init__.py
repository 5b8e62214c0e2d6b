"""Promises of Entire to every agent, in a real repository."""
