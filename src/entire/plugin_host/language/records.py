"""Records of a conversation as lines of JSON, for both sides of the protocol.

Reading is lenient as in ``wire``. A record or mark of an unknown kind becomes an unknown mark, never a prompt or a
tool call.
"""

from __future__ import annotations

from entire.agents import untrusted
from entire.conversation import records
from entire.conversation.records import Answer, Call, Mark, Prompt, Result
from entire.model import jsontext
from entire.model.value import Value
from entire.plugin_host.language import wire
from entire.plugin_host.language.wire import Codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from entire.agents.record_source import Stream
    from entire.conversation.records import Record
    from entire.model.positions import Position

KINDS = {"prompt": Prompt, "answer": Answer, "call": Call, "result": Result, "mark": Mark}
MARKS = (records.INTERRUPTED, records.REWOUND, records.MOVED, records.RESTARTED, records.EXPANDED, records.UNKNOWN)
TOOLS = (records.OTHER, records.SHELL, records.WRITE, records.EDIT, records.READ, records.SEARCH, records.FETCH,
          records.ASK, records.SUBAGENT)  # fmt: skip
_FIRST = Codec(write=lambda first: first, read=lambda given: -1 if (found := wire.whole(given)) is None else found)
_USAGE = Codec(write=wire.TOKENS.write, read=lambda given: None if given is None else wire.TOKENS.read(given))


def _one_of(choices: tuple[str, ...], other: str) -> Codec:
    """Return the codec of a word: the first of the choices if there is none, ``other`` if it is none of them."""
    return Codec(
        write=lambda word: word,
        read=lambda given: choices[0] if given is None else given if given in choices else other,
    )


_COMMON = {"position": wire.NUMBER, "time": wire.MOMENT}
MEMBERS: Mapping[type[Value], Mapping[str, Codec]] = {
    Prompt: {**_COMMON, "text": wire.TEXT, "id": wire.TEXT,
             "by": _one_of((records.PERSON, records.AGENT, records.LOCAL), records.AGENT)},
    Answer: {**_COMMON, "end": wire.NUMBER, "id": wire.TEXT, "text": wire.TEXT, "model": wire.TEXT, "usage": _USAGE,
             **dict.fromkeys(("is_local", "is_open", "is_again"), wire.FLAG)},
    Call: {**_COMMON, "end": wire.NUMBER, **dict.fromkeys(("id", "answer", "name", "subject", "command"), wire.TEXT),
           "tool": _one_of(TOOLS, records.OTHER), "edits": wire.EDITS, "task": wire.TASK},
    Result: {**_COMMON, "call": wire.TEXT, "output": wire.TEXT, "paths": wire.TEXT_TUPLE, "edits": wire.EDITS,
             "commits": wire.TEXT_TUPLE, "task": wire.TASK,
             **dict.fromkeys(("has_failed", "goes_on", "is_notice"), wire.FLAG)},
    Mark: {**_COMMON, "kind": wire.TEXT, "first": _FIRST, "text": wire.TEXT},
}  # fmt: skip
_CODECS = {name: wire.record(cls, MEMBERS[cls]) for name, cls in KINDS.items()}
_NAMES = {cls: name for name, cls in KINDS.items()}


class Told:
    """The records after a position, as a plugin told them: a ``Stream``. ``problem``: why some lines are left out."""

    def __init__(self, told: Sequence[Record], end: Position, known: str, problem: str = "") -> None:
        self.end = end
        self.known = known
        self.problem = problem
        self._told = told

    def __iter__(self) -> Iterator[Record]:
        return iter(self._told)


def write(stream: Stream) -> Iterator[bytes]:
    """Yield the lines that tell records: one for each, and the end at last."""
    for record in stream:
        name = _NAMES[type(record)]
        yield _line({"record": name, **_CODECS[name].write(record), "position": record.position})
    yield _line({"end": stream.end.to_json(), "known": stream.known})


def _line(value: object) -> bytes:
    return jsontext.dumps(value, compact=True).encode() + b"\n"


class Reader:
    """Takes the lines that tell the records after a position."""

    def __init__(self, since: Position) -> None:
        self._since = since
        self._told: list[Record] = []
        self._bad = ""
        self._count = 0
        self.end: dict[str, Any] | None = None

    def take(self, line: bytes) -> None:
        """Take a line; one that is not a record is left out and remembered."""
        self._count += 1
        given = untrusted.loads(line)
        if not isinstance(given, dict):
            self._refuse("is no JSON object")
        elif "record" not in given:
            self.end = given if "end" in given else self.end
            if "end" not in given:
                self._refuse("has neither `record` nor `end`")
        elif wire.whole(given.get("position")) is None or given["position"] < self._since.count:
            self._refuse("has no `position` after the one that was asked about")
        else:
            self._told.append(_read(given))

    def refuse(self, size: int) -> None:
        """Leave out a line that is too long."""
        self._count += 1
        self._refuse(f"has {size:,} bytes or more")

    def _refuse(self, why: str) -> None:
        self._bad = self._bad or f"line {self._count} of the records {why}"

    def finish(self) -> Told:
        """Return what was told. Raises ValueError without an end: then it may not be all."""
        if self.end is None:
            raise ValueError("there is no line with the `end` of the records")
        end = wire.POSITION.read(self.end["end"])
        known = self._since.mark if self.end.get("known") is None else wire.TEXT.read(self.end["known"])
        return Told(self._told, end, known, self._bad)


def _read(given: dict[str, Any]) -> Record:
    name = given["record"]
    if isinstance(name, str) and name in _CODECS:
        record: Record = _CODECS[name].read(given)
        if not isinstance(record, Mark) or record.kind in MARKS:
            return record
        name = record.kind
    return Mark(position=given["position"], kind=records.UNKNOWN, text=wire.TEXT.read(name),
                time=wire.MOMENT.read(given.get("time")))  # fmt: skip
