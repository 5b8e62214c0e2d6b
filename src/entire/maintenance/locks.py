"""Locks of git that stand: those on refs of ours, and those that are the user's, which are only named."""

from __future__ import annotations

import os
import shlex
import stat

from entire.git import ref_locks, running, stale_locks
from entire.model.value import Value
from entire.store import steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.git.running import RunningOperation
    from entire.layout import Place

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


class StandingLock(Value):
    """A lock that keeps git from its work. ``is_old``: it is probably left of a git that was killed."""

    path: str
    is_ours: bool  # on a ref that only we write
    is_stale: bool  # ours, and the next hook removes it
    is_old: bool
    age: float
    holders: tuple[int, ...] = ()  # git processes that may hold it

    @property
    def problem(self) -> str:
        """What is wrong, in a sentence without a full stop."""
        age = f"is {_words(self.age)} old" if self.age >= 0 else f"is dated {_words(-self.age)} in the future"
        effect = "checkpoints wait" if self.is_ours else "git refuses to work"
        return f"{self.path} {age}; {effect} while it exists"

    @property
    def remedy(self) -> str:
        """What to do, as an imperative."""
        path = shlex.quote(self.path)
        if os.path.isdir(self.path) and not os.path.islink(self.path):
            return f"move it away, since git did not make this folder: mv {path} {shlex.quote(self.path + '.old')}"
        if self.holders:
            return f"wait for the git process {self.holders[0]}; if it hangs, end it, then: rm {path}"
        return f"if no git process is running: rm {path}"


def find(place: Place, now: float) -> list[StandingLock]:
    """Return the locks in this worktree's git directory and the common one."""
    stale, alive = set(stale_locks.find(place, steps.is_ours, now)), running.find(place)
    return [_examine(path, ref, stale, alive, now) for path, ref in _paths(place).items()]


def warnings(place: Place, now: float) -> list[str]:
    """Return what to do about each lock that keeps git from its work and that no hook removes."""
    return [f"{lock.problem}: {lock.remedy}" for lock in find(place, now) if lock.is_old and not lock.is_stale]


def clear(place: Place, now: float) -> list[str]:
    """Remove the stale locks on our refs; return their paths. The caller holds the repository's lock."""
    return stale_locks.clear(place, steps.is_ours, now)


def _paths(place: Place) -> dict[str, str]:
    """Return the locks, and the ref of each: '' for one that is not on a single ref."""
    locks = dict.fromkeys(path for path in ref_locks.shared(place.common_dir) if os.path.lexists(path))
    for folder in dict.fromkeys((place.git_dir, place.common_dir)):
        locks.update(dict.fromkeys(_locks_in(folder)))
    for root in ("refs", "logs"):
        for folder, folders, _ in os.walk(os.path.join(place.common_dir, root)):
            folders[:] = [name for name in folders if not name.endswith(".lock")]
            locks.update(dict.fromkeys(_locks_in(folder)))
    return {path: _ref_of(os.path.relpath(path, place.common_dir)) for path in sorted(locks)}


def _locks_in(folder: str) -> Iterator[str]:
    try:
        yield from (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".lock"))
    except OSError:
        return


def _ref_of(name: str) -> str:
    ref = name.removesuffix(".lock").removeprefix("logs/")
    return ref if ref.startswith("refs/") else ""


def _examine(path: str, ref: str, stale: set[str], alive: list[RunningOperation] | None, now: float) -> StandingLock:
    try:
        facts = os.lstat(path)
    except OSError:  # it is gone meanwhile
        return StandingLock(path=path, is_ours=False, is_stale=False, is_old=False, age=0.0)
    holders = tuple(git.pid for git in alive or () if stale_locks.may_hold(git, facts))
    age = now - facts.st_mtime
    limit = stale_locks.OLD_UNSEEN if alive is None or holders else stale_locks.OLD
    is_old = abs(age) > limit or not (stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode))
    return StandingLock(path=path, is_ours=steps.is_ours(ref), is_stale=path in stale, is_old=is_old, age=age,
                        holders=holders)  # fmt: skip


def _words(seconds: float) -> str:
    size, name = next((unit for unit in _UNITS if seconds >= unit[0]), _UNITS[-1])
    number = int(seconds / size)
    return f"{number} {name}" + ("" if number == 1 else "s")
