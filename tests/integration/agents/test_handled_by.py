"""Sessions whose agent calls the hooks of another one: recorded as its own, whether it is installed or not."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

from entire.agents import registry
from entire.agents.registry import AgentEntry
from entire.cli import main
from tests.bare_agent import Bare, entry
from tests.integration.story import Story

ID = "5b9f37e5-d3ee-47e2-9c2f-651a17c9b118"
HOST, GUEST = "bare", "guest"


class Guest:
    """A conversation of an agent that calls the hooks of ``Bare``, its own, or both."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.file = story.projects / "conversations" / f"{ID}.jsonl"
        self.file.parent.mkdir(parents=True)
        self.turn = 0

    def hook(self, verb: str, agent: str = HOST, **more: object) -> None:
        payload = {
            "session_id": ID,
            "session_ref": str(self.file),
            "turn_ref": f"turn-{self.turn}",
            "cwd": str(self.story.root),
            "handled_by": "" if agent == GUEST else GUEST,
            **more,
        }
        self.send(agent, verb, payload)

    def send(self, agent: str, verb: str, payload: dict[str, object]) -> None:
        """Call a hook that prints nothing."""
        before = sys.stdin, sys.stdout, Path.cwd()
        sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode()))
        sys.stdout = io.TextIOWrapper(io.BytesIO())
        os.chdir(self.story.projects)  # it runs a user's hooks in a folder of its own
        try:
            assert main(["hooks", agent, verb]) == 0
            sys.stdout.flush()
            assert sys.stdout.buffer.getvalue() == b""
        finally:
            sys.stdin, sys.stdout = before[:2]
            os.chdir(before[2])

    def say(self, role: str, text: str) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps({"role": role, "message": {"content": [{"type": "text", "text": text}]}}) + "\n")

    def start(self, *agents: str) -> None:
        for agent in agents or (HOST,):
            self.hook("session-start", agent)

    def prompt(self, text: str, *agents: str) -> None:
        self.turn += 1
        for agent in agents or (HOST,):
            self.hook("turn-start", agent, prompt=text)
        self.say("user", text)

    def stop(self, *agents: str) -> None:
        self.say("assistant", "Done.")
        for agent in agents or (HOST,):
            self.hook("turn-end", agent)

    def state(self) -> dict[str, Any]:
        (path,) = (self.story.root / ".git/entire-sessions").glob("*.json")
        found: dict[str, Any] = json.loads(path.read_text())
        assert path.stem == found["session_id"] == ID
        return found

    def turns(self) -> list[str]:
        path = self.story.root / ".git/entire/sessions" / f"{ID}.turns"
        return [json.loads(line)["prompt"] for line in path.read_text().splitlines() if line]


class Own(Bare):
    name: ClassVar[str] = GUEST
    type: ClassVar[str] = "Guest"


@pytest.fixture
def guest(story: Story, monkeypatch: pytest.MonkeyPatch) -> Guest:
    monkeypatch.setitem(registry.BUILTIN, HOST, entry("Bare"))
    return Guest(story)


def test_a_conversation_of_an_agent_that_is_not_installed(guest: Guest, capsys: pytest.CaptureFixture[str]) -> None:
    story = guest.story
    guest.start()
    guest.prompt("Create a.txt and b.txt")
    story.write("a.txt", "1\n")
    story.commit("Add a in the turn")
    story.write("b.txt", "2\n")
    guest.stop()
    story.commit("Add b")
    for commit, files in (("HEAD~1", ["a.txt"]), ("HEAD", ["b.txt"])):
        slot = story.linked(commit)["slots"][ID]
        assert (slot["agent"], slot["files_touched"]) == (GUEST, files)
        assert slot["prompts"] == ["Create a.txt and b.txt"]
        assert slot["transcript"] == guest.file.read_text(), "complete since the turn's end"
    state = guest.state()
    assert (state["agent_type"], state["phase"], state["transcript_path"]) == (GUEST, "idle", str(guest.file))
    assert story.log_errors() == []
    guest.hook("session-end")
    assert guest.state()["phase"] == "ended"
    for command in (["resume"], ["resume", "--session", ID], ["rewind", "--list"], ["status"], ["explain"]):
        story.entire(*command)
    said = "".join(capsys.readouterr())
    assert Bare.type not in said


