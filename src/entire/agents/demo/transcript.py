"""Reads the demo agent's transcripts; ``entire_demo_agent.memory`` describes their format."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.lines import LineTranscript
from entire.agents.record_source import RecordSource, stop_of
from entire.agents.transcripts import clean
from entire.conversation.records import EDIT, INTERRUPTED, OTHER, SUBAGENT, Answer, Call, Mark, Prompt, Result
from entire.model.ids import is_tool_id
from entire.model.jsontext import natural
from entire.model.times import parse_time
from entire.model.transcripts import START, Position, Subagent, TokenUsage
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.agents.transcripts import Source
    from entire.conversation.records import Record

    Native = dict[str, Any]

_WRITERS = ("append", "create", "delete", "remember", "replace")
_USAGE = ("input", "cache_write", "cache_read", "output")


class Stream:
    """The records after a position: one for each line that says something."""

    def __init__(self, source: Source, since: Position, byte: int, *, details: bool) -> None:
        self.source = source
        self.known = since.mark
        self.end = since
        self._byte = byte
        self._details = details

    def __iter__(self) -> Iterator[Record]:
        """Yield the records.

        A last line without a newline counts if it is a complete record: stored transcripts may lack the final newline,
        while a record that is still being written is invalid.
        """
        count, mark = self.end.count, self.known
        if self._byte and transcripts.byte_before(self.source, self._byte) != b"\n":
            self._byte += 1  # the newline of the line before was written after the position was taken
        for line, end in transcripts.lines(self.source, self._byte):
            native = transcripts.loads(line)
            if not isinstance(native, dict) and not line.endswith(b"\n"):
                return
            record = self._record(native, count, end) if isinstance(native, dict) else None
            count += 1
            if isinstance(record, Answer):
                mark = record.id
            self.end = Position(count=count, byte=end, mark=mark)
            if record is not None:
                yield record

    def _record(self, native: Native, at: int, end: int) -> Record | None:
        kind, time = native.get("type"), parse_time(clean(native.get("time")))
        name, text = clean(native.get("id")), clean(native.get("text"))
        if kind == "prompt":
            return Prompt(position=at, time=time, text=text, id=clean(native.get("prompt_id")))
        if kind == "answer":
            return Answer(position=at, end=end, time=time, id=name, text=text, model=clean(native.get("model")),
                          usage=_usage(native.get("usage")))  # fmt: skip
        if kind == "call":
            return self._call(native, at, end, time)
        if kind == "result":
            is_ok = native.get("ok") is True
            path, task = clean(native.get("path")) if is_ok else "", _helper(native, clean(native.get("call")))
            return Result(position=at, time=time, call=clean(native.get("call")), output=clean(native.get("output")),
                          has_failed=not is_ok, paths=(path,) if path else (), task=task,
                          commits=self._commits(clean(native.get("output"))))  # fmt: skip
        if kind == "interrupt":
            return Mark(position=at, kind=INTERRUPTED, time=time)
        return None

    def _call(self, native: Native, at: int, end: int, time: float) -> Call:
        tool, name = clean(native.get("tool")), clean(native.get("id"))
        task, given = _helper(native, name), native.get("input")
        given = given if isinstance(given, dict) else {}
        task = replace(task, description=clean(given.get("prompt"))) if task is not None else None
        kind = SUBAGENT if task is not None else EDIT if tool in _WRITERS else OTHER
        found = Call(position=at, end=end, time=time, id=name, answer=clean(native.get("answer")), tool=kind, name=tool,
                     task=task)  # fmt: skip
        if not self._details:
            return found
        from entire.agents import tool_arguments

        return replace(found, subject=tool_arguments.subject(given), command=tool_arguments.command(given),
                       edits=tool_arguments.edits(given))  # fmt: skip

    def _commits(self, output: str) -> tuple[str, ...]:
        if not self._details:
            return ()
        from entire.conversation import commits

        return commits.printed(output)


class DemoTranscript(RecordSource, LineTranscript):
    """One JSON object per line: prompts, answers, calls and results."""

    def __init__(self, session_ref: str, stored: bytes | None = None) -> None:
        super().__init__(session_ref, stored)
        self._parts = {}

    def stream(self, since: Position, *, details: bool = False) -> Stream:
        since = self.readable(since)
        return Stream(self.source, since, self.offset(since), details=details)

    def end(self, known: Position = START) -> Position:
        known = self.readable(known if self.holds(known) else START)
        if known.count and not known.byte:
            known = START  # only reading from the start finds the last answer before it
        return self._part(known)[1]

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the helpers that were asked or answered, without those whose id is not safe in a path."""
        found: dict[str, Subagent] = {}
        for record in self.conversation(since).tasks(stop_of(until)):
            if record.task is not None and record.task.id not in found:
                found[record.task.id] = replace(record.task, session_ref=self.subagent_ref(record.task.id))
        return list(found.values())

    def subagent_ref(self, subagent_id: str) -> str:
        """Return the transcript of one of the session's helpers."""
        folder = f"{self.session_ref.removesuffix('.jsonl')}/helpers"
        return f"{folder}/{subagent_id}.jsonl" if is_tool_id(subagent_id) else ""


def _helper(native: Native, call: str) -> Subagent | None:
    helper = clean(native.get("helper"))
    return Subagent(id=helper, tool_use_id=call, type="helper") if is_tool_id(helper) else None


def _usage(given: object) -> TokenUsage | None:
    if not isinstance(given, dict):
        return None
    fresh, written, cached, output = (natural(given.get(key)) for key in _USAGE)
    return TokenUsage(input_tokens=fresh, cache_creation_tokens=written, cache_read_tokens=cached, output_tokens=output,
                      api_call_count=1)  # fmt: skip
