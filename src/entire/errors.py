"""Errors for people: what happened, what was kept safe, what to do next."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SIMILAR = 0.7  # of 1.0, for a name to be offered


class EntireError(Exception):
    """An expected failure; ``hint`` says what to do next. Printed without a traceback.

    ``known``: the names among which ``unknown`` is not. The hint offers the one that is most like it.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", unknown: str = "", known: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self._hint = hint
        self._unknown = unknown
        self._known = known

    @property
    def hint(self) -> str:
        """What to do next; '' if there is nothing to say."""
        if not self._unknown:
            return self._hint
        from difflib import get_close_matches  # not for hooks, which show no hint

        near = get_close_matches(self._unknown, self._known, n=1, cutoff=_SIMILAR)
        if not near:
            return self._hint
        return " ".join([f"did you mean `{near[0]}`?", self._hint[:1].upper() + self._hint[1:]]).rstrip()


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


class PartialCloneError(GitError):
    """A partial clone lacks an object, and git was kept from fetching it."""


class RefMovedError(EntireError):
    """Another process moved a ref between our reading and writing it: read it again and retry."""


class CorruptError(EntireError):
    """A stored file cannot be parsed; the original is kept."""


class MissingObjectError(EntireError):
    """Git lacks an object that a checkpoint or step refers to."""


class LockTimeoutError(EntireError):
    """Another process held the repository's lock for too long."""
