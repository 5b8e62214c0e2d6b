"""Session states, the worktree's journal, steps and checkpoints, as stored on disk and in git."""
