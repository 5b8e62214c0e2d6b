"""Reads a rollout from a position on, and yields its records in our terms.

Each line is ``{"timestamp", "ordinal", "type", "payload"}``. Without ``ordinal`` it is of the older dialect, in which a
session stays that began in it: what was said is in events of their own, and only sums of tokens are told. Newer
rollouts tell the same by completed items, also for what a script of the model's did (``exec``), and what each response
took. What the API said (``response_item``) is there in both, for tool calls.
"""

from __future__ import annotations

from entire.agents import transcripts, untrusted
from entire.agents.record_stream import RecordStream
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.conversation.records import (
    AGENT,
    EDIT,
    INTERRUPTED,
    PERSON,
    SHELL,
    UNKNOWN,
    Answer,
    Call,
    Mark,
    Prompt,
    Result,
)
from entire.model.jsontext import figure, natural
from entire.model.times import parse_time
from entire.model.tokens import TokenUsage
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.agents.transcripts import Source
    from entire.conversation.records import Record
    from entire.model.positions import Position

    Native = dict[str, Any]

_SCRIPTED = "exec-"
"""How the id of an item begins that a script of the model's made: no call has it."""
_WITHOUT_MEANING = b'"type":"world_state"'
_EVENTS_WITHOUT_MEANING = frozenset(
    ("agent_reasoning", "context_compacted", "entered_review_mode", "exited_review_mode", "task_complete",
     "patch_apply_end", "task_started", "thread_rolled_back", "thread_settings_applied")
)  # fmt: skip
_ITEMS_WITHOUT_MEANING = frozenset(("ContextCompaction", "HookPrompt", "Reasoning", "WebSearch"))
_TYPES_WITHOUT_MEANING = frozenset(
    ("compacted", "inter_agent_communication_metadata", "session_meta", "turn_context", "world_state")
)


