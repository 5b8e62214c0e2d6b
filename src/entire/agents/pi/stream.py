"""Reads a session's entries from a position on, and yields them in our terms.

The first line is the session's header. Each other line is an entry, ``{"type", "id", "parentId", "timestamp"}``; those
of the type ``message`` have a ``message`` with a ``role``. They form a tree, and the conversation goes on after the
last one. Before version 0.28, they had no ids and formed a list.
"""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.record_stream import RecordStream
from entire.agents.untrusted import clean, dict_of, dicts_of, path_of
from entire.conversation.records import INTERRUPTED, MOVED, PERSON, UNKNOWN, Answer, Mark, Prompt
from entire.model.jsontext import natural, real
from entire.model.times import parse_time
from entire.model.tokens import TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.agents.transcripts import Source
    from entire.conversation.records import Record, Result
    from entire.model.positions import Position

    Native = dict[str, Any]

_NONE = -1  # the place of no prompt: before what was read
_FIGURES = ("input", "cacheWrite", "cacheRead", "output")


class EntryStream(RecordStream):
    """The records of a session.

    ``branch``: the id of the entry after which the conversation goes on, and that of the last one when that was known.
    ``by``: who wrote the prompts.
    """

    def __init__(
        self, source: Source, since: Position, *, branch: str = "", by: str = PERSON, details: bool = False
    ) -> None:
        super().__init__(source, since, details=details)
        self.known = since.mark
        self._by = by
        self._leaf, _, self._leaf_known_at = branch.partition(" ")
        self._above: dict[str, int] = {}  # an entry's id -> the record of the nearest prompt
        self._tip = _NONE  # the record of the prompt after which the conversation goes on
        self._id = ""  # of the last entry
        self._folder: str | None = None
        self._paths: dict[str, str] = {}  # that calls were to write, until their result

    def __iter__(self) -> Iterator[Record]:
        yield from super().__iter__()
        if self._leaf_known_at and self._id == self._leaf_known_at:
            yield from self._move(self.end.count - 1, self._above.get(self._leaf, _NONE))

    def look_back(self) -> None:
        self.last = self.last or self._answer_before()

    def _answer_before(self) -> str:
        for line in self.before():
            if b'"assistant"' in line:
                for native in transcripts.records(line):
                    message = dict_of(native.get("message"))
                    if message.get("role") == "assistant" and not _has_failed(message) and clean(native.get("id")):
                        return clean(native["id"])
        return ""

    # ---------------------------------------------------------------- the tree

    def _grow(self, native: Native, at: int) -> Iterator[Mark]:
        """Add an entry: the conversation now ends with it. One whose parent was not read comes after no prompt."""
        self._id = clean(native.get("id"))
        if not self._id:
            return
        yield from self._move(at, self._above.get(clean(native.get("parentId")), _NONE))
        self._above[self._id] = self._tip

    def _move(self, at: int, prompt: int) -> Iterator[Mark]:
        if prompt != self._tip:
            self._tip = prompt
            yield Mark(position=at, kind=MOVED, first=prompt)

    # ---------------------------------------------------------------- entries

    def take(self, native: Native, at: int, end: int) -> Iterator[Record]:
        kind = clean(native.get("type"))
        if kind == "session":
            return
        yield from self._grow(native, at)
        message = dict_of(native.get("message"))
        role = clean(message.get("role"))
        time = parse_time(native.get("timestamp")) or real(message.get("timestamp")) / 1000
        if role == "user":
            text = _text(message) or ("[image]" if dicts_of(message.get("content")) else "")
            if text:
                self._tip = at
                if self._id:
                    self._above[self._id] = at
                yield Prompt(position=at, text=text, time=time, by=self._by)
        elif role == "assistant":
            yield from self._answer(message, at, end, time)
        elif role == "toolResult":
            yield self._result(message, at, time)
        elif self.details and kind:
            yield Mark(position=at, kind=UNKNOWN, time=time, text=role or kind)

    def _answer(self, message: Native, at: int, end: int, time: float) -> Iterator[Record]:
        has_failed, text = _has_failed(message), _text(message)
        is_local = has_failed and message.get("stopReason") == "error"
        if not has_failed or is_local or text:
            answer = Answer(
                position=at, end=end, id=self._id or f"line {at}", time=time, is_local=is_local,
                text=text or (clean(message.get("errorMessage")) if is_local else ""),
                model="" if is_local else clean(message.get("model")), usage=_usage(message),
            )  # fmt: skip
            self.last = self.last if has_failed else self._id
            yield answer
            yield from self._calls(message, answer)
        if message.get("stopReason") == "aborted":
            yield Mark(position=at, kind=INTERRUPTED, time=time)

    def _calls(self, message: Native, answer: Answer) -> Iterator[Record]:
        blocks = _calls(message)
        if blocks:
            from entire.agents.pi import tools  # a prompt's hook reads no calls

            for block in blocks:
                self._paths[clean(block.get("id"))] = tools.written_path(block, self._cwd)
                yield tools.call(block, answer, details=self.details)

    def _result(self, message: Native, at: int, time: float) -> Result:
        from entire.agents.pi import tools

        call = clean(message.get("toolCallId"))
        path = self._paths.pop(call, None)
        if path is None:
            path = self._path_before(call) if message.get("toolName") in tools.WRITERS else ""
        return tools.result(message, at, time, path, details=self.details)

    def _path_before(self, call: str) -> str:
        """Return what a call before the position was to write."""
        from entire.agents.pi import tools

        needle = call.encode("utf-8", "replace")
        for line in self.before() if needle else ():
            if needle in line:
                for native in transcripts.records(line):
                    for block in _calls(dict_of(native.get("message"))):
                        if clean(block.get("id")) == call:
                            return tools.written_path(block, self._cwd)
        return ""

    @property
    def _cwd(self) -> str:
        """The session's folder, in which its tools work."""
        if self._folder is None:
            self._folder = path_of(header(self.source).get("cwd"))
        return self._folder


def header(source: Source) -> Native:
    """Return the header of a session, {} if there is none."""
    native = next((natives[0] for natives, _ in transcripts.natives(source) if natives), {})
    return native if native.get("type") == "session" else {}


def _text(message: Native) -> str:
    said = message.get("content")
    if isinstance(said, str):
        return clean(said)
    return "\n".join(clean(block.get("text")) for block in dicts_of(said) if block.get("type") == "text")


def _calls(message: Native) -> list[Native]:
    return [block for block in dicts_of(message.get("content")) if block.get("type") == "toolCall"]


def _has_failed(message: Native) -> bool:
    """Tell whether an answer failed, or was stopped, before the model said that it took any tokens."""
    return message.get("stopReason") in ("aborted", "error") and _usage(message) is None and not _calls(message)


def _usage(message: Native) -> TokenUsage | None:
    """Return the tokens of an answer; None if it tells none."""
    told = dict_of(message.get("usage"))
    fresh, written, cached, output = [natural(told.get(name)) for name in _FIGURES]
    if not (fresh or written or cached or output):
        return None
    return TokenUsage(input_tokens=fresh, cache_creation_tokens=written, cache_read_tokens=cached, output_tokens=output,
                      api_call_count=1)  # fmt: skip
