"""Looks at the work tree, written to the journal and, for a turn that changed something, as a step."""

from __future__ import annotations

import os

from entire import files
from entire.errors import RefMovedError
from entire.git import diff, refs
from entire.git.write import Stream
from entire.lifecycle.scene import turn_key
from entire.model.session import KEPT_SECONDS, WEAK, Entry
from entire.model.value import Value, replace
from entire.store import journal as journals
from entire.store import kept, steps
from entire.strategies.content import interval_owner, session_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from entire.lifecycle.scene import Scene
    from entire.model.session import Session
    from entire.store.journal import Look

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


def look(scene: Scene) -> Look:
    """Look at the work tree as it is now."""
    journal = scene.journal
    return journals.look(
        scene.place, journal.snapshot, scene.objects, scene.settings.max_untracked_bytes, journal.trees
    )


def start_at_head(scene: Scene, seen: Look) -> None:
    """Begin a journal that has no look yet with HEAD as it is: for a turn whose beginning nobody saw."""
    snapshot = seen.snapshot
    if scene.journal.tree or not snapshot.head_tree:
        return
    scene.journal.snapshot = replace(snapshot, tree=snapshot.head_tree, files={}, left_out=(), untracked=())
    scene.journal.note(Entry(tree=snapshot.head_tree, time=snapshot.time, head=snapshot.head))


