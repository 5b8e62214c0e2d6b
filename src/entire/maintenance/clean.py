"""``entire clean``: finds unused data, says why it is unused, and removes it with an undo point.

It never removes checkpoints, data of a session at work, or a user's branch that is only named like a shadow branch.
"""

from __future__ import annotations

import os

from entire import process, tree_files
from entire.git import history
from entire.githooks.scripts import NAMES as HOOKS
from entire.maintenance import undo_notes
from entire.maintenance.repository import Repository, lock
from entire.model import trailers
from entire.model.session import KEPT_SECONDS
from entire.model.value import Value, replace
from entire.model.views.maintenance import CleanView, UnusedView
from entire.store import retained_steps, steps
from entire.store.journal import Journal
from entire.undo import backups, completion, inverse, transaction
from entire.undo.draft import Draft
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from entire.layout import Place
    from entire.model.requests import CleanRequest
    from entire.model.views.changes import UndoneView
    from entire.recording.context import Context

COMMAND = "clean"
_DAY = 86400.0
_WRITING = "refs/entire/writing/"
_JOURNAL = "refs/entire/journal/"
_BACKUP = "refs/entire/backup/"
_MAX_STEPS = 2000
_SETTINGS = (".gitignore", "entire.json", "settings.json", "settings.local.json")


class CleanNotes(Notes):
    """What a clean notes for its undo."""

    command = COMMAND
    kept: Mapping[str, list[list[Any]]] = {}  # the lines of retained steps, by worktree


class Found(Value):
    """Unused data, and notes about what stays."""

    items: tuple[UnusedView, ...] = ()
    notes: tuple[str, ...] = ()


class UnusedRemoval(Value):
    """What was removed. ``undo_id``: the transaction that restores it; '' if only undo points were removed."""

    items: tuple[UnusedView, ...] = ()
    undo_id: str = ""


def find(place: Place, *, now: float, everything: bool = False) -> Found:
    """Return unused data. ``everything``: all undo points, not only the old ones."""
    repository = Repository(place, now)
    items = [item for search in _SEARCHES for item in search(repository)]
    items += _find_undo_points(repository, everything=everything)
    return Found(items=tuple(items), notes=tuple(_notes(repository)))


def remove(place: Place, wanted: Sequence[UnusedView], *, now: float) -> UnusedRemoval:
    """Remove the items in ``wanted`` that are still unused, in one transaction that ``undo`` reverts."""
    with lock(place):
        completion.complete(place)
        keys = {_key(item) for item in wanted}
        everything = any(item.undo_id for item in wanted)
        items = [item for item in find(place, now=now, everything=everything).items if _key(item) in keys]
        repository = Repository(place, now)
        undo_id = _carry_out(repository, [item for item in items if not item.undo_id])
        for other in repository.places.values():
            for item in items:
                if item.undo_id and item.paths[0].startswith(other.own_dir + os.sep):
                    transaction.remove(other, item.undo_id)
    return UnusedRemoval(items=tuple(items), undo_id=undo_id)


def clean(place: Place, request: CleanRequest, *, now: float) -> CleanView:
    """Find unused data and, unless it is a dry run, remove it."""
    unused = find(place, now=now, everything=request.everything)
    if request.only is not None:
        wanted = {_key(item) for item in request.only}
        unused = replace(unused, items=tuple(item for item in unused.items if _key(item) in wanted))
    removal = remove(place, unused.items, now=now) if unused.items and not request.dry_run else UnusedRemoval()
    return CleanView(items=unused.items, notes=unused.notes, removed=removal.items, undo_id=removal.undo_id)


def undo(context: Context, _progress: object = None) -> UndoneView:
    """Restore what the last ``clean`` removed that was not undone yet."""
    place = context.place
    with context.lock():
        done = inverse.undo_last(place, CleanNotes, _undo, now=context.now())
        undone = next(change for change in transaction.done(place, COMMAND) if change.id == done.undoes)
        _recall_refs(Repository(place, context.now()), CleanNotes.of(undone))
    return undo_notes.view(done)


def _undo(draft: Draft, _notes: CleanNotes) -> None:
    undo_notes.check_states(draft.place, undo_notes.deleted_states(draft.place, draft.undone))
    draft.revert()


def _key(item: UnusedView) -> tuple[str, str, str, str]:
    return item.kind, item.name, item.oid, item.undo_id


def _carry_out(repository: Repository, items: Sequence[UnusedView]) -> str:
    if not items:
        return ""
    draft = Draft(repository.place, COMMAND, f"unused data ({len(items)})", now=repository.now)
    try:
        for item in items:
            if item.ref:
                draft.move_ref(item.ref, "", item.oid)
            for path in item.paths:
                draft.write_private(path, None)
        draft.notes = CleanNotes(kept=_forget_refs(repository, {item.ref for item in items if item.ref}))
    except BaseException:
        draft.discard()
        raise
    return draft.carry_out().id


