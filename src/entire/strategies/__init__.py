"""Strategies: where steps are saved, and what happens to them when a commit contains their content."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.settings import Settings
    from entire.store.journal import Journal
    from entire.strategies.contract import Strategy


class _StrategyEntry(Value):
    """What must be known of a strategy without loading it."""

    where: str
    commits_turns: bool  # what a turn or subagent changed is committed when it ends


TABLE = {
    "manual-commit": _StrategyEntry(where="entire.strategies.manual_commit:ManualCommit", commits_turns=False),
    "auto-commit": _StrategyEntry(where="entire.strategies.auto_commit:AutoCommit", commits_turns=True),
}
"""The supported strategies, by their name in the settings."""


def _entry(settings: Settings) -> _StrategyEntry:
    return TABLE.get(settings.strategy, TABLE["manual-commit"])


def commits_turns(settings: Settings) -> bool:
    """Tell whether the strategy commits what a turn or subagent changed when it ends."""
    return _entry(settings).commits_turns


def make(place: Place, settings: Settings, journal: Journal, now: float) -> Strategy:
    """Return the strategy that the settings name; the default if this version does not support it."""
    module, _, name = _entry(settings).where.partition(":")
    strategy: Strategy = getattr(__import__(module, fromlist=[name]), name)(place, settings, journal, now)
    return strategy
