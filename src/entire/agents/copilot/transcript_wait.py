"""Waits for the transcript when a turn ends: Copilot goes on writing the turn's events while the hook already runs.

The last of them is the one that says that this hook was started (observed on 1.0.102, after 20 ms and more).
"""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.untrusted import clean, dict_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 0.02
LIMIT = 2.5
_LAST = 1 << 16  # bytes in which the last events are


def wait(path: str, start: int, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
    """Return once a session's file, beyond byte ``start``, ends with the hook of a turn's end; after 2.5 s at most."""
    began = clock()
    while not _is_complete(path, start) and clock() - began < LIMIT:
        sleep(STEP)


def _is_complete(path: str, start: int) -> bool:
    size = transcripts.size(path)
    if size <= start:
        return False
    for line in transcripts.last_lines(path, size, _LAST):
        for native in transcripts.records(line):
            data = dict_of(native.get("data"))
            if native.get("type") == "hook.start" and data.get("hookType") == "agentStop" and not native.get("agentId"):
                return True
            if not clean(native.get("type")).startswith("hook."):
                return False
    return False
