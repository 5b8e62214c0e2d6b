"""Reads the demo agent's transcripts; ``entire_demo_agent.memory`` describes their format."""

from __future__ import annotations

from entire.agents.record_lines import RecordLines
from entire.agents.record_source import SourceWithSubagents
from entire.agents.untrusted import clean
from entire.conversation.records import EDIT, INTERRUPTED, OTHER, SUBAGENT, Answer, Call, Mark, Prompt, Result
from entire.model.ids import is_tool_id
from entire.model.jsontext import natural
from entire.model.times import parse_time
from entire.model.tokens import TokenUsage
from entire.model.transcripts import Subagent
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.conversation.records import Record

    Native = dict[str, Any]

_WRITERS = ("append", "create", "delete", "remember", "replace")
_USAGE = ("input", "cache_write", "cache_read", "output")


class DemoTranscript(SourceWithSubagents, RecordLines):
    """One JSON object per line: prompts, answers, calls and results."""

    def read(self, native: Native, position: int, end: int, *, details: bool) -> Iterator[Record]:
        kind, time = native.get("type"), parse_time(clean(native.get("time")))
        name, text = clean(native.get("id")), clean(native.get("text"))
        if kind == "prompt":
            yield Prompt(position=position, time=time, text=text, id=clean(native.get("prompt_id")))
        elif kind == "answer":
            yield Answer(position=position, end=end, time=time, id=name, text=text, model=clean(native.get("model")),
                         usage=_usage(native.get("usage")))  # fmt: skip
        elif kind == "call":
            call = Call(position=position, end=end, time=time, id=name, answer=clean(native.get("answer")))
            yield _called(native, call, details=details)
        elif kind == "result":
            yield _result(native, Result(position=position, time=time, call=clean(native.get("call"))), details=details)
        elif kind == "interrupt":
            yield Mark(position=position, kind=INTERRUPTED, time=time)

    def subagent_ref(self, subagent_id: str) -> str:
        """Return the transcript of one of the session's helpers."""
        folder = f"{self.session_ref.removesuffix('.jsonl')}/helpers"
        return f"{folder}/{subagent_id}.jsonl" if is_tool_id(subagent_id) else ""


def _called(native: Native, call: Call, *, details: bool) -> Call:
    tool, given = clean(native.get("tool")), native.get("input")
    given = given if isinstance(given, dict) else {}
    task = _helper(native, call.id)
    task = replace(task, description=clean(given.get("prompt"))) if task is not None else None
    kind = SUBAGENT if task is not None else EDIT if tool in _WRITERS else OTHER
    bare = replace(call, tool=kind, name=tool, task=task)
    if not details:
        return bare
    from entire.agents import tool_arguments

    return tool_arguments.described(bare, given)


def _result(native: Native, result: Result, *, details: bool) -> Result:
    is_ok = native.get("ok") is True
    path = clean(native.get("path")) if is_ok else ""
    bare = replace(result, has_failed=not is_ok, paths=(path,) if path else (), task=_helper(native, result.call))
    if not details:
        return bare
    from entire.conversation import commits

    output = clean(native.get("output"))
    return replace(bare, output=output, commits=commits.printed(output))


def _helper(native: Native, call: str) -> Subagent | None:
    helper = clean(native.get("helper"))
    return Subagent(id=helper, tool_use_id=call, type="helper") if is_tool_id(helper) else None


def _usage(given: object) -> TokenUsage | None:
    if not isinstance(given, dict):
        return None
    fresh, written, cached, output = (natural(given.get(key)) for key in _USAGE)
    return TokenUsage(input_tokens=fresh, cache_creation_tokens=written, cache_read_tokens=cached, output_tokens=output,
                      api_call_count=1)  # fmt: skip
