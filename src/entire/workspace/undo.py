"""What commands changed, and how it is undone."""

from __future__ import annotations

import contextlib

from entire.model.views.changes import UndoView
from entire.workspace.opened import Subject, closed_on_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from entire.model.linking import LinkUndoneView
    from entire.model.views.changes import ChangeView, UndoneView
    from entire.model.views.resumes import ResumeUndoneView
    from entire.rewind.plan import Rewind


class Undo(Subject):
    """What commands changed, and how it is undone."""

    def changes(self) -> list[ChangeView]:
        """Return what commands changed that can be undone, or was, newest first."""
        from entire.undo import changes, completion

        completion.complete(self._opened.place)
        return changes.of(self._opened.place)

    def last(self, command: str, progress: Callable[[str], None] | None = None) -> str:
        """Undo the last change of a command other than ``rewind``, whose undo is planned first; return the id of the
        undo.
        """
        return str(self._last(command, progress).undo_id)

    def _last(self, command: str, progress: Callable[[str], None] | None = None) -> Any:
        from entire.undo.kinds import KINDS

        kind = KINDS[command]
        with contextlib.closing(self._opened.context(starts_plugins=kind.starts_plugins)) as context:
            view = kind.load()(context, progress or (lambda _: None))
        self._opened.drop_catalog()
        return view

    def rewind(self, name: str = "") -> Rewind:
        """Plan to revert the last rewind, or every rewind since that undo point; an undo can be undone."""
        from entire.rewind import plan

        with closed_on_error(self._opened.rewind_context()) as context:
            return plan.undo(context, name)

    def points(self) -> list[UndoView]:
        """Return the undo points of rewinds, newest first."""
        from entire.rewind import plan

        with contextlib.closing(self._opened.context()) as context:
            return [
                UndoView(id=point.id, time=point.time, title=point.title, files=point.paths,
                               session_ids=plan.RewindNotes.of(point).sessions)
                for point in plan.undo_points(context)
            ]  # fmt: skip

    def clean(self) -> UndoneView:
        """Restore what the last ``clean`` deleted, except undo points."""
        view: UndoneView = self._last("clean")
        return view

    def reset(self) -> UndoneView:
        """Restore what the last ``reset`` discarded; raises EntireError if one of its sessions has continued since."""
        view: UndoneView = self._last("reset")
        return view

    def resume(self, progress: Callable[[str], None] | None = None) -> ResumeUndoneView:
        """Restore the transcripts that the last resume (or its undo) replaced."""
        view: ResumeUndoneView = self._last("resume", progress)
        return view

    def link(self, *, unlinking: bool = False) -> LinkUndoneView:
        """Undo the last link by hand, or the last unlinking; raises EntireError if there is none."""
        view: LinkUndoneView = self._last("unlink" if unlinking else "link")
        return view

    def forget(self) -> UndoneView:
        """Restore what the last ``forget`` removed; raises EntireError once git has deleted the old objects."""
        view: UndoneView = self._last("forget")
        return view
