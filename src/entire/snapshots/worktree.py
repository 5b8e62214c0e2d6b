"""Takes snapshots of the worktree: one ``git status``, the blobs of what changed, and how to write the tree."""

from __future__ import annotations

import os
import stat
import time

from entire import layout
from entire.model.value import Value, replace
from entire.store.journal import NO_FILE, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from entire.git import status
    from entire.git.read import Objects
    from entire.layout import Place

# Nanoseconds: a file changed this shortly before a snapshot may change again without a new time stamp.
_RACY = 20_000_000
_OWN_FOLDER = ".entire/"


class TakenSnapshot(Value):
    """A new snapshot, and how to write its tree: ``changes`` on top of ``base_tree``."""

    snapshot: Snapshot
    base_tree: str
    changes: dict[str, tuple[str, str] | None]
    links: dict[str, bytes]  # symbolic links: path to target, to be stored as blobs
    staged: Mapping[str, str] = {}  # blob ids (zeros: deleted) of what is staged, by path


def take(
    place: Place, before: Snapshot, objects: Objects, max_untracked: int, trees: Mapping[str, str],
    variables: Mapping[str, str] | None = None,
) -> TakenSnapshot:  # fmt: skip
    """Take a snapshot with one ``git status``. Stores the blobs of changed files, but no tree yet.

    ``trees`` maps commits to their trees, as far as they are known without asking git; ``variables`` of ``git.scratch``
    store the blobs elsewhere.
    """
    from entire.git import status

    end, stashes = layout.head_log_end(place), _stashes(place)  # first: git may do more meanwhile
    result = status.read(place.top)
    now = time.time()
    head_tree = before.head_tree
    if result.head != before.head or not head_tree:
        head_tree = trees.get(result.head) or objects.tree_id(result.head) if result.head else ""
    known: dict[str, list[Any]] = {}
    left_out = []
    for dirty in result.dirty:
        if dirty.path.startswith(_OWN_FOLDER) or dirty.path == ".entire":
            continue
        facts = _facts(place.top, dirty, before)
        if facts is None:
            continue
        if not dirty.tracked and facts[2] > max_untracked:
            left_out.append(dirty.path)
            continue
        known[dirty.path] = facts
    links = _store(place.top, known, len(head_tree) or 40, variables)
    for dirty in result.dirty:
        if dirty.in_head is not None and tuple(known.get(dirty.path, ())[:2]) == dirty.in_head:
            del known[dirty.path]  # git rm --cached: the file is as HEAD has it
    snapshot = Snapshot(
        head=result.head, head_tree=head_tree, branch=result.branch, time=now, files=known, left_out=tuple(left_out),
        untracked=tuple(dirty.path for dirty in result.dirty if not dirty.tracked and dirty.path in known),
        reflog=end, stashes=stashes,
    )  # fmt: skip
    return replace(_plan(snapshot, before, links), staged=result.staged)


def _stashes(place: Place) -> tuple[str, ...]:
    """Return the commits of the stash. Usually there is none, and nothing is loaded."""
    if not os.path.exists(os.path.join(place.common_dir, "logs", "refs", "stash")):
        return ()
    from entire.git import reflog

    return reflog.stashes(place)


def take_after(place: Place, before: Snapshot, changed: Mapping[str, tuple[str, str] | None]) -> TakenSnapshot:
    """Return the snapshot of a worktree in which only these paths changed since ``before``; runs no ``git status``.

    ``changed`` maps each path to what HEAD has there: mode and blob id, or None.
    """
    from entire.git import status

    known = {path: facts for path, facts in before.files.items() if path not in changed}
    for path, in_head in changed.items():
        facts = _facts(place.top, status.Dirty(path=path, mode="", tracked=in_head is not None), before)
        if facts is not None:
            known[path] = facts
    links = _store(place.top, {path: known[path] for path in changed if path in known}, len(before.head_tree) or 40)
    for path, in_head in changed.items():
        if in_head is not None and tuple(known.get(path, ())[:2]) == in_head:
            del known[path]
    untracked = [path for path in before.untracked if path not in changed]
    untracked += [path for path, in_head in changed.items() if in_head is None and path in known]
    # The time stays: the other files were read then, and one that changed right afterwards must be read again.
    return _plan(replace(before, files=known, untracked=tuple(untracked)), before, links)


def changed_paths(before: Snapshot, after: Snapshot) -> list[str] | None:
    """Return the paths that differ between two snapshots; None if HEAD moved in between, then git must compare."""
    if before.head != after.head or not before.tree:
        return None
    names = [*before.files, *(path for path in after.files if path not in before.files)]
    return [path for path in names if before.files.get(path, [])[:2] != after.files.get(path, [])[:2]]


def _store(
    top: str, known: dict[str, list[Any]], oid_size: int, variables: Mapping[str, str] | None = None
) -> dict[str, bytes]:
    """Store the files whose blob ids are unknown, and fill the ids in; return the symbolic links still to be stored."""
    from entire.git import status
    from entire.git.write import blob_id

    unstored: list[str] = []
    links: dict[str, bytes] = {}
    for path, facts in known.items():
        if facts[0] == "120000" and not facts[1]:
            links[path] = os.readlink(os.fsencode(os.path.join(top, path)))
            facts[1] = blob_id(links[path], oid_size)
        elif not facts[1] and facts[0] != NO_FILE:
            unstored.append(path)
    stored = status.store_files(top, unstored, variables) if unstored else {}
    for path in unstored:
        if path in stored:
            known[path][1] = stored[path]
        else:
            known.pop(path)  # it vanished meanwhile
    return links


def _facts(top: str, dirty: status.Dirty, before: Snapshot) -> list[Any] | None:
    """Return [mode, blob id or '', size, mtime, ctime, inode] of a path; None if it cannot be in a tree."""
    if dirty.mode == NO_FILE:
        return [NO_FILE, "", 0, 0, 0, 0]
    try:
        info = os.lstat(os.fsencode(os.path.join(top, dirty.path)))
    except OSError:
        return [NO_FILE, "", 0, 0, 0, 0] if dirty.tracked else None
    if dirty.oid:
        return [dirty.mode, dirty.oid, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino]
    if stat.S_ISLNK(info.st_mode):
        mode = "120000"
    elif stat.S_ISREG(info.st_mode):
        mode = dirty.mode or ("100755" if info.st_mode & stat.S_IXUSR else "100644")
    else:
        return None  # submodules stay as HEAD has them; sockets and pipes are not stored
    facts = [mode, "", info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino]
    old = before.files.get(dirty.path)
    if old is not None and old[0] == mode and old[2:] == facts[2:] and info.st_mtime_ns < before.time * 1e9 - _RACY:
        facts[1] = old[1]
    return facts


def _plan(snapshot: Snapshot, before: Snapshot, links: dict[str, bytes]) -> TakenSnapshot:
    """Choose what the tree is written on: the previous tree if its changes can be amended, else HEAD's."""
    same_head = snapshot.head == before.head and before.tree
    gone = [path for path in before.files if path not in snapshot.files]
    if same_head and not gone:
        base, candidates = before.tree, [p for p, f in snapshot.files.items() if before.files.get(p, [])[:2] != f[:2]]
    else:
        base, candidates = snapshot.head_tree, list(snapshot.files)
    changes = {path: _entry(snapshot.files[path]) for path in candidates}
    return TakenSnapshot(snapshot=snapshot, base_tree=base, changes=changes, links=links)


def _entry(facts: list[Any]) -> tuple[str, str] | None:
    return None if facts[0] == NO_FILE else (facts[0], facts[1])
