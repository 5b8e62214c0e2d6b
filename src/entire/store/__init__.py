"""What is kept, and under which names: session states, the worktree's journal, steps, checkpoints."""
