"""What Codex keeps of a session beside its rollout: a list of its turns, which it makes again when it is missing, and a
lock, which the process that has the session open holds, be it the background server (observed on 0.171.0).

It reads a rollout that was replaced from where it stopped, and so goes on to list turns that are gone (observed on
0.169.0 and 0.171.0). ``forget`` is the effect that has it read the whole rollout again; run as a program, this module
is that effect's command: ``python thread_list.py DATABASE ID``. Turns of a segment stand under the segment's id.
"""

from __future__ import annotations

import os
import sqlite3
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.effects import Run

_NAME = "thread_history_1.sqlite"
_TABLES = ("thread_turns", "thread_items", "thread_history_projection_state")
_PATIENCE = 2.0  # seconds in which another process may write


def forget(home: str, file_id: str) -> tuple[Run, ...]:
    """Return the effect for a rollout of the Codex in a folder, none if it keeps no list. Its way back is itself."""
    database = os.path.join(home, _NAME)
    if not os.path.isfile(database):
        return ()
    from entire.model.effects import Run
    from entire.model.ids import Argument

    command = (sys.executable, "-I", os.path.abspath(__file__), database, Argument(file_id, "a rollout's id"))
    return (Run(argv=command, undo_argv=command),)


def is_open(home: str, session_id: str) -> bool | None:
    """Tell whether a process of the Codex in a folder has a session open; None: that version holds no locks."""
    folder = os.path.join(home, "thread-writer-locks")
    if not os.path.isdir(folder):
        return None
    import fcntl

    try:
        file = os.open(os.path.join(folder, f"{session_id}.lock"), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _delete(database: str, session_id: str) -> None:
    """Delete the list. In an unknown form, or while Codex writes to it, it stays: only a list is then wrong."""
    connection = sqlite3.connect(database, timeout=_PATIENCE)
    try:
        with connection:
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (session_id,))  # noqa: S608
    except sqlite3.Error:
        pass
    finally:
        connection.close()


if __name__ == "__main__":
    _delete(*sys.argv[1:3])