def _forget_refs(repository: Repository, gone: set[str]) -> dict[str, list[list[Any]]]:
    """Remove refs from the journals of all worktrees; return the lines of retained steps, by worktree.

    Done before the refs are deleted: a journal that lacks a ref asks git, but one with a deleted ref would restore it.
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


def _recall_refs(repository: Repository, notes: CleanNotes) -> None:
    """Put restored retained steps back into the journals, so they expire as before."""
    for worktree, place in repository.places.items():
        lines = notes.kept.get(worktree, [])
        restored = {retained.ref for retained in retained_steps.find(place.top, worktree)} if lines else set()
        journal = Journal(place)
        if undo_notes.recall_refs(journal, lines, restored):
            journal.save(live=journal.is_live)


# ---------------------------------------------------------------- unused data


def _find_steps(repository: Repository) -> Iterator[UnusedView]:
    """Find shadow branches that no worktree and no session uses."""
    for ref, oid in repository.shadows.items():
        base, worktree = steps.parse_branch(ref) or ("", "")
        if ref in repository.checked_out or any(
            repository.uses_shadow(session, ref) for session in repository.states if repository.is_at_work(session)
        ):
            continue
        reason = ""
        if worktree and worktree not in repository.ids:
            reason = "its worktree was removed"
        elif not any(head.startswith(base) for head in repository.heads) and not _has_open(repository, ref, worktree):
            reason = f"no worktree is at {base}, and no session has steps on it"
        if reason:
            yield UnusedView(kind="steps", name=ref.removeprefix("refs/heads/"), reason=reason, ref=ref, oid=oid)


def _has_open(repository: Repository, ref: str, worktree: str) -> bool:
    """Tell whether a session has steps on a shadow branch, or a commit in its worktree is pending."""
    states = [session for session in repository.states if not repository.is_gone(session)]
    if any(session.work.steps and repository.uses_shadow(session, ref) for session in states):
        return True
    places = (
        [repository.places[worktree]]
        if worktree in repository.places
        else repository.places.values()
        if not worktree
        else ()
    )
    return any(os.path.exists(place.pending_file) for place in places)


def _find_sessions(repository: Repository) -> Iterator[UnusedView]:
    """Find states of ended sessions without uncommitted work, or whose worktree was removed."""
    visiting = {name for place in repository.places.values() for name in Journal(place).attribution.visiting_sessions}
    for session in repository.states:
        silent = repository.now - session.times.last_seen
        if repository.is_alive(session) or session.session_id in visiting:
            continue
        is_open = session.is_running or session.work.steps or session.work.open_files or session.turn_checkpoints
        if repository.is_gone(session):
            reason = f"its worktree {session.worktree.name} was removed"
        elif not is_open and silent > KEPT_SECONDS:
            reason = f"no uncommitted work, last active {int(silent / _DAY)} days ago"
        else:
            continue
        name = session.session_id
        paths = [path for path in undo_notes.state_paths(repository.place, name) if os.path.lexists(path)]
        yield UnusedView(kind="session", name=name, reason=reason, size=_size(paths), paths=tuple(paths))


def _find_retained_steps(repository: Repository) -> Iterator[UnusedView]:
    """Find condensed steps: checkpoints hold their results."""
    at_work = {session.session_id for session in repository.states if repository.is_at_work(session)}
    for retained in retained_steps.find(repository.place.top):
        if retained.worktree_id not in repository.ids:
            reason = "condensed by a commit; their worktree was removed"
        elif at_work and at_work & _sessions_with_steps(repository, retained.tip):
            continue
        else:
            reason = f"condensed by a commit {_ago(repository.now - retained.time)}"
        name = f"on {retained.base[:7]}"
        yield UnusedView(kind="retained steps", name=name, reason=reason, ref=retained.ref, oid=retained.tip)


def _sessions_with_steps(repository: Repository, tip: str) -> set[str]:
    commits = history.log(repository.place.top, [tip], limit=_MAX_STEPS)
    return {name for step in commits for name in trailers.parse(step.message).get(trailers.SESSION, [])}


def _ago(seconds: float) -> str:
    days = int(seconds / _DAY)
    return "today" if days < 1 else "a day ago" if days == 1 else f"{days} days ago"


def _find_refs(repository: Repository) -> Iterator[UnusedView]:
    """Find scratch refs of dead processes, snapshots of removed worktrees, and old backups of branches."""
    for ref, oid in repository.refs.items():
        if ref.startswith(_WRITING) and not _is_running(ref.removeprefix(_WRITING).partition("-")[0]):
            yield UnusedView(
                kind="scratch", name=ref.removeprefix("refs/"), reason="its process has ended", ref=ref, oid=oid
            )
        elif ref.startswith(_JOURNAL) and ref.removeprefix(_JOURNAL).partition("-")[0] not in repository.ids:
            yield UnusedView(
                kind="snapshots", name=ref.removeprefix("refs/"), reason="their worktree was removed", ref=ref, oid=oid
            )
        elif ref.startswith(_BACKUP) and ref.rpartition("/")[2].isdigit():
            age = repository.now - int(ref.rpartition("/")[2]) / 1000
            if age > KEPT_SECONDS:
                reason = f"the position of a branch before a rewind {_ago(age)}"
                yield UnusedView(kind="backup", name=ref.removeprefix("refs/"), reason=reason, ref=ref, oid=oid)


def _find_leftovers(repository: Repository) -> Iterator[UnusedView]:
    """Find files that a killed process, a broken state or the Go CLI left behind."""
    common = repository.place.common_own_dir
    at_work = {session.session_id for session in repository.states if repository.is_at_work(session)}
    hooks = [os.path.join(common, "hooks"), os.path.join(repository.place.common_dir, "hooks")]
    folders: dict[str, Callable[[str], str]]
    folders = dict.fromkeys([common, os.path.join(common, "sessions")], _explain_own_file)
    folders[repository.place.sessions_dir] = _explain_own_file
    for place in repository.places.values():
        folders[place.own_dir] = _explain_own_file
        folders[place.entire_dir] = lambda name: _explain_shared_file(name, _SETTINGS)
        folders[place.tmp_dir] = lambda name: _explain_turn_file(name, at_work)
    folders.update(dict.fromkeys(hooks, lambda name: _explain_shared_file(name, HOOKS)))
    for folder, explain in folders.items():
        for path, size in _regular_files(folder):
            reason = explain(os.path.basename(path))
            is_foreign = size > tree_files.LARGEST and tree_files.top_of(path)  # nothing of ours is as large there
            if reason and not is_foreign:
                name = _relative(repository, path)
                yield UnusedView(kind="leftover", name=name, reason=reason, size=size, paths=(path,))


def _explain_own_file(name: str) -> str:
    """Return why a file in a folder of ours is unused; '' if it is in use."""
    stem, _, pid = name.rpartition(".tmp")
    if stem and pid.isdigit():
        return "" if _is_running(pid) else "left half-written by a process that has ended"
    if name.endswith(".broken"):
        return "was corrupt and renamed"
    if name.startswith("index."):
        return "" if _is_running(name.removeprefix("index.").removesuffix(".lock")) else "its process has ended"
    return ""


def _explain_shared_file(name: str, known: Collection[str]) -> str:
    """The same in a folder with files of others: considers only those with a name in ``known``."""
    stem = name.removesuffix(".broken") if name.endswith(".broken") else name.rpartition(".tmp")[0]
    return _explain_own_file(name) if stem in known else ""


def _explain_turn_file(name: str, at_work: Collection[str]) -> str:
    """The same in the Go CLI's folder for notes about running turns, which may hold transcripts too."""
    if not name.endswith(".json") or not name.startswith(("pre-prompt-", "pre-task-")):
        return ""
    session_id = name.removeprefix("pre-prompt-").removesuffix(".json")
    is_needed = session_id in at_work or (name.startswith("pre-task-") and at_work)
    return "" if is_needed else "its turn has ended"


