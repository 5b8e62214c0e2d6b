"""A turn and its subagents, from start to end."""
