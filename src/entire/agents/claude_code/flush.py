"""Waiting for the transcript at a turn's end.

When the Stop hook starts, the final answer is mostly not in the file yet (36 of 42 turns); it comes 15 to 110 ms later,
while the hook still runs. In a session's first headless turn even the file may not exist; without session persistence
it never will.
"""

from __future__ import annotations

import os

from entire.agents import transcripts
from entire.agents.claude_code import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.agents.claude_code.records import Record
    from entire.model.events import Event

STEP = 0.02
LIMIT = 2.5
NO_FILE = 0.5  # several times what the first turn's file takes to appear
STABLE = 0.15
_MOST = 16 << 20  # a turn's end is looked for in so many bytes at most


class _Watch:
    """Looks at what is new in the file and knows whether the turn's final text has been seen."""

    def __init__(self, event: Event, start: int) -> None:
        self._path = event.session_ref
        self._turn = event.turn_ref
        self._wanted = _squeezed(event.final_text)
        size = _size(self._path)
        self._at = max(start, size - _MOST)
        self._inside = not self._turn or self._at > start  # in the turn, as far as the file tells turns apart
        self._told = False
        self._by_answer: dict[str, str] = {}

    def look(self) -> bool:
        """Read on; True once the final text of this turn is there."""
        for line, end in transcripts.lines(self._path, self._at):
            found = transcripts.records(line, records.GLUE)
            if not found and not line.endswith(b"\n"):
                break
            self._at = end
            if any(self._is_final(record) for record in found):
                return True
        return False

    def _is_final(self, record: Record) -> bool:
        if record.get("type") == "user":
            turn = record.get("promptId")
            self._told = self._told or bool(turn)
            if self._turn and (turn or not self._told):  # files of old versions do not tell turns apart
                self._inside = not turn or turn == self._turn
        elif record.get("type") == "assistant" and self._inside and record.get("isSidechain") is not True:
            text, key = _squeezed(records.text_of(record)), records.answer_id(record)
            whole = self._by_answer.get(key, "") + text
            self._by_answer = {key: whole}
            return self._wanted in (text, whole)
        return False


def wait(event: Event, start: int, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
    """Return when the transcript holds the turn that ``event`` ended, looking from byte ``start`` on; 2.5 s at most."""
    began = clock()
    watch = _Watch(event, start)
    size, since = -1, began
    while (now := clock()) - began < LIMIT:
        present = _size(event.session_ref)
        if present < 0 and now - began >= NO_FILE:
            return
        if present != size:
            size, since = present, now
            if present >= 0 and event.final_text and watch.look():
                return
        elif not event.final_text and present >= 0 and now - since >= STABLE:
            return
        sleep(STEP)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return -1


def _squeezed(text: str) -> str:
    """Drop white space: the payload's text is trimmed, and joined from several blocks in a way of the agent's own."""
    return "".join(text.split())
