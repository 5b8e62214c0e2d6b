"""What can be read out of a repository: checkpoints, sessions, commits, how a worktree stands. Writes nothing."""
