"""The order of points. Git knows a commit's time only to the second; within it, history tells what came first."""

from __future__ import annotations

from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.model.views.points import PointView

_NEXT = 1e-4  # seconds between points of which only the order is known
_ABBREVIATED = 7  # characters of a commit's id in the name of a shadow branch


class Chronology:
    """What is known of points besides the times of their commits.

    ``moments``: exact times by point; ``bases``: the commits on which steps were made; ``parents``: the first parents
    of the commits with a checkpoint, newest first.
    """

    def __init__(self, moments: Mapping[str, float], bases: Mapping[str, str], parents: Mapping[str, str]) -> None:
        self._moments = moments
        self._bases = bases
        self._ages = {commit[:_ABBREVIATED]: 2 * age for age, commit in enumerate(reversed(list(parents)), 1)}
        self._before = {parent[:_ABBREVIATED]: self._ages[commit[:_ABBREVIATED]] for commit, parent in parents.items()}

    def in_order(self, points: Sequence[PointView]) -> list[PointView]:
        """Return points with their times, newest first. ``points``: those of each kind in git's order."""
        dated: list[PointView] = []
        latest: dict[int, float] = {}  # by second
        timed = [replace(point, time=self._moments.get(point.id, point.time)) for point in reversed(points)]
        for point in sorted(timed, key=lambda point: (int(point.time), self._generation(point))):
            second, moment, is_exact = int(point.time), point.time, point.id in self._moments
            if not is_exact:
                moment = max(moment, latest.get(second, 0.0) + _NEXT)
            if not is_exact or self._generation(point):
                latest[second] = max(latest.get(second, 0.0), moment)
            dated.append(replace(point, time=moment))
        dated.reverse()  # where times are equal, git's order stays
        dated.sort(key=lambda point: point.time, reverse=True)
        return dated

    def _generation(self, point: PointView) -> int:
        """Return a number that is higher for a later point: even for commits, odd for the steps between; 0: unknown."""
        if point.kind == "checkpoint":
            return self._ages.get(point.id[:_ABBREVIATED], 0)
        base = self._bases.get(point.id, "")[:_ABBREVIATED]
        after, before = self._ages.get(base, 0), self._before.get(base, 0)
        return after + 1 if after else before - 1 if before else 0