class RolloutStream(RecordStream):
    """The records of a session, or ``of_subagent``."""

    def __init__(self, source: Source, since: Position, *, of_subagent: bool, details: bool = False) -> None:
        super().__init__(source, since, details=details)
        self._by = AGENT if of_subagent else PERSON
        self._answer = ""  # the response that is being written
        self._turn: Native | None = None if self.start else {}  # the last ``turn_context``; None: not looked for
        self._total: Native | None = None  # of tokens, in the older dialect
        self._is_told = False  # a newer version told of the response itself what the next sum says again
        self._calls: set[str] = set()
        self._in_background: set[str] = set()

    def natives(self, start: int) -> Iterator[tuple[list[Native], int]]:
        for line, end in transcripts.lines(self.source, start):
            native = {} if _WITHOUT_MEANING in line[:200] else untrusted.loads(line)
            if not line.endswith(b"\n") and not isinstance(native, dict):
                return  # still being written
            yield [dict_of(native)], end

    def look_back(self) -> None:
        before, self._answer = self._response_before()
        self.last = self.last or before

    # ---------------------------------------------------------------- records

    def take(self, native: Native, at: int, end: int) -> Iterator[Record]:
        kind, payload, time = native.get("type"), dict_of(native.get("payload")), parse_time(native.get("timestamp"))
        if kind == "response_item":
            yield from self._response_item(payload, native, at, end, time)
        elif kind == "event_msg":
            yield from self._event(payload, native, at, end, time)
        elif kind == "token_usage_record":
            name = clean(payload.get("response_id"))
            self._is_told = True
            yield from self._close(_usage(dict_of(payload.get("usage"))), name, at, end, time)
        elif kind == "turn_context":
            self._turn = payload
        elif self.details and (name := clean(kind)) and name not in _TYPES_WITHOUT_MEANING:
            yield Mark(position=at, kind=UNKNOWN, time=time, text=name)

    def _event(self, payload: Native, native: Native, at: int, end: int, time: float) -> Iterator[Record]:
        kind, is_older = payload.get("type"), "ordinal" not in native
        if kind == "item_completed":
            yield from self._item(dict_of(payload.get("item")), clean(payload.get("turn_id")), at, end, time)
        elif kind == "turn_aborted":
            yield Mark(position=at, kind=INTERRUPTED, time=time)
        elif kind == "user_message":
            if is_older:
                turn = clean(self._of_turn("turn_id"))
                yield from self._prompt(clean(payload.get("message")), turn, at, time)
        elif kind == "agent_message":
            if is_older:
                yield self._part(clean(native.get("timestamp")), at, end, time, clean(payload.get("message")))
        elif kind == "token_count":
            if is_older:
                yield from self._summed(dict_of(payload.get("info")), native, at, end, time)
        elif self.details and (name := clean(kind)) and name not in _EVENTS_WITHOUT_MEANING:
            yield Mark(position=at, kind=UNKNOWN, time=time, text=name)

    def _prompt(self, text: str, turn: str, at: int, time: float) -> Iterator[Prompt]:
        if text:
            yield Prompt(position=at, text=text, time=time, id=turn, by=self._by)

    # ---------------------------------------------------------------- responses

    def _part(self, name: str, at: int, end: int, time: float, text: str = "") -> Answer:
        """Return a part of the response that is being written; its first part names it."""
        self._answer = self.last = self._answer or name or f"line {at}"
        model = clean(self._of_turn("model"))
        return Answer(position=at, end=end, id=self._answer, time=time, text=text, model=model)

    def _close(self, usage: TokenUsage, name: str, at: int, end: int, time: float) -> Iterator[Answer]:
        yield replace(self._part(name, at, end, time), usage=usage)
        self._answer = ""

    def _summed(self, info: Native, native: Native, at: int, end: int, time: float) -> Iterator[Answer]:
        """Yield what a response took: the older dialect tells sums, and those again and again."""
        total = dict_of(info.get("total_token_usage"))
        if not total:
            return
        before, last = self._total if self._total is not None else self._total_before(), self.last
        is_told, self._total, self._is_told = self._is_told, total, False
        if is_told:
            return
        took = {key: natural(value) - natural(before.get(key)) for key, value in total.items()}
        if took.get("total_tokens", 0) > 0:
            is_named = bool(self._answer)
            yield from self._close(_usage(took), clean(native.get("timestamp")), at, end, time)
            self.last = self.last if is_named else last
        self._answer = ""

    # ---------------------------------------------------------------- before the position

    def _response_before(self) -> tuple[str, str]:
        """Return the last response that began before the position, and the same if it is still being written."""
        first = response = ""
        is_open = True
        for line in self.before():
            native = dict_of(untrusted.loads(line)) if _WITHOUT_MEANING not in line[:200] else {}
            if not _ends_response(native):
                first = _name_of_part(native) or first
                continue
            if first or response:
                break
            if is_open:
                self._is_told = native.get("type") == "token_usage_record"
            is_open, response = False, clean(dict_of(native.get("payload")).get("response_id"))
        return first or response, first if is_open else ""

    def _of_turn(self, key: str) -> object:
        if self._turn is None:
            self._turn = next(self._before(b'"turn_context"'), {})
        return self._turn.get(key)

    def _total_before(self) -> Native:
        told = (
            dict_of(dict_of(payload.get("info")).get("total_token_usage")) for payload in self._before(b'"token_count"')
        )
        return next((total for total in told if total), {})

    def _before(self, needle: bytes) -> Iterator[Native]:
        """Yield what lines before the position say, last first."""
        for line in self.before():
            if needle in line:
                yield dict_of(dict_of(untrusted.loads(line)).get("payload"))

    # ---------------------------------------------------------------- calls

    def _response_item(self, payload: Native, native: Native, at: int, end: int, time: float) -> Iterator[Record]:
        kind = payload.get("type")
        if kind in ("message", "reasoning"):
            return
        from entire.agents.codex import tools  # a prompt's hook reads no calls

        if kind in tools.CALLS:
            answer = self._part(tools.call_id(payload), at, end, time)
            call = tools.call(payload, answer, details=self.details)
            self._calls.add(call.id)
            yield answer
            yield call
        elif kind in tools.RESULTS:
            yield self._result(payload, at, time, is_older="ordinal" not in native)

    def _result(self, payload: Native, at: int, time: float, *, is_older: bool) -> Result:
        from entire.agents.codex import tools

        call, goes_on = tools.call_id(payload), tools.goes_on(payload)
        if goes_on:
            self._in_background.add(call)
        paths = tools.patched_paths(payload, clean(self._of_turn("cwd"))) if is_older else ()
        task = tools.spawned(payload) if is_older else None
        return Result(position=at, call=call, time=time, paths=paths, task=task, goes_on=goes_on or task is not None,
                      **(_printed(tools.output(payload)) if self.details else {}))  # fmt: skip

    def _item(self, item: Native, turn: str, at: int, end: int, time: float) -> Iterator[Record]:
        kind, own_id = item.get("type"), clean(item.get("id"))
        if kind == "UserMessage":
            yield from self._prompt(_text(item), turn, at, time)
        elif kind == "AgentMessage":
            yield self._part(own_id, at, end, time, _text(item))
        elif kind == "FileChange":
            yield from self._file_change(item, own_id, at, end, time)
        elif kind == "CommandExecution":
            yield from self._command(item, own_id, at, end, time)
        elif kind in ("CollabAgentToolCall", "SubAgentActivity"):
            from entire.agents.codex import tools

            for subagent in tools.subagents(item):
                call = subagent.tool_use_id
                yield Result(position=at, call=call, time=time, task=subagent, goes_on=bool(call), is_notice=not call)
        elif self.details and (name := clean(kind)) and name not in _ITEMS_WITHOUT_MEANING:
            yield Mark(position=at, kind=UNKNOWN, time=time, text=name)

    def _file_change(self, item: Native, own_id: str, at: int, end: int, time: float) -> Iterator[Record]:
        from entire.agents.codex import tools

        if own_id.startswith(_SCRIPTED):
            edits = tuple(tools.edits(item)) if self.details else ()
            subject = ", ".join(tools.changed_paths(item)) if self.details else ""
            yield Call(position=at, id=own_id, end=end, time=time, answer=self.last, tool=EDIT, name="apply_patch",
                       subject=subject, edits=edits)  # fmt: skip
        paths = tools.changed_paths(item)
        yield Result(position=at, call=own_id, time=time, paths=paths, has_failed=item.get("status") != "completed",
                     output=clean(item.get("stdout")) if self.details else "")  # fmt: skip

    def _command(self, item: Native, own_id: str, at: int, end: int, time: float) -> Iterator[Record]:
        """Yield a script's command, or the end of one that went on in the background."""
        from entire.agents.codex import tools

        printed = _printed(clean(item.get("aggregated_output"))) if self.details else {}
        if own_id.startswith(_SCRIPTED):
            command = tools.command(item)
            yield Call(position=at, id=own_id, end=end, time=time, answer=self.last, tool=SHELL, name="exec_command",
                       subject=command, command=command)  # fmt: skip
            yield Result(position=at, call=own_id, time=time, has_failed=natural(item.get("exit_code")) > 0, **printed)
        elif own_id in self._in_background or own_id not in self._calls:
            yield Result(position=at, call=own_id, time=time, is_notice=True, **printed)


