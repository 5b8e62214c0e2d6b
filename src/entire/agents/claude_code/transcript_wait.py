"""Waits for the transcript when a turn ends.

When the Stop hook starts, the final answer is usually not in the file yet (36 of 42 turns of 2.1.197, 17 of 42
interactive ones of 2.1.332, whose headless ones are complete); it arrives 15 to 110 ms later, while the hook still
runs. In a session's first headless turn the file itself may be missing; without session persistence it never appears.
"""

from __future__ import annotations

import os

from entire.agents import transcripts
from entire.agents.claude_code import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.agents.claude_code.records import Native
    from entire.model.events import Event

STEP = 0.02
LIMIT = 2.5
NO_FILE = 0.5  # several times as long as the first turn's file takes to appear
STABLE = 0.15
_MAX_SEARCH = 16 << 20  # bytes to search for the end of a turn


class _Watch:
    """Reads what is appended to the file until it contains the turn's final text."""

    def __init__(self, event: Event, start: int) -> None:
        self._path = event.session_ref
        self._turn = event.turn_ref
        self._final_text = _without_space(event.final_text)
        size = _size(self._path)
        self._at = max(start, size - _MAX_SEARCH)
        self._in_turn = not self._turn or self._at > start  # True also where the file does not tell turns apart
        self._names_turns = False
        self._by_answer: dict[str, str] = {}
        self._is_there = False

    def has_final_text(self) -> bool:
        """Read on; True once the final text of this turn is in the file."""
        for natives, end in transcripts.natives(self._path, self._at, glue=records.GLUE):
            self._at = end
            for record in natives:
                # A fork's copied prompts have the new prompt's id (2.1.332): the last one begins the turn.
                if self._turn and record.get("promptId") == self._turn and record.get("promptSource"):
                    self._is_there = False
                self._is_there = self._is_final(record) or self._is_there
        return self._is_there

    def _is_final(self, record: Native) -> bool:
        if record.get("type") == "user":
            turn = record.get("promptId")
            self._names_turns = self._names_turns or bool(turn)
            if self._turn and (turn or not self._names_turns):  # old versions do not name the turn
                self._in_turn = not turn or turn == self._turn
        elif record.get("type") == "assistant" and self._in_turn and record.get("isSidechain") is not True:
            text, key = _without_space(records.text_of(record)), records.answer_id(record)
            whole = self._by_answer.get(key, "") + text
            self._by_answer = {key: whole}
            return self._final_text in (text, whole)
        return False


def wait(event: Event, start: int, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
    """Return once the transcript, from byte ``start`` on, holds the turn that ``event`` ended; after 2.5 s at most."""
    began = clock()
    watch = _Watch(event, start)
    size, since = -1, began
    while (now := clock()) - began < LIMIT:
        present = _size(event.session_ref)
        if present < 0 and now - began >= NO_FILE:
            return
        if present != size:
            size, since = present, now
            if present >= 0 and event.final_text and watch.has_final_text():
                return
        elif not event.final_text and present >= 0 and now - since >= STABLE:
            return
        sleep(STEP)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return -1


def _without_space(text: str) -> str:
    """Remove whitespace, which differs: the agent trims and joins the blocks of the payload's text in its own way."""
    return "".join(text.split())
