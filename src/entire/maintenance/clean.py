"""``entire clean``: what nobody needs any more, why, and taking it away with a way back.

Never a checkpoint, never anything of a session at work, never a branch of a person's that only bears such a name.
"""

from __future__ import annotations

import os
import stat

from entire import process
from entire.git import history
from entire.githooks.scripts import NAMES as HOOKS
from entire.maintenance import undo_notes
from entire.maintenance.repository import Repository, lock
from entire.model import trailers
from entire.model.session import KEPT_SECONDS
from entire.model.value import Value, replace
from entire.model.views import CleanView, UnusedView
from entire.store import retained_steps, steps
from entire.store.journal import Journal
from entire.undo import backups, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any

    from entire.layout import Place
    from entire.model.requests import CleanRequest
    from entire.model.views import UndoneView
    from entire.undo.transaction import Transaction

COMMAND = "clean"
_DAY = 86400.0
_WRITING = "refs/entire/writing/"
_JOURNAL = "refs/entire/journal/"
_BACKUP = "refs/entire/backup/"
_MAX_STEPS = 2000
_SETTINGS = (".gitignore", "entire.json", "settings.json", "settings.local.json")


class Found(Value):
    """What can go, and what a person should know about what stays."""

    items: tuple[UnusedView, ...] = ()
    notes: tuple[str, ...] = ()


class Removal(Value):
    """What was removed; ``undo_id`` brings it back ('' if there is nothing to bring back)."""

    items: tuple[UnusedView, ...] = ()
    undo_id: str = ""


def find(place: Place, *, now: float, everything: bool = False) -> Found:
    """Return what nobody needs any more. ``everything``: all undo points, not only the old ones."""
    repository = Repository(place, now)
    items = [item for search in _SEARCHES for item in search(repository)]
    items += _undo_points(repository, everything=everything)
    return Found(items=tuple(items), notes=tuple(_notes(repository)))


def remove(place: Place, wanted: Sequence[UnusedView], *, now: float) -> Removal:
    """Remove what was shown, as far as nobody needs it still. One transaction, so that ``undo`` brings it back."""
    with lock(place):
        transaction.complete(place)
        shown = {_key(item) for item in wanted}
        everything = any(item.undo_id for item in wanted)
        items = [item for item in find(place, now=now, everything=everything).items if _key(item) in shown]
        repository = Repository(place, now)
        undo_id = _carry_out(repository, [item for item in items if not item.undo_id])
        for other in repository.places.values():
            for item in items:
                if item.undo_id and item.paths[0].startswith(other.own_dir + os.sep):
                    transaction.remove(other, item.undo_id)
    return Removal(items=tuple(items), undo_id=undo_id)


def clean(place: Place, request: CleanRequest, *, now: float) -> CleanView:
    """Find what is no longer used, and unless it is a dry run remove it."""
    found = find(place, now=now, everything=request.everything)
    if request.only is not None:
        wanted = {_key(item) for item in request.only}
        found = replace(found, items=tuple(item for item in found.items if _key(item) in wanted))
    removal = remove(place, found.items, now=now) if found.items and not request.dry_run else Removal()
    return CleanView(items=found.items, notes=found.notes, removed=removal.items, undo_id=removal.undo_id)


def undo(place: Place, *, now: float) -> UndoneView:
    """Bring back what the last ``clean`` removed that was not brought back yet."""
    with lock(place):
        last = undo_notes.latest(place, COMMAND)
        undo_notes.check_states(place, undo_notes.deleted_states(place, last))
        done = transaction.inverse(place, last, now=now).carry_out()
        _recall_refs(Repository(place, now), last)
    return undo_notes.view(done)


def _key(item: UnusedView) -> tuple[str, str, str, str]:
    return item.kind, item.name, item.oid, item.undo_id


def _carry_out(repository: Repository, items: Sequence[UnusedView]) -> str:
    if not items:
        return ""
    draft = transaction.Draft(repository.place, COMMAND, f"what nobody needed ({len(items)})", now=repository.now)
    try:
        for item in items:
            if item.ref:
                draft.move_ref(item.ref, "", item.oid)
            for path in item.paths:
                draft.write_private(path, None)
        draft.notes["kept"] = _forget_refs(repository, {item.ref for item in items if item.ref})
    except BaseException:
        draft.discard()
        raise
    return draft.carry_out().id


def _forget_refs(repository: Repository, gone: set[str]) -> dict[str, list[list[Any]]]:
    """Take refs out of the journals of all worktrees; return the lines of kept steps, by worktree.

    Before the refs go: a journal that knows too little asks git, one that knows too much would bring a branch back.
    """
    forgotten = {}
    for worktree, place in repository.places.items():
        journal = Journal(place)
        known = len(journal.retention.shadow_tips)
        lines = undo_notes.forget_refs(journal, gone)
        if lines or len(journal.retention.shadow_tips) < known:
            journal.save(live=journal.is_live)
        if lines:
            forgotten[worktree] = lines
    return forgotten


