"""Reads any agent's stored transcript as a conversation for people: who said what, which tools were called.

It knows the forms that transcripts have (``message_forms``), not the agents themselves, so it can also read transcripts
of newer versions and of agents that are not installed. It skips what it does not recognise. No hook uses it.
"""

from __future__ import annotations

import re

from entire.agents import call_forms, lines, message_forms, transcripts
from entire.agents.message_forms import AGENT, TOOL, USER
from entire.model.times import parse_time
from entire.model.transcripts import Message
from entire.model.value import Value, replace

__all__ = [
    "AGENT",
    "TOOL",
    "USER",
    "Message",
    "Reading",
    "beginning",
    "last_time",
    "prompts",
    "read",
    "read_subagent",
    "read_whole",
    "unknown",
]

_TAIL = 1 << 18  # bytes of a transcript that are searched for its latest time first
_TIME = rb'"(?:timestamp|time|lastUpdated|updated_at)"\s*:\s*"([0-9T:.+Z -]{19,40})"'

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from entire.agents.call_forms import Result
    from entire.agents.message_forms import Record

    Spoken = list[tuple[Record, list[Message]]]  # the records that say something, each with what it says


def read_subagent(data: bytes) -> list[Message]:
    """Return the conversation in a subagent's transcript; its first prompt is the task it was given."""
    return _read([(at, message_forms.as_main(record)) for at, record in _records(data)]).messages


def read(data: bytes, start: int = 0) -> list[Message]:
    """Return the conversation in a transcript from record ``start`` on.

    The whole transcript is read in any case: what comes later decides what was rewound, repeated or rewritten.
    """
    return [message for message in _read(_records(data)).messages if message.at >= start]


class Reading(Value):
    """A conversation as it was read. ``answers``: the record of each call's answer, by the call's id.

    ``only_grew``: nothing in it was taken back, so that each earlier state of it is a beginning of it.
    """

    messages: list[Message]
    answers: Mapping[str, int]
    only_grew: bool


def read_whole(data: bytes) -> Reading:
    """Return the conversation in a transcript, with what tells its earlier states."""
    return _read(_records(data))


def beginning(whole: Reading, data: bytes, part: bytes) -> list[Message] | None:
    """Return the conversation in ``part``, an earlier state of the transcript ``data``; None: it must be read."""
    is_earlier = data.startswith(part) and (part.endswith(b"\n") or data[len(part) : len(part) + 1] in (b"", b"\n"))
    if not (whole.only_grew and is_earlier and b"\n" in part):
        return None
    end = part.count(b"\n") + (not part.endswith(b"\n"))
    found = [message for message in whole.messages if message.at < end]
    return [_unanswered(message) if _is_answered_after(message, whole.answers, end) else message for message in found]


def _is_answered_after(message: Message, answers: Mapping[str, int], end: int) -> bool:
    return message.call is not None and answers.get(message.call.id, 0) >= end


def _unanswered(message: Message) -> Message:
    assert message.call is not None
    return replace(message, call=call_forms.without_result(message.call))


def _read(records: Iterable[tuple[int, Record]]) -> Reading:
    every = list(records)
    found = _without_undone(every)
    said = [(record, message_forms.messages(at, record)) for at, record in found]
    spoken = [(record, messages) for record, messages in said if messages]
    kept = _without_drafts(_without_repetitions(_without_abandoned(spoken, [record for _, record in found])))
    answers = {
        answer.id: (at, answer)
        for at, record in found
        if not message_forms.is_unknown(record)
        for answer in call_forms.results(record)
    }
    results = {name: answer for name, (_, answer) in answers.items()}
    return Reading(
        messages=[_answered(message, results) for _, messages in kept for message in messages],
        answers={name: at for name, (at, _) in answers.items()},
        only_grew=len(found) == len(every) and len(kept) == len(spoken),
    )


def _answered(message: Message, answers: Mapping[str, Result]) -> Message:
    """Return a tool call with its answer, which is in a later record; any other message as it is."""
    call = message.call
    answer = answers.get(call.id) if call is not None else None
    if call is None or answer is None:
        return message
    return replace(message, call=call_forms.with_result(call, answer))


def prompts(data: bytes, start: int = 0) -> list[str]:
    """Return the prompts that people typed, from record ``start`` on."""
    return [message.text for message in read(data, start) if message.who == USER]


def unknown(data: bytes) -> list[tuple[int, str]]:
    """Return the records of a transcript that belong to the agent alone: their numbers and types."""
    return [(at, message_forms.form(record)) for at, record in _records(data) if message_forms.is_unknown(record)]


