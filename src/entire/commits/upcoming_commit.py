"""The commit that git is about to make: its tree, what it amends, and which session's agent makes it."""

from __future__ import annotations

import os

from entire import process
from entire.git import index
from entire.model.turns import RunningTurn
from entire.model.value import Value
from entire.store import journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.git.operation import GitCommand, Operation
    from entire.git.read import Commit
    from entire.model.events import GitEvent
    from entire.model.session import Session
    from entire.recording.context import Context


class UpcomingCommit(Value):
    """The commit that git is about to make."""

    event: GitEvent
    message: str
    git: GitCommand
    operation: Operation
    head: Commit | None
    tree: str
    amends: bool
    maker: str = ""  # the session whose agent makes it, '' for a person
    commit: str = ""  # one that exists already
    running: tuple[RunningTurn, ...] = ()  # may own what no snapshot has; the first wins ties

    @property
    def parent(self) -> str:
        """The commit's first parent; '' for a root commit."""
        if not self.amends:
            return self.head.oid if self.head is not None else ""
        return self.head.parents[0] if self.head is not None and self.head.parents else ""


def find(context: Context, event: GitEvent, git: GitCommand, state: Operation, message: str) -> UpcomingCommit:
    """Find out what is committed and who commits it. Records what sessions of other worktrees did in this one."""
    place = context.place
    head, index_file = context.objects.commit("HEAD"), index.path(place, event.environment)
    tree = index.tree(place.top, place.git_dir, index_file, place.own_dir)
    elsewhere = _running_elsewhere(context)
    maker = committing_session(context, event, elsewhere)
    visiting = _receive(context, elsewhere, maker)
    return UpcomingCommit(
        event=event,
        message=message,
        git=git,
        operation=state,
        head=head,
        tree=tree,
        amends=_amends(event, git, head, tree),
        maker=maker,
        running=(*_running(context, maker), *visiting),
    )


def _amends(event: GitEvent, git: GitCommand, head: Commit | None, tree: str) -> bool:
    if head is None:
        return False
    if git.amends is not None and git.command:
        return git.amends
    date = event.environment.get("GIT_AUTHOR_DATE", "").lstrip("@")
    is_repeated = event.message_source in ("message", "commit") and tree == head.tree
    return is_repeated and bool(date) and head.author.endswith(date)


def _running_elsewhere(context: Context) -> list[Session]:
    """Return the sessions with a turn in progress in other worktrees: they may have worked or commit in this one."""
    sessions = map(context.session, journal.running_elsewhere(context.place))
    return [session for session in sessions if session is not None and session.is_running]


def _receive(context: Context, elsewhere: Sequence[Session], maker: str) -> list[RunningTurn]:
    """Record what these sessions did in this worktree so far; return the turns of those that did something."""
    if not elsewhere:
        return []
    from entire.snapshots import other_worktrees

    turns = [
        RunningTurn.background(session.turn_key)
        for session in elsewhere
        if other_worktrees.receive(context, session, is_committing=session.session_id == maker)
    ]
    if turns:
        context.save()
    return turns


def committing_session(context: Context, event: GitEvent, elsewhere: Sequence[Session]) -> str:
    """Return the id of the session whose agent runs git within a turn, '' for a person.

    With ENTIRE_TEST_TTY set to "1" it is a person's commit, with "0" one by the agent of the active session.
    """
    here = context.running()
    running = [*here, *elsewhere]
    terminal = event.environment.get("ENTIRE_TEST_TTY", "")
    if terminal == "1" or not running:
        return ""
    if event.session_id:
        return next((session.session_id for session in running if session.session_id == event.session_id), "")
    if terminal == "0":
        return max(here, key=lambda session: session.times.last_seen).session_id if here else ""
    ancestors = {(program.pid, program.started) for program in process.ancestors(os.getppid())}
    agents = {session.session_id: (session.process.pid, session.process.started) for session in running}
    maker = next((session_id for session_id, agent in agents.items() if agent in ancestors), "")
    return maker or _named_by_environment(running, os.environ)


def _named_by_environment(running: Sequence[Session], environment: Mapping[str, str]) -> str:
    """Return the id of the session whose plugin says that one of the variables that are set is its agent's; '' if there
    is none, or several without its id as a value.
    """
    given = {
        session.session_id: [environment[name] for name in session.connection.caller_variables if environment.get(name)]
        for session in running
    }
    candidates = [session_id for session_id, values in given.items() if values]
    exact = [session_id for session_id in candidates if session_id in given[session_id]]
    likely = exact or candidates
    return likely[0] if len(likely) == 1 else ""


def _running(context: Context, maker: str) -> tuple[RunningTurn, ...]:
    """Return the turns in progress; that of the committing agent comes first, because the first wins ties."""
    return tuple(sorted(context.running_turns(), key=lambda turn: turn.key.session_id != maker))
