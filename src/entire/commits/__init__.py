"""A commit, from the decision before it to the checkpoint after it."""
