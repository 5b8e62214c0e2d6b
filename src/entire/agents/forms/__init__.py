"""Reads the transcripts of agents that have no adapter here, by their forms: for people, no hook does."""
