"""What commands changed, and how it is undone."""

from __future__ import annotations

import contextlib

from entire.model.views.changes import ChangeView, UndoneView, UndoView
from entire.model.views.resumes import ResumeUndoneView
from entire.workspace.opened import Subject, closed_on_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.model.linking import LinkUndoneView
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
        undo: dict[str, Callable[[], UndoneView | ResumeUndoneView | LinkUndoneView]] = {
            "clean": self.clean,
            "forget": self.forget,
            "link": self.link,
            "reset": self.reset,
            "resume": lambda: self.resume(progress),
            "unlink": lambda: self.link(unlinking=True),
        }
        return undo[command]().undo_id

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
        from entire.maintenance import clean

        return clean.undo(self._opened.place, now=self._opened.now())

    def reset(self) -> UndoneView:
        """Restore what the last ``reset`` discarded; raises EntireError if one of its sessions has continued since."""
        from entire.maintenance import reset

        return reset.undo(self._opened.place, now=self._opened.now())

    def resume(self, progress: Callable[[str], None] | None = None) -> ResumeUndoneView:
        """Restore the transcripts that the last resume (or its undo) replaced."""
        from entire.resume import restore

        with contextlib.closing(self._opened.context()) as context:
            return restore.undo(context, progress or (lambda _: None))

    def link(self, *, unlinking: bool = False) -> LinkUndoneView:
        """Undo the last link by hand, or the last unlinking; raises EntireError if there is none."""
        from entire.linking import repair, undo

        with contextlib.closing(self._opened.context(starts_plugins=False)) as context:
            view = undo.undo(context, repair.UNLINK if unlinking else repair.LINK)
        self._opened.drop_catalog()
        return view

    def forget(self) -> UndoneView:
        """Restore what the last ``forget`` removed; raises EntireError once git has deleted the old objects."""
        from entire.forgetting import undo

        with contextlib.closing(self._opened.context(starts_plugins=False)) as context:
            view = undo.undo(context)
        self._opened.drop_catalog()
        return view
