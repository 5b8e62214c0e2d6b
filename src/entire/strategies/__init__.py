"""What saving means: where a step goes, and what becomes of steps when a commit holds their content."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.refs import Move
    from entire.layout import Place
    from entire.settings import Settings
    from entire.store.journal import Journal, RetainedSteps
    from entire.strategies.contract import Strategy


class Destination(Value):
    """Where a step is saved: the ref that moves to it, and the commit that it follows ('' for none)."""

    branch: str  # below refs/heads
    old: str  # where the branch is, as far as is known
    parent: str
    moves: tuple[Move, ...] = ()  # other refs that move with it
    retained: RetainedSteps | None = None  # what one of these moves retains

    @property
    def ref(self) -> str:
        """The branch's whole name."""
        return f"refs/heads/{self.branch}"


TABLE = {"manual-commit": "entire.strategies.manual_commit:ManualCommit"}
"""Those that this version can carry out, by their word in the settings."""


def make(place: Place, settings: Settings, journal: Journal, now: float) -> Strategy:
    """Return the strategy that the settings name; the default one where they name one of another version."""
    module, _, name = TABLE.get(settings.strategy, TABLE["manual-commit"]).partition(":")
    strategy: Strategy = getattr(__import__(module, fromlist=[name]), name)(place, settings, journal, now)
    return strategy
