"""Removes the locks that a killed git left on our refs. The caller holds the repository's lock.

A lock is removed only if no living process can hold it. A note (``ref_locks``) that nobody holds any more tells that
the lock was ours: on all refs at once, or on the user's branch and HEAD, which auto-commit moves. Without one, a lock
on a ref of ours must have an age, and the user's own locks are never removed.
"""

from __future__ import annotations

import fcntl
import os
import stat

from entire import files
from entire.git import ref_locks, running
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from entire.git.running import RunningOperation
    from entire.layout import Place

# git holds the lock of a ref for milliseconds; with a slow hook on reference transactions, for seconds. Where living
# gits cannot be seen (no /proc), even a stopped one must have had its time.
OLD, OLD_UNSEEN = 60.0, 3600.0
_ROOTS = ("refs/entire", "refs/heads/entire", "logs/refs/entire", "logs/refs/heads/entire")


class Note(Value):
    """A note as it was read. ``is_held``: a process that it speaks of is still alive."""

    path: str
    refs: frozenset[str]
    since: int  # nanoseconds since the epoch
    is_held: bool


class StaleLock(Value):
    """A lock on a ref, or (``ref`` is '') on all refs. ``is_ours``: only we write the ref."""

    path: str
    ref: str
    is_ours: bool
    facts: os.stat_result


def clear(place: Place, is_ours: Callable[[str], bool], now: float) -> list[str]:
    """Remove the locks that are left of killed processes, and the notes about them; return the locks' paths.

    ``is_ours``: whether a ref is one that only we write.
    """
    notes = read_notes(place.common_dir)
    alive = running.find(place)
    locks = _find(place.common_dir, notes, is_ours)
    stale = [lock for lock in locks if _is_stale(lock, notes, alive, now)]
    removed = [lock.path for lock in stale if remove(lock, ref_locks.folder(place.common_dir))]
    left = [lock for lock in locks if lock.path not in removed]
    for note in notes:
        is_written = note.refs or abs(now - note.since / 1e9) > OLD  # else its process has only just made it
        if not note.is_held and is_written and not any(_speaks_of(note, lock) for lock in left):
            files.remove(note.path)
    return removed


def find(place: Place, is_ours: Callable[[str], bool], now: float) -> list[str]:
    """Return the locks that ``clear`` would remove. Writes nothing."""
    notes, alive = read_notes(place.common_dir), running.find(place)
    return [lock.path for lock in _find(place.common_dir, notes, is_ours) if _is_stale(lock, notes, alive, now)]


def read_notes(common_dir: str) -> list[Note]:
    notes = []
    for path in ref_locks.notes(common_dir):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:  # its process has just removed it
            continue
        try:
            facts = os.fstat(fd)
            if stat.S_ISREG(facts.st_mode):
                refs = frozenset(os.fsdecode(os.read(fd, 1 << 20)).splitlines())
                notes.append(Note(path=path, refs=refs, since=facts.st_mtime_ns, is_held=_is_held(fd)))
        finally:
            os.close(fd)
    return notes


def _is_held(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _find(common_dir: str, notes: Iterable[Note], is_ours: Callable[[str], bool]) -> list[StaleLock]:
    """Return the locks on our refs, on those that notes name, and on all refs. A folder or symbolic link in place of
    one was not made by git.
    """
    refs = {os.path.join(common_dir, f"{ref}.lock"): ref for note in notes for ref in note.refs}
    for root in _ROOTS:
        for above, _, names in os.walk(os.path.join(common_dir, root)):
            for path in (os.path.join(above, name) for name in names if name.endswith(".lock")):
                refs[path] = os.path.relpath(path, common_dir).removesuffix(".lock").removeprefix("logs/")
    noted = {ref for note in notes for ref in note.refs}
    refs = {path: ref for path, ref in refs.items() if is_ours(ref) or ref in noted}
    locks = []
    for path, ref in {**refs, **dict.fromkeys(ref_locks.shared(common_dir), "")}.items():
        try:
            facts = os.lstat(path)
        except OSError:
            continue
        if stat.S_ISREG(facts.st_mode):
            locks.append(StaleLock(path=path, ref=ref, is_ours=is_ours(ref), facts=facts))
    return sorted(locks, key=lambda lock: lock.path)


def _speaks_of(note: Note, lock: StaleLock) -> bool:
    """Tell whether a lock was made while the note's process moved its ref."""
    return (not lock.ref or lock.ref in note.refs) and lock.facts.st_mtime_ns >= note.since


def _is_stale(lock: StaleLock, notes: Iterable[Note], alive: list[RunningOperation] | None, now: float) -> bool:
    speaking = [note for note in notes if _speaks_of(note, lock)]
    if any(note.is_held for note in speaking) or any(may_hold(git, lock.facts) for git in alive or ()):
        return False
    # Somebody else's git may have locked a branch of the user since, where living gits cannot be seen.
    if speaking and (lock.is_ours or not lock.ref or alive is not None):
        return True
    # A time in the future tells that a clock was wrong; that is no reason to wait until it comes.
    return (lock.is_ours or bool(speaking)) and abs(now - lock.facts.st_mtime) > (OLD_UNSEEN if alive is None else OLD)


def may_hold(git: RunningOperation, lock: os.stat_result) -> bool:
    """Tell whether a living git may have made a lock: it was there before, and runs as the lock's owner."""
    return git.user == lock.st_uid and git.started <= lock.st_ctime + 1


def remove(lock: StaleLock, folder: str) -> bool:
    """Remove a lock, by renaming it first: another git may have made a new one since it was examined."""
    aside = os.path.join(folder, f"removed-{os.getpid()}")
    try:
        os.makedirs(folder, 0o750, exist_ok=True)
        os.rename(lock.path, aside)
    except OSError:
        return False
    facts = os.lstat(aside)
    is_same = (facts.st_ino, facts.st_mtime_ns) == (lock.facts.st_ino, lock.facts.st_mtime_ns)
    if not is_same:
        try:
            os.link(aside, lock.path)
        except OSError:  # there is a newer one already
            pass
    files.remove(aside)
    return is_same
