"""Summaries of checkpoints, written by an agent's own model. Only a command asks for one; no hook does."""
