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
from entire.git import commit_hooks, diff, new_commit, partial_commit
from entire.git.commit_hooks import HookError
from entire.git.operation import GitCommand, Operation
from entire.lifecycle.commits import advance, carry_forward, complete, decision, pending
from entire.lifecycle.commits.attempts import Attempt
from entire.model import trailers
from entire.model.events import EventType, GitEvent
from entire.model.ids import CheckpointId
from entire.model.turns import RunningTurn
from entire.model.value import Value, replace
from entire.store import steps
from entire.store.journal import NO_FILE
from entire.strategies import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from entire.git.commit_hooks import CommitHooks
    from entire.git.partial_commit import PreparedCommit, StagedPaths
    from entire.lifecycle.commits.pending import Pending
    from entire.lifecycle.context import Context
    from entire.model.events import Event
    from entire.model.session import Session
    from entire.model.turns import TurnKey

    Paths = dict[str, tuple[str, str] | None]  # to mode and blob id; None: deleted

_LINK, _SUBMODULE = "120000", "160000"
_MESSAGE, _MARKER = "COMMIT_EDITMSG", "making"
_SWITCHED, _BEING_MADE = "the strategy was switched", "another commit is being made"
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


class _Refused(EntireError):
    """The commit is not made; the message is the reason."""


def commit_turn(context: Context, event: Event) -> str:
    """Commit the open files of the event's session; return what its user should know, usually ''."""
    return _commit(context, event.session_id, event)


def commit_task(context: Context, event: Event) -> str:
    """Commit what a subagent changed; return what the user should know."""
    return _commit(context, event.session_id, event)


def _commit(context: Context, session_id: str, event: Event) -> str:
    try:
        folder = advance.new_folder(context.place)
        try:
            return _commit_in(context, folder, session_id, event)
        finally:
            advance.clear(context.place, folder)
    except (_Refused, EntireError, OSError) as error:
        return _note(context, session_id, _words(error))


def _commit_in(context: Context, folder: str, session_id: str, event: Event) -> str:
    with context.lock():
        plan = _plan(context, session_id, event, folder)
        left = context.session(session_id) if plan is None else None
    if plan is None:
        return f"entire: left uncommitted: {left.uncommitted}" if left is not None and left.uncommitted else ""
    marker = os.path.join(folder, _MARKER)
    files.write(marker, b"")
    seconds = float(context.settings.commit_hook_seconds)
    hooks = commit_hooks.make(context.place, plan.prepared.index, seconds, {"ENTIRE_COMMIT": marker})
    message = _run_hooks(context, plan, hooks)
    text = message.encode("utf-8", "surrogateescape")
    oid = new_commit.write(context.place, folder, tree=plan.prepared.tree, parent=plan.head, message=text)
    with context.lock():
        session = _check(context, session_id, plan)
        _move(context, plan, oid, message)
        notice = _record(context, session, event, plan, oid)
    _run_post_commit(context, hooks)
    return notice


def _note(context: Context, session_id: str, reason: str) -> str:
    """Note in the session why its turn was not committed."""
    with context.lock():
        session = context.session(session_id)
        if session is not None:
            session.uncommitted = reason
            context.save(session)
    context.log.info("turn not committed", session_id=session_id, reason=reason)
    return f"entire: not committed, kept as a step until the next turn ends: {reason}"


def _words(error: EntireError | OSError) -> str:
    """Return what happened, and what to do."""
    if isinstance(error, OSError):
        return f"{error.strerror} ({error.filename})" if error.filename else str(error)
    return "; ".join(filter(None, (error.message, error.hint)))


# ---------------------------------------------------------------- before the hooks


