"""Commits what a turn or a subagent changed when it ends, if the strategy does so.

It is a commit of the session's own, decided and recorded like one that its agent makes. The turn was saved as a step
before, so what stands in the way of the commit loses nothing: the session notes why, and its next turn tries again.

The repository's hooks run without our lock, because they may take long. Afterwards everything must still be as it was.
"""

from __future__ import annotations

import os
import stat

from entire import files
from entire.errors import EntireError
from entire.git import commit_hooks, new_commit, partial_commit
from entire.git.commit_hooks import HookError
from entire.git.operation import GitCommand, Operation
from entire.lifecycle.commits import advance, carry_forward, complete, decision, pending
from entire.lifecycle.commits.attempts import Attempt
from entire.model import trailers
from entire.model.events import EventType, GitEvent
from entire.model.ids import CheckpointId
from entire.model.turns import RunningTurn
from entire.model.value import Value, replace
from entire.store.journal import NO_FILE
from entire.strategies import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from entire.git.commit_hooks import CommitHooks
    from entire.git.partial_commit import PreparedCommit, StagedPaths
    from entire.layout import Place
    from entire.lifecycle.commits.pending import Pending
    from entire.lifecycle.context import Context
    from entire.model.events import Event
    from entire.model.session import Session
    from entire.model.turns import TurnKey

    Paths = dict[str, tuple[str, str] | None]  # to mode and blob id; None: deleted

_HOOK_SECONDS = 30.0  # agents wait a minute for a hook of theirs
_MESSAGE, _MARKER = "COMMIT_EDITMSG", "making"
_SWITCHED = "the strategy was switched"
_SHOWN = 3  # paths in a reason


class Plan(Value):
    """A commit that is to be made. ``held``: why other files of the session are left out, by path."""

    turn: TurnKey
    head: str
    paths: Paths
    held: dict[str, str]
    prepared: PreparedCommit
    decided: Pending
    message: str


class _Refused(Exception):
    """The commit is not made; the message is the reason."""


def commit_turn(context: Context, event: Event) -> str:
    """Commit the open files of the event's session; return what its user should know, usually ''."""
    return _commit(context, event.session_id, event)


def commit_task(context: Context, event: Event) -> str:
    """Commit what a subagent changed; return what the user should know."""
    return _commit(context, event.session_id, event)


def _commit(context: Context, session_id: str, event: Event) -> str:
    folder = advance.folder(context.place)
    try:
        with context.lock():
            plan = _plan(context, session_id, event)
        if plan is None:
            return ""
        hooks = commit_hooks.make(context.place, plan.prepared.index, _HOOK_SECONDS,
                                  {"ENTIRE_COMMIT": os.path.join(folder, _MARKER)})  # fmt: skip
        message = _run_hooks(context, plan, hooks)
        with context.lock():
            notice = _make(context, session_id, plan, message)
        _run_post_commit(context, hooks)
    except (_Refused, EntireError, OSError) as error:
        return _note(context, session_id, error.message if isinstance(error, EntireError) else str(error))
    finally:
        _clear(folder)
    return notice


def _note(context: Context, session_id: str, reason: str) -> str:
    """Note in the session why its turn was not committed."""
    with context.lock():
        session = context.session(session_id)
        if session is not None:
            session.uncommitted = reason
            context.save(session)
    context.log.info("turn not committed", session_id=session_id, reason=reason)
    return f"entire: not committed, kept as a step: {reason}"


# ---------------------------------------------------------------- before the hooks


