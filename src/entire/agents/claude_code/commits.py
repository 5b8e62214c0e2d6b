"""The tool calls of a transcript that may have made a commit."""

from __future__ import annotations

from entire.agents import tool_runs, transcripts
from entire.agents.claude_code import records
from entire.agents.tool_runs import ToolRun
from entire.agents.transcripts import clean
from entire.model.times import parse_time
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.claude_code.records import Record
    from entire.agents.transcripts import Source


def answer(source: Source, start: int, moment: float, commit: str) -> str:
    """Return the id of the answer after byte ``start`` whose tool call made a commit, '' if none says so."""
    found = tool_runs.of_commit(_runs(source, start).values(), commit, moment)
    return found.answer if found is not None else ""


def _runs(source: Source, start: int) -> dict[str, ToolRun]:
    """Return the tool calls after byte ``start`` by their ids, in order."""
    runs: dict[str, ToolRun] = {}
    for line, _ in transcripts.lines(source, start):
        if b'"tool_use' not in line and b'"tool_result"' not in line:
            continue
        for record in transcripts.records(line, records.GLUE):
            time = parse_time(record.get("timestamp"))
            for block in records.blocks(record, "tool_use"):
                runs[clean(block.get("id"))] = ToolRun(
                    answer=records.answer_id(record), command=_command(block), started=time
                )
            for block in records.blocks(record, "tool_result"):
                call = runs.get(clean(block.get("tool_use_id")))
                if call is not None:
                    runs[clean(block.get("tool_use_id"))] = replace(call, ended=time, output=_output(record, block))
    return runs


def _command(block: Record) -> str:
    given = block.get("input")
    return clean(given.get("command")) if isinstance(given, dict) else ""


def _output(record: Record, block: Record) -> str:
    """Return what a tool printed, as the model and the agent's own record have it."""
    result, inner = record.get("toolUseResult"), block.get("content")
    parts = inner if isinstance(inner, list) else [{"text": inner}]
    texts = [clean(part.get("text")) for part in parts if isinstance(part, dict)]
    if isinstance(result, dict):
        texts += [clean(result.get(key)) for key in ("stdout", "stderr")]
    return "\n".join(texts)
