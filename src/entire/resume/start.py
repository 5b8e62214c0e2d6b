"""Starts the agent of a session whose transcript is in its place."""

from __future__ import annotations

import sys

from entire import process
from entire.directory import resuming
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views.resumes import ResumedView


def start(top: str, sessions: Sequence[ResumedView]) -> None:
    """Replace this process by the agent of the last session, in the worktree's top folder: agents look up sessions by
    folder. Raises EntireError.
    """
    if not sessions:
        raise EntireError("there is no session to start")
    session = sessions[-1]
    words = resuming.words(session.command)
    if not words:
        raise EntireError(f"the agent names no command that continues session {session.session_id}",
                          hint=f"start {session.agent} and open the session there")  # fmt: skip
    sys.stdout.flush()
    sys.stderr.flush()
    process.become(words, top)
