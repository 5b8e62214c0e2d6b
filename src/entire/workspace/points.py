"""The points of this branch, and rewinds to them."""

from __future__ import annotations

import contextlib

from entire.workspace.opened import Subject, closed_on_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model import requests
    from entire.model.views.points import PointView, WaysBackView
    from entire.rewind.plan import Rewind as Rewind


class Points(Subject):
    """The points of this branch, and rewinds to them."""

    def listing(self, limit: int = 100, *, session_id: str = "") -> list[PointView]:
        """Return the points of this branch, newest first; ``limit`` 0 returns all of them.

        A subagent's steps follow the point they belong to.
        """
        from entire.rewind import points

        self._opened.catch_up()
        with contextlib.closing(self._opened.context()) as context:
            return points.PointList(context).find(limit=limit, session_id=session_id)

    def forgotten(self, limit: int = 100) -> list[tuple[str, str, str]]:
        """Return the commits of this branch that are no longer points: with the checkpoint that was forgotten, and on
        which day.
        """
        from entire.queries import history

        with self._opened.offline:
            return list(history.forgotten(self._opened.catalog, limit))

    def ways_back(self, commit: str) -> WaysBackView:
        """Return what a rewind to a commit's checkpoint can do about the commits after it."""
        from entire.rewind import branch

        with contextlib.closing(self._opened.context()) as context:
            return branch.ways_back(context, commit)

    def rewind(self, request: requests.RewindRequest) -> Rewind:
        """Plan a rewind to a point. Nothing changes before ``carry_out``; use the plan as a context manager."""
        from entire.rewind import plan

        with closed_on_error(self._opened.rewind_context()) as context:
            return plan.plan(context, request)