def test_a_turn_that_was_lost_is_saved_once_its_agent_is_gone(guest: Guest) -> None:
    story = guest.story
    guest.prompt("Create a.txt")
    story.write("a.txt", "1\n")
    own = story.root / ".git/entire/sessions" / f"{ID}.json"
    own.write_text(json.dumps({**json.loads(own.read_text()), "process": [1 << 22, "1"]}))
    story.started()
    (path,) = (story.root / ".git/entire-sessions").glob(f"{ID}.json")
    assert json.loads(path.read_text())["phase"] == "idle"
    story.commit("Add a")
    assert story.linked()["slots"][ID]["files_touched"] == ["a.txt"]


@pytest.mark.parametrize("agents", [(HOST, GUEST), (GUEST, HOST)])
def test_a_conversation_that_reaches_both_agents_hooks_is_one_session(
    guest: Guest, monkeypatch: pytest.MonkeyPatch, agents: tuple[str, str]
) -> None:
    monkeypatch.setitem(registry.BUILTIN, GUEST, AgentEntry(name=GUEST, type="Guest", target=f"{__name__}:Own"))
    story = guest.story
    guest.start(*agents)
    for number in "12":
        guest.prompt(f"Create {number}.txt", *agents)
        story.write(f"{number}.txt", "x\n")
        guest.stop(*agents)
    assert guest.turns() == ["Create 1.txt", "Create 2.txt"]
    state = guest.state()
    assert (state["agent_type"], state["checkpoint_count"]) == ("Guest", 2)
    story.commit("Add both")
    slot = story.linked()["slots"][ID]
    assert (slot["agent"], slot["files_touched"], slot["checkpoints_count"]) == ("Guest", ["1.txt", "2.txt"], 2)
    errors = set(story.log_errors())  # git runs another process, where it is not installed
    assert errors <= {"the agent 'guest' is not installed; its transcript is saved without being read"}


def test_its_subagents(guest: Guest) -> None:
    child = guest.file.parent / "agent-abc-123.jsonl"
    child.write_text('{"role":"assistant"}\n')
    guest.prompt("Delegate")
    task = {"tool_use_id": "tc_1", "subagent_type": "explore", "task_description": "Look"}
    guest.hook("subagent-start", **task)
    guest.story.write("a.txt", "1\n")
    guest.hook("subagent-end", subagent_id="abc-123", subagent_ref=str(child), **task)
    guest.hook("subagent-end", **task)
    guest.stop()
    assert guest.state()["transcript_path"] == str(guest.file)
    guest.story.commit("Add a")
    names = guest.story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1").splitlines()
    assert [name.partition("/tasks/")[2] for name in names if "/tasks/" in name] == [
        "tc_1/agent-abc-123.jsonl",
        "tc_1/checkpoint.json",
    ]
    assert guest.story.log_errors() == []


@pytest.mark.parametrize("session", [{}, {"session_id": ID}])
def test_a_conversation_of_cursor_leaves_nothing(story: Story, session: dict[str, str]) -> None:
    """It also runs the hooks in Claude Code's settings, with payloads of its own (as documented)."""
    guest = Guest(story)
    guest.say("user", "Create a.txt")
    common = {"conversation_id": ID, "generation_id": "0d4c5f1e", "model": "claude-sonnet-4",
              "cursor_version": "2026.09.26-dd393fe", "workspace_roots": [str(story.root)], "user_email": None,
              "transcript_path": str(guest.file), **session}  # fmt: skip
    calls: list[tuple[str, dict[str, object]]] = [
        ("session-start", {"hook_event_name": "sessionStart", "composer_mode": "agent"}),
        ("user-prompt-submit", {"hook_event_name": "beforeSubmitPrompt", "prompt": "Create a.txt", "attachments": []}),
        ("pre-task", {"hook_event_name": "preToolUse", "tool_name": "Task", "tool_use_id": "tc_1", "tool_input": {}}),
        ("post-todo", {"hook_event_name": "postToolUse", "tool_name": "TodoWrite", "tool_input": {}}),
        ("subagent-stop", {"hook_event_name": "subagentStop", "parent_conversation_id": ID, "status": "completed"}),
        ("stop", {"hook_event_name": "stop", "status": "completed", "loop_count": 0}),
        ("session-end", {"hook_event_name": "sessionEnd", "reason": "completed"}),
    ]
    for verb, payload in calls:
        guest.send("claude-code", verb, {**common, **payload})
    story.write("a.txt", "1\n")
    story.commit("Add a")
    assert story.ids() == []
    assert story.log_errors() == []
    assert not (story.root / ".git/entire-sessions").exists()
