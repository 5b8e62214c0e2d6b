"""Any agent's stored transcript as records: it knows the forms that transcripts have, not the agents themselves.

So it also reads those of agents that are not installed. It skips what it does not recognise.
"""

from __future__ import annotations

import re

from entire import contents
from entire.agents import transcripts, untrusted
from entire.agents.forms import calls, messages
from entire.agents.untrusted import clean
from entire.conversation.records import AGENT, MOVED, REWOUND, UNKNOWN, Answer, Call, Mark, Prompt
from entire.model.times import parse_time
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from entire.agents.forms.messages import Native
    from entire.conversation.records import Record
    from entire.model.transcripts import Content

    Gist = tuple[str, str]

_PARENTS = {"uuid": ("parentUuid", "logicalParentUuid"), "id": ("parentId",)}
"""Keys of a record's id and of where it continues, the best first, if the records form a tree."""
_NONE = -1

_TAIL = 1 << 18  # bytes of a transcript that are searched for its latest time first
_LONGEST_TIME = 100  # bytes, with its name
_TIME = rb'"(?:timestamp|time|lastUpdated|updated_at)"\s*:\s*"([0-9T:.+Z -]{19,40})"'


def records(data: Content, *, is_subagent: bool = False) -> Iterator[Record]:
    """Yield what a transcript says. In a subagent's, the first prompt is the task that it was given."""
    natives = [(at, messages.as_main(native) if is_subagent else native) for at, native in _natives(data)]
    repeated = _repeated([native for _, native in natives])
    for record in _FormReader(repeated).records(natives):
        yield replace(record, by=AGENT) if is_subagent and isinstance(record, Prompt) else record


def last_time(data: Content) -> float:
    """Return the latest time among a transcript's last records, in any form, also as a number; 0.0 if they have none.

    A document's last records are in no particular place: all of it is read.
    """
    tail = contents.read(data, max(len(data) - _TAIL, 0), len(data))
    for part in (tail, data) if len(data) > _TAIL else (data,):
        told = max((messages.moment(native) for _, native in _natives(part)), default=0.0)
        blocks = contents.overlapping(part, _LONGEST_TIME)
        written = (parse_time(time[1].decode("ascii")) for block in blocks for time in re.finditer(_TIME, block))
        if latest := max(told, max(written, default=0.0)):
            return latest
    return 0.0


def _natives(data: Content) -> Iterator[tuple[int, Native]]:
    """Yield each record with its number: the lines of a JSONL file, or the messages of a document.

    A document's own fields come after them, because they say what to undo.
    """
    is_object = isinstance(data, bytes) and data.lstrip()[:1] == b"{"
    document = untrusted.loads(bytes(data)) if is_object else None  # several JSON lines are none
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        rest = {name: value for name, value in document.items() if name != "messages"}
        numbered: Iterable[object] = [*document["messages"], rest]
    else:
        numbered = map(untrusted.loads, _lines(data))
    for at, native in enumerate(numbered):
        if isinstance(native, dict):
            yield at, native


def _lines(data: Content) -> Iterator[bytes]:
    """Yield lines without their newlines, one at a time."""
    if not isinstance(data, bytes):
        yield from (line for line, _ in transcripts.lines(data))
        return
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
    yield data[start:]


def _repeated(natives: list[Native]) -> set[tuple[str, type]]:
    """Return the types of records, with the kinds of what they say, that repeat what people saw with notes to the
    model.
    """
    return {(form, type(said)) for native in natives if (form := messages.repeated_form(native))
            for said in messages.said(native, 0, "")[:1]}  # fmt: skip


class _FormReader:
    """Reads the records in order. ``repeated``: what is left out, as ``_repeated`` returns it."""

    def __init__(self, repeated: set[tuple[str, type]]) -> None:
        self._repeated = repeated
        self._places: dict[str, int] = {}  # id of a record -> its number
        self._drafts: dict[str, tuple[str, list[Gist]]] = {}  # id of a record -> id of its answer, and what it says
        self._above: dict[str, int] = {}  # id of a record in a tree -> the nearest prompt
        self._last = ""  # id of the last record in the tree
        self._tip = _NONE

    def records(self, natives: list[tuple[int, Native]]) -> Iterator[Record]:
        for at, native in natives:
            undone = self._places.get(messages.undone_from(native))
            if undone is not None:
                yield Mark(position=at, kind=REWOUND, first=undone)
            name = messages.record_id(native)
            if name:
                self._places.setdefault(name, at)
            if messages.is_unknown(native):
                yield Mark(position=at, kind=UNKNOWN, text=messages.form(native))
            yield from self._said(native, at)
            yield from calls.results(native, at, messages.moment(native))

    def _said(self, native: Native, at: int) -> Iterator[Record]:
        said = messages.said(native, at, self._answer(native, at))
        said = [] if self._is_copy(native, said) else said
        yield from self._grow(native, at, said)
        yield from said

    def _is_copy(self, native: Native, said: list[Record]) -> bool:
        return bool(said) and not isinstance(said[0], Call) and (messages.form(native), type(said[0])) in self._repeated

    def _answer(self, native: Native, at: int) -> str:
        """Return the id of the answer in a record: that of an earlier record if it repeats and continues that one."""
        name, said = messages.record_id(native), [_gist(record) for record in messages.said(native, at, "")]
        answer, before = self._drafts.get(name, ("", []))
        if not before or said[: len(before)] != before:
            answer = f"{name} {at}"
        if name and said:
            self._drafts[name] = answer, said
        return answer

    def _grow(self, native: Native, at: int, said: list[Record]) -> Iterator[Mark]:
        """Follow the tree: a prompt leaves the branches that went on after another record."""
        node = _node(native)
        above = self._tip
        if node is not None:
            name, parents = node
            known = [parent for parent in (*parents, self._last) if parent in self._above] if parents else []
            above = self._above[known[0]] if known else _NONE
            self._last = name
        if said and above != self._tip:
            self._tip = above
            yield Mark(position=at, kind=MOVED, first=above)
        if said and isinstance(said[0], Prompt):
            self._tip = above = at
        if node is not None:
            self._above.setdefault(node[0], above)


def _node(native: Native) -> tuple[str, tuple[str, ...]] | None:
    """Return a record's id and where it continues (nowhere: it is a root), if the records form a tree."""
    for name, keys in _PARENTS.items():
        if keys[0] in native and (own := clean(native.get(name))):
            return own, tuple(parent for key in keys if (parent := clean(native.get(key))))
    return None


def _gist(record: Record) -> Gist:
    if isinstance(record, Call):
        return record.name, record.subject
    return ("", record.text) if isinstance(record, (Answer, Prompt)) else ("", "")
