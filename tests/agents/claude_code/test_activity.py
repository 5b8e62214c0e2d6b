"""When tools were at work and when a turn was interrupted, in a transcript of 2.1.332."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents.claude_code import records, tools
from entire.agents.claude_code.transcript import ClaudeTranscript
from entire.conversation.records import RUNNING, Answer
from entire.conversation.windows import Activity
from entire.model.positions import START
from entire.model.times import parse_time

FIXTURES = Path(__file__).parents[2] / "fixtures"
ESCAPED = FIXTURES / "claude_code/transcripts/2.1.332/interactive-esc-ctrlc-queued-rewind.jsonl"


def at(clock: str) -> float:
    return parse_time(f"2026-11-27T{clock}Z")


def activity(first: int, stop: int) -> Activity:
    transcript = ClaudeTranscript(str(ESCAPED))
    found = transcript.activity(transcript.at(first), transcript.at(stop))
    assert found is not None
    return found


def test_escape_in_a_tool_ends_the_turn() -> None:
    found = activity(48, 56)
    (window,) = found.windows
    assert (window.began, window.ended) == (at("10:01:14.459"), at("10:01:17.381"))
    assert found.interrupted == at("10:01:17.387")
    assert activity(48, 58).interrupted == 0.0, "the next prompt"


def test_a_turn_that_writes_has_no_window() -> None:
    found = activity(28, 38)
    assert (found.windows, found.interrupted, found.first, found.last) == (
        (), 0.0, at("10:01:09.458"), at("10:01:10.304"))  # fmt: skip


def test_a_helper_in_the_background_works_until_its_notice() -> None:
    (window,) = activity(95, 105).windows
    assert (window.began, window.ended) == (at("10:01:41.463"), 0.0)
    (window,) = activity(95, 110).windows
    assert window.ended == at("10:01:47.560")


def test_a_file_of_the_old_form_cannot_tell(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"type": "user", "uuid": "u1", "message": {"content": "Do it"}}) + "\n")
    assert ClaudeTranscript(str(file)).activity(START) is None
    assert ClaudeTranscript(str(tmp_path / "missing.jsonl")).activity(START) is None


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"message": {"content": [{"type": "text", "text": "[Request interrupted by user]"}]}}, True),
        ({"message": {"content": "[Request interrupted by user]"}, "promptSource": "typed"}, False),
        ({"message": {"content": [{"type": "text", "text": "[Request interrupted by user]"}]},
          "promptSource": "typed"}, False),
        ({"message": {"content": [{"type": "text", "text": "Please go on"}]}}, False),
    ],
)  # fmt: skip
def test_only_the_agents_own_note_is_an_interruption(record: dict[str, object], expected: bool) -> None:
    assert records.is_interruption(record) is expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [("Bash", True), ("Task", True), ("mcp__db__query", True), ("Skill", True), ("", True),
     ("Write", False), ("NotebookEdit", False), ("Grep", False), ("WebFetch", False)],
)  # fmt: skip
def test_unknown_tools_may_run_programs(tool: str, expected: bool) -> None:
    block = {"name": tool}
    call = tools.call(block, Answer(position=0, id="a"), details=False)
    assert (call.tool in RUNNING) is expected
