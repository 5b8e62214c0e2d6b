"""What the real Gemini CLI does on its own, without `entire`: the facts that its adapter and the situations rest on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gemini import Gemini
from script import Usage, answer, fault, text, turn

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("world", [Gemini], indirect=True, ids=["gemini"])]

FIRST, SECOND = Usage(input=100, output=20, cache_read=30), Usage(input=200, output=40, cache_read=60)


def write_a(world: World) -> None:
    """Let the model write a file and say so."""
    call = world.agent.write("a.txt", "a\n")
    first = answer(text("I write it."), call, usage=FIRST)
    world.server.script.add(turn("write a", first, answer(text("written"), usage=SECOND)))


def forms(records: list[dict[str, Any]]) -> list[str]:
    """Return what each record is, in a word."""
    return [str(r.get("type") or ("$set " + " ".join(r["$set"]) if "$set" in r else r.get("kind"))) for r in records]


def test_a_turn_in_its_transcript(world: World) -> None:
    write_a(world)
    run = world.agent.headless("write a", world.repo.path)
    assert (run.status, run.result["session_id"], run.result["response"]) == (0, run.session, "written")
    assert world.repo.files()["a.txt"] == b"a\n"
    path = world.agent.transcript(run.session)
    assert path.parent == world.folder / "home" / ".gemini" / "tmp" / "project" / "chats"
    records = world.agent.records(run.session)
    noted = "$set lastUpdated"
    assert forms(records) == [
        *("main", "$set messages lastUpdated"),
        *("user", noted, "gemini", noted, "gemini", "user", noted, "gemini", noted),
    ]
    assert records[0]["sessionId"] == run.session
    context = records[1]["$set"]["messages"][0]["content"][0]["text"]
    assert context.startswith("<session_context>")
    assert records[2]["content"] == [{"text": "write a"}]
    early, late, last = records[4], records[6], records[9]
    assert ("toolCalls" in early, {**late, "toolCalls": None}) == (False, {**early, "toolCalls": None})
    (call,) = late["toolCalls"]
    assert (call["name"], call["status"], call["args"]["file_path"]) == ("write_file", "success", "a.txt")
    assert call["resultDisplay"]["filePath"] == world.path("a.txt")
    assert list(records[7]["content"][0]) == ["functionResponse"]
    unknown = {"thoughts": 0, "tool": 0}
    assert early["tokens"] == {"input": 130, "output": 20, "cached": 30, "total": 150, **unknown}
    assert last["tokens"] == {"input": 260, "output": 40, "cached": 60, "total": 300, **unknown}
    assert world.agent.said(path.read_bytes()) == ["I write it.", "written"]
    assert world.agent.prompt_line(run.session, "write a") == 2


def test_the_events_of_a_turn(world: World) -> None:
    write_a(world)
    session = world.agent.headless("write a", world.repo.path).session
    compress, start, end = "PreCompress", "SessionStart", "SessionEnd"
    assert [e["hook_event_name"] for e in world.agent.events(session=session)] == [
        *(start, "BeforeAgent", compress, "BeforeTool", "AfterTool", compress, "AfterAgent", end)
    ]
    paths = {e["transcript_path"] for e in world.agent.events(session=session)}
    assert paths == {str(world.agent.transcript(session))}


def test_a_session_resumed_within_its_minute_writes_its_history_again(world: World) -> None:
    """The same name serves again: a second header and a replay without tokens come into the file."""
    write_a(world)
    world.server.script.add(turn("go on", answer(text("on"), usage=SECOND)))
    session = world.agent.headless("write a", world.repo.path).session
    path = world.agent.transcript(session)
    before = path.read_bytes()
    world.agent.headless("go on", world.repo.path, resume=session)
    assert path.read_bytes().startswith(before)
    asked = [m.texts for m in world.server.last("go on").conversation if m.role == "user" and m.texts]
    assert asked == [("write a",), ("go on",)]
    started = world.agent.events("SessionStart", session)[-1]
    assert started["source"] == "resume"
    if started["transcript_path"] != str(path):  # the minute ended in between
        assert forms([json.loads(line) for line in Path(started["transcript_path"]).read_text().splitlines()]) == [
            "main",
            "$set messages lastUpdated",
        ]
        return
    added = forms(world.agent.records(session))[len(before.splitlines()) :]
    assert added[:2] == ["main", "$set messages lastUpdated"]
    assert added[-4:] == ["user", "$set lastUpdated", "gemini", "$set lastUpdated"]


def test_git_runs_no_hooks_in_its_shells(world: World) -> None:
    hook = world.repo.path / ".git" / "hooks" / "post-commit"
    hook.write_text("#!/bin/sh\ntouch hook-ran\n")
    hook.chmod(0o755)
    commit = world.agent.shell("git commit -q --allow-empty -m 'By the agent'")
    world.server.script.add(turn("commit", answer(commit), answer(text("committed"))))
    world.agent.headless("commit", world.repo.path)
    assert world.repo.message("HEAD") == "By the agent"
    assert not (world.repo.path / "hook-ran").exists()
    world.repo.git("commit", "-q", "--allow-empty", "-m", "By a person")
    assert (world.repo.path / "hook-ran").exists()


def test_a_subagent_has_a_file_in_its_sessions_folder(world: World) -> None:
    agent = world.agent
    world.server.script.add(
        turn("delegate", answer(*agent.delegate("write the note")), answer(text("delegated"))),
        turn(
            "write the note",
            answer(agent.write("note.txt", "note\n"), usage=FIRST),
            answer(*agent.report("note written"), usage=SECOND),
        ),
    )
    session = agent.headless("delegate", world.repo.path).session
    ((identity, path),) = agent.subagents(session).items()
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert (records[0]["kind"], records[0]["sessionId"]) == ("subagent", identity)
    (call,) = (c for r in agent.records(session) for c in r.get("toolCalls", ()))
    assert (call["name"], call["agentId"]) == ("invoke_agent", identity)
    assert {e["session_id"] for e in agent.events()} == {session}


def test_escape_leaves_a_turn_without_its_end(world: World) -> None:
    reached, _, wait = world.gate("hold")
    world.server.script.add(turn("work long", answer(world.agent.shell(wait), usage=FIRST)))
    with world.agent.terminal(world.repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.interrupt()
        session = terminal.session
        assert world.agent.events("AfterAgent", session) == []
        (call,) = (c for r in world.agent.records(session) for c in r.get("toolCalls", ()))
        assert call["status"] == "cancelled"
        terminal.exit()
    assert len(world.agent.events("SessionEnd", session)) > 1  # the same end is told more than once


def test_compress_puts_a_summary_in_the_place_of_the_conversation(world: World) -> None:
    """Only a conversation that the API called long is compressed."""
    long = Usage(input=50_000, output=10)
    world.server.script.add(
        turn("talk", answer(text("talked"), usage=long)),
        world.agent.summary("we talked", SECOND),
        turn("go on", answer(text("on"), usage=FIRST)),
    )
    with world.agent.terminal(world.repo.path) as terminal:
        terminal.turn("talk")
        terminal.compact()
        terminal.turn("go on")
        first, session = terminal.session, terminal.clear()
        terminal.exit()
    triggers = [e["trigger"] for e in world.agent.events("PreCompress", first)]
    assert triggers == ["auto", "manual", "auto"]
    said = [words for message in world.server.last("go on").conversation for words in message.texts]
    assert "talk" not in said
    assert any("we talked" in words for words in said)
    reasons = [(e["hook_event_name"], e.get("source") or e.get("reason")) for e in world.agent.events(session=first)]
    assert reasons[-1] == ("SessionEnd", "clear")
    assert session != first


def test_an_api_error_ends_everything_at_once(world: World) -> None:
    """Neither the turn's end nor the session's is told."""
    call = world.agent.write("a.txt", "a\n")
    out = fault(400, "invalid_argument", "the model is out")
    world.server.script.add(turn("write a", answer(call, usage=FIRST), out))
    run = world.agent.headless("write a", world.repo.path)
    assert (run.status, run.result) == (400 & 0xFF, {})
    names = [e["hook_event_name"] for e in world.agent.events(session=run.session)]
    assert names[-3:] == ["BeforeTool", "AfterTool", "PreCompress"]


def test_its_shell_refuses_command_substitution(world: World) -> None:
    refused = world.agent.shell("echo $((1 + 1)) > a.txt")
    world.server.script.add(turn("count", answer(refused), answer(text("counted"))))
    world.agent.headless("count", world.repo.path)
    ((_, said),) = (found for m in world.server.last("count").conversation for found in m.results)
    assert "Command injection detected" in said
    assert "a.txt" not in world.repo.files()