def _recall_refs(repository: Repository, last: Transaction) -> None:
    """Tell the journals of the kept steps that are there again: they have to forget them in time."""
    forgotten = last.notes.get("kept")
    for worktree, place in repository.places.items():
        lines = forgotten.get(worktree, []) if isinstance(forgotten, dict) else []
        there = {one.ref for one in retained_steps.find(place.top, worktree)} if lines else set()
        journal = Journal(place)
        if undo_notes.recall_refs(journal, lines, there):
            journal.save(live=journal.is_live)


# ---------------------------------------------------------------- what can go


def _steps(repository: Repository) -> Iterator[UnusedView]:
    """Branches of steps on which nobody stands."""
    for ref, oid in repository.shadows.items():
        base, worktree = steps.parse_branch(ref) or ("", "")
        if ref in repository.checked_out or any(
            repository.stands_on(one, ref) for one in repository.states if repository.is_at_work(one)
        ):
            continue
        reason = ""
        if worktree and worktree not in repository.ids:
            reason = "its work tree is gone"
        elif not any(head.startswith(base) for head in repository.heads) and not _has_open(repository, ref, worktree):
            reason = f"no work tree is at {base}, and no session stands on it"
        if reason:
            yield UnusedView(kind="steps", name=ref.removeprefix("refs/heads/"), reason=reason, ref=ref, oid=oid)


def _has_open(repository: Repository, ref: str, worktree: str) -> bool:
    """Tell whether a session with steps stands on a branch, or a commit in its worktree is not carried out yet."""
    if any(one.steps and repository.stands_on(one, ref) for one in repository.states if not repository.is_gone(one)):
        return True
    places = (
        [repository.places[worktree]]
        if worktree in repository.places
        else repository.places.values()
        if not worktree
        else ()
    )
    return any(os.path.exists(place.pending_file) for place in places)


def _sessions(repository: Repository) -> Iterator[UnusedView]:
    """States of sessions that nothing can come of any more."""
    guests = {name for place in repository.places.values() for name in Journal(place).attribution.visiting_sessions}
    for one in repository.states:
        silent = repository.now - one.last_seen
        if repository.is_alive(one) or one.session_id in guests:
            continue
        is_open = one.is_running or one.steps or one.open_files or one.turn_checkpoints
        if repository.is_gone(one):
            reason = f"its work tree {one.worktree_name} is gone"
        elif not is_open and silent > KEPT_SECONDS:
            reason = f"nothing of it is open, last seen {int(silent / _DAY)} days ago"
        else:
            continue
        paths = [path for path in undo_notes.state_paths(repository.place, one.session_id) if os.path.lexists(path)]
        yield UnusedView(kind="session", name=one.session_id, reason=reason, size=_size(paths), paths=tuple(paths))


def _kept(repository: Repository) -> Iterator[UnusedView]:
    """Steps that a commit condensed: checkpoints hold what they led to."""
    at_work = {one.session_id for one in repository.states if repository.is_at_work(one)}
    for one in retained_steps.find(repository.place.top):
        if one.worktree_id not in repository.ids:
            reason = "steps that a commit condensed; their work tree is gone"
        elif at_work and at_work & _sessions_of(repository, one.tip):
            continue
        else:
            reason = f"steps that a commit condensed {_ago(repository.now - one.time)}"
        yield UnusedView(kind="kept steps", name=f"on {one.base[:7]}", reason=reason, ref=one.ref, oid=one.tip)


def _sessions_of(repository: Repository, tip: str) -> set[str]:
    """Return the sessions that made the steps up to a tip."""
    found = history.log(repository.place.top, [tip], limit=_MAX_STEPS)
    return {name for one in found for name in trailers.parse(one.message).get(trailers.SESSION, [])}


def _ago(seconds: float) -> str:
    days = int(seconds / _DAY)
    return "today" if days < 1 else "a day ago" if days == 1 else f"{days} days ago"


def _refs(repository: Repository) -> Iterator[UnusedView]:
    """Refs of processes that died, what keeps looks at work trees that are gone, and old backups of branches."""
    for ref, oid in repository.refs.items():
        if ref.startswith(_WRITING) and not _is_running(ref.removeprefix(_WRITING).partition("-")[0]):
            yield UnusedView(
                kind="scratch", name=ref.removeprefix("refs/"), reason="its process is gone", ref=ref, oid=oid
            )
        elif ref.startswith(_JOURNAL) and ref.removeprefix(_JOURNAL).partition("-")[0] not in repository.ids:
            yield UnusedView(
                kind="looks", name=ref.removeprefix("refs/"), reason="the work tree is gone", ref=ref, oid=oid
            )
        elif ref.startswith(_BACKUP) and ref.rpartition("/")[2].isdigit():
            age = repository.now - int(ref.rpartition("/")[2]) / 1000
            if age > KEPT_SECONDS:
                reason = f"where a branch was before a rewind {_ago(age)}"
                yield UnusedView(kind="backup", name=ref.removeprefix("refs/"), reason=reason, ref=ref, oid=oid)


