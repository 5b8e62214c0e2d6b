"""Reads a chat's messages from a position on and yields them as records.

It knows nothing of files: whoever reads the chat hands over each native record with its place. These are lines of a
file, or messages of a document.
"""

from __future__ import annotations

import os

from entire.agents.gemini import records, tools
from entire.agents.untrusted import clean
from entire.conversation.records import INTERRUPTED, PERSON, REWOUND, UNKNOWN, Answer, Mark, Prompt
from entire.model.positions import Position
from entire.model.times import parse_time
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from entire.agents.gemini.records import Native
    from entire.conversation.records import Record

    Placed = tuple[Native, int, int]  # a native record, its number, and the byte after it

_REPLAYING = "~"  # at the end of a mark: the position is inside a replay


class ChatStream:
    """What ``natives`` say, which follow ``since``; iterate once, then ask for the ``end``. ``by``: who prompts."""

    def __init__(
        self, natives: Iterable[Placed], since: Position, session_ref: str, *, by: str = PERSON, details: bool = False
    ) -> None:
        self.known = since.mark.removesuffix(_REPLAYING)
        """The id of the last answer that was counted before the position."""
        self._natives = natives
        self._session_ref = session_ref
        self._by = by
        self._details = details
        self._count, self._byte = since.count, since.byte
        self._last = self.known
        self._replaying = since.mark.endswith(_REPLAYING)
        self._has_begun = bool(since.count)
        self._order: dict[str, int] = {}  # message -> its first record
        self._began: dict[str, float] = {}  # answer -> its time
        self._counted = {self.known}  # answers whose figures were read
        self._calls: dict[str, str] = {}  # tool call -> its status
        self._open = 0.0  # when the last answer began, if it may still have calls
        self._stopped = 0.0  # when what the last interruption stopped began; 0: the conversation went on
        self._root: str | None = None

    @property
    def end(self) -> Position:
        """The end of what was read. Its mark: the last answer that was counted, and whether it is inside a replay."""
        return Position(count=self._count, byte=self._byte, mark=self._last + (_REPLAYING if self._replaying else ""))

    def __iter__(self) -> Iterator[Record]:
        for native, at, end in self._natives:
            yield from self._take(native, at, end)
            self._count, self._byte = at + 1, end

    def _take(self, native: Native, at: int, end: int) -> Iterator[Record]:
        if "$set" in native or "$rewindTo" in native:
            yield from self._replace(native, at)
        kind, time = native.get("type"), parse_time(native.get("timestamp"))
        if kind in ("user", "gemini"):
            yield from self._prompt(native, at, time) if kind == "user" else self._answer(native, at, end, time)
            self._order.setdefault(records.message_id(native), at)
            self._has_begun = True
        elif records.is_interruption(native):
            self._stopped, self._open = self._open or time, 0.0
            yield Mark(position=at, kind=INTERRUPTED, time=time)
        elif self._details and (name := clean(kind)):
            yield Mark(position=at, kind=UNKNOWN, time=time, text=name)

    def _replace(self, native: Native, at: int) -> Iterator[Mark]:
        """Follow the agent's own view: a list of messages ends a replay, a rewind removes the last messages."""
        messages, rewound = records.new_messages(native), records.rewound_to(native)
        if messages is not None:
            self._replaying = False
            for message in messages:
                self._order.setdefault(records.message_id(message), at)
        if rewound:
            yield Mark(position=at, kind=REWOUND, first=self._order.get(rewound, -1))

    def _prompt(self, native: Native, at: int, time: float) -> Iterator[Prompt]:
        # After a denied tool, the agent writes the whole history again with new ids, and then its list of messages.
        self._replaying = self._replaying or (self._has_begun and records.is_session_context(native))
        text = "" if self._replaying else records.prompt_text(native)
        if text:
            self._open = self._stopped = 0.0
            yield Prompt(position=at, text=text, time=time, id=records.message_id(native), by=self._by)

    def _answer(self, native: Native, at: int, end: int, time: float) -> Iterator[Record]:
        usage, calls = records.usage(native), records.calls(native)
        if self._replaying and usage is None and not calls:
            return
        self._replaying = False
        is_cancelled = tools.are_cancelled(calls)
        if self._stopped and is_cancelled:
            time = min(time, self._stopped)  # written when it had ended
        else:
            self._stopped = 0.0
        self._open = 0.0 if calls else time
        key = records.message_id(native) or f"record {at}"
        if usage is not None and key not in self._counted:
            self._counted.add(key)
            self._last = key
        answer = Answer(
            position=at, id=key, end=end, time=time, text=records.text_of(native.get("content")),
            model=clean(native.get("model")), usage=usage, is_open=not calls, is_again=True,
        )  # fmt: skip
        if is_cancelled and usage is None and not answer.text:  # what the user stopped of the answer before
            answer = replace(answer, id=key if key in self._began else next(reversed(self._began), key))
        else:
            yield answer
        began = self._began.setdefault(answer.id, time)
        for number, call in enumerate(calls):
            yield from self._call(call, answer, began, clean(call.get("id")) or f"{key} {number}")

    def _call(self, native: Native, answer: Answer, began: float, key: str) -> Iterator[Record]:
        """Yield a call, and what it answered when it is done: until then it may be written again."""
        known, status = self._calls.get(key), clean(native.get("status"))
        if known is None:
            yield tools.call(native, answer, began, details=self._details)
        if known in (status, tools.SUCCESS):
            return
        self._calls[key] = status
        if status in tools.DONE:
            path = tools.written_path(native)
            paths = (self._absolute(path),) if path else ()
            yield tools.result(native, answer.position, paths, details=self._details)

    def _absolute(self, path: str) -> str:
        if os.path.isabs(path):
            return path
        if self._root is None:
            from entire.agents.gemini import sessions

            self._root = sessions.project_root(self._session_ref)
        return os.path.join(self._root, path)