def _plan(context: Context, session_id: str, event: Event, folder: str) -> Plan | None:
    """Return the commit to be made, None if there is nothing to commit; raises _Refused."""
    session = context.session(session_id)
    if session is None:
        return None
    paths, too_large = _open_paths(context, session, event), _too_large(context, session)
    if not paths:
        _settle(context, session, event, _held_reason(too_large))
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
    task = _task(session, event)
    title = _title(context, session, task)
    prepared, decided = _draft(context, session, folder, entries, staged, title)
    if foreign := _of_others(session, decided):
        entries = {path: entry for path, entry in entries.items() if path not in foreign}
        prepared, decided = _draft(context, session, folder, entries, staged, title)
    held = {**chosen.held, **too_large}
    if prepared.tree == (head.tree if head is not None else diff.EMPTY_TREE[session.oid_size]):
        _settle(context, session, event, _held_reason(held))
        return None
    if not decided.id:
        raise _Refused(decided.reason or "no line of it is the session's")
    decided = replace(decided, task=task)
    message = trailers.add_checkpoints(f"{title}\n", [CheckpointId(name) for name in decided.ids], editor=False)
    return Plan(turn=session.turn_key, head=oid, paths=entries, held=held, prepared=prepared, decided=decided,
                message=message)  # fmt: skip


def _draft(
    context: Context, session: Session, folder: str, entries: Paths, staged: StagedPaths, title: str
) -> tuple[PreparedCommit, Pending]:
    """Prepare a commit of these entries, and decide about it."""
    others = [change for path, change in staged.changes.items() if path not in entries]
    prepared = partial_commit.prepare(context.place, folder, entries, others, oid_size=session.oid_size)
    return prepared, decision.decide(context, _attempt(context, session, prepared.tree, title))


def _of_others(session: Session, decided: Pending) -> set[str]:
    """Return the paths whose new content is other sessions' alone: they changed while this one's turn was running, and
    their own turns commit them.
    """
    found = set()
    for lines in decided.lines:
        writers = {owner.session_id for owner in lines.owners() if owner.is_new}
        if writers and session.session_id not in writers:
            found |= {lines.path, lines.old_path}
    return found


def _select(context: Context, session: Session, paths: Paths, staged: StagedPaths) -> Selection:
    if os.path.exists(context.place.pending_file):  # one that is interrupted was completed when the hook began
        return Selection(obstacle=_BEING_MADE)
    strategy = context.strategy.turn_commits
    return strategy.select(session, paths, staged) if strategy is not None else Selection(obstacle=_SWITCHED)


def _open_paths(context: Context, session: Session, event: Event) -> Paths:
    """Return the session's open files (after a subagent, those that it changed) as the last snapshot has them."""
    wanted: Iterable[str] = session.open_files
    if event.type is EventType.SUBAGENT_END:
        from entire.lifecycle.turns import subagents

        wanted = subagents.open_files(context, session, event)
    known = context.journal.snapshot.files
    return {path: None if known[path][0] == NO_FILE else (known[path][0], known[path][1])
            for path in wanted if path in known}  # fmt: skip


def _too_large(context: Context, session: Session) -> dict[str, str]:
    """Return the new files of the turn that no snapshot has, with the reason, so that they do not stay out silently."""
    since, top = session.turn.started if session.turn is not None else 0.0, context.place.top
    found = {}
    for path in context.journal.snapshot.left_out:
        try:
            changed = os.lstat(os.fsencode(os.path.join(top, path))).st_ctime
        except OSError:
            continue
        if changed >= since:
            found[path] = "it is larger than max_untracked_bytes, and in no step"
    return found


def _task(session: Session, event: Event) -> str:
    """Return the tool-use id of the subagent that ended, '' for the end of a turn."""
    from entire.lifecycle.turns import subagents

    return subagents.ended_task(session, event) if event.type is EventType.SUBAGENT_END else ""


def _title(context: Context, session: Session, task: str) -> str:
    from entire.lifecycle.turns import subagents
    from entire.lifecycle.turns import turn as turns

    title = subagents.title(session.tasks[task], task) if task else turns.title(context, session)
    return title if trailers.has_content(title, "") else steps.subject("")  # a prompt may look like a trailer


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
    given = plan.message.encode("utf-8", "surrogateescape")
    files.write(path, given)
    for name, arguments in (("prepare-commit-msg", (path, "message")), ("commit-msg", (path,))):
        if _has_foreign(hooks, name):
            hooks.run(name, *arguments)
    written = files.read(path) or b""
    if written == given:
        return plan.message
    message = new_commit.clean(context.place, written).decode("utf-8", "surrogateescape")
    if not trailers.has_content(message, ""):
        raise _Refused("a hook emptied the commit's message")
    return message


