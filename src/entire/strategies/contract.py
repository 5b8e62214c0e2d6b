"""The interface of strategies. The lifecycle asks and writes; a strategy knows the journal and refs, not agents or
events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.refs import Move
    from entire.model.session import Session
    from entire.strategies import Destination


class Strategy(Protocol):
    """Decides where steps are stored until a commit, and what a commit does with them. Updates its journal."""

    name: ClassVar[str]
    """The name in settings and metadata."""

    def destination(self, session: Session, others: Sequence[Session], head: str) -> Destination:
        """Return where a session's next step on ``head`` goes. ``others`` are the worktree's other sessions."""
        ...

    def ask_git(self, branches: Sequence[str]) -> None:
        """Read the tips of these branches from git, because the remembered ones were wrong."""
        ...

    def note_saved(self, destination: Destination, commit: str, size: int) -> None:
        """Record that a step was saved; up to ``size`` bytes of it are in no commit."""
        ...

    def release(self, sessions: Sequence[Session], others: Sequence[Session], *, ask: bool) -> list[Move]:
        """Return the ref moves to make with the checkpoint of these sessions' steps. ``ask``: read the refs first."""
        ...

    def source(self, session: Session) -> str:
        """Return the name of the branch with a session's steps, for the checkpoint's record."""
        ...
