"""The folder of the transactions: their names and states, and how they are created and deleted.

``<id>/`` holds a transaction (``undo.transaction``). The suffix of an empty file beside it is its state. ``<id>.gone/``
is being deleted.
"""

from __future__ import annotations

import os
import time

from entire import files, process
from entire.errors import EntireError
from entire.undo import backups
from entire.undo.index_lock import IndexLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

DRAFT, APPLYING, BACK, FAILED = ".draft", ".applying", ".back", ".failed"
PROBLEM = "problem"  # a file in the folder: what could not be rolled back
_GONE = ".gone"


def root(place: Place) -> str:
    return os.path.join(place.own_dir, "undo")


def names(place: Place) -> list[str]:
    try:
        return os.listdir(root(place))
    except OSError:
        return []


def begin(place: Place, now: float) -> str:
    """Create the folder of a draft, with subfolders for files before and after the change; return its id."""
    identity = ""
    try:
        os.makedirs(root(place), 0o700, exist_ok=True)
        identity = _new_id(os.listdir(root(place)), now)
        folder = os.path.join(root(place), identity)
        program = process.look(os.getpid())
        holder = f"{os.getpid()} {program.started if program else ''}"
        files.write(folder + DRAFT, holder.encode(), mode=0o600)
        for path in (folder, os.path.join(folder, "a"), os.path.join(folder, "b")):
            os.mkdir(path, 0o700)
    except (OSError, EntireError) as error:
        if identity:
            try:
                forget(place, identity)
            except EntireError:
                pass
        if isinstance(error, EntireError):
            raise
        raise cannot(error, "save an undo point", "nothing was changed") from error
    return identity


def forget(place: Place, identity: str) -> None:
    """Delete a transaction that is not being carried out. It is renamed first, so a kill leaves nothing that could
    be taken for a complete one.
    """
    path = os.path.join(root(place), identity)
    try:
        IndexLock(place.git_dir, path).release()
        try:
            os.rename(path, path + _GONE)
        except FileNotFoundError:
            pass
        for ending in (DRAFT, FAILED):
            files.remove(path + ending)
    except OSError as error:
        raise cannot(error, "delete an undo point", "it was kept") from error
    backups.remove_tree(path + _GONE)


def tidy(place: Place, name: str) -> None:
    """Delete what a killed process left under a name in the folder: a draft, or a half-deleted transaction."""
    identity, _, ending = name.partition(".")
    path = os.path.join(root(place), name)
    try:
        if "." + ending == _GONE:
            backups.remove_tree(path)
        elif "." + ending == DRAFT:
            if not _is_prepared(path):
                forget(place, identity)
        elif "." + ending == FAILED:
            if not os.path.lexists(os.path.join(root(place), identity)):
                files.remove(path)
        elif ending.startswith("draft.tmp") and not _runs(ending.removeprefix("draft.tmp")):
            files.remove(path)
    except (OSError, EntireError):
        pass  # the next call tries again


def renamed(source: str, target: str) -> bool:
    """Rename a file; return False instead of raising an error."""
    try:
        os.rename(source, target)
    except OSError:
        return False
    return True


def cannot(error: OSError, doing: str, state: str) -> EntireError:
    """Return the EntireError for a failed system call. ``doing``: an infinitive; ``state``: what was kept safe."""
    path = f": {backups.shown(os.fsdecode(error.filename))}" if isinstance(error.filename, (str, bytes)) else ""
    return EntireError(f"cannot {doing}: {error.strerror}{path}; {state}", hint="check disk space and permissions")


def _new_id(taken: list[str], now: float) -> str:
    """Return a name that sorts after all others, even if the clock was set back."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now)) + f"{int(now % 1 * 1e6):06d}Z"
    newest = max((name.partition(".")[0] for name in taken), default="")
    if stamp > newest[: len(stamp)]:
        return f"{stamp}-{int.from_bytes(os.urandom(3), 'big') >> 1:06x}"
    old_stamp, _, number = newest.rpartition("-")
    try:
        return f"{old_stamp}-{int(number, 16) + 1:06x}"
    except ValueError:  # not one of our names
        return f"{newest}0"


def _is_prepared(path: str) -> bool:
    """Tell whether the process that prepares a draft is still running."""
    pid, _, started = (files.read(path) or b"").decode("utf-8", "replace").partition(" ")
    return pid.isdigit() and bool(started) and process.is_running(int(pid), started)


def _runs(pid: str) -> bool:
    return pid.isdigit() and process.look(int(pid)) is not None
