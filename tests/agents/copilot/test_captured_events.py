"""Each captured session, as a whole and in any two parts, gives what it really holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents.copilot import tools
from entire.agents.copilot.agent import Copilot
from entire.agents.copilot.transcript import Events, SubagentEvents
from entire.conversation.records import Call, Mark, Prompt, Result
from entire.model.effects import Write
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage
from tests.agents.copilot import oracle

NAMES = sorted(oracle.IDS)


def events(name: str) -> Events:
    read = Copilot(env={}).transcript(str(oracle.path_of(name)))
    assert isinstance(read, Events)
    return read


def figures(usage: TokenUsage) -> tuple[int | None, ...]:
    return (usage.input_tokens, usage.cache_creation_tokens, usage.cache_read_tokens, usage.output_tokens,
            usage.api_call_count, usage.reasoning_tokens)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_whole(name: str) -> None:
    read = events(name)
    assert [(prompt.position, prompt.text) for prompt in read.prompts(START)] == oracle.PROMPTS[name]
    assert [report.path for report in read.files(START)] == [f"{oracle.PROJECT}/{f}" for f in oracle.FILES[name]]
    assert figures(read.tokens(START)) == oracle.TOKENS[name]
    assert read.summary(START) == oracle.LAST_TEXT[name]
    assert (read.end().count, read.end().byte) == (len(oracle.load(name)), oracle.path_of(name).stat().st_size)
    assert read.agent_version() == "1.0.102"


@pytest.mark.parametrize("name", NAMES)
def test_two_parts_say_what_the_whole_says(name: str) -> None:
    whole, end = events(name), events(name).end()
    prompts, files, tokens = whole.prompts(START), whole.files(START), whole.tokens(START)
    for count in range(end.count + 1):
        place = whole.at(count)
        for since in (place, Position(count=count)):
            part = events(name)
            assert part.end(since) == end
            assert part.prompts(since) == [prompt for prompt in prompts if prompt.position >= count]
            assert list(dict.fromkeys(part.files(START, place) + part.files(since))) == files
            assert part.tokens(START, place) + part.tokens(since) == tokens


def test_a_subagent_has_its_part_of_the_file() -> None:
    """Its prompt is its session's, its tokens are its own."""
    (subagent,) = events(oracle.DELEGATED).subagents(START)
    assert (subagent.id, subagent.type, subagent.description) == (oracle.HELPER, "general-purpose", "make sub file")
    assert not subagent.background
    own = Copilot(env={}).transcript(subagent.session_ref)
    assert isinstance(own, SubagentEvents)
    assert own.prompts(START) == []
    (prompt,) = [record for record in own.records() if isinstance(record, Prompt)]
    assert (prompt.text, prompt.by) == ("subjob: create sub.txt", "agent")
    assert [report.path for report in own.files(START)] == [f"{oracle.PROJECT}/sub.txt"]
    assert figures(own.tokens(START)) == (700, 0, 0, 38, 2, 0)
    lines = [json.loads(line) for line in own.snapshot().splitlines()]
    assert {line["agentId"] for line in lines} == {oracle.HELPER}
    stored = Copilot(env={}).transcript(subagent.session_ref, own.snapshot())
    assert stored.tokens(START) == own.tokens(START)


def test_what_subagents_did_is_put_back_with_their_session() -> None:
    path = "/h/session-state/s1/events.jsonl"
    assert Copilot(env={}).put_back(path, b"{}\n", {oracle.HELPER: b"{}\n"}).effects == (
        Write(path=path, data=b"{}\n"),
    )


def test_a_figure_that_is_not_told_is_unknown() -> None:
    """A compaction's record tells no thoughts, as its end alone does not."""
    read, kind = events(oracle.COMPACTED), b'"session.compaction_complete"'
    summary = next(line for line in read.snapshot().splitlines() if kind in line)
    alone = Copilot(env={}).transcript("/h/events.jsonl", summary + b"\n")
    assert figures(alone.tokens(START)) == (512, 3584, 2560, 1536, 1, None)
    bare = summary.replace(b'"cacheWriteTokens"', b'"other"').replace(b'"requestCount":1', b'"requestCount":2')
    told = Copilot(env={}).transcript("/h/events.jsonl", bare + b"\n").tokens(START)
    assert figures(told) == (4096, None, 2560, 1536, 2, None)


def test_an_interruption_is_noted() -> None:
    (mark,) = [record for record in events(oracle.INTERRUPTED).records() if isinstance(record, Mark)]
    activity = events(oracle.INTERRUPTED).activity(START)
    assert activity is not None
    assert activity.interrupted == mark.time


def test_the_calls_of_tools() -> None:
    records = list(events(oracle.FIRST).records())
    create, shell, edit = [record for record in records if isinstance(record, Call)]
    assert (create.tool, shell.tool, edit.tool) == ("write", "shell", "edit")
    assert shell.command == "python3 hello.py > out.txt; cat out.txt"
    assert [(one.path, one.old, one.new) for one in edit.edits] == [(f"{oracle.PROJECT}/notes.txt", "two", "TWO")]
    outputs = {record.call: record.output for record in records if isinstance(record, Result)}
    assert outputs[shell.id].startswith("hello\n")


@pytest.mark.parametrize("data", [{"success": False}, {}, {"success": True, "shellExecution": {"exitCode": 2}}])
def test_a_call_that_failed(data: dict[str, object]) -> None:
    failed = tools.result({**data, "toolCallId": "c", "error": {"message": "no"}}, 0, 0.0, details=True)
    assert (failed.has_failed, failed.output) == (True, "no")


def test_the_sessions_of_a_project(tmp_path: Path) -> None:
    agent = Copilot(env={"ENTIRE_TEST_COPILOT_SESSION_DIR": str(oracle.SESSIONS)})
    assert {file.session_id for file in agent.session_files(oracle.PROJECT)} == set(oracle.IDS.values())
    assert agent.session_files(str(tmp_path)) == []
    assert Copilot(env={"HOME": str(tmp_path)}).session_files(oracle.PROJECT) == []
    assert agent.format_resume_command("s1") == "copilot --resume=s1"
