"""What the real Codex CLI does on its own, without `entire`: the facts that its adapter and the situations rest on."""

from __future__ import annotations

import json
import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from codex import Codex, forms, names
from script import Usage, answer, fault, text, thought, tool, turn

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("world", [Codex], indirect=True, ids=["codex"])]

FIRST = Usage(input=100, output=20, cache_read=30, cache_creation=7, reasoning=5)
SECOND = Usage(input=200, output=40, cache_read=60)


def codex(world: World) -> Codex:
    """Return the agent of a world that has Codex."""
    assert isinstance(world.agent, Codex)
    return world.agent


def write_a(world: World) -> None:
    """Let the model write a file, look at it in the same answer, and say so."""
    calls = world.agent.write("a.txt", "a\n"), world.agent.shell("cat a.txt")
    first = answer(thought("a is missing"), text("I write it."), *calls, usage=FIRST)
    world.server.script.add(turn("write a", first, answer(text("written"), usage=SECOND)))


def test_a_turn_in_its_transcript(world: World) -> None:
    write_a(world)
    run = world.agent.headless("write a", world.repo.path)
    assert (run.status, run.result["events"][-1]["type"]) == (0, "turn.completed")
    assert world.repo.files()["a.txt"] == b"a\n"
    records = world.agent.records(run.session)
    assert [r["ordinal"] for r in records] == list(range(len(records)))
    found = forms(records)
    assert found[:2] == ["session_meta", "task_started"]
    prompt = found.index("UserMessage")
    assert found[prompt:] == [
        *("UserMessage", "Reasoning", "reasoning", "AgentMessage", "message"),
        *("custom_tool_call", "function_call", "token_usage_record"),
        *("FileChange", "custom_tool_call_output", "CommandExecution", "function_call_output", "token_count"),
        *("AgentMessage", "message", "token_usage_record", "token_count", "task_complete"),
    ]
    assert records[0]["payload"]["session_id"] == run.session
    change = next(r["payload"]["item"] for r in records if forms([r]) == ["FileChange"])
    assert change["changes"] == {world.path("a.txt"): {"type": "add", "content": "a\n"}}
    used = [r["payload"]["usage"] for r in records if r["type"] == "token_usage_record"]
    first = {"input_tokens": 137, "cached_input_tokens": 30, "cache_write_input_tokens": 7, "output_tokens": 20}
    assert used[0] == {**first, "reasoning_output_tokens": 5, "total_tokens": 157}
    assert world.agent.said(world.agent.transcript(run.session).read_bytes()) == ["I write it.", "written"]
    assert world.agent.prompt_line(run.session, "write a") == prompt
    assert world.agent.answers(run.session) == 2


def test_the_events_of_a_turn(world: World) -> None:
    write_a(world)
    session = world.agent.headless("write a", world.repo.path).session
    events = world.agent.events(session=session)
    tools = ["PreToolUse", "PostToolUse"]
    assert names(events) == ["SessionStart", "UserPromptSubmit", *tools, *tools, "Stop", "SessionEnd"]
    assert [e["tool_name"] for e in events if "tool_name" in e] == ["apply_patch", "apply_patch", "Bash", "Bash"]
    assert {e["transcript_path"] for e in events} == {str(world.agent.transcript(session))}
    assert events[2]["tool_input"]["command"].startswith("*** Begin Patch\n*** Add File: a.txt\n")
    assert events[4]["tool_input"] == {"command": "cat a.txt"}


def test_a_hook_runs_only_if_its_very_text_is_trusted(world: World) -> None:
    """Nothing is said of one that is not; asked for its hooks, the agent tells."""
    agent = codex(world)
    world.server.script.add(turn("talk", answer(text("talked"))), turn("talk on", answer(text("talked"))))
    trusted = agent.config.read_text()
    agent.config.write_text(trusted.replace("timeout = 3", "timeout = 2"))
    run = agent.headless("talk", world.repo.path)
    assert (run.status, agent.events()) == (0, [])
    assert not [line for line in run.stderr.splitlines() if "hook" in line and str(world.folder) not in line]
    assert Counter(h["trustStatus"] for h in agent.hooks(world.repo.path)) == {"modified": len(agent.events_observed)}
    agent.config.write_text(trusted)
    assert Counter(h["trustStatus"] for h in agent.hooks(world.repo.path)) == {"trusted": len(agent.events_observed)}
    agent.headless("talk on", world.repo.path)
    assert names(agent.events()) == ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]


