"""Reads a session's events from a position on, and yields them in our terms.

Each line is ``{"type", "data", "id", "timestamp", "parentId"}``, in order; what a subagent does is in the same file,
with its ``agentId``. A model's call is told twice: first what it took (``session.usage_record``), then what it said
(``assistant.message``), both with the id of the call. What a compaction took is told once, at its end.
"""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.record_stream import RecordStream
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.conversation.records import AGENT, INTERRUPTED, PERSON, UNKNOWN, Answer, Mark, Prompt, Result
from entire.model.jsontext import figure, natural
from entire.model.times import parse_time
from entire.model.tokens import TokenUsage
from entire.model.transcripts import Subagent
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.agents.transcripts import Source
    from entire.conversation.records import Record
    from entire.model.positions import Position

    Native = dict[str, Any]

WITHOUT_MEANING = (b'{"type":"hook.', b'{"type":"model.', b'{"type":"system.message"')
"""How lines begin that repeat payloads, instructions, and what a compaction summarised."""
_CALLS = (b'"session.usage_record"', b'"assistant.message"', b'"session.compaction_complete"')
_KNOWN = ("assistant.", "hook.", "model.", "permission.", "session.", "skill.", "subagent.", "system.", "tool.")
"""How the types begin of which nothing but what is read here matters to people."""


class EventStream(RecordStream):
    """The records of a session, or of its subagent with the id ``agent``."""

    skipped = WITHOUT_MEANING

    def __init__(self, source: Source, since: Position, *, agent: str = "", details: bool = False) -> None:
        super().__init__(source, since, details=details)
        self._agent = agent

    def look_back(self) -> None:
        self.last = self.last or self._call_before()

    def _call_before(self) -> str:
        for line in self.before():
            if any(kind in line for kind in _CALLS):
                for native in transcripts.records(line):
                    if clean(native.get("agentId")) == self._agent and (name := _call_id(dict_of(native.get("data")))):
                        return name
        return ""

    def take(self, native: Native, at: int, end: int) -> Iterator[Record]:
        kind, data, time = clean(native.get("type")), dict_of(native.get("data")), parse_time(native.get("timestamp"))
        agent = clean(native.get("agentId"))
        if kind == "subagent.started":
            if agent != self._agent:
                yield _started(agent, data, at, time)
        elif agent != self._agent:
            return
        elif kind == "user.message":
            by = AGENT if self._agent or data.get("source") else PERSON
            text = clean(data.get("content"))
            if text:
                yield Prompt(position=at, text=text, time=time, id=clean(data.get("interactionId")), by=by)
        elif kind == "session.usage_record":
            usage = dict_of(data.get("usage"))
            yield self._answer(_call_id(data), at, end, time, model=clean(usage.get("model")), usage=_usage(usage))
        elif kind == "session.compaction_complete" and (usage := dict_of(data.get("compactionTokensUsed"))):
            yield self._answer(_call_id(data), at, end, time, model=clean(usage.get("model")), usage=_usage(usage))
        elif kind == "assistant.message":
            yield from self._message(data, at, end, time)
        elif kind == "tool.execution_complete":
            yield self._result(data, at, time)
        elif kind == "abort":
            yield Mark(position=at, kind=INTERRUPTED, time=time)
        elif self.details and kind and not kind.startswith(_KNOWN):
            yield Mark(position=at, kind=UNKNOWN, time=time, text=kind)

    def _answer(self, name: str, at: int, end: int, time: float, **more: Any) -> Answer:
        self.last = name or f"line {at}"
        return Answer(position=at, end=end, id=self.last, time=time, **more)

    def _message(self, data: Native, at: int, end: int, time: float) -> Iterator[Record]:
        text, model = clean(data.get("content")), clean(data.get("model"))
        answer = self._answer(_call_id(data), at, end, time, text=text, model=model)
        yield answer
        requests = dicts_of(data.get("toolRequests"))
        if requests:
            from entire.agents.copilot import tools

            yield from (tools.call(request, answer, details=self.details) for request in requests)

    def _result(self, data: Native, at: int, time: float) -> Result:
        from entire.agents.copilot import tools

        return tools.result(data, at, time, details=self.details)


def _call_id(data: Native) -> str:
    """Return the id of the model's call that a record is about."""
    inner = dict_of(data.get("usage")).get("apiCallId")
    names = (data.get("apiCallId"), inner, data.get("messageId"), data.get("compactionAttemptId"))
    return next((name for name in map(clean, names) if name), "")


def _started(agent: str, data: Native, at: int, time: float) -> Result:
    """Return the news that a subagent works; its call ends with its own result."""
    call = clean(data.get("toolCallId"))
    task = Subagent(id=agent, tool_use_id=call, type=clean(data.get("agentName")),
                    description=clean(data.get("agentDescription")),
                    background=data.get("executionMode") != "sync")  # fmt: skip
    return Result(position=at, call=call, time=time, task=task, goes_on=True)


def _usage(told: Native) -> TokenUsage:
    """Return what a call took."""
    from entire.conversation import responses

    names = ("input", "cacheRead", "cacheWrite", "output", "reasoning")
    whole, read, written, output, thoughts = (figure(told.get(f"{name}Tokens")) for name in names)
    usage = responses.of_whole_input(whole, read=read, written=written, output=output, thoughts=thoughts)
    return replace(usage, api_call_count=natural(told.get("requestCount")) or 1)
