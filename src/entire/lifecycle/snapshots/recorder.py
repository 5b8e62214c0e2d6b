"""Looks at the work tree, written to the journal and, for a turn that changed something, as a step."""

from __future__ import annotations

import os

from entire.attribution.content import interval_owner, session_of
from entire.errors import RefMovedError
from entire.git import diff, reflog, refs
from entire.git.write import Stream
from entire.lifecycle.context import turn_key
from entire.lifecycle.snapshots import worktree
from entire.model.session import KEPT_SECONDS, WEAK, Entry
from entire.model.value import Value, replace
from entire.store import retained_steps, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from entire.lifecycle.context import Context
    from entire.lifecycle.snapshots.worktree import TakenSnapshot
    from entire.model.session import Session

    Changes = dict[str, tuple[str, str] | None]

_ATTEMPTS = 8
MAX_PATHS = 5000  # of a look: beyond, no single path is remembered as open work


class Step(Value):
    """A step to be saved on the session's shadow branch. ``metadata`` adds what is not the work tree's own to the
    tree.
    """

    session: Session
    message: bytes
    metadata: Callable[[Stream], Changes]


def take(context: Context) -> TakenSnapshot:
    """Look at the work tree as it is now."""
    journal = context.journal
    return worktree.take(
        context.place, journal.snapshot, context.objects, context.settings.max_untracked_bytes, journal.trees
    )


def start_at_head(context: Context, taken: TakenSnapshot) -> None:
    """Begin a journal that has no look yet with HEAD as it is: for a turn whose beginning nobody saw."""
    snapshot = taken.snapshot
    if context.journal.tree or not snapshot.head_tree:
        return
    context.journal.snapshot = replace(snapshot, tree=snapshot.head_tree, files={}, left_out=(), untracked=())
    context.journal.note(Entry(tree=snapshot.head_tree, time=snapshot.time, head=snapshot.head))


def record(
    context: Context,
    taken: TakenSnapshot,
    *,
    by: str = "",
    running: Sequence[str] = (),
    make_step: Callable[[list[str]], Step | None] = lambda _changed: None,
    mark: str = "",
    moment: float = 0.0,
) -> list[str]:
    """Write a look to the journal, and the step that ``make_step`` wants for the changed paths; return those paths.

    ``moment``: of the look, if its snapshot does not say it.
    """
    journal = context.journal
    journal.unseen.update(dict.fromkeys(taken.snapshot.left_out))
    before = journal.snapshot
    changed = worktree.changed_paths(before, taken.snapshot)
    if changed == [] and before.tree:
        journal.snapshot = replace(taken.snapshot, tree=before.tree)
        return []
    if changed is None:  # HEAD moved: only the trees can tell
        is_clean = not taken.changes and bool(taken.base_tree)  # then it is HEAD's own tree
        tree = taken.base_tree if is_clean else _write(context, taken, None, keep=True)[0]
        known = bool(journal.tree) and journal.tree != tree
        changed = [one.path for one in diff.changes(context.place.top, journal.tree, tree)] if known else []
        step = make_step(changed) if changed else None
        if step is not None:
            _, mark = _write(context, taken, step, keep=False)
        if taken.snapshot.head not in (before.head, journal.followed):
            from entire.lifecycle.snapshots import followed_commits

            followed_commits.head_moved(context, before.head, taken.snapshot.head)
    else:
        tree, step_id = _write(context, taken, make_step(changed), keep=True)
        mark = step_id or mark
    journal.snapshot = replace(taken.snapshot, tree=tree)
    _note_stashed(context, before.time, changed)
    if tree != journal.tree:
        entry = Entry(
            tree=tree,
            time=moment or taken.snapshot.time,
            by=by,
            running=tuple(running),
            paths=tuple(changed[:MAX_PATHS]),
            mark=mark,
            head=taken.snapshot.head,
        )
        journal.note(entry)
        _attribute(context, entry)
    return changed


def _note_stashed(context: Context, since: float, changed: Sequence[str]) -> None:
    """Remember files of sessions that went into a stash: unlike in what was thrown away, their lines may come back.

    ``git stash drop`` and ``pop`` take the line out of the stash's log again, so it is looked at when the files vanish.
    """
    made, top = context.journal.made, context.place.top
    gone = [path for path in changed if path in made and not os.path.lexists(os.path.join(top, path))]
    stashed = reflog.last_stash(context.place) if gone else 0
    if stashed and stashed >= int(since):
        context.journal.aside.update(dict.fromkeys(gone))


def attribute_again(context: Context, key: str) -> None:
    """Decide anew about paths that several turns may have changed, now that the turn ``key`` has reported all of its
    own.

    Also about those that were its own alone: a hook that was killed may have noted the look, and no more.
    """
    for entry in context.journal.entries:
        if key in entry.running:
            _attribute(context, entry)


def _attribute(context: Context, entry: Entry) -> None:
    """Note a look's changed paths as open work of the sessions that made them."""
    owner = interval_owner(entry.by, entry.running, context.journal.reports)
    rivals = {session_of(turn.removeprefix(WEAK)) for turn in (entry.by, *entry.running) if turn}
    for path in entry.paths:
        made_by = owner(path)
        if "/" not in made_by:
            continue
        context.journal.note_made([path])
        for session in map(context.session, rivals):
            if session is None or not context.is_here(session):
                continue
            if session.session_id == session_of(made_by):
                session.open_files = list(dict.fromkeys([*session.open_files, path]))
            elif path not in context.journal.reports.get(turn_key(session), ()):
                session.open_files = [one for one in session.open_files if one != path]
            context.touch(session)


