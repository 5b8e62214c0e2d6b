"""The strategy that commits what a turn changed when it ends; what cannot be committed stays a step until it can."""

from __future__ import annotations

from entire.strategies.auto_commit.turn_files import TurnFiles
from entire.strategies.manual_commit import ManualCommit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from entire.layout import Place
    from entire.settings import Settings
    from entire.store.journal import Journal


class AutoCommit(ManualCommit):
    """Saves steps as manual-commit does, so a turn is safe before it is committed."""

    name: ClassVar[str] = "auto-commit"
    records_source: ClassVar[bool] = False
    least_retained: ClassVar[int] = 2  # a single step is the turn's that the commit contains

    def __init__(self, place: Place, settings: Settings, journal: Journal, now: float) -> None:
        super().__init__(place, settings, journal, now)
        self.turn_commits = TurnFiles(place)
