"""Plans the commit of a turn or a subagent: which files it has, what is in its way, and which checkpoint it gets."""

from __future__ import annotations

import os

from entire import files
from entire.commits import decision
from entire.commits.upcoming_commit import UpcomingCommit
from entire.errors import EntireError
from entire.git import diff, partial_commit
from entire.git.operation import GitCommand, Operation
from entire.model import trailers
from entire.model.events import EventType, GitEvent
from entire.model.ids import CheckpointId
from entire.model.turns import RunningTurn
from entire.model.value import Value, replace
from entire.store import steps
from entire.store.journal import NO_FILE
from entire.strategies.selection import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from entire.git.partial_commit import PreparedCommit, StagedPaths
    from entire.layout import Place
    from entire.model.events import Event
    from entire.model.session import Session
    from entire.model.turns import TurnKey
    from entire.recording.context import Context
    from entire.recording.pending import Pending

    Paths = dict[str, tuple[str, str] | None]  # to mode and blob id; None: deleted

_SWITCHED, _BEING_MADE = "the strategy was switched", "another commit is being made"
_SHOWN = 3  # paths in a reason


class RefusedError(EntireError):
    """The commit is not made; the message is the reason."""


class TurnPlan(Value):
    """A commit that is to be made. ``held``: why other files of the session are left out, by path."""

    turn: TurnKey
    head: str
    branch: bytes  # as the file HEAD names it
    paths: Paths
    held: dict[str, str]
    prepared: PreparedCommit
    decided: Pending
    message: str


def make(context: Context, event: Event, folder: str) -> TurnPlan | None:
    """Return the commit to be made, None if there is nothing to commit; raises RefusedError."""
    session = context.session(event.session_id)
    if session is None:
        return None
    paths, too_large = _open_paths(context, session, event), _too_large(context, session)
    if not paths:
        settle(context, session, event, held_reason(too_large))
        return None
    if not context.can_write():
        raise RefusedError("a lock is in the way of its checkpoint; `entire doctor` names it")
    head = context.objects.commit("HEAD")
    oid = head.oid if head is not None else ""
    if oid != context.journal.snapshot.head:
        raise RefusedError("HEAD has moved since the turn was saved")
    staged = partial_commit.staged(context.place.top, oid, session.oid_size)
    chosen = select(context, session, paths, staged)
    if chosen.obstacle or not chosen.paths:
        raise RefusedError(chosen.obstacle or held_reason(chosen.held))
    entries = {path: paths[path] for path in chosen.paths}
    task = _task(session, event)
    title = _title(context, session, task)
    prepared, decided = _draft(context, session, folder, entries, staged, title)
    if foreign := _of_others(context, session, decided):
        entries = {path: entry for path, entry in entries.items() if path not in foreign}
        prepared, decided = _draft(context, session, folder, entries, staged, title)
    held = {**chosen.held, **too_large}
    if prepared.tree == (head.tree if head is not None else diff.EMPTY_TREE[session.oid_size]):
        settle(context, session, event, held_reason(held))
        return None
    if not decided.id:
        raise RefusedError(decided.reason or "no line of it is the session's")
    decided = replace(decided, task=task)
    message = trailers.add_checkpoints(f"{title}\n", [CheckpointId(name) for name in decided.ids], editor=False)
    return TurnPlan(
        turn=session.turn_key, head=oid, branch=branch(context.place), paths=entries, held=held, prepared=prepared,
        decided=decided, message=message,
    )  # fmt: skip


def branch(place: Place) -> bytes:
    """Return what the file HEAD says: the branch, or the commit of a detached HEAD."""
    return files.read(os.path.join(place.git_dir, "HEAD")) or b""


def _draft(
    context: Context, session: Session, folder: str, entries: Paths, staged: StagedPaths, title: str
) -> tuple[PreparedCommit, Pending]:
    """Prepare a commit of these entries, and decide about it."""
    others = [change for path, change in staged.changes.items() if path not in entries]
    prepared = partial_commit.prepare(context.place, folder, entries, others, oid_size=session.oid_size)
    return prepared, decision.decide(context, _attempt(context, session, prepared.tree, title))