def _run_post_commit(context: Context, hooks: CommitHooks) -> None:
    if _has_foreign(hooks, "post-commit"):
        try:
            replace(hooks, index=os.path.join(context.place.git_dir, "index")).run("post-commit")
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
        if entry is not None and entry[0] == _SUBMODULE:
            continue
        found = _file(os.path.join(context.place.top, path))
        if (found is None) != (entry is None):
            return path
        if found is None or entry is None:
            continue
        facts = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
        if known.get(path, [])[2:] == facts:
            continue
        if not stat.S_ISREG(found.st_mode) or entry[0] == _LINK:
            return path
        suspects.append(path)
    stored = status.store_files(context.place.top, suspects) if suspects else {}
    return next((path for path in suspects if stored.get(path) != plan.paths[path][1]), "")  # type: ignore[index]


def _file(path: str) -> os.stat_result | None:
    """Look at a file or link; a folder may have taken the place of one that was deleted."""
    try:
        found = os.lstat(os.fsencode(path))
    except OSError:
        return None
    return None if stat.S_ISDIR(found.st_mode) else found


# ---------------------------------------------------------------- after the hooks


def _check(context: Context, session_id: str, plan: Plan) -> Session:
    """Return the session; raises _Refused if something has changed while the hooks ran."""
    session = context.session(session_id)
    if session is None or session.turn_key != plan.turn:
        raise _Refused("the next turn began while the hooks ran")
    head = context.objects.commit("HEAD")
    if (head.oid if head is not None else "") != plan.head:
        raise _Refused("HEAD has moved while the hooks ran")
    if not set(plan.paths).issubset(session.open_files):
        raise _Refused("something else was committed while the hooks ran")
    staged = partial_commit.StagedPaths()  # what was staged before is not in the plan
    if not partial_commit.is_same_index(context.place, plan.prepared):
        staged = partial_commit.staged(context.place.top, plan.head, session.oid_size)
        partial_commit.follow_index(context.place, plan.prepared, plan.paths)
    chosen = _select(context, session, plan.paths, staged)
    if chosen.obstacle or chosen.held:
        raise _Refused(chosen.obstacle or _held_reason(chosen.held))
    return session


def _move(context: Context, plan: Plan, oid: str, message: str) -> None:
    """Move HEAD and the index to the commit, or neither; what was decided about it is stored before."""
    place, prepared = context.place, plan.prepared
    pending.save(place, plan.decided)
    try:
        advance.to(place, oid, plan.head, index=prepared.next_index, basis=prepared.basis,
                   subject=message.split("\n", 1)[0])  # fmt: skip
    except (EntireError, OSError):
        if not advance.holds_lock(place, prepared.folder):  # else the next hook or command settles it
            pending.drop(place)
        raise


def _record(context: Context, session: Session, event: Event, plan: Plan, oid: str) -> str:
    """Write the commit's checkpoint; return what the user should know. After an error the next hook or command writes
    it, as for a commit of git's.
    """
    try:
        commit = context.objects.commit(oid)
        if commit is None:
            raise EntireError(f"git has lost the commit {oid}")
        complete.follow(context, plan.decided, commit)
        complete.carry_out(context, plan.decided, commit)
        pending.drop(context.place)
        if session.is_running and session.open_files:
            carry_forward.carry_session(context, commit, session)
            context.save(session)
        _settle(context, session, event, _held_reason(plan.held))
    except (EntireError, OSError) as error:
        context.log.error(f"the checkpoint of {oid[:7]} could not be written yet: {error}")
        return ""
    return _notice(context, session, oid)


def _settle(context: Context, session: Session, event: Event, reason: str = "") -> None:
    """Note why something stays uncommitted, or that nothing does; that an earlier turn does so is for a turn to say."""
    if reason or event.type is EventType.TURN_END:
        session.uncommitted = reason
        context.save(session)


def _notice(context: Context, session: Session, oid: str) -> str:
    said = [f"committed on a detached HEAD ({oid[:7]}): create a branch to keep it"] if _is_detached(context) else []
    said += [f"left uncommitted: {session.uncommitted}"] if session.uncommitted else []
    return f"entire: {'; '.join(said)}" if said else ""


def _is_detached(context: Context) -> bool:
    return not context.journal.snapshot.branch