def _plan(context: Context, session_id: str, event: Event) -> Plan | None:
    """Return the commit to be made, None if there is nothing to commit; raises _Refused."""
    session = context.session(session_id)
    if session is None:
        return None
    paths = _open_paths(context, session, event)
    if not paths:
        _settle(context, session, "")
        return None
    head = context.objects.commit("HEAD")
    oid = head.oid if head is not None else ""
    if oid != context.journal.snapshot.head:
        raise _Refused("HEAD has moved since the turn was saved")
    staged = partial_commit.staged(context.place.top, oid, session.oid_size)
    chosen = _select(context, session, paths, staged)
    if chosen.obstacle or not chosen.paths:
        raise _Refused(chosen.obstacle or _held_reason(chosen.held))
    entries = {path: paths[path] for path in chosen.paths}
    others = [change for path, change in staged.changes.items() if path not in entries]
    prepared = partial_commit.prepare(context.place, _new_folder(context.place), entries, others)
    if head is not None and prepared.tree == head.tree:
        _settle(context, session, "")
        return None
    task = _task(session, event)
    title = _title(context, session, task)
    decided = decision.decide(context, _attempt(context, session, prepared.tree, title))
    if not decided.id:
        raise _Refused(decided.reason or "no line of it is the session's")
    decided = replace(decided, task=task)
    message = trailers.add_checkpoints(f"{title}\n", [CheckpointId(name) for name in decided.ids], editor=False)
    return Plan(turn=session.turn_key, head=oid, paths=entries, held=chosen.held, prepared=prepared, decided=decided,
                message=message)  # fmt: skip


def _select(context: Context, session: Session, paths: Paths, staged: StagedPaths) -> Selection:
    strategy = context.strategy.turn_commits
    return strategy.select(session, paths, staged) if strategy is not None else Selection(obstacle=_SWITCHED)


def _open_paths(context: Context, session: Session, event: Event) -> Paths:
    """Return the session's open files as the last snapshot has them: after a subagent, those that changed since the
    snapshot before.
    """
    wanted: Iterable[str] = session.open_files
    if event.type is EventType.SUBAGENT_END:
        entries = context.journal.attribution.entries
        last = entries[-1] if entries else None
        done = max((task.done for task in session.tasks.values()), default=0.0)
        changed = last.paths if last is not None and done and last.time >= done else ()
        wanted = [path for path in session.open_files if path in changed]
    known = context.journal.snapshot.files
    return {path: None if known[path][0] == NO_FILE else (known[path][0], known[path][1])
            for path in wanted if path in known}  # fmt: skip


def _task(session: Session, event: Event) -> str:
    """Return the tool-use id of the subagent that ended, '' for the end of a turn."""
    from entire.lifecycle.turns import subagents

    return subagents.ended_task(session, event) if event.type is EventType.SUBAGENT_END else ""


def _title(context: Context, session: Session, task: str) -> str:
    from entire.lifecycle.turns import subagents
    from entire.lifecycle.turns import turn as turns

    return subagents.title(session.tasks[task], task) if task else turns.title(context, session)


