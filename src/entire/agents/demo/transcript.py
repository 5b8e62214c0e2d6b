"""Reads the new part of the demo agent's transcripts; ``entire_demo_agent.memory`` describes their format."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.transcripts import clean
from entire.model.ids import is_tool_id
from entire.model.times import parse_time
from entire.model.transcripts import START, Position, Prompt, Subagent, TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Record = dict[str, Any]


def read(path: str, since: Position, until: Position | None = None) -> Iterator[tuple[int, int, Record]]:
    """Yield ``(lines before it, byte after it, record)`` for each line between two positions; {} for an invalid record.

    A last line without a newline counts if it is a complete record: stored transcripts may lack the final newline,
    while a record that is still being written is invalid.
    """
    count, byte = _start(path, since)
    for line, end in transcripts.lines(path, byte):
        if until is not None and count >= until.count:
            return
        found = transcripts.loads(line)
        record = found if isinstance(found, dict) else {}
        if not record and not line.endswith(b"\n"):
            return
        yield count, end, record
        count += 1


def _start(path: str, since: Position) -> tuple[int, int]:
    """Return a position's count and byte in the current file."""
    if not since.byte:
        byte, count = transcripts.offset_of(path, since.count) if since.count else (0, 0)
    else:
        byte, count = since.byte, since.count
    if byte and transcripts.byte_before(path, byte) != b"\n":
        byte += 1  # the newline of the line before was written after the position was taken
    return count, byte


def position(path: str, since: Position) -> Position:
    """Return the end of a transcript, counted from its start if it is shorter than ``since``."""
    if _size(path) < since.byte:
        since = START
    count, byte, mark = since.count, since.byte, since.mark
    if count and not byte:
        count, byte, mark, since = 0, 0, "", START
    for before, after, record in read(path, since):
        count, byte = before + 1, after
        if record.get("type") == "answer":
            mark = clean(record.get("id"))
    return Position(count=count, byte=byte, mark=mark)


def _size(path: str) -> int:
    try:
        with open(path, "rb") as file:
            return file.seek(0, 2)
    except (OSError, ValueError):
        return 0


def answer_boundary(path: str, since: Position, moment: float) -> Position:
    """Return the position after the records written by ``moment`` and the tool calls of the last answer among them."""
    end = since
    for before, after, record in read(path, since):
        kind = record.get("type")
        own_call = kind == "call" and clean(record.get("answer")) == end.mark
        if parse_time(clean(record.get("time"))) > moment and not own_call:
            break
        end = Position(count=before + 1, byte=after, mark=clean(record.get("id")) if kind == "answer" else end.mark)
    return end


def modified_files(path: str, since: Position, until: Position | None = None) -> list[str]:
    files: dict[str, None] = {}
    for _, _, record in read(path, since, until):
        if record.get("type") == "result" and record.get("ok") is True and (name := clean(record.get("path"))):
            files[name] = None
    return list(files)


def prompts(path: str, since: Position, until: Position | None = None) -> list[Prompt]:
    return [
        Prompt(
            text=clean(record.get("text")),
            position=before,
            time=parse_time(clean(record.get("time"))),
            id=clean(record.get("prompt_id")),
        )
        for before, _, record in read(path, since, until)
        if record.get("type") == "prompt"
    ]


def summary(path: str, since: Position) -> str:
    text = ""
    for _, _, record in read(path, since):
        if record.get("type") == "answer":
            text = clean(record.get("text"))
    return text


def model(path: str, since: Position, until: Position | None = None) -> str:
    """Return the model that the last answer between two positions names."""
    found = ""
    for _, _, record in read(path, since, until):
        if record.get("type") == "answer":
            found = clean(record.get("model")) or found
    return found


def token_usage(path: str, since: Position, until: Position | None = None) -> TokenUsage:
    seen = {since.mark} - {""}
    total = TokenUsage()
    for _, _, record in read(path, since, until):
        usage, answer = record.get("usage"), clean(record.get("id"))
        if record.get("type") != "answer" or not isinstance(usage, dict) or answer in seen:
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


def subagents(path: str, since: Position, until: Position | None = None) -> list[Subagent]:
    """Return the helpers that were asked or answered, without those whose id is not safe in a path."""
    found: dict[str, Subagent] = {}
    for _, _, record in read(path, since, until):
        helper = clean(record.get("helper"))
        if helper in found or not is_tool_id(helper) or record.get("type") not in ("call", "result"):
            continue
        is_call, given = record["type"] == "call", record.get("input")
        found[helper] = Subagent(
            id=helper,
            session_ref=subagent_file(path, helper),
            tool_use_id=clean(record.get("id" if is_call else "call")),
            type="helper",
            description=clean(given.get("prompt")) if isinstance(given, dict) else "",
        )
    return list(found.values())


def subagent_file(path: str, helper: str) -> str:
    """Return the transcript of a helper of the session with the transcript ``path``."""
    return f"{path.removesuffix('.jsonl')}/helpers/{helper}.jsonl"


def _number(usage: Record, key: str) -> int:
    value = usage.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
