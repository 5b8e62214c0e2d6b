"""Errors for people: what happened, what was kept safe, what to do next."""

from __future__ import annotations


class EntireError(Exception):
    """An expected failure; ``hint`` says what to do next. Printed without a traceback."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(EntireError):
    """The command line cannot be understood."""

    exit_code = 2


class NotARepositoryError(EntireError):
    """The current directory is not in a git worktree."""

    exit_code = 3


class NotEnabledError(EntireError):
    """Entire is not enabled in this repository."""

    exit_code = 4


class GitError(EntireError):
    """A git command failed; ``status`` is its exit status, ``stderr`` what it printed."""

    def __init__(self, message: str, *, hint: str = "", status: int = 1, stderr: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.stderr = stderr


class RefMovedError(EntireError):
    """Another process moved a ref between our reading and writing it: read it again and retry."""


class CorruptError(EntireError):
    """A stored file cannot be parsed; the original is kept."""


class MissingObjectError(EntireError):
    """Git lacks an object that a checkpoint or step refers to."""


class LockTimeoutError(EntireError):
    """Another process held the repository's lock for too long."""
