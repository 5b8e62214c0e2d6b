"""The recorded sessions, and how they are continued."""

from __future__ import annotations

from entire.workspace.opened import Subject, closed_on_error, without_fetching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from entire.model import requests
    from entire.model.views.checkpoints import SessionView
    from entire.model.views.resumes import ResumedView
    from entire.resume.plan import Resume as Resume


class Sessions(Subject):
    """The recorded sessions, and how they are continued."""

    def listing(self) -> list[SessionView]:
        """Return the recorded sessions, most recently seen first."""
        from entire.queries import sessions

        self._opened.catch_up()
        return sessions.listing(self._opened.place)

    @without_fetching
    def find_id(self, prefix: str, *, default: str = "") -> str:
        """Return the session id that starts with ``prefix``, else ``default``.

        Raises EntireError if there are several, or none and no default.
        """
        session_id = self._opened.catalog.session(prefix) or default
        if not session_id:
            raise self._opened.catalog.unknown_session(prefix)
        return session_id

    def uncommitted(self, *, here: bool = False) -> list[SessionView]:
        """Return the sessions with uncommitted steps, which ``uninstall`` would lose; ``here``: of this worktree."""
        sessions = [session for session in self.listing() if session.steps and session.open_files]
        return [session for session in sessions if session.is_here] if here else sessions

    def resume(self, request: requests.ResumeRequest, progress: Callable[[str], None] | None = None) -> Resume:
        """Plan to continue the sessions behind a branch, commit, checkpoint or session.

        Missing checkpoints are fetched; ``progress`` is called with a message before slow work. Nothing else changes
        before ``carry_out``; use the plan as a context manager.
        """
        from entire.resume import plan

        with closed_on_error(self._opened.context()) as context:
            return plan.plan(context, request, progress or (lambda _: None))

    def start_agent(self, sessions: Sequence[ResumedView]) -> None:
        """Replace this process by the agent of the last of these sessions. Raises EntireError."""
        from entire.resume import start

        start.start(self._opened.place.top, sessions)
