"""What strategies answer: where a step is saved, and what is committed when a turn ends."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.refs import RefMove
    from entire.store.journal import RetainedSteps


class Destination(Value):
    """Where a step is saved: the branch that moves to it, and the step's parent ('' for none)."""

    branch: str  # below refs/heads
    old: str  # where the branch is expected to be
    parent: str
    moves: tuple[RefMove, ...] = ()  # other refs that move with it
    retained: RetainedSteps | None = None  # the retained steps that one of these moves creates

    @property
    def ref(self) -> str:
        """The branch's full name."""
        return f"refs/heads/{self.branch}"


class Selection(Value):
    """What of a session's open files is committed when its turn ends.

    ``held``: why others stay uncommitted, by path; ``obstacle``: why nothing can be committed now, '' if something can.
    """

    paths: tuple[str, ...] = ()
    held: dict[str, str] = {}
    obstacle: str = ""