def _leftovers(repository: Repository) -> Iterator[UnusedView]:
    """Files that a killed process, a broken state or the Go CLI left behind."""
    common = repository.place.common_own_dir
    at_work = {one.session_id for one in repository.states if repository.is_at_work(one)}
    hooks = [os.path.join(common, "hooks"), os.path.join(repository.place.common_dir, "hooks")]
    folders: dict[str, Callable[[str], str]] = dict.fromkeys([common, os.path.join(common, "sessions")], _in_ours)
    folders[repository.place.sessions_dir] = _in_ours
    for place in repository.places.values():
        folders[place.own_dir] = _in_ours
        folders[place.entire_dir] = lambda name: _in_theirs(name, _SETTINGS)
        folders[place.tmp_dir] = lambda name: _of_a_turn(name, at_work)
    folders.update(dict.fromkeys(hooks, lambda name: _in_theirs(name, HOOKS)))
    for folder, why in folders.items():
        for entry in _regular_files(folder):
            reason = why(entry.name)
            if reason:
                size = entry.stat(follow_symlinks=False).st_size
                name = _shown(repository, entry.path)
                yield UnusedView(kind="leftover", name=name, reason=reason, size=size, paths=(entry.path,))


def _in_ours(name: str) -> str:
    """Say why a file in a folder of ours can go, '' if it cannot."""
    stem, _, pid = name.rpartition(".tmp")
    if stem and pid.isdigit():
        return "" if _is_running(pid) else "half-written by a process that is gone"
    if name.endswith(".broken"):
        return "could not be read and was put aside"
    if name.startswith("index."):
        return "" if _is_running(name.removeprefix("index.").removesuffix(".lock")) else "its process is gone"
    return ""


def _in_theirs(name: str, known: Collection[str]) -> str:
    """The same in a folder where others may have files too: only those of ours by name."""
    stem = name.removesuffix(".broken") if name.endswith(".broken") else name.rpartition(".tmp")[0]
    return _in_ours(name) if stem in known else ""


def _of_a_turn(name: str, at_work: Collection[str]) -> str:
    """The same in the Go CLI's folder for notes about running turns, where transcripts may lie too."""
    if not name.endswith(".json") or not name.startswith(("pre-prompt-", "pre-task-")):
        return ""
    session_id = name.removeprefix("pre-prompt-").removesuffix(".json")
    is_needed = session_id in at_work or (name.startswith("pre-task-") and at_work)
    return "" if is_needed else "of a turn that is over"


def _regular_files(folder: str) -> list[os.DirEntry[str]]:
    """Return the files of a folder, by name; nothing behind symbolic links, which may lead anywhere."""
    if os.path.islink(folder) or os.path.islink(os.path.dirname(folder)):
        return []
    try:
        with os.scandir(folder) as entries:
            found = [one for one in entries if stat.S_ISREG(one.stat(follow_symlinks=False).st_mode)]
    except OSError:
        return []
    return sorted(found, key=lambda one: one.name)


def _undo_points(repository: Repository, *, everything: bool) -> Iterator[UnusedView]:
    """Undo points that are too old, or all of them."""
    for place in repository.places.values():
        for one in transaction.find_all(place):
            age = repository.now - one.time
            if one.is_settled and (everything or age > KEPT_SECONDS):
                folder = os.path.join(place.own_dir, "undo", one.id)
                reason = f"made {_ago(age)}; what it did cannot be undone then"
                name = f"{one.command}: {one.title}"
                yield UnusedView(kind="undo point", name=name, reason=reason, size=_size([folder]), paths=(folder,),
                                 undo_id=one.id)  # fmt: skip


def _notes(repository: Repository) -> Iterator[str]:
    for one in repository.missing:
        yield f"the work tree {one.path} is not there, but git still knows it: `git worktree prune`, then clean again"


_SEARCHES: tuple[Callable[[Repository], Iterable[UnusedView]], ...] = (_steps, _sessions, _kept, _refs, _leftovers)


def _is_running(pid: str) -> bool:
    return not pid.isdigit() or process.look(int(pid)) is not None


def _shown(repository: Repository, path: str) -> str:
    inside = path.startswith(repository.place.top + os.sep)
    return os.path.relpath(path, repository.place.top) if inside else path


def _size(paths: Iterable[str]) -> int:
    """Return how many bytes files and folders hold."""
    total = 0
    for path in paths:
        if os.path.isdir(path) and not os.path.islink(path):
            total += backups.size_of_tree(path)
            continue
        try:
            total += os.lstat(path).st_size
        except OSError:
            continue
    return total