def _attempt(context: Context, session: Session, tree: str, message: str) -> Attempt:
    """Return the commit as one that the session's agent is about to make."""
    own = [RunningTurn(session.turn_key)] if session.is_running else []
    others = [turn for turn in context.running_turns() if turn not in own]
    return Attempt(
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


def _held_reason(held: Mapping[str, str]) -> str:
    shown = [f"{path} ({reason})" for path, reason in list(held.items())[:_SHOWN]]
    more = f" and {len(held) - _SHOWN} more" if len(held) > _SHOWN else ""
    return f"{', '.join(shown)}{more}" if held else ""


# ---------------------------------------------------------------- the hooks


def _run_hooks(context: Context, plan: Plan, hooks: CommitHooks) -> str:
    """Run the repository's own hooks, and return the message as they leave it; raises HookError or _Refused."""
    if hooks.has("pre-commit"):
        hooks.run("pre-commit")
        if partial_commit.tree(context.place, plan.prepared.index) != plan.prepared.tree:
            raise _Refused("the pre-commit hook changes what is committed")
        if changed := _changed_meanwhile(context, plan):
            raise _Refused(f"{changed} was changed while the pre-commit hook ran")
    path = os.path.join(plan.prepared.folder, _MESSAGE)
    files.write(path, plan.message.encode("utf-8", "surrogateescape"))
    for name, arguments in (("prepare-commit-msg", (path, "message")), ("commit-msg", (path,))):
        if _has_foreign(hooks, name):
            hooks.run(name, *arguments)
    message = (files.read(path) or b"").decode("utf-8", "surrogateescape")
    if not trailers.has_content(message, ""):
        raise _Refused("a hook emptied the commit's message")
    return message


def _run_post_commit(context: Context, hooks: CommitHooks) -> None:
    if _has_foreign(hooks, "post-commit"):
        try:
            hooks.run("post-commit")
        except HookError as error:
            context.log.info(error.message)


def _has_foreign(hooks: CommitHooks, name: str) -> bool:
    """Tell whether a hook does more than call us."""
    from entire.githooks import scripts

    return hooks.has(name) and not scripts.is_alone(os.path.join(hooks.folder, name))


def _changed_meanwhile(context: Context, plan: Plan) -> str:
    """Return a path that is no longer as it is committed, '' if all are."""
    from entire.git import status

    known = context.journal.snapshot.files
    suspects = []
    for path, entry in plan.paths.items():
        try:
            found = os.lstat(os.fsencode(os.path.join(context.place.top, path)))
        except OSError:
            if entry is not None:
                return path
            continue
        if entry is None:
            return path
        facts = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
        if known.get(path, [])[2:] != facts and stat.S_ISREG(found.st_mode):
            suspects.append(path)
    stored = status.store_files(context.place.top, suspects) if suspects else {}
    return next((path for path in suspects if stored.get(path) != plan.paths[path][1]), "")  # type: ignore[index]


# ---------------------------------------------------------------- after the hooks


def _make(context: Context, session_id: str, plan: Plan, message: str) -> str:
    """Make the commit and its checkpoint, and return what the user should know; raises _Refused."""
    session = _check(context, session_id, plan)
    place, prepared = context.place, plan.prepared
    partial_commit.follow_index(place, prepared, plan.paths)
    try:
        text = message.encode("utf-8", "surrogateescape")
        oid = new_commit.write(place, prepared.folder, tree=prepared.tree, parent=plan.head, message=text)
        pending.save(place, plan.decided)
        advance.to(place, oid, plan.head, index=prepared.next_index, subject=message.split("\n", 1)[0])
    except EntireError as error:
        pending.drop(place)
        raise _Refused(error.message) from error
    commit = context.objects.commit(oid)
    if commit is None:
        raise _Refused(f"git has lost the commit {oid}")
    complete.follow(context, plan.decided, commit)
    complete.carry_out(context, plan.decided, commit)
    pending.drop(place)
    if session.is_running and session.open_files:
        carry_forward.carry_session(context, commit, session)
    _settle(context, session, _held_reason(plan.held))
    return _notice(context, session, oid)


def _check(context: Context, session_id: str, plan: Plan) -> Session:
    """Return the session; raises _Refused if something has changed while the hooks ran."""
    session = context.session(session_id)
    head = context.objects.commit("HEAD")
    is_same = session is not None and session.turn_key == plan.turn and set(plan.paths).issubset(session.open_files)
    if session is None or not is_same or (head.oid if head is not None else "") != plan.head:
        raise _Refused("something else was committed while the hooks ran")
    staged = partial_commit.staged(context.place.top, plan.head, session.oid_size)
    chosen = _select(context, session, plan.paths, staged)
    if chosen.obstacle or chosen.held:
        raise _Refused(chosen.obstacle or _held_reason(chosen.held))
    return session


def _settle(context: Context, session: Session, reason: str) -> None:
    session.uncommitted = reason
    context.save(session)


def _notice(context: Context, session: Session, oid: str) -> str:
    said = [f"committed on a detached HEAD ({oid[:7]}): create a branch to keep it"] if _is_detached(context) else []
    said += [f"left uncommitted: {session.uncommitted}"] if session.uncommitted else []
    return f"entire: {'; '.join(said)}" if said else ""


def _is_detached(context: Context) -> bool:
    return not context.journal.snapshot.branch


# ---------------------------------------------------------------- our folder


def _new_folder(place: Place) -> str:
    folder = advance.folder(place)
    _clear(folder)
    os.makedirs(folder, 0o700, exist_ok=True)
    files.write(os.path.join(folder, _MARKER), b"")
    return folder


def _clear(folder: str) -> None:
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        files.remove(os.path.join(folder, name))
