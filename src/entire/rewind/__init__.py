"""Going back to a point: files and conversations, and the way back from there."""
