"""Read-only queries: checkpoints, sessions, commits, the state of a worktree."""
