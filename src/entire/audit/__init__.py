"""Scans everything that is stored with today's rules for secrets, and tells where a secret is and who else has it.

It reads what redaction passed: the checkpoints branch with all its history, what steps and turns without a step hold
of sessions, messages of commits, session states, logs, undo points and the search index. Files of the worktree in a
step are the user's own and are not read (docs/explanation/redaction.md).
"""
