"""Strategies: where steps are saved, and what happens to them when a commit contains their content."""

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
    """Where a step is saved: the branch that moves to it, and the step's parent ('' for none)."""

    branch: str  # below refs/heads
    old: str  # where the branch is expected to be
    parent: str
    moves: tuple[Move, ...] = ()  # other refs that move with it
    retained: RetainedSteps | None = None  # the retained steps that one of these moves creates

    @property
    def ref(self) -> str:
        """The branch's full name."""
        return f"refs/heads/{self.branch}"


TABLE = {"manual-commit": "entire.strategies.manual_commit:ManualCommit"}
"""The supported strategies, by their name in the settings."""


def make(place: Place, settings: Settings, journal: Journal, now: float) -> Strategy:
    """Return the strategy that the settings name; the default if this version does not support it."""
    module, _, name = TABLE.get(settings.strategy, TABLE["manual-commit"]).partition(":")
    strategy: Strategy = getattr(__import__(module, fromlist=[name]), name)(place, settings, journal, now)
    return strategy
