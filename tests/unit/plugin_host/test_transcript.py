"""Transcripts that plugins read: what version 1 tells, what it cannot tell, stored copies, sizes."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from entire.conversation.records import Prompt
from entire.model.positions import START, Position
from entire.model.tokens import UNKNOWN, TokenUsage
from entire.model.transcripts import FileLines, FileReport
from entire.plugin_host.agent import ExternalAgent
from tests import plugins
from tests.unit.plugin_host.world import World, shell

FIRST: list[dict[str, Any]] = [{"prompt": "one"}, {"file": "a.txt"}, {"answer": "did a", "in": 10, "out": 1}]
SECOND: list[dict[str, Any]] = [{"prompt": "two"}, {"file": "b.txt"}, {"answer": "did b", "in": 20, "out": 2}]


def data(*turns: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for turn in turns for record in turn)


def adapter(world: World, content: bytes, *, in_hook: bool = False, **config: Any) -> ExternalAgent:
    Path(world.ref()).write_bytes(content)
    return world.adapter(plugins.version_one(world.bin, **config), in_hook=in_hook)


@pytest.mark.parametrize(("unit", "number"), [("lines", 3), ("bytes", len(data(FIRST))), ("odd", 21)])
def test_a_position_is_the_plugins_number(world: World, unit: str, number: int) -> None:
    agent = adapter(world, data(FIRST), unit=unit)
    middle = agent.transcript(world.ref()).end()
    assert middle == Position(count=number, byte=len(data(FIRST)), mark="3")
    Path(world.ref()).write_bytes(data(FIRST, SECOND))
    told = agent.transcript(world.ref())
    end = told.end(middle)
    assert (end.count, end.byte, end.mark) == (2 * number, len(data(FIRST, SECOND)), "6")
    assert told.is_later(end, middle)
    assert not told.is_later(middle, end)
    assert told.holds(middle)
    assert told.prompts(middle) == [Prompt(text="two", position=number)]
    assert told.files(middle, end) == [FileReport(path="b.txt")]
    assert told.tokens(middle, end) == TokenUsage(input_tokens=20, output_tokens=2, api_call_count=1)
    assert told.summary(middle) == "did b"
    assert told.has_answers(middle, end)
    assert not told.has_answers(end)
    assert world.notes == []


@pytest.mark.parametrize(("unit", "places"), [("lines", [0, 3]), ("bytes", [0, len(data(FIRST))]), ("odd", [0, 0])])
def test_prompts_are_found_where_their_text_is(world: World, unit: str, places: list[int]) -> None:
    agent = adapter(world, data(FIRST, SECOND), unit=unit)
    for told in (agent.transcript(world.ref()), agent.transcript("", data(FIRST, SECOND))):
        assert [prompt.position for prompt in told.prompts(START)] == places


def test_prompts_with_another_text_have_the_position_before_them(world: World) -> None:
    told = adapter(world, data(FIRST, SECOND), answers={"extract-prompts": {"prompts": ["ONE", "two", 'é"\n']}})
    transcript = told.transcript(world.ref())
    assert [prompt.position for prompt in transcript.prompts(START)] == [0, 0, 0]
    assert [prompt.position for prompt in transcript.prompts(transcript.at(3))] == [3, 3, 3]


def test_what_ends_before_the_end_is_unknown(world: World) -> None:
    told = adapter(world, data(FIRST, SECOND)).transcript(world.ref())
    middle = told.at(3)
    assert told.answer_boundary(middle, 1.0, "c" * 40) == middle
    assert told.tokens(START, middle) == UNKNOWN
    assert told.tokens(middle, middle) == UNKNOWN
    assert told.prompts(START, middle) == []
    assert told.tokens(told.end(), told.end()) == TokenUsage()


def test_a_transcript_that_became_shorter_is_read_from_its_start(world: World) -> None:
    agent = adapter(world, data(FIRST, SECOND))
    old = agent.transcript(world.ref()).end()
    Path(world.ref()).write_bytes(data(SECOND))
    told = agent.transcript(world.ref())
    assert not told.holds(old)
    assert told.is_later(old, told.end())


def test_positions_are_compared_by_the_plugins_number_first(world: World) -> None:
    told = adapter(world, data(FIRST)).transcript(world.ref())
    assert told.is_later(Position(count=3, byte=10), Position(count=2, byte=20)), "redacted copies have other bytes"
    assert not told.is_later(Position(count=2, byte=20), Position(count=3, byte=10))
    assert told.is_later(Position(count=3, byte=20), Position(count=3, byte=10))
    assert not told.is_later(Position(count=3, byte=20), Position(count=3))


def test_a_rewritten_transcript_is_asked_about_ahead_from_its_start(world: World) -> None:
    plugin = plugins.version_one(world.bin)
    Path(world.ref()).write_bytes(data(FIRST))
    agent = world.adapter(plugin)
    event = agent.parse_hook("stop", world.payload())
    assert event is not None
    agent.prepare_transcript(event, Position(count=99))
    agent.ask_ahead(event, Position(count=99), is_first=False)
    plugins.asked(plugin)
    told = agent.transcript(world.ref())
    assert [prompt.text for prompt in told.prompts(START)] == ["one"]
    assert [report.path for report in told.files(START)] == ["a.txt"]
    assert told.tokens(START).output_tokens == 1
    assert plugins.asked(plugin) == [], "nothing waits for it under the lock"


def test_a_number_that_shrinks_counts_as_rewritten(world: World) -> None:
    plugin = plugins.version_one(world.bin, answers={"get-transcript-position": {"position": 5}})
    Path(world.ref()).write_bytes(data(FIRST))
    agent = world.adapter(plugin, in_hook=False)
    old = agent.transcript(world.ref()).end()
    plugins.configure(plugin, answers={"get-transcript-position": {"position": 4}})
    Path(world.ref()).write_bytes(data(FIRST, SECOND))
    assert not agent.transcript(world.ref()).holds(old)


@pytest.mark.parametrize("number", [-1, True, "3", None, 1 << 70, 2.5])
def test_a_number_that_makes_no_sense_leaves_the_known_one(world: World, number: object) -> None:
    agent = adapter(world, data(FIRST, SECOND), answers={"get-transcript-position": {"position": number}})
    known = Position(count=3, byte=len(data(FIRST)), mark="3")
    assert agent.transcript(world.ref()).end(known) == Position(count=3, byte=len(data(FIRST, SECOND)), mark="6")


def test_a_missing_transcript_is_empty(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin), in_hook=False)
    told = agent.transcript(world.ref())
    assert (told.end(), told.snapshot(), told.files(START), told.tokens(START)) == (START, b"", [], TokenUsage())
    assert told.file_lines(told.end()) is None
    assert world.notes == []


@pytest.mark.parametrize(
    "ref", ["", "a\0b", "/a\0b", "db:1", "../x", "/etc/passwd", "x" * 5000, "/" + "x" * 5000, "/\ud800", "\ud800"]
)
def test_any_reference_can_be_asked_about(world: World, ref: str) -> None:
    agent = world.adapter(plugins.version_one(world.bin), in_hook=False)
    told = agent.transcript(ref)
    assert told.file_lines(told.end()) is None
    assert told.cut(Position(count=7)) == told.snapshot()
    assert told.messages() == []
    assert agent.transcript(ref, data(FIRST)).snapshot() == data(FIRST)
    assert [prompt.text for prompt in agent.transcript(ref, data(FIRST)).prompts(START)] == ["one"]


# ---------------------------------------------------------------- cutting and comparing


@pytest.mark.parametrize("unit", ["lines", "bytes"])
def test_a_copy_is_cut_where_the_number_is(world: World, unit: str) -> None:
    whole = data(FIRST, SECOND)
    agent = adapter(world, data(FIRST), unit=unit)
    count = agent.transcript(world.ref()).end().count
    copy = agent.transcript(world.ref(), whole)
    assert copy.cut(copy.at(count)) == data(FIRST)
    assert copy.cut(copy.at(10**6)) == whole
    assert copy.cut(START) == b""
    assert copy.end().count == (6 if unit == "lines" else len(whole))


def test_a_redacted_copy_is_cut_where_the_agents_own_is(world: World) -> None:
    own = data(FIRST, SECOND)
    agent = adapter(world, own, unit="bytes")
    redacted = own.replace(b"did a", b"did [REDACTED:secret]")
    copy = agent.transcript(world.ref(), redacted)
    assert copy.cut(copy.at(len(data(FIRST)))) == data(FIRST).replace(b"did a", b"did [REDACTED:secret]")


def test_where_only_the_plugin_knows_nothing_is_cut(world: World) -> None:
    agent = adapter(world, data(FIRST, SECOND), unit="odd")
    copy = agent.transcript(world.ref(), data(FIRST, SECOND))
    assert copy.cut(copy.at(21)) == data(FIRST, SECOND)
    with_lines = agent.transcript(world.ref()).end()
    assert copy.cut(with_lines) == data(FIRST, SECOND)
    assert copy.cut(Position(count=21, byte=1, mark="3")) == data(FIRST)


@pytest.mark.parametrize("unit", ["lines", "bytes", "odd"])
def test_an_agreement_extends_to_a_position(world: World, unit: str) -> None:
    agent = adapter(world, data(FIRST, SECOND), unit=unit)
    stored = data(FIRST).replace(b"did a", b"did [REDACTED:x]") + data([{"prompt": "else"}])
    same = agent.transcript(world.ref()).agreement(stored)
    assert (same.common, same.stored_is_longer, same.own_is_longer) == (data(FIRST), True, True)
    copy = agent.transcript(world.ref(), stored)
    agreed = copy.at(same.extent)
    assert copy.is_later(copy.end(), agreed)
    if unit != "odd":
        assert copy.cut(agreed) == data(FIRST).replace(b"did a", b"did [REDACTED:x]")


def test_stored_copies_leave_no_file_behind(world: World, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    copy = adapter(world, data(FIRST)).transcript(world.ref(), data(FIRST, SECOND))
    assert [prompt.text for prompt in copy.prompts(START)] == ["one", "two"]
    assert copy.end().count == 6
    left = {path.name for path in set(tmp_path.rglob("*")) - set(before)}
    assert left <= {"bin", "entire-agent-one", "entire-agent-one.calls", "entire-agent-one.json", "s1.jsonl"}


# ---------------------------------------------------------------- what is read, and how


def test_a_plain_file_is_read_without_the_plugin(world: World) -> None:
    plugin = plugins.version_one(world.bin)
    Path(world.ref()).write_bytes(data(FIRST))
    told = world.adapter(plugin).transcript(world.ref())
    assert told.snapshot() == data(FIRST)
    assert told.file_lines(told.end()) == FileLines(path=world.ref(), lines=3, size=len(data(FIRST)))
    assert "read-transcript" not in plugins.asked(plugin)


def test_what_a_preparer_prepares_is_read_by_the_plugin(world: World) -> None:
    plugin = plugins.version_one(world.bin, capabilities=["hooks", "transcript_analyzer", "transcript_preparer"])
    Path(world.ref()).write_bytes(data(FIRST))
    told = world.adapter(plugin).transcript(world.ref())
    assert told.snapshot() == data(FIRST)
    assert "read-transcript" in plugins.asked(plugin)
    with Path(world.ref()).open("ab") as file:
        file.write(data(SECOND))
    assert told.file_lines(told.end()) == FileLines(path=world.ref(), lines=3, size=len(data(FIRST)))


def test_what_was_answered_before_the_agent_had_finished_is_asked_again(world: World) -> None:
    capabilities = ["hooks", "transcript_analyzer", "transcript_preparer"]
    agent = world.adapter(plugins.version_one(world.bin, capabilities=capabilities))
    Path(world.ref()).write_bytes(data(FIRST))
    event = agent.parse_hook("stop", world.payload())
    assert event is not None
    assert agent.transcript(world.ref()).end().count == 3
    with Path(world.ref()).open("ab") as file:
        file.write(data(SECOND))
    assert agent.transcript(world.ref()).end().count == 3, "each question is asked once in a hook"
    agent.prepare_transcript(event, START)
    agent.ask_ahead(event, START, is_first=False)
    assert agent.transcript(world.ref()).end().count == 6
    assert agent.transcript(world.ref()).snapshot() == data(FIRST, SECOND)


def test_an_end_does_not_depend_on_what_was_asked_before(world: World) -> None:
    Path(world.ref()).write_bytes(data(FIRST))
    agent = world.adapter(plugins.version_one(world.bin, capabilities=["transcript_analyzer", "transcript_preparer"]))
    told = agent.transcript(world.ref())
    before = told.end()
    assert [prompt.position for prompt in told.prompts(START)] == [0]
    assert told.cut(told.at(1)) == data(FIRST[:1])
    assert told.end() == before == Position(count=3)


def test_the_lines_that_the_plugin_composes_are_in_no_file(world: World) -> None:
    agent = shell(world, "transcript_preparer", "read-transcript) echo '{}'; echo '{}' ;;")
    Path(world.ref()).write_bytes(data(FIRST))
    told = agent.transcript(world.ref())
    assert told.file_lines(told.end()) == FileLines(lines=2, size=6, content=b"{}\n{}\n")
    assert agent.transcript(world.ref(), b"{}\n").file_lines(told.end()) is None, "of a stored copy"


def test_a_document_is_stored_in_one_piece(world: World) -> None:
    told = adapter(world, b'{"messages": [1, 2]}', capabilities=["hooks"]).transcript(world.ref())
    assert told.file_lines(told.end()) is None
    assert told.end() == Position(byte=20)


def test_lines_are_counted_without_an_analyzer(world: World) -> None:
    agent = adapter(world, data(FIRST), capabilities=["hooks"])
    told = agent.transcript(world.ref())
    assert told.end() == Position(count=3, byte=len(data(FIRST)))
    assert told.cut(told.at(1)) == data(FIRST[:1])
    assert "transcript_analyzer" not in agent.capabilities


def test_a_transcript_far_above_the_limit_of_answers_survives(world: World) -> None:
    line = data([{"answer": "x" * (1 << 20), "in": 1, "out": 1}])
    plugin = plugins.version_one(world.bin, capabilities=["hooks", "transcript_preparer"])
    Path(world.ref()).write_bytes(line * 12)
    assert world.adapter(plugin).transcript(world.ref()).snapshot() == line * 12
    assert world.notes == []


def test_a_transcript_above_our_limit_is_noted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entire.plugin_host.transcript.MAX_TRANSCRIPT", 1000)
    agent = shell(world, "transcript_preparer", "read-transcript) head -c 2000 /dev/zero ;;")
    Path(world.ref()).write_bytes(b"x")
    assert agent.transcript(world.ref()).snapshot() == b""
    assert "read-transcript` printed" in world.notes[0]


def test_native_data_stands_in_for_a_transcript(world: World) -> None:
    native = base64.b64encode(data(FIRST)).decode()
    plugin = plugins.version_one(world.bin, fails=["read-transcript"], session={"native_data": native})
    assert world.adapter(plugin).transcript("db:1").snapshot() == data(FIRST)


def test_subagents_count_with_their_session(world: World) -> None:
    agent = adapter(world, data(FIRST), capabilities=["hooks", "transcript_analyzer", "subagent_aware_extractor"])
    folder = world.sessions / "s1" / "subagents"
    folder.mkdir(parents=True)
    (folder / "x.jsonl").write_bytes(data(SECOND))
    told = agent.transcript(world.ref())
    assert [report.path for report in told.files(START)] == ["a.txt", "b.txt"]
    assert told.tokens(START) == TokenUsage(
        input_tokens=10, output_tokens=1, api_call_count=1,
        subagents=TokenUsage(input_tokens=20, output_tokens=2, api_call_count=1),
    )  # fmt: skip


def test_tokens_that_the_plugin_does_not_tell_are_unknown(world: World) -> None:
    plugin = plugins.version_one(world.bin, answers={"calculate-tokens": {"input_tokens": 3}})
    Path(world.ref()).write_bytes(data(FIRST))
    usage = world.adapter(plugin).transcript(world.ref()).tokens(START)
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (3, None, 0)
    failing = adapter(world, data(FIRST), fails=["calculate-tokens"]).transcript(world.ref())
    assert failing.tokens(START) == UNKNOWN


def test_no_summary(world: World) -> None:
    told = adapter(world, data(FIRST), answers={"extract-summary": {"summary": "x", "has_summary": False}})
    assert told.transcript(world.ref()).summary(START) == ""


@pytest.mark.parametrize("unit", ["lines", "bytes", "odd"])
def test_messages_for_people(world: World, unit: str) -> None:
    lines = data([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}])
    agent = adapter(world, lines, unit=unit)
    found = agent.transcript("", lines).messages()
    assert [(message.who, message.text) for message in found] == [("user", "hello"), ("agent", "hi")]
    second = {"lines": 1, "bytes": lines.index(b"\n") + 1, "odd": 14}[unit]
    assert found[1].at == second


def test_messages_in_the_compact_form(world: World) -> None:
    agent = adapter(world, b"", capabilities=["hooks", "transcript_analyzer", "compact_transcript"])
    found = agent.transcript("", data(FIRST)).messages()
    assert [(message.who, message.text) for message in found] == [
        ("user", "one"),
        ("agent", "a.txt"),
        ("agent", "did a"),
    ]


def test_without_an_analyzer_the_session_tells_its_files(world: World) -> None:
    plugin = plugins.version_one(
        world.bin, capabilities=["hooks"], session={"new_files": ["a.txt", "b.txt"], "deleted_files": ["a.txt", 1]}
    )
    told = world.adapter(plugin).transcript(world.ref())
    assert told.changed_files() == [FileReport(path="a.txt"), FileReport(path="b.txt")]


def test_tokens_of_subagents_are_counted_once(world: World) -> None:
    capabilities = ["hooks", "transcript_analyzer", "subagent_aware_extractor", "entire_subagents"]
    plugin = plugins.version_one(world.bin, capabilities=capabilities)
    Path(world.ref()).write_bytes(data(FIRST))
    agent = world.adapter(plugin)
    assert "subagent_extractor" in agent.capabilities
    assert agent.transcript(world.ref()).tokens(START).subagents is None  # the framework adds them
    assert agent.transcript(world.ref()).subagents(START) == []


def test_a_file_that_cannot_be_written_for_the_plugin_is_noted(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    agent = adapter(world, data(FIRST))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    told = agent.transcript(world.ref(), data(FIRST))
    assert (told.end().count, told.prompts(START)) == (0, [])
    assert world.notes[0].startswith("no file can be written for a plugin in ")


def test_prompts_after_those_that_were_found_are_not_asked_for(world: World) -> None:
    plugin = plugins.version_one(world.bin)
    Path(world.ref()).write_bytes(data(FIRST, SECOND))
    told = world.adapter(plugin).transcript(world.ref())
    assert [prompt.text for prompt in told.prompts(START)] == ["one", "two"]
    assert told.prompts(told.at(1)) == told.prompts(told.at(3)) == [Prompt(text="two", position=3)]
    assert told.prompts(told.end()) == []
    assert plugins.asked(plugin).count("extract-prompts") == 1