def _ends_response(native: Native) -> bool:
    payload = dict_of(native.get("payload"))
    if native.get("type") == "token_usage_record":
        return True
    return (
        payload.get("type") == "token_count"
        and "ordinal" not in native
        and bool(dict_of(dict_of(payload.get("info")).get("total_token_usage")))
    )


def _name_of_part(native: Native) -> str:
    """Return what a record calls the response that it is a part of, '' if it is of none."""
    payload, kind = dict_of(native.get("payload")), native.get("type")
    if kind == "response_item":
        from entire.agents.codex import tools

        return tools.call_id(payload) if payload.get("type") in tools.CALLS else ""
    if kind != "event_msg":
        return ""
    if payload.get("type") == "agent_message":
        return clean(native.get("timestamp")) if "ordinal" not in native else ""
    item = dict_of(payload.get("item")) if payload.get("type") == "item_completed" else {}
    return clean(item.get("id")) if item.get("type") == "AgentMessage" else ""


def _text(item: Native) -> str:
    return "\n".join(text for part in dicts_of(item.get("content")) if (text := clean(part.get("text"))))


def _printed(output: str) -> Native:
    """Return the fields of a result that only people and a search for commits want."""
    from entire.conversation import commits

    return {"output": output, "commits": commits.printed(output)}


def _usage(told: Native) -> TokenUsage:
    """Return what a response took."""
    from entire.conversation import responses

    names = ("input", "cached_input", "cache_write_input", "output", "reasoning_output")
    whole, read, written, output, thoughts = (figure(told.get(f"{name}_tokens")) for name in names)
    return responses.of_whole_input(whole, read=read, written=written, output=output, thoughts=thoughts)