def record(
    scene: Scene,
    seen: Look,
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
    journal = scene.journal
    journal.unseen.update(dict.fromkeys(seen.snapshot.left_out))
    before = journal.snapshot
    changed = journals.changed_paths(before, seen.snapshot)
    if changed == [] and before.tree:
        journal.snapshot = replace(seen.snapshot, tree=before.tree)
        return []
    if changed is None:  # HEAD moved: only the trees can tell
        is_clean = not seen.changes and bool(seen.base_tree)  # then it is HEAD's own tree
        tree = seen.base_tree if is_clean else _write(scene, seen, None, keep=True)[0]
        known = bool(journal.tree) and journal.tree != tree
        changed = [one.path for one in diff.changes(scene.place.top, journal.tree, tree)] if known else []
        step = make_step(changed) if changed else None
        if step is not None:
            _, mark = _write(scene, seen, step, keep=False)
        if seen.snapshot.head not in (before.head, journal.followed):
            from entire.lifecycle import reconcile

            reconcile.head_moved(scene, before.head, seen.snapshot.head)
    else:
        tree, step_id = _write(scene, seen, make_step(changed), keep=True)
        mark = step_id or mark
    journal.snapshot = replace(seen.snapshot, tree=tree)
    _note_stashed(scene, before.time, changed)
    if tree != journal.tree:
        entry = Entry(
            tree=tree,
            time=moment or seen.snapshot.time,
            by=by,
            running=tuple(running),
            paths=tuple(changed[:MAX_PATHS]),
            mark=mark,
            head=seen.snapshot.head,
        )
        journal.note(entry)
        _credit(scene, entry)
    return changed


def _note_stashed(scene: Scene, since: float, changed: Sequence[str]) -> None:
    """Remember files of sessions that went into a stash: unlike in what was thrown away, their lines may come back.

    ``git stash drop`` and ``pop`` take the line out of the stash's log again, so it is looked at when the files vanish.
    """
    made, top = scene.journal.made, scene.place.top
    gone = [path for path in changed if path in made and not os.path.lexists(os.path.join(top, path))]
    data = files.read(os.path.join(scene.place.common_dir, "logs", "refs", "stash")) if gone else None
    words = data.rpartition(b"\t")[0].rpartition(b"\n")[2].split() if data else []
    if len(words) > 2 and words[-2].isdigit() and int(words[-2]) >= int(since):
        scene.journal.aside.update(dict.fromkeys(gone))


def decide_shared(scene: Scene, key: str) -> None:
    """Decide anew about paths that several turns may have changed, now that the turn ``key`` has reported all of its
    own.

    Also about those that were its own alone: a hook that was killed may have noted the look, and no more.
    """
    for entry in scene.journal.entries:
        if key in entry.running:
            _credit(scene, entry)


def _credit(scene: Scene, entry: Entry) -> None:
    """Note a look's changed paths as open work of the sessions that made them."""
    owner = interval_owner(entry.by, entry.running, scene.journal.reports)
    rivals = {session_of(turn.removeprefix(WEAK)) for turn in (entry.by, *entry.running) if turn}
    for path in entry.paths:
        made_by = owner(path)
        if "/" not in made_by:
            continue
        scene.journal.note_made([path])
        for session in map(scene.session, rivals):
            if session is None or not scene.is_here(session):
                continue
            if session.session_id == session_of(made_by):
                session.open_files = list(dict.fromkeys([*session.open_files, path]))
            elif path not in scene.journal.reports.get(turn_key(session), ()):
                session.open_files = [one for one in session.open_files if one != path]
            scene.touch(session)


def _write(scene: Scene, seen: Look, step: Step | None, *, keep: bool) -> tuple[str, str]:
    """Write the look as a commit of the journal (``keep``) and as a step; return its tree and the step's commit, ''
    for what was not wanted. One stream, then the refs.
    """
    for attempt in range(_ATTEMPTS):
        stream = Stream(scene.place.top)
        author = scene.author()
        for target in seen.links.values():
            stream.blob(target)
        moves: list[refs.Move] = []
        mark = wanted = shadow = new = ""
        if keep:
            parents, rotation = _chain(scene)
            mark = stream.commit(
                message=b"look\n", author=author, parents=parents, tree=seen.base_tree, changes=seen.changes
            )
            wanted = stream.tree_of(mark)
            moves += [refs.Move(ref=scene.journal.ref, new=mark), *rotation]
        if step is not None:
            shadow, tip, others, line = _shadow(scene, step.session, seen.snapshot.head)
            changes = {**seen.changes, **step.metadata(stream)}
            new = stream.commit(message=step.message, author=author, parents=(tip,) if tip else (), tree=seen.base_tree,
                                changes=changes)  # fmt: skip
            moves += [refs.Move(ref=f"refs/heads/{shadow}", new=new, old=_tip_of(scene, shadow)), *others]
        try:
            written = _move(scene, stream, moves, together=attempt > 0 or (keep and bool(rotation)))
        except RefMovedError:
            if attempt == _ATTEMPTS - 1:
                raise
            scene.journal.shadows = shadow_tips(scene, [shadow] if shadow else [])
            continue
        if keep:
            scene.journal.tip = written[mark]
            if not parents:
                scene.journal.chain_since = scene.now()
        if step is not None:
            scene.journal.shadows[shadow] = written[new]
            scene.journal.kept += [line] if line else []
            _weigh(scene, shadow, seen)
            step.session.base_commit = seen.snapshot.head or steps.NO_COMMIT
            step.session.steps += 1
        return written[wanted] if keep else "", written[new] if step is not None else ""
    raise AssertionError("unreachable")


def _chain(scene: Scene) -> tuple[tuple[str, ...], list[refs.Move]]:
    """Return the journal's commit that the next one follows, and where the chain is begun anew, the move that keeps the
    old one: what was looked at more than four weeks ago need not be kept from being collected.
    """
    journal = scene.journal
    if not journal.tip:
        return (), []
    needed = min((entry.time for entry in journal.entries), default=scene.now())
    if scene.now() - journal.chain_since <= KEPT_SECONDS or needed < journal.chain_since:
        return (journal.tip,), []
    return (), [refs.Move(ref=f"{journal.ref}-past", new=journal.tip)]


def _weigh(scene: Scene, shadow: str, seen: Look) -> None:
    """Add up what a shadow branch holds in files that may be in no commit: condensed steps are kept up to a bound."""
    facts = seen.snapshot.files
    held = sum(int(facts[path][2]) for path in seen.changes if path in facts)
    scene.journal.weights[shadow] = scene.journal.weights.get(shadow, 0) + held


def _move(scene: Scene, stream: Stream, moves: Sequence[refs.Move], *, together: bool) -> dict[str, str]:
    """Write the stream and move the refs: only forward in the same git process, or in a transaction of their own."""
    if not together and all(one.new for one in moves):
        return stream.write({one.ref: one.new for one in moves})
    written = stream.write()
    refs.move(
        scene.place.top, [refs.Move(ref=one.ref, new=written.get(one.new, one.new), old=one.old) for one in moves]
    )
    return written


def shadow_tips(scene: Scene, names: Sequence[str]) -> dict[str, str]:
    """Return shadow branches with their tips, '' for one that does not exist; asks git."""
    found = refs.read(scene.place.top, *(f"refs/heads/{name}" for name in names)) if names else {}
    return {name: found.get(f"refs/heads/{name}", "") for name in names}


def _tip_of(scene: Scene, name: str) -> str:
    """Return a shadow branch's tip as far as we know; a wrong guess is noticed when the ref is moved, and git asked
    then.
    """
    return scene.journal.shadows.get(name, "")


def _shadow(scene: Scene, session: Session, head: str) -> tuple[str, str, list[refs.Move], list[Any]]:
    """Return a session's shadow branch on ``head``, the step that its next one follows, the moves that do away with
    the one it stood on, and its line in the journal: its steps stay points where HEAD may come back to.

    A branch whose base is no longer HEAD (a pull, a switch, a reset) moves along, unless another session still stands
    on it.
    """
    worktree = scene.place.worktree_id
    name = steps.branch_name(head, worktree)
    old = steps.branch_name(session.base_commit, worktree)
    tip = _tip_of(scene, name)
    if old == name or not session.steps:
        return name, tip, [], []
    left_behind = _tip_of(scene, old)
    others = (one for one in scene.near() if one is not session and one.steps)
    if not left_behind or any(steps.branch_name(one.base_commit, worktree) == old for one in others):
        return name, tip, [], []
    base, weight = session.base_commit or steps.NO_COMMIT, scene.journal.weights.get(old, 0)
    move, line = kept.keep(scene.journal.kept, worktree, base, left_behind, weight, scene.now())
    return name, tip or left_behind, [refs.Move(ref=f"refs/heads/{old}", new="", old=left_behind), move], line