def test_a_resumed_session_grows_and_a_fork_stands_on_its_file(world: World) -> None:
    write_a(world)
    agent = codex(world)
    world.server.script.add(turn("go on", answer(text("on"))), turn("go elsewhere", answer(text("there"))))
    session = agent.headless("write a", world.repo.path).session
    path = agent.transcript(session)
    before = path.read_bytes()
    assert agent.headless("go on", world.repo.path, resume=session).session == session
    whole = path.read_bytes()
    assert whole.startswith(before)
    assert forms(agent.records(session))[len(before.splitlines())] == "thread_settings_applied"

    fork = agent.fork("go elsewhere", world.repo.path, session).session
    assert fork != session
    assert path.read_bytes() == whole
    first = agent.records(fork)[0]["payload"]
    base = {"thread_id": session, "end_ordinal_exclusive": len(whole.splitlines()), "end_byte_offset": len(whole)}
    assert (first["forked_from_id"], first["history_base"]) == (session, base)
    assert first["id"] == fork
    asked = [m.texts for m in world.server.last("go elsewhere").conversation if m.role == "user" and m.texts]
    assert asked == [("write a",), ("go on",), ("go elsewhere",)]
    assert [e["source"] for e in agent.events("SessionStart")] == ["startup", "resume", "fork"]


def test_git_hooks_of_its_commits_know_the_session(world: World) -> None:
    hook = world.repo.path / ".git" / "hooks" / "post-commit"
    hook.write_text('#!/bin/sh\necho "$CODEX_THREAD_ID $CODEX_SESSION_ID" > hook-ran\n')
    hook.chmod(0o755)
    commit = world.agent.shell("git commit -q --allow-empty -m 'By the agent'")
    world.server.script.add(turn("commit", answer(commit), answer(text("committed"))))
    session = world.agent.headless("commit", world.repo.path).session
    assert (world.repo.path / "hook-ran").read_text() == f"{session} {session}\n"


def test_a_subagent_has_a_file_of_its_own_and_its_events_the_session_of_its_parent(world: World) -> None:
    agent = codex(world)
    world.server.script.add(
        turn("delegate", answer(*agent.delegate("write the note")), answer(text("delegated"))),
        turn("write the note", answer(agent.write("note.txt", "note\n")), answer(*agent.report("note written"))),
    )
    session = agent.headless("delegate", world.repo.path).session
    ((identity, path),) = agent.subagents(session).items()
    first = json.loads(path.read_bytes().splitlines()[0])["payload"]
    assert (first["id"], first["session_id"], first["parent_thread_id"]) == (identity, session, session)
    assert {e["session_id"] for e in agent.events()} == {session}
    inside = names([e for e in agent.events() if "agent_id" in e])
    assert inside == ["SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStop"]
    (call,) = (e["tool_use_id"] for e in agent.events("PreToolUse") if e["tool_name"] == "spawn_agent")
    item = next(r["payload"]["item"] for r in agent.records(session) if forms([r]) == ["CollabAgentToolCall"])
    assert (item["id"], item["receiver_thread_ids"]) == (call, [identity])


