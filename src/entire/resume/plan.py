"""One resume: planned and shown, then carried out with the caller's decisions."""

from __future__ import annotations

from entire import lifecycle
from entire.errors import EntireError
from entire.git import switch
from entire.model.value import replace
from entire.model.views.resumes import ResumeView
from entire.resume import restore
from entire.resume.targets import Finder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from types import TracebackType

    from entire.model.requests import ResumeRequest
    from entire.recording.context import Context
    from entire.resume.targets import ResumeTarget, StoredSession

_SHOWN = 3


class Resume:
    """A planned resume: show ``view``, then carry it out. Use it as a context manager."""

    def __init__(
        self, context: Context, request: ResumeRequest, target: ResumeTarget, stored: Sequence[StoredSession],
        view: ResumeView, progress: Callable[[str], None],
    ) -> None:  # fmt: skip
        self.view = view
        self._progress = progress
        self.recovered: Sequence[str] = ()  # messages about interrupted changes that were completed first
        self._context = context
        self._request = request
        self._target = target
        self._stored = stored

    def __enter__(self) -> Resume:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context.close()

    def carry_out(self, *, overwrite: Collection[str] = (), take_changes: bool = False) -> ResumeView:
        """Check out the branch, and put all transcripts where their agents expect them, or none.

        ``overwrite``: the sessions whose newer local transcripts may be replaced; the others keep theirs.
        ``take_changes`` carries uncommitted changes over to the branch; without it, they raise EntireError. A request
        with ``force`` implies both.
        """
        view, target = self.view, self._target
        if view.changed and not (take_changes or self._request.force):
            raise EntireError(f"{_uncommitted(view.changed)}: {view.branch} was not checked out",
                              hint="commit or stash them, or use --force to carry them over")  # fmt: skip
        if view.switches:
            switch.switch(self._context.place.top, target.branch, target.track)
        if self._stored:
            title = f"resume of {self._request.target or target.branch or target.commit[:7]}"
            chosen = _session_ids(self._stored) if self._request.force else overwrite
            try:
                sessions, undo_id = restore.restore(self._context, self._stored, title, chosen, self._progress,
                                                     force=self._request.force)  # fmt: skip
            except EntireError as error:
                if view.switches:
                    raise EntireError(f"{error.message}, but {view.branch} is checked out", hint=error.hint) from error
                raise
            self.view = replace(view, sessions=tuple(sessions), undo_id=undo_id)
        return self.view


def plan(context: Context, request: ResumeRequest, progress: Callable[[str], None]) -> Resume:
    """Plan to resume what a request names. Use the result as a context manager.

    ``progress`` gets a message before slow work. Changes nothing but remote-tracking refs. Raises EntireError if the
    request names something that has no session to resume.
    """
    recovered = lifecycle.finish_interrupted(context)
    finder = Finder(context, progress)
    target = finder.find(request.target)
    stored, missing = finder.stored_sessions(target)
    _check_stored(finder, target, stored, missing)
    sessions = restore.preview(context, stored, _session_ids(stored) if request.force else (),
                               force=request.force)  # fmt: skip
    if sessions and all(session.problem for session in sessions):
        raise EntireError("; ".join(f"session {session.session_id}: {session.problem}" for session in sessions))
    view = ResumeView(
        branch=target.branch,
        switches=target.needs_switch,
        changed=tuple(switch.changed(context.place.top)) if target.needs_switch else (),
        commit=target.commit,
        subject=target.subject,
        newer=target.newer,
        elsewhere=target.elsewhere,
        sessions=tuple(sessions),
    )
    planned = Resume(context, request, target, stored, view, progress)
    planned.recovered = recovered
    return planned


def _check_stored(
    finder: Finder, target: ResumeTarget, stored: Sequence[StoredSession], missing: Sequence[str]
) -> None:
    """Raise EntireError, before anything changes, if something that the target names is not stored here."""
    if missing:
        others = sorted({session.checkpoint_id for session in stored if session.checkpoint_id})
        commands = " and ".join(f"`entire resume {checkpoint_id}`" for checkpoint_id in others)
        way = f"; to continue without it, run {commands}" if others else ""
        gone = finder.forgotten(missing[0])
        problem = gone.message if gone else f"checkpoint {missing[0]} is not stored here"
        hint = gone.hint if gone else finder.remotes.hint()
        raise EntireError(problem + ("; nothing was changed" if others else ""), hint=hint + way)
    if not stored and target.session_id:
        raise EntireError(f"session {target.session_id} is not stored here", hint=finder.remotes.hint())
    if not stored and target.checkpoint_ids:
        raise EntireError(f"checkpoint {target.checkpoint_ids[0]} holds no session that can be read",
                          hint="run `entire doctor` to see what is damaged")  # fmt: skip


def _session_ids(stored: Sequence[StoredSession]) -> list[str]:
    return [session.session_id for session in stored]


def _uncommitted(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:_SHOWN]) + (", ..." if len(paths) > _SHOWN else "")
    return f"{len(paths)} {'file' if len(paths) == 1 else 'files'} with uncommitted changes ({shown})"