def _write(context: Context, taken: TakenSnapshot, step: Step | None, *, keep: bool) -> tuple[str, str]:
    """Write the look as a commit of the journal (``keep``) and as a step; return its tree and the step's commit, ''
    for what was not wanted. One stream, then the refs.
    """
    for attempt in range(_ATTEMPTS):
        stream = Stream(context.place.top)
        author = context.author()
        for target in taken.links.values():
            stream.blob(target)
        moves: list[refs.Move] = []
        mark = wanted = shadow = new = ""
        if keep:
            parents, rotation = _chain(context)
            mark = stream.commit(
                message=b"look\n", author=author, parents=parents, tree=taken.base_tree, changes=taken.changes
            )
            wanted = stream.tree_of(mark)
            moves += [refs.Move(ref=context.journal.ref, new=mark), *rotation]
        if step is not None:
            shadow, tip, others, line = _shadow(context, step.session, taken.snapshot.head)
            changes = {**taken.changes, **step.metadata(stream)}
            new = stream.commit(
                message=step.message,
                author=author,
                parents=(tip,) if tip else (),
                tree=taken.base_tree,
                changes=changes,
            )
            moves += [refs.Move(ref=f"refs/heads/{shadow}", new=new, old=_tip_of(context, shadow)), *others]
        try:
            written = _move(context, stream, moves, together=attempt > 0 or (keep and bool(rotation)))
        except RefMovedError:
            if attempt == _ATTEMPTS - 1:
                raise
            context.journal.shadows = shadow_tips(context, [shadow] if shadow else [])
            continue
        if keep:
            context.journal.tip = written[mark]
            if not parents:
                context.journal.chain_since = context.now()
        if step is not None:
            context.journal.shadows[shadow] = written[new]
            context.journal.kept += [line] if line else []
            _add_size(context, shadow, taken)
            step.session.base_commit = taken.snapshot.head or steps.NO_COMMIT
            step.session.steps += 1
        return written[wanted] if keep else "", written[new] if step is not None else ""
    raise AssertionError("unreachable")


def _chain(context: Context) -> tuple[tuple[str, ...], list[refs.Move]]:
    """Return the journal's commit that the next one follows, and where the chain is begun anew, the move that keeps the
    old one: what was looked at more than four weeks ago need not be kept from being collected.
    """
    journal = context.journal
    if not journal.tip:
        return (), []
    needed = min((entry.time for entry in journal.entries), default=context.now())
    if context.now() - journal.chain_since <= KEPT_SECONDS or needed < journal.chain_since:
        return (journal.tip,), []
    return (), [refs.Move(ref=f"{journal.ref}-past", new=journal.tip)]


def _add_size(context: Context, shadow: str, taken: TakenSnapshot) -> None:
    """Add up what a shadow branch holds in files that may be in no commit: condensed steps are kept up to a bound."""
    facts = taken.snapshot.files
    held = sum(int(facts[path][2]) for path in taken.changes if path in facts)
    context.journal.weights[shadow] = context.journal.weights.get(shadow, 0) + held


def _move(context: Context, stream: Stream, moves: Sequence[refs.Move], *, together: bool) -> dict[str, str]:
    """Write the stream and move the refs: only forward in the same git process, or in a transaction of their own."""
    if not together and all(one.new for one in moves):
        return stream.write({one.ref: one.new for one in moves})
    written = stream.write()
    refs.move(
        context.place.top, [refs.Move(ref=one.ref, new=written.get(one.new, one.new), old=one.old) for one in moves]
    )
    return written


def shadow_tips(context: Context, names: Sequence[str]) -> dict[str, str]:
    """Return shadow branches with their tips, '' for one that does not exist; asks git."""
    found = refs.read(context.place.top, *(f"refs/heads/{name}" for name in names)) if names else {}
    return {name: found.get(f"refs/heads/{name}", "") for name in names}


def _tip_of(context: Context, name: str) -> str:
    """Return a shadow branch's tip as far as we know; a wrong guess is noticed when the ref is moved, and git asked
    then.
    """
    return context.journal.shadows.get(name, "")


def _shadow(context: Context, session: Session, head: str) -> tuple[str, str, list[refs.Move], list[Any]]:
    """Return a session's shadow branch on ``head``, the step that its next one follows, the moves that do away with
    the one it stood on, and its line in the journal: its steps stay points where HEAD may come back to.

    A branch whose base is no longer HEAD (a pull, a switch, a reset) moves along, unless another session still stands
    on it.
    """
    worktree_id = context.place.worktree_id
    name = steps.branch_name(head, worktree_id)
    old = steps.branch_name(session.base_commit, worktree_id)
    tip = _tip_of(context, name)
    if old == name or not session.steps:
        return name, tip, [], []
    left_behind = _tip_of(context, old)
    others = (one for one in context.relevant_sessions() if one is not session and one.steps)
    if not left_behind or any(steps.branch_name(one.base_commit, worktree_id) == old for one in others):
        return name, tip, [], []
    base, weight = session.base_commit or steps.NO_COMMIT, context.journal.weights.get(old, 0)
    move, line = retained_steps.keep(context.journal.kept, worktree_id, base, left_behind, weight, context.now())
    return name, tip or left_behind, [refs.Move(ref=f"refs/heads/{old}", new="", old=left_behind), move], line
