"""What a shell can complete."""

from __future__ import annotations

import os
import time

from entire import layout
from entire.git.offline import Offline
from entire.model.candidates import Candidate
from entire.workspace.opened import Opened
from entire.workspace.points import Points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.layout import Place

_COMPLETED_POINTS = 50


class Candidates:
    """Names that a shell can complete. Needs no repository; writes nothing and starts no plugin."""

    def __init__(self, place: Place | None) -> None:
        self._place = place

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Candidates:
        """Return the names in the worktree that contains a path (default: the current directory)."""
        return cls(layout.find(os.getcwd() if path is None else os.fspath(path)))

    def of(self, kinds: Iterable[str], start: str = "") -> list[Candidate]:
        """Return the names of these kinds that begin with ``start``. Kinds: agent, branch, change, checkpoint,
        commit, finding, plugin, point, prompt, session, turn.
        """
        with Offline(self._place.top if self._place else "", layout.METADATA_BRANCH):
            candidates = [candidate for kind in kinds for candidate in self._of(kind, start)]
        return list({name.name: name for name in candidates if name.name.startswith(start)}.values())

    def _of(self, kind: str, start: str) -> Iterable[Candidate]:
        from entire.queries import candidates

        if kind in candidates.ANYWHERE:
            return candidates.ANYWHERE[kind](self._place, start)
        if self._place is None:
            return ()
        if kind == "point":
            opened = Opened(self._place, now=time.time, only_reads=True)
            points = Points(opened).listing(_COMPLETED_POINTS)
            titles = {point.id: point.message if point.kind == "checkpoint" else point.prompt for point in points}
            return [Candidate(name=point.id, about=titles[point.id] or point.message) for point in points]
        return candidates.KINDS[kind](self._place, start)