def last_time(data: bytes) -> float:
    """Return the latest time among a transcript's last records, in any form, also as a number; 0.0 if they have none.

    A document's last records are in no particular place: all of it is read.
    """
    for part in (data[-_TAIL:], data) if len(data) > _TAIL else (data,):
        told = [message_forms.moment(record) for _, record in _records(part)]
        told += [parse_time(time.decode("ascii")) for time in re.findall(_TIME, part)]
        if found := max(told, default=0.0):
            return found
    return 0.0


def _records(data: bytes) -> Iterator[tuple[int, Record]]:
    """Yield each record with its number: the lines of a JSONL file, or the messages of a document.

    A document's own fields come after them, because they say what to undo.
    """
    document = transcripts.loads(data) if data.lstrip()[:1] == b"{" else None  # several JSON lines are none
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        numbered = [*document["messages"], {name: value for name, value in document.items() if name != "messages"}]
    else:
        numbered = [transcripts.loads(line) for line in data.split(b"\n")]
    for at, record in enumerate(numbered):
        if isinstance(record, dict):
            yield at, record


def _without_undone(found: Iterable[tuple[int, Record]]) -> list[tuple[int, Record]]:
    """Drop what a later record takes back: it names the first record that no longer counts."""
    remaining: list[tuple[int, Record]] = []
    index: dict[str, int] = {}  # id of a record -> how many remain before it
    for at, record in found:
        first = index.get(message_forms.undone_from(record))
        if first is not None:
            for _, undone in remaining[first:]:
                index.pop(message_forms.record_id(undone), None)
            del remaining[first:]
        name = message_forms.record_id(record)
        if name:
            index.setdefault(name, len(remaining))
        remaining.append((at, record))
    return remaining


def _without_abandoned(spoken: Spoken, found: list[Record]) -> Spoken:
    """Drop the branches that people left, if the records form a tree.

    People leave a branch by a new prompt, so only a fork with a prompt has abandoned branches: all but that of the last
    record. (Other forks are tools that ran at the same time.)
    """
    parents, leaf = _tree(found)
    path, at = set(), leaf
    while at in parents and at not in path:
        path.add(at)
        at = parents[at]
    if not parents:
        return spoken
    nodes = [lines.node(record) for record, _ in spoken]
    prompts = {
        parents[node[0]] for node, (_, messages) in zip(nodes, spoken, strict=True) if node and messages[0].who == USER
    }
    contested = {leaf, *(parents[name] for name in path)}.intersection(prompts)
    gone: set[str] = set()
    for name, parent in parents.items():  # in the order of the file: parents come first
        if parent in gone or (parent in contested and name not in path):
            gone.add(name)
    return [pair for node, pair in zip(nodes, spoken, strict=True) if node is None or node[0] not in gone]


def _tree(found: list[Record]) -> tuple[dict[str, str], str]:
    """Return the parent of each record ('': it is a root), and the one with which the conversation ends."""
    parents: dict[str, str] = {}
    leaf = last = prompt = ""
    for record in found:
        node = lines.node(record)
        if lines.is_restart(record) and prompt:
            parents[prompt], prompt = "", ""
        if node is None:
            named = lines.leaf(record)
            leaf = named if named in parents else leaf
            continue
        name, named_parents = node
        is_continuing = bool(named_parents) and named_parents[0] == last
        parent = next((known for known in named_parents if known in parents), last if named_parents else "")
        parents.setdefault(name, parent)
        last = name
        if message_forms.is_aside(record):
            continue
        leaf = name
        if any(message.who == USER for message in message_forms.messages(0, record)):
            prompt = name if is_continuing else ""
    return parents, leaf


def _without_repetitions(spoken: Spoken) -> Spoken:
    """Drop what the model got, if the transcript also has what people saw: the same, with notes to the model."""
    repeated = {(message_forms.repeated_form(record), messages[0].who) for record, messages in spoken}
    if not any(form for form, _ in repeated):
        return spoken
    return [
        (record, messages)
        for record, messages in spoken
        if messages[0].who == TOOL or (message_forms.form(record) or None, messages[0].who) not in repeated
    ]


def _without_drafts(spoken: Spoken) -> Spoken:
    """Drop records that a later record with the same id repeats and continues, such as with the calls it made."""
    latest: dict[str, int] = {}
    drafts = set()
    for number, (record, messages) in enumerate(spoken):
        name = message_forms.record_id(record)
        if not name:
            continue
        before = spoken[latest[name]][1] if name in latest else []
        if before and [_said(message) for message in messages[: len(before)]] == [_said(draft) for draft in before]:
            drafts.add(latest[name])
        latest[name] = number
    return [pair for number, pair in enumerate(spoken) if number not in drafts]


def _said(message: Message) -> tuple[str, str, str]:
    return message.who, message.name, message.text
