"""The interface of strategies. The lifecycle asks and writes; a strategy knows the journal and refs, not agents or
events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.partial_commit import Entries, StagedPaths
    from entire.git.refs import RefMove
    from entire.model.session import Session
    from entire.strategies.selection import Destination, Selection


class Strategy(Protocol):
    """Decides where steps are stored until a commit, and what a commit does with them. Updates its journal."""

    name: ClassVar[str]
    """The name in settings and metadata."""

    records_source: ClassVar[bool]
    """Whether a checkpoint's commit names the branch with the session's steps."""

    turn_commits: TurnCommits | None
    """What is committed when a turn or subagent ends; None if the user commits."""

    def destination(self, session: Session, others: Sequence[Session], head: str) -> Destination:
        """Return where a session's next step on ``head`` goes. ``others`` are the worktree's other sessions."""
        ...

    def ask_git(self, branches: Sequence[str]) -> None:
        """Read the tips of these branches from git, because the remembered ones were wrong."""
        ...

    def note_saved(self, destination: Destination, commit: str, size: int) -> None:
        """Record that a step was saved; up to ``size`` bytes of it are in no commit."""
        ...

    def release(self, sessions: Sequence[Session], others: Sequence[Session], *, ask: bool) -> list[RefMove]:
        """Return the ref moves to make with the checkpoint of these sessions' steps. ``ask``: read the refs first."""
        ...

    def source(self, session: Session) -> str:
        """Return the name of the branch with a session's steps."""
        ...


class TurnCommits(Protocol):
    """Decides what of a session's work is committed when its turn, or a subagent of it, ends."""

    def select(self, session: Session, entries: Entries, staged: StagedPaths) -> Selection:
        """Return which of a session's open files are committed when its turn ends, and why others are not."""
        ...
