"""Reads the new part of the demo agent's transcripts; ``entire_demo_agent.memory`` describes their format."""

from __future__ import annotations

from entire.agents import tool_runs, transcripts
from entire.agents.lines import LineTranscript
from entire.agents.tool_runs import ToolRun
from entire.agents.transcripts import clean
from entire.model.ids import is_tool_id
from entire.model.jsontext import natural
from entire.model.times import parse_time
from entire.model.transcripts import (
    ANSWER,
    CALL,
    INTERRUPTION,
    PROMPT,
    RESULT,
    START,
    FileReport,
    Position,
    Prompt,
    Subagent,
    TokenUsage,
)
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.model.activity import Activity

    Record = dict[str, Any]


_KINDS = {"prompt": PROMPT, "answer": ANSWER, "call": CALL, "result": RESULT, "interrupt": INTERRUPTION}
_WRITERS = ("append", "create", "delete", "remember", "replace")


class DemoTranscript(LineTranscript):
    """One JSON object per line: prompts, answers, calls and results."""

    def end(self, known: Position = START) -> Position:
        known = known if self.holds(known) else START
        start = self.readable(known)
        if start.count and not start.byte:
            start = START  # only reading from the start finds the last answer before it
        count, byte, mark = start.count, start.byte, start.mark
        for before, after, record in self.records(start):
            count, byte = before + 1, after
            if record.get("type") == "answer":
                mark = clean(record.get("id"))
        return Position(count=count, byte=byte, mark=mark)

    def records(self, since: Position, until: Position | None = None) -> Iterator[tuple[int, int, Record]]:
        """Yield ``(lines before it, byte after it, record)`` for each line between two positions; {} if it is invalid.

        A last line without a newline counts if it is a complete record: stored transcripts may lack the final newline,
        while a record that is still being written is invalid.
        """
        count, byte = since.count, self.offset(since)
        if byte and transcripts.byte_before(self.source, byte) != b"\n":
            byte += 1  # the newline of the line before was written after the position was taken
        for line, end in transcripts.lines(self.source, byte):
            if until is not None and count >= until.count:
                return
            found = transcripts.loads(line)
            record = found if isinstance(found, dict) else {}
            if not record and not line.endswith(b"\n"):
                return
            yield count, end, record
            count += 1

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        """Return the position after the records written by ``moment`` and the calls of the last answer among them, or
        after the calls of the answer that made ``commit``.
        """
        run = self._run_of(since, moment, commit)
        end, is_past = since, False
        for before, after, record in self.records(since):
            kind = record.get("type")
            own_call = kind == "call" and clean(record.get("answer")) == end.mark
            is_later = is_past if run is not None else parse_time(clean(record.get("time"))) > moment
            is_past = is_past or (run is not None and kind == "answer" and clean(record.get("id")) == run.answer)
            if is_later and not own_call:
                break
            end = Position(count=before + 1, byte=after, mark=clean(record.get("id")) if kind == "answer" else end.mark)
        return end

    def activity(self, since: Position, until: Position | None = None) -> Activity | None:
        from entire.model import activity

        return activity.derive(
            (kind, before, parse_time(clean(record.get("time"))), _call_of(record))
            for before, _, record in self.records(since, until)
            if (kind := _KINDS.get(clean(record.get("type")))) is not None
        )

    def makes_commit(self, since: Position, moment: float, commit: str) -> bool:
        return self._run_of(since, moment, commit) is not None

    def _run_of(self, since: Position, moment: float, commit: str) -> ToolRun | None:
        """Return the tool call after ``since`` that made a commit, None if none says so."""
        runs: dict[str, ToolRun] = {}
        for _, _, record in self.records(since) if commit else ():
            time, given = parse_time(clean(record.get("time"))), record.get("input")
            if record.get("type") == "call":
                command = clean(given.get("command")) if isinstance(given, dict) else ""
                call = ToolRun(answer=clean(record.get("answer")), command=command, started=time)
                runs[clean(record.get("id"))] = call
            elif record.get("type") == "result" and (run := runs.get(clean(record.get("call")))) is not None:
                runs[clean(record.get("call"))] = replace(run, ended=time, output=clean(record.get("output")))
        return tool_runs.of_commit(runs.values(), commit, moment)

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        return list(dict.fromkeys(
            FileReport(path=name, call=clean(record.get("call")))
            for _, _, record in self.records(since, until)
            if record.get("type") == "result" and record.get("ok") is True and (name := clean(record.get("path")))
        ))  # fmt: skip

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        return [
            Prompt(
                text=clean(record.get("text")),
                position=before,
                time=parse_time(clean(record.get("time"))),
                id=clean(record.get("prompt_id")),
            )
            for before, _, record in self.records(since, until)
            if record.get("type") == "prompt"
        ]

    def summary(self, since: Position) -> str:
        text = ""
        for record in self._answers(since):
            text = clean(record.get("text"))
        return text

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        return any(clean(record.get("id")) != since.mark for record in self._answers(since, until))

    def model(self, since: Position, until: Position | None = None) -> str:
        """Return the model that the last answer between two positions names."""
        found = ""
        for record in self._answers(since, until):
            found = clean(record.get("model")) or found
        return found

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        seen = {since.mark} - {""}
        total = TokenUsage()
        for record in self._answers(since, until):
            usage, answer = record.get("usage"), clean(record.get("id"))
            if not isinstance(usage, dict) or answer in seen:
                continue
            seen.add(answer)
            total += TokenUsage(
                input_tokens=_number(usage, "input"),
                cache_creation_tokens=_number(usage, "cache_write"),
                cache_read_tokens=_number(usage, "cache_read"),
                output_tokens=_number(usage, "output"),
                api_call_count=1,
            )
        return total

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the helpers that were asked or answered, without those whose id is not safe in a path."""
        found: dict[str, Subagent] = {}
        for _, _, record in self.records(since, until):
            helper = clean(record.get("helper"))
            if helper in found or not is_tool_id(helper) or record.get("type") not in ("call", "result"):
                continue
            is_call, given = record["type"] == "call", record.get("input")
            found[helper] = Subagent(
                id=helper,
                session_ref=self.subagent_ref(helper),
                tool_use_id=clean(record.get("id" if is_call else "call")),
                type="helper",
                description=clean(given.get("prompt")) if isinstance(given, dict) else "",
            )
        return list(found.values())

    def subagent_ref(self, subagent_id: str) -> str:
        """Return the transcript of one of the session's helpers."""
        folder = f"{self.session_ref.removesuffix('.jsonl')}/helpers"
        return f"{folder}/{subagent_id}.jsonl" if is_tool_id(subagent_id) else ""

    def _answers(self, since: Position, until: Position | None = None) -> Iterator[Record]:
        return (record for _, _, record in self.records(since, until) if record.get("type") == "answer")


def _call_of(record: Record) -> str:
    """Return the id of the call that a record is or answers, '' for a tool that only writes."""
    if record.get("type") == "call":
        return "" if clean(record.get("tool")) in _WRITERS else clean(record.get("id"))
    return clean(record.get("call"))


def _number(usage: Record, key: str) -> int:
    return natural(usage.get(key))