def _regular_files(folder: str) -> list[tuple[str, int]]:
    """Return the files of a folder with their sizes, sorted by name; nothing behind links, which may lead anywhere."""
    return list(tree_files.below(os.path.dirname(os.path.dirname(folder)), folder, deep=False))


def _find_undo_points(repository: Repository, *, everything: bool) -> Iterator[UnusedView]:
    """Find undo points that are too old, or all of them."""
    for place in repository.places.values():
        for point in transaction.find_all(place):
            age = repository.now - point.time
            if point.is_settled and (everything or age > KEPT_SECONDS):
                folder = os.path.join(place.own_dir, "undo", point.id)
                reason = f"from {_ago(age)}; without it, that change cannot be undone"
                name = f"{point.command}: {point.title}"
                yield UnusedView(kind="undo point", name=name, reason=reason, size=_size([folder]), paths=(folder,),
                                 undo_id=point.id)  # fmt: skip


def _notes(repository: Repository) -> Iterator[str]:
    for worktree in repository.missing:
        yield (
            f"worktree {worktree.path} is missing, but git still lists it: "
            "run `git worktree prune`, then `entire clean` again"
        )


_SEARCHES: tuple[Callable[[Repository], Iterable[UnusedView]], ...] = (
    _find_steps,
    _find_sessions,
    _find_retained_steps,
    _find_refs,
    _find_leftovers,
)


def _is_running(pid: str) -> bool:
    return not pid.isdigit() or process.look(int(pid)) is not None


def _relative(repository: Repository, path: str) -> str:
    inside = path.startswith(repository.place.top + os.sep)
    return os.path.relpath(path, repository.place.top) if inside else path


def _size(paths: Iterable[str]) -> int:
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
