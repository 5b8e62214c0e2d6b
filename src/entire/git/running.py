"""Finds the git processes that work in a repository, as far as this system shows them (Linux)."""

from __future__ import annotations

import os

from entire import layout, process
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place

# They run for long and move no ref: an editor and git itself leave them in the background.
_HARMLESS = (b"cat-file", b"check-attr", b"check-ignore", b"fsmonitor--daemon", b"credential-cache--daemon")
_ANCESTORS = 64


class RunningOperation(Value):
    """A git process: ``started`` in seconds since the epoch, 0 if that is unknown."""

    pid: int
    user: int
    started: float


def find(place: Place) -> list[RunningOperation] | None:
    """Return the git processes at work in any worktree of the repository, but not those that wait for us; None if this
    system does not show them.
    """
    if not os.path.isdir("/proc/self"):
        return None
    waiting = {program.pid for program in process.ancestors(os.getpid(), _ANCESTORS)}
    folders = [place.common_dir, place.top, place.main_top, *layout.linked_worktrees(place.common_dir).values()]
    folders = [os.path.realpath(folder) for folder in folders if folder]
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [operation for pid in pids if pid not in waiting and (operation := _git_in(pid, folders)) is not None]


def _git_in(pid: int, folders: Sequence[str]) -> RunningOperation | None:
    """Describe a process if it is a git that works in one of these folders, or if only its user may know that."""
    try:
        with open(f"/proc/{pid}/comm", "rb") as file:
            name = file.read().strip()
        if name != b"git" and not name.startswith(b"git-"):
            return None
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        user = os.stat(f"/proc/{pid}").st_uid
        if any(word in _HARMLESS for word in words) or not _works_in(pid, words, folders):
            return None
    except OSError:  # it has ended
        return None
    program = process.look(pid)
    return RunningOperation(
        pid=pid, user=user, started=process.start_time(program.started) if program is not None else 0.0
    )


def _works_in(pid: int, words: Sequence[bytes], folders: Sequence[str]) -> bool:
    try:
        here = os.readlink(f"/proc/{pid}/cwd")
        with open(f"/proc/{pid}/environ", "rb") as file:
            words = [*words, *file.read().split(b"\0")]  # GIT_DIR
    except PermissionError:
        return True
    if any(here == folder or here.startswith(folder + os.sep) for folder in folders):
        return True
    return any(os.fsencode(folder) in word for word in words for folder in folders)
