"""Plugins that declare extensions are asked questions, and as in version 1 where they declare or answer none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from entire.conversation.records import Prompt
from entire.model.effects import PutBack, Write
from entire.model.health import HooksHealth, HookStatus
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage
from entire.model.transcripts import FileLines, FileReport, SessionFile, Subagent
from entire.plugin_host.agent import ExternalAgent
from entire.plugin_host.asked_transcript import AskedTranscript
from entire.plugin_host.language.protocol import EXTENSIONS
from entire.plugin_host.language.questions import QUESTIONS
from tests import plugins
from tests.unit.plugin_host.world import World

LINES = b'{"prompt": "one"}\n{"file": "a"}\n{"answer": "x", "in": 1, "out": 2}\n'
MIDDLE = Position(count=1, byte=18, mark="1")


def connect(world: World, *extensions: str, in_hook: bool = True, **asked: Any) -> ExternalAgent:
    """Return an adapter of a plugin with these extensions and answers; ``%`` in an answer is the session folder."""
    Path(world.ref()).write_bytes(LINES)
    capabilities = ["hooks", "transcript_analyzer", "token_calculator", *extensions]
    plugin = plugins.version_one(world.bin, capabilities=capabilities, asked=_placed(asked, str(world.sessions)))
    return world.adapter(plugin, in_hook=in_hook, metadata={"key": "value"})


def _placed(value: Any, folder: str) -> Any:
    if isinstance(value, dict):
        return {key: _placed(member, folder) for key, member in value.items()}
    if isinstance(value, list):
        return [_placed(member, folder) for member in value]
    return value.replace("%", folder) if isinstance(value, str) else value


def test_only_extensions_are_asked_for(world: World) -> None:
    assert not isinstance(connect(world).transcript(world.ref()), AskedTranscript)
    assert isinstance(connect(world, "entire_messages").transcript(world.ref()), AskedTranscript)


def test_ranges_are_asked_of_one_process(world: World) -> None:
    agent = connect(
        world,
        "entire_ranges",
        files=[{"path": "a", "call": "c1"}, "b"],
        tokens={"input_tokens": 3, "output_tokens": 4},
        prompts=["one", {"text": "two", "position": 9}],
        summary="said",
        has_answers=True,
        model="m1",
    )
    told = agent.transcript(world.ref())
    assert told.files(START, MIDDLE) == [FileReport(path="a", call="c1"), FileReport(path="b")]
    assert told.tokens(START, MIDDLE) == TokenUsage(input_tokens=3, output_tokens=4)
    assert told.prompts(MIDDLE, MIDDLE) == [Prompt(text="one", position=1), Prompt(text="two", position=1)]
    assert (told.summary(START), told.has_answers(START), told.model(START)) == ("said", True, "m1")
    assert plugins.asked(world.bin / "entire-agent-one") == ["entire-ask"]
    first = plugins.questions(world.bin / "entire-agent-one")[0]
    del first["folder"]
    assert first == {
        "ask": "files", "metadata": {"key": "value"}, "root": str(world.root), "session_ref": world.ref(),
        "since": [0, 0, ""], "until": [1, 18, "1"],
    }  # fmt: skip
    assert world.notes == []


def test_prompts_tell_positions_if_the_plugin_says_so(world: World) -> None:
    agent = connect(
        world, "entire_ranges", "entire_prompt_positions", prompts=[{"text": "two", "position": 9, "id": "p"}]
    )
    assert agent.transcript(world.ref()).prompts(START) == [Prompt(text="two", position=9, id="p")]


def test_each_question_is_asked_once_in_a_hook(world: World) -> None:
    agent = connect(world, "entire_ranges", files=["a"], summary="said")
    for _ in range(2):
        told = agent.for_session({"key": "value"}).transcript(world.ref())
        told.files(START, MIDDLE)
        told.files(START, None)
        told.summary(START)
    assert [question["ask"] for question in plugins.questions(world.bin / "entire-agent-one")] == [
        "files", "files", "summary",
    ]  # fmt: skip


def test_each_session_is_asked_about_with_its_own_metadata(world: World) -> None:
    agent = connect(world, "entire_ranges", summary="said")
    for told in (agent, agent.for_session({"key": "other"})):
        told.transcript(world.ref(f"of-{told.metadata['key']}")).summary(START)
    asked = plugins.questions(world.bin / "entire-agent-one")
    assert [question["metadata"] for question in asked] == [{"key": "value"}, {"key": "other"}]


def test_what_is_not_answered_is_asked_as_in_version_1(world: World) -> None:
    agent = connect(world, "entire_ranges", "entire_answer_boundaries", "entire_positions", "entire_messages")
    told = agent.transcript(world.ref())
    end = told.end()
    assert end == Position(count=3, byte=len(LINES), mark="3")
    assert told.files(START, end) == [FileReport(path="a")]
    assert told.prompts(START, end) == [Prompt(text="one", position=0)]
    assert told.answer_boundary(MIDDLE, 1.0) == MIDDLE
    assert not told.makes_commit(MIDDLE, 1.0, "c")
    assert (told.snapshot(), told.cut(MIDDLE)) == (LINES, LINES[:18])
    assert told.messages() == []
    names = [note.split()[2].rstrip("`") for note in world.notes]
    assert sorted(names) == sorted(
        ["end", "is_later", "files", "prompts", "answer_boundary", "makes_commit", "snapshot", "cut", "messages"]
    )


NONSENSE: list[Any] = [None, 7, "x", [7, None], {"position": -1}, [[]], {"effects": [{}]}, True]


@pytest.mark.parametrize("answer", NONSENSE)
def test_nonsense_never_raises(world: World, answer: Any) -> None:
    agent = connect(world, *EXTENSIONS, **dict.fromkeys(QUESTIONS, answer))
    told = agent.transcript(world.ref())
    for ask in (told.files, told.tokens, told.prompts, told.summary, told.has_answers, told.model, told.subagents):
        ask(START)
    told.answer_boundary(START, 1.0)
    told.makes_commit(START, 1.0, "c")
    assert isinstance(told.snapshot(), bytes)
    assert isinstance(told.end(), Position)
    assert isinstance(told.at(1), Position)
    assert isinstance(told.cut(MIDDLE), bytes)
    assert told.agreement(b"x").joined is not None
    told.file_lines(told.end())
    told.messages()
    told.subagent_ref("x")
    assert isinstance(agent.put_back(world.ref(), b"x", {}), PutBack)
    assert agent.own_session_id("s1", b"")
    assert agent.session_files(str(world.root)) == []
    agent.has_conversation(world.ref())


def test_a_stored_copy_is_asked_about_in_a_file_of_its_name(world: World) -> None:
    agent = connect(world, "entire_ranges", summary="said")
    assert agent.transcript(world.ref(), LINES).summary(START) == "said"
    (question,) = plugins.questions(world.bin / "entire-agent-one")
    assert (question["content"], question["session_ref"]) == (LINES.decode(), world.ref())
    assert question["stored"].endswith("/s1.jsonl")
    assert not Path(question["stored"]).exists()
    assert not Path(question["folder"]).exists()


def test_references_that_lead_elsewhere_are_dropped(world: World) -> None:
    agent = connect(
        world, "entire_subagents", "entire_positions",
        subagents=[{"id": "x", "session_ref": "/etc/passwd"}, {"id": "y", "session_ref": "%/s1/y.jsonl"}, {"id": ""}],
        subagent_ref="%/../y", file_lines={"path": "/etc/passwd", "lines": 1, "size": 1},
    )  # fmt: skip
    told = agent.transcript(world.ref())
    assert told.subagents(START) == [Subagent(id="x"), Subagent(id="y", session_ref=f"{world.sessions}/s1/y.jsonl")]
    assert told.subagent_ref("y") == ""
    assert told.file_lines(MIDDLE) is None


def test_the_plugins_own_positions_count(world: World) -> None:
    lines = {"path": "%/s1.jsonl", "lines": 3, "size": len(LINES)}
    agent = connect(world, "entire_positions", end=[5, 6, "m"], holds=False, is_later=True, file_lines=lines)
    told = agent.transcript(world.ref())
    assert told.end() == Position(count=5, byte=6, mark="m")
    assert not told.holds(START)
    assert told.is_later(START, MIDDLE)
    assert told.file_lines(MIDDLE) == FileLines(path=world.ref(), lines=3, size=len(LINES))


def test_lines_of_the_plugin_that_are_in_no_file(world: World) -> None:
    agent = connect(world, "entire_positions", file_lines={"lines": 1, "size": 3, "settled": 0},
                    snapshot={"data": "e30KZQ=="})  # fmt: skip
    assert agent.transcript("s-1").file_lines(MIDDLE) == FileLines(lines=1, size=3, content=b"{}\n", settled=0)


def test_effects_sessions_and_hooks_of_the_plugin(world: World) -> None:
    agent = connect(
        world, "entire_restore_effects", "entire_session_list", "entire_hooks_health", in_hook=False,
        put_back={"effects": [{"write": "%/x", "content": {"data": "eA=="}}]}, own_session_id="own",
        session_files=[{"session_id": "s1", "session_ref": "%/s1.jsonl", "changed": 7}], has_conversation=True,
        hook_config_paths=["%/c"], install_hooks=2, uninstall_hooks=1,
        hooks_health={"status": "untrusted", "detail": "trust them"},
    )  # fmt: skip
    root = str(world.root)
    assert agent.put_back(world.ref(), b"x", {}).effects == (Write(path=f"{world.sessions}/x", data=b"x"),)
    assert agent.own_session_id("s1", b"x") == "own"
    assert agent.session_files(root) == [SessionFile(session_id="s1", session_ref=world.ref(), changed=7.0)]
    assert agent.has_conversation(world.ref())
    assert agent.hook_config_paths(root, "user") == (f"{world.sessions}/c",)
    assert (agent.install_hooks(root, "user", force=True), agent.uninstall_hooks(root, "user")) == (2, 1)
    assert agent.hooks_health(root, "user") == HooksHealth(status=HookStatus.UNTRUSTED, detail="trust them")
    asked = {question["ask"]: question for question in plugins.questions(world.bin / "entire-agent-one")}
    assert (asked["install_hooks"]["scope"], asked["install_hooks"]["force"]) == ("user", True)


def test_a_turns_end_is_asked_ahead(world: World) -> None:
    extensions = [
        name
        for name in EXTENSIONS
        if name in {question.extension for question in QUESTIONS.values()}
        and name not in ("entire_hooks_health", "entire_session_list")
    ]
    agent = connect(
        world, *extensions, files=["a"], tokens={"input_tokens": 3, "output_tokens": 4}, prompts=["one"],
        summary="said", has_answers=True, model="m", subagents=[], end=[3, len(LINES), "m"], is_later=False,
        file_lines=None, snapshot={"data": "eA=="},
    )  # fmt: skip
    event = agent.parse_hook("stop", world.payload())
    assert event is not None
    agent.prepare_transcript(event, START)
    agent.ask_ahead(event, START, is_first=False)
    before = plugins.questions(world.bin / "entire-agent-one")
    told = agent.for_session({"key": "value"}).transcript(world.ref())
    end = told.end(START)
    assert (told.files(START, end), told.tokens(START, end).output_tokens) == ([FileReport(path="a")], 4)
    assert (told.prompts(START, end)[0].text, told.summary(START), told.model(START, end)) == ("one", "said", "m")
    assert (told.has_answers(START, end), told.subagents(START, end)) == (True, [])
    assert (told.file_lines(end), told.snapshot()) == (None, b"x")
    assert plugins.questions(world.bin / "entire-agent-one") == before
    assert plugins.asked(world.bin / "entire-agent-one") == ["parse-hook", "get-session-dir", "entire-ask"]