def _of_others(context: Context, session: Session, decided: Pending) -> set[str]:
    """Return the paths whose new content is other sessions' alone and whose turns still run: these commit them. What
    the turn of another session has left uncommitted is committed with what this one made of it.
    """
    paths, running = set(), {turn.key.session_id for turn in context.running_turns()}
    for lines in decided.lines:
        writers = {owner.session_id for owner in lines.owners() if owner.is_new}
        if session.session_id not in writers and not writers.isdisjoint(running):
            paths |= {lines.path, lines.old_path}
    return paths


def select(context: Context, session: Session, paths: Paths, staged: StagedPaths) -> Selection:
    if os.path.exists(context.place.pending_file):  # one that is interrupted was completed when the hook began
        return Selection(obstacle=_BEING_MADE)
    strategy = context.strategy.turn_commits
    return strategy.select(session, paths, staged) if strategy is not None else Selection(obstacle=_SWITCHED)


def _open_paths(context: Context, session: Session, event: Event) -> Paths:
    """Return the session's open files (after a subagent, those that it changed) as the last snapshot has them."""
    wanted: Iterable[str] = session.work.open_files
    if event.type is EventType.SUBAGENT_END:
        from entire.turns import subagents

        wanted = subagents.open_files(context, session, event)
    known = context.journal.snapshot.files
    return {path: None if known[path][0] == NO_FILE else (known[path][0], known[path][1])
            for path in wanted if path in known}  # fmt: skip


def _too_large(context: Context, session: Session) -> dict[str, str]:
    """Return the new files of the turn that no snapshot has, with the reason, so they do not stay out silently."""
    since, top = session.turn.started if session.turn is not None else 0.0, context.place.top
    reasons_by_path = {}
    for path in context.journal.snapshot.left_out:
        try:
            changed = os.lstat(os.fsencode(os.path.join(top, path))).st_ctime
        except OSError:
            continue
        if changed >= since:
            reasons_by_path[path] = "it is larger than max_untracked_bytes, and in no step"
    return reasons_by_path


def _task(session: Session, event: Event) -> str:
    """Return the tool-use id of the subagent that ended, '' for the end of a turn."""
    from entire.turns import subagents

    return subagents.ended_task(session, event) if event.type is EventType.SUBAGENT_END else ""


def _title(context: Context, session: Session, task: str) -> str:
    from entire.turns import subagents
    from entire.turns import turn as turns

    title = subagents.title(session.tasks[task], task) if task else turns.title(context, session)
    return title if trailers.has_content(title, "") else steps.subject("")  # a prompt may look like a trailer


def _attempt(context: Context, session: Session, tree: str, message: str) -> UpcomingCommit:
    """Return the commit as one that the session's agent is about to make."""
    own = [RunningTurn(session.turn_key)] if session.is_running else []
    others = [turn for turn in context.running_turns() if turn not in own]
    return UpcomingCommit(
        event=GitEvent(type=EventType.PREPARE_COMMIT),
        message=message,
        git=GitCommand(),
        operation=Operation(),
        head=context.objects.commit("HEAD"),
        tree=tree,
        amends=False,
        maker=session.session_id,
        running=(*own, *others),
    )


def held_reason(held: Mapping[str, str]) -> str:
    shown = [f"{path} ({reason})" for path, reason in list(held.items())[:_SHOWN]]
    more = f" and {len(held) - _SHOWN} more" if len(held) > _SHOWN else ""
    return f"{', '.join(shown)}{more}" if held else ""


def settle(context: Context, session: Session, event: Event, reason: str = "") -> None:
    """Note why something stays uncommitted, or that nothing does; that an earlier turn does so is for a turn to say."""
    if reason or event.type is EventType.TURN_END:
        session.work = replace(session.work, uncommitted=reason)
        context.save(session)
