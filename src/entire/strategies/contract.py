"""What a strategy decides; the lifecycle asks and writes. A strategy knows journals and refs, no agents, no events."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.refs import Move
    from entire.model.session import Session
    from entire.strategies import Destination


class Strategy(Protocol):
    """How steps are kept until a commit, and what a commit does with them. It changes the journal it is made with."""

    name: ClassVar[str]
    """The word in settings and in metadata."""

    def destination(self, session: Session, others: Sequence[Session], head: str) -> Destination:
        """Return where a session's next step on ``head`` goes. ``others`` are the worktree's other sessions."""
        ...

    def ask_git(self, branches: Sequence[str]) -> None:
        """Read the tips of these branches from git: what was remembered turned out to be wrong."""
        ...

    def note_saved(self, destination: Destination, commit: str, size: int) -> None:
        """Remember that a step was saved; ``size`` bytes of it may be in no commit."""
        ...

    def release(self, sessions: Sequence[Session], others: Sequence[Session], *, ask: bool) -> list[Move]:
        """Return the ref moves that go with the checkpoint of these sessions' steps. ``ask``: git is to be asked."""
        ...

    def source(self, session: Session) -> str:
        """Return the name of what held a session's steps, for the checkpoint's record."""
        ...