def test_escape_leaves_a_turn_without_its_end(world: World) -> None:
    reached, _, wait = world.gate("hold")
    world.server.script.add(turn("work long", answer(world.agent.shell(wait), usage=FIRST)))
    with world.agent.terminal(world.repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.interrupt()
        session = terminal.session
        assert names(world.agent.events(session=session))[-2:] == ["PreToolUse", "Interrupt"]
        found = forms(world.agent.records(session))
        at = found.index("turn_aborted")
        assert found[at - 3 : at] == ["function_call_output", "token_count", "message"]
        terminal.exit()
    assert names(world.agent.events(session=session))[-1] == "SessionEnd"


def test_a_signal_in_a_headless_run_is_an_interruption(world: World) -> None:
    reached, _, wait = world.gate("hold")
    world.server.script.add(turn("work long", answer(world.agent.shell(wait), usage=FIRST)))
    with world.agent.start("work long", world.repo.path) as running:
        world.wait(reached.exists, "the shell command")
        assert running.send(signal.SIGINT).status == 1
    assert names(world.agent.events())[-3:] == ["PreToolUse", "Interrupt", "SessionEnd"]
    assert "turn_aborted" in forms(world.agent.records(running.session))


def test_a_command_left_running_ends_after_its_turn(world: World) -> None:
    """No hook tells of its end; its record names the turn it began in."""
    reached, opened, wait = world.gate("hold")
    left = tool("exec_command", cmd=wait, yield_time_ms=300)
    world.server.script.add(turn("leave it", answer(left), answer(text("left"))))
    with world.agent.terminal(world.repo.path) as terminal:
        terminal.turn("leave it")
        session = terminal.session
        assert names(world.agent.events(session=session))[-2:] == ["PreToolUse", "Stop"]
        assert reached.exists()
        assert forms(world.agent.records(session))[-1] == "task_complete"
        opened.touch()
        terminal.wait(lambda: forms(world.agent.records(session))[-1] == "CommandExecution", "the record of its end")
        last = [r["payload"] for r in world.agent.records(session)[-2:]]
        assert last[0]["turn_id"] == last[1]["turn_id"]
        assert names(world.agent.events(session=session))[-1] == "Stop"
        terminal.exit()


def test_a_rewind_is_a_second_file_that_stands_on_the_first(world: World) -> None:
    agent = codex(world)
    write_a(world)
    world.server.script.add(turn("spoil it", answer(text("spoilt"))), turn("go on", answer(text("on"))))
    with agent.terminal(world.repo.path) as terminal:
        terminal.turn("write a")
        first = agent.transcript(terminal.session)
        terminal.turn("spoil it")
        before = first.read_bytes()
        at = forms(agent.records(terminal.session)).index("task_started", 2)
        terminal.rewind()
        terminal.turn("go on")
        terminal.exit()
    session = terminal.session
    second = agent.transcript(session)
    assert (second != first, first.read_bytes()) == (True, before)
    head = agent.records(session)[0]["payload"]
    end = len(b"".join(before.splitlines(keepends=True)[:at]))
    base = {"thread_id": session, "end_ordinal_exclusive": at, "end_byte_offset": end}
    assert (head["id"], head["history_base"]) == (session, base)
    asked = [m.texts for m in world.server.last("go on").conversation if m.role == "user" and m.texts]
    assert asked == [("write a",), ("go on",)]
    told = [(e["hook_event_name"], e["transcript_path"]) for e in agent.events(session=session)]
    at = told.index(("SessionEnd", str(first)))
    assert told[at + 1] == ("SessionStart", str(second))


def test_compaction_by_the_person_is_a_turn_without_a_prompt(world: World) -> None:
    write_a(world)
    world.server.script.add(world.agent.summary("a was written", SECOND), turn("go on", answer(text("on"))))
    with world.agent.terminal(world.repo.path) as terminal:
        terminal.turn("write a")
        before = len(world.agent.records(terminal.session))
        terminal.compact()
        compacted = forms(world.agent.records(terminal.session))[before:]
        assert (compacted[0], compacted[-2:]) == ("task_started", ["ContextCompaction", "task_complete"])
        terminal.turn("go on")
        terminal.exit()
    said = [words for message in world.server.last("go on").conversation for words in message.texts]
    assert any("a was written" in words for words in said)
    told = [(e["hook_event_name"], e.get("source") or e.get("trigger")) for e in world.agent.events()]
    at = told.index(("PreCompact", "manual"))
    assert told[at - 1 : at + 4] == [
        ("Stop", None),
        ("PreCompact", "manual"),
        ("PostCompact", "manual"),
        ("SessionStart", "compact"),
        ("UserPromptSubmit", None),
    ]


def test_an_api_error_ends_a_turn_without_a_word(world: World) -> None:
    """Only the record of its end says so."""
    out = fault(429, "rate_limit_exceeded", "the model is out")
    world.server.script.add(turn("write a", answer(world.agent.write("a.txt", "a\n"), usage=FIRST), out))
    run = world.agent.headless("write a", world.repo.path)
    assert run.status == 1
    assert names(world.agent.events(session=run.session))[-3:] == ["PreToolUse", "PostToolUse", "SessionEnd"]
    last = world.agent.records(run.session)[-1]["payload"]
    assert (last["type"], last["last_agent_message"]) == ("task_complete", None)
    assert "429" in last["error"]["message"]
