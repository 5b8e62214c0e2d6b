"""One repository with Entire in it: the library's front room. Every face and every library user starts here.

Reading writes nothing, also where the repository cannot be written.
"""

from __future__ import annotations

import contextlib
import os
import time

from entire import layout, settings
from entire.errors import EntireError, NotARepositoryError, NotEnabledError
from entire.git import history
from entire.model import requests, views
from entire.model.ids import HEX
from entire.queries import checkpoints, commits, sessions, status
from entire.store.catalog import Catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from entire.layout import Place
    from entire.lifecycle.context import Context
    from entire.resume.plan import Resume
    from entire.rewind.plan import Rewind
    from entire.settings import Settings


class Workspace:
    """A worktree and what is kept of the sessions in it."""

    def __init__(self, place: Place, *, now: Callable[[], float] = time.time) -> None:
        self.place = place
        self._now = now
        self._forget()

    def _forget(self) -> None:
        """Read everything again the next time."""
        self.settings: Settings | None = settings.load(self.place)  # None: Entire was never enabled here
        self._catalog = Catalog(self.place)

    def __repr__(self) -> str:
        return f"Workspace({self.place.top!r})"

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Workspace:
        """Return the workspace that contains a path (the current directory); raises NotARepositoryError elsewhere."""
        if path is None:
            return cls(layout.here())
        place = layout.find(os.fspath(path))
        if place is None:
            raise NotARepositoryError(f"{os.fspath(path)} is in no git worktree", hint="run `git init` there first")
        return cls(place)

    @property
    def branch(self) -> str:
        """The branch that is checked out, '' when HEAD is detached."""
        return history.branch(self.place.top)

    @property
    def pager(self) -> str:
        """The pager that git uses here."""
        return history.pager(self.place.top)

    def status(self) -> views.StatusView:
        """Return how this worktree stands."""
        return status.view(self.place, self.settings, self._catalog)

    # ------------------------------------------------------------ names

    def target(self, name: str) -> views.TargetView:
        """Return what a name means: a commit, a checkpoint or a session, the latter two by the beginning of an id too.

        Raises EntireError if it means nothing here, or several things.
        """
        found = self._catalog.find(name)
        if found is None:
            hint = "`entire explain` lists checkpoints"
            if name and HEX.issuperset(name):
                raise EntireError(f"commit or checkpoint not found: {name}", hint=hint)
            raise EntireError(f"{name!r} is no commit, checkpoint or session here", hint=hint)
        return found

    def session_id(self, prefix: str) -> str:
        """Return the id of the session that begins with ``prefix``; raises EntireError if there is none, or several."""
        found = self._catalog.session(prefix)
        if not found:
            raise EntireError(f"session not found: {prefix}", hint="`entire status --detailed` lists sessions")
        return found

    # ------------------------------------------------------------ sessions and commits

    def sessions(self) -> list[views.SessionView]:
        """Return the sessions that are remembered, the one seen last first."""
        return sessions.listing(self.place)

    def commit(self, name: str) -> views.CommitView:
        """Return a commit by any name that git understands; raises EntireError if it is none."""
        return commits.find(self.place.top, name)

    def linked_commits(self, *, everywhere: bool = False) -> list[views.CommitView]:
        """Return the commits with a checkpoint's id, newest first: of this branch, or of all branches and tags."""
        return commits.linked(self.place.top, everywhere=everywhere)

    def explain(self, commit: str) -> views.ExplanationView:
        """Return a commit with all its checkpoints, or with the reason why it has none."""
        return checkpoints.of_commit(self._catalog, commit)

    # ------------------------------------------------------------ checkpoints

    @property
    def tips(self) -> Mapping[str, str]:
        """The checkpoints branches and their commits, the local one first."""
        return self._catalog.tips

    @property
    def sessions_by_checkpoint(self) -> Mapping[str, tuple[str, ...]]:
        """The sessions of every stored checkpoint, by checkpoint id."""
        return self._catalog.sessions_by_checkpoint

    def checkpoints(self, limit: int = 20, *, session_id: str = "") -> list[views.ListedView]:
        """Return the checkpoints of this branch's commits, newest first; ``limit`` 0 returns all of them.

        A trailer whose checkpoint does not exist is in the list too, with ``is_stored`` false.
        """
        return self.listing(limit, session_id=session_id)[0]

    def listing(self, limit: int = 20, *, session_id: str = "") -> tuple[list[views.ListedView], int]:
        """Return the newest of this branch's checkpoints, and how many there are in all."""
        return checkpoints.listing(self._catalog, limit, session_id)

    def checkpoint(self, prefix: str) -> views.CheckpointView:
        """Return a checkpoint by its id or the beginning of it; raises EntireError if there is none, or several."""
        return checkpoints.find(self._catalog, prefix)

    def checkpoint_ids(self) -> list[str]:
        """Return the ids of all stored checkpoints, also those of other branches, in order of id."""
        return list(self._catalog.checkpoint_ids)

    def transcript(self, checkpoint: views.CheckpointView | str, session_id: str = "") -> bytes:
        """Return a stored transcript as the agent wrote it, secrets removed: the latest session's, or a named one's."""
        name = checkpoint if isinstance(checkpoint, str) else checkpoint.id
        return checkpoints.transcript(self._catalog, name, session_id)

    def conversation(
        self, checkpoint: views.CheckpointView | str, session_id: str = "", start: int = 0
    ) -> list[views.MessageView]:
        """Return what a stored transcript says, for people: from record ``start`` on, tools by name."""
        return checkpoints.messages(self.transcript(checkpoint, session_id), start)

    # ------------------------------------------------------------ back to a point

    def points(self, limit: int = 100, *, session_id: str = "") -> list[views.PointView]:
        """Return the points of this branch that one can go back to, newest first; ``limit`` 0 returns all of them.

        A subagent's steps follow the point that they belong to.
        """
        from entire.rewind.points import Points

        with contextlib.closing(self._context()) as context:
            return Points(context).find(limit=limit, session_id=session_id)

    def rewind(self, request: requests.RewindRequest) -> Rewind:
        """Plan to go back to a point. Nothing changes before ``carry_out``; use the plan as a context manager."""
        from entire.rewind import plan

        with self._handed_on() as context:
            return plan.plan(context, request)

    def undo(self, name: str = "") -> Rewind:
        """Plan to take back the last rewind, or all back to the one with that undo point; undo it to repeat it."""
        from entire.rewind import plan

        with self._handed_on() as context:
            return plan.undo(context, name)

    def undo_points(self) -> list[views.UndoView]:
        """Return what rewinds saved before they changed anything, newest first."""
        from entire.rewind import plan

        with contextlib.closing(self._context()) as context:
            return [
                views.UndoView(id=one.id, time=one.time, title=one.title, files=one.paths,
                               session_ids=tuple(one.notes.get("sessions", ())))
                for one in plan.undo_points(context)
            ]  # fmt: skip

    # ------------------------------------------------------------ going on

    def resume(self, request: requests.ResumeRequest, progress: Callable[[str], None] | None = None) -> Resume:
        """Plan to continue the sessions behind a branch, a commit, a checkpoint or a session.

        What is not stored here is fetched; ``progress`` is called with what takes long. Nothing else changes before
        ``carry_out``; use the plan as a context manager.
        """
        from entire.resume import plan

        with _closed_on_error(self._context()) as context:
            return plan.plan(context, request, progress or (lambda _: None))

    def undo_resume(self) -> views.ResumeUndoneView:
        """Bring back the transcripts that the last resume (or undo of one) replaced."""
        from entire.resume import restore

        with contextlib.closing(self._context()) as context:
            return restore.undo(context)

    # ------------------------------------------------------------ setting up

    def agents(self, *, user: bool = False) -> list[views.AgentView]:
        """Return the agents that are known here; with ``user``, with the state of their hooks for all repositories."""
        from entire.maintenance import setup

        return setup.agents(self.place, user=user)

    def check_enable(self, request: requests.EnableRequest) -> None:
        """Raise UsageError if ``enable`` would refuse a request."""
        from entire.maintenance import setup

        setup.check(request)

    def enable(self, request: requests.EnableRequest | None = None) -> views.EnableView:
        """Start keeping sessions; raises UsageError, before anything is written, if the request cannot be met."""
        from entire.maintenance import setup

        try:
            return setup.enable(self.place, request or requests.EnableRequest())
        finally:
            self._forget()

    def add_hook_lines(self) -> tuple[views.HookLineView, ...]:
        """Add the lines that hook files lack, as ``enable`` returned them; return them with what was done.

        A hook file that is no shell script is left alone.
        """
        from entire.maintenance import setup

        return setup.add_hook_lines(self.place)

    def disable(self, request: requests.DisableRequest | None = None) -> views.DisableView:
        """Stop keeping sessions; hooks stay and do nothing."""
        from entire.maintenance import setup

        try:
            return setup.disable(self.place, request or requests.DisableRequest())
        finally:
            self._forget()

    def uninstall(self, request: requests.UninstallRequest) -> views.UninstallView:
        """Remove hooks, settings, session states and steps. Checkpoints stay. This cannot be undone."""
        from entire.maintenance import uninstall

        try:
            return uninstall.uninstall(self.place, request)
        finally:
            self._forget()

    def uncommitted_sessions(self) -> list[views.SessionView]:
        """Return the sessions with steps that no commit holds yet: what ``uninstall`` would lose."""
        return [session for session in self.sessions() if session.steps and session.open_files]

    # ------------------------------------------------------------ looking after it

    def doctor(self, request: requests.DoctorRequest | None = None) -> views.DoctorView:
        """Return the problems found here; with ``fix``, repair them and return what was repaired and what is left."""
        from entire.maintenance import doctor

        try:
            return doctor.diagnose(self.place, request or requests.DoctorRequest(), now=self._now)
        finally:
            self._forget()

    def clean(self, request: requests.CleanRequest) -> views.CleanView:
        """Remove data that is no longer used, or with ``dry_run`` only return it."""
        from entire.maintenance import clean

        return clean.clean(self.place, request, now=self._now())

    def undo_clean(self) -> views.UndoneView:
        """Bring back what the last ``clean`` removed; undo points themselves do not come back."""
        from entire.maintenance import clean

        return clean.undo(self.place, now=self._now())

    def reset(self, request: requests.ResetRequest) -> views.ResetView:
        """Forget the steps on HEAD and the sessions on them, or with ``dry_run`` only return them.

        Raises EntireError while a turn is in progress (unless forced), and while a commit is being made.
        """
        from entire.maintenance import reset

        return reset.reset(self.place, request, now=self._now())

    def undo_reset(self) -> views.UndoneView:
        """Bring back what the last ``reset`` forgot; raises EntireError if one of its sessions went on since."""
        from entire.maintenance import reset

        return reset.undo(self.place, now=self._now())

    # ------------------------------------------------------------ the context of changes

    def _context(self) -> Context:
        from entire.lifecycle.context import Context

        return Context(self.place, self.settings or settings.Settings(enabled=False))

    def _handed_on(self) -> contextlib.AbstractContextManager[Context]:
        """Return a context for a plan that closes it, where there can be points to go back to."""
        if self.settings is None:
            raise NotEnabledError("Entire was never enabled here: there is no point to go back to",
                                  hint="`entire enable` starts keeping sessions")  # fmt: skip
        return _closed_on_error(self._context())


@contextlib.contextmanager
def _closed_on_error(context: Context) -> Iterator[Context]:
    """Close a context if what would have kept it cannot be made."""
    try:
        yield context
    except BaseException:
        context.close()
        raise
