"""Transcripts whose plugin tells records: what is derived from these, and what bad ones come to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.conversation.conversation import Conversation
from entire.conversation.messages import Reading
from entire.conversation.records import (
    AGENT,
    EDIT,
    INTERRUPTED,
    LOCAL,
    OTHER,
    RESTARTED,
    REWOUND,
    UNKNOWN,
    Answer,
    Call,
    Mark,
    Prompt,
    Record,
    Result,
)
from entire.model import tokens as model
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage
from entire.model.transcripts import Edit, FileReport, Subagent
from entire.plugin_host.agent import ExternalAgent
from entire.plugin_host.language import records
from entire.plugin_host.language.protocol import MAX_RECORD
from entire.plugin_host.language.records import Reader
from entire.plugin_host.programs.lines import Lines
from entire.plugin_host.programs.running import TooMuchError
from tests import plugins
from tests.unit.plugin_host.world import World

LINES = b'{"prompt": "one"}\n{"file": "a"}\n{"answer": "x"}\n'
TOLD: list[dict[str, Any]] = [
    {"record": "prompt", "position": 0, "text": "one", "time": 100.0, "id": "t1"},
    {"record": "result", "position": 1, "call": "c1", "paths": ["a"]},
    {"record": "answer", "position": 2, "id": "m1", "text": "x", "model": "m-1", "time": 101.0,
     "usage": {"input_tokens": 3, "output_tokens": 4, "api_call_count": 1}},
    {"end": [3, len(LINES), "m1"], "known": ""},
]  # fmt: skip


def connect(world: World, told: list[Any], *capabilities: str, in_hook: bool = True) -> ExternalAgent:
    """Return an adapter of a plugin that tells these lines, from a position on; a text is a line as it is."""
    Path(world.ref()).write_bytes(LINES)
    plugin = plugins.version_one(world.bin, capabilities=["hooks", "entire_records", *capabilities], told=told)
    return world.adapter(plugin, in_hook=in_hook)


def test_everything_is_derived_from_one_call(world: World) -> None:
    agent = connect(world, TOLD)
    told = agent.transcript(world.ref())
    end = told.end()
    assert end == Position(count=3, byte=len(LINES), mark="m1")
    assert told.prompts(START, end) == [Prompt(position=0, text="one", time=100.0, id="t1")]
    assert told.files(START, end) == [FileReport(path="a", call="c1")]
    assert (told.summary(START), told.model(START), told.has_answers(START, end)) == ("x", "m-1", True)
    assert told.tokens(START) == TokenUsage(input_tokens=3, output_tokens=4, api_call_count=1)
    assert told.answer_boundary(START, 1e9) == Position(count=3, mark="m1")
    assert told.subagents(START) == []
    assert told.file_lines(end) is not None
    assert plugins.asked(world.bin / "entire-agent-one") == ["entire-records", "get-session-dir"]
    assert world.notes == []


def test_the_answer_from_an_earlier_position_is_not_asked_for_again(world: World) -> None:
    agent = connect(world, TOLD)
    agent.transcript(world.ref()).ask_ahead(Position(count=1, byte=9, mark="m0"), is_first=True)
    plugins.asked(world.bin / "entire-agent-one")
    told = agent.transcript(world.ref())
    assert [report.path for report in told.files(Position(count=1, byte=9, mark="m0"))] == ["a"]
    assert told.prompts(Position(count=1, byte=9, mark="m0")) == []
    assert [prompt.text for prompt in told.prompts(START)] == ["one"]
    assert plugins.asked(world.bin / "entire-agent-one") == []


def test_lines_that_are_counted_as_records_are_cut(world: World) -> None:
    told = connect(world, TOLD).transcript(world.ref())
    assert told.cut(told.at(1)) == LINES.splitlines(keepends=True)[0]
    lines = told.file_lines(told.end())
    assert lines is not None
    assert (lines.lines, lines.size) == (3, len(LINES))
    assert (told.holds(told.end()), told.holds(Position(count=9))) == (True, False)


def test_records_that_count_something_else_are_not_cut(world: World) -> None:
    told = connect(world, [*TOLD[:3], {"end": [9, 0, ""]}]).transcript(world.ref())
    assert told.cut(told.at(1)) == LINES
    assert told.file_lines(told.end()) is None


def test_tokens_that_nobody_told_are_unknown(world: World) -> None:
    untold = [{key: value for key, value in line.items() if key != "usage"} for line in TOLD]
    told = connect(world, untold).transcript(world.ref())
    assert told.tokens(START) == model.UNKNOWN
    assert told.tokens(told.end()) == TokenUsage()
    counted = connect(world, untold, "token_calculator").transcript(world.ref())
    assert counted.tokens(START) == TokenUsage()


def test_a_rewritten_transcript_is_read_from_its_start(world: World) -> None:
    told = connect(world, TOLD).transcript(world.ref())
    assert told.end(Position(count=12, byte=900, mark="gone")) == told.end()


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["nonsense"], "line 1 of the records is no JSON object"),
        (["[1]"], "line 1 of the records is no JSON object"),
        ([{"kind": "prompt"}], "line 1 of the records has neither `record` nor `end`"),
        ([{"record": "prompt", "text": "x"}], "line 1 of the records has no `position`"),
        ([{"record": "prompt", "text": "x", "position": -4}], "line 1 of the records has no `position`"),
        ([{"record": "prompt", "text": "x" * (MAX_RECORD + 9), "position": 0}], "line 1 of the records has 4,194,304"),
    ],
)
def test_a_bad_line_is_reported_and_left_out(lines: list[Any], problem: str, world: World) -> None:
    told = connect(world, [*lines, *TOLD]).transcript(world.ref())
    assert [prompt.text for prompt in told.prompts(START)] == ["one"]
    assert len(world.notes) == 1
    assert problem in world.notes[0]


def test_an_answer_without_an_end_is_none(world: World) -> None:
    told = connect(world, TOLD[:3]).transcript(world.ref())
    assert (told.prompts(START), told.end()) == ([], START)
    assert "no line with the `end`" in world.notes[0]


def test_what_is_not_known_is_a_mark() -> None:
    lines = [
        {"record": "a kind of tomorrow", "position": 1, "text": "a prompt?"},
        {"record": "mark", "position": 2, "kind": "a mark of tomorrow"},
        {"record": ["x"], "position": 3},
        {"record": "prompt", "position": 4, "text": "by whom?", "by": "a robot"},
        {"record": "call", "position": 5, "id": "c", "tool": "teleport"},
    ]
    found = list(read(lines))
    assert found[:3] == [
        Mark(position=1, kind=UNKNOWN, text="a kind of tomorrow"),
        Mark(position=2, kind=UNKNOWN, text="a mark of tomorrow"),
        Mark(position=3, kind=UNKNOWN),
    ]
    assert found[3:] == [Prompt(position=4, text="by whom?", by=AGENT), Call(position=5, id="c", tool=OTHER)]


def read(lines: list[Any]) -> records.Told:
    reader = Reader(START)
    for line in [*lines, {"end": [99, 0, ""]}]:
        reader.take(json.dumps(line).encode())
    return reader.finish()


EVERY: tuple[Record, ...] = (
    Prompt(position=0, text="/compact", time=1.5, id="t", by=LOCAL),
    Answer(position=1, id="m", end=30, time=2.0, text="x", model="m-1", usage=TokenUsage(input_tokens=None,
           output_tokens=2), is_local=True, is_open=True, is_again=True),
    Call(position=2, id="c", end=40, answer="m", tool=EDIT, name="Edit", subject="a.py", command="make",
         edits=(Edit(path="a.py", old="x", new="y"),), task=Subagent(id="h", tool_use_id="c", type="helper")),
    Result(position=3, call="c", output="no", has_failed=True, paths=("a",), edits=(Edit(path="a", new="y"),),
           commits=("abc1234",), task=Subagent(id="h", session_ref="/x"), goes_on=True, is_notice=True),
    Mark(position=4, kind=REWOUND, first=-1, time=3.0),
    Mark(position=5, kind=INTERRUPTED, text="by the user"),
)  # fmt: skip


class Stream:
    known = "m0"
    end = Position(count=6, byte=50, mark="m")

    def __iter__(self) -> Any:
        return iter(EVERY)


def test_records_come_back_as_they_were() -> None:
    reader = Reader(START)
    for line in records.write(Stream()):
        reader.take(line)
    found = reader.finish()
    assert (tuple(found), found.end, found.known, found.problem) == (EVERY, Stream.end, "m0", "")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=3)
    | st.sampled_from(["person", "local", REWOUND, RESTARTED, "moved", "expanded", "shell", "h1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "path", "input_tokens"]), inner),
    max_leaves=4,
)  # fmt: skip
KEYS = (
    "by",
    "id",
    "text",
    "time",
    "kind",
    "first",
    "tool",
    "call",
    "answer",
    "usage",
    "paths",
    "edits",
    "task",
    "is_open",
)
RECORDS = st.builds(
    lambda record, position, members: {**members, "record": record, "position": position},
    st.sampled_from(["prompt", "answer", "call", "result", "mark", "other"]),
    st.integers(0, 9),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5),
)


@given(st.lists(RECORDS, max_size=12), st.none() | st.integers(0, 9))
def test_any_records_are_derived_from_without_an_error(lines: list[dict[str, Any]], stop: int | None) -> None:
    told = read(lines)
    found = Conversation(told, told.known)
    for ask in (found.prompts, found.files, found.tokens, found.model, found.has_answers, found.activity, found.tasks):
        ask(stop)
    assert isinstance(found.summary(), str)
    for response in found.responses.by_id:
        found.end_of(response)
    for message in Reading(told).messages(stop):
        message.text.encode()


def test_output_is_lines_of_limited_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entire.plugin_host.programs.lines.MAX_RECORD", 8)
    monkeypatch.setattr("entire.plugin_host.programs.lines.MAX_RECORDS", 60)
    taken: list[bytes] = []
    refused: list[int] = []
    output = Lines(taken.append, refused.append)
    for data in (b"one\n\n  \nt", b"wo", b"\nmuch too", b" long, and more", b"\nlast"):
        output.add(data)
    output.finish()
    assert (taken, refused) == ([b"one", b"two", b"last"], [8])
    with pytest.raises(TooMuchError):
        output.add(b"x" * 60)
