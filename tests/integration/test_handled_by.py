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
from tests.integration.bare_agent import Bare
from tests.integration.story import Story

ID = "5b9f37e5-d3ee-47e2-9c2f-651a17c9b118"


class Cursor:
    """A conversation of Cursor, which calls Claude Code's hooks with payloads of its own (as documented)."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.file = story.projects / "agent-transcripts" / ID / f"{ID}.jsonl"
        self.file.parent.mkdir(parents=True)
        self.turn = 0

    def hook(self, verb: str, name: str, agent: str = "claude-code", **more: object) -> str:
        payload = {
            "conversation_id": ID,
            "generation_id": f"0d4c5f1e-0000-4000-8000-{self.turn:012}",
            "model": "claude-sonnet-4",
            "hook_event_name": name,
            "cursor_version": "2026.09.26-dd393fe",
            "workspace_roots": [str(self.story.root)],
            "user_email": None,
            "transcript_path": str(self.file),
            **more,
        }
        before = sys.stdin, sys.stdout, Path.cwd()
        sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode()))
        sys.stdout = io.TextIOWrapper(io.BytesIO())
        os.chdir(self.story.projects)  # Cursor runs a user's hooks in a folder of its own
        try:
            assert main(["hooks", agent, verb]) == 0
            sys.stdout.flush()
            return sys.stdout.buffer.getvalue().decode()  # type: ignore[no-any-return]
        finally:
            sys.stdin, sys.stdout = before[:2]
            os.chdir(before[2])

    def say(self, role: str, text: str) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps({"role": role, "message": {"content": [{"type": "text", "text": text}]}}) + "\n")

    def start(self, *agents: str) -> None:
        for agent in agents or ("claude-code",):
            self.hook("session-start", "sessionStart", agent, session_id=ID, composer_mode="agent")

    def prompt(self, text: str, *agents: str) -> None:
        self.turn += 1
        for agent in agents or ("claude-code",):
            self.hook("user-prompt-submit", "beforeSubmitPrompt", agent, prompt=text, attachments=[])
        self.say("user", text)

    def stop(self, *agents: str) -> None:
        self.say("assistant", "Done.")
        for agent in agents or ("claude-code",):
            self.hook("stop", "stop", agent, status="completed", loop_count=0)

    def state(self) -> dict[str, Any]:
        (path,) = (self.story.root / ".git/entire-sessions").glob("*.json")
        found: dict[str, Any] = json.loads(path.read_text())
        assert path.stem == found["session_id"] == ID
        return found

    def turns(self) -> list[str]:
        path = self.story.root / ".git/entire/sessions" / f"{ID}.turns"
        return [json.loads(line)["prompt"] for line in path.read_text().splitlines() if line]


@pytest.fixture
def cursor(story: Story) -> Cursor:
    return Cursor(story)


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install an adapter for the agent, which translates its payloads itself."""
    entry = AgentEntry(name="cursor", type="Cursor", target=f"{__name__}:Own")
    monkeypatch.setitem(registry.BUILTIN, "cursor", entry)


class Own(Bare):
    name: ClassVar[str] = "cursor"
    type: ClassVar[str] = "Cursor"

    def parse_hook(self, hook: str, payload: bytes) -> Any:
        given = json.loads(payload)
        verb = {"stop": "turn-end", "user-prompt-submit": "turn-start"}.get(hook, hook)
        return super().parse_hook(verb, json.dumps({
            "session_id": given["conversation_id"], "session_ref": given["transcript_path"],
            "turn_ref": given["generation_id"], "prompt": given.get("prompt", ""), "cwd": given["workspace_roots"][0],
        }).encode())  # fmt: skip


def test_a_conversation_of_an_agent_that_is_not_installed(cursor: Cursor, capsys: pytest.CaptureFixture[str]) -> None:
    story = cursor.story
    cursor.start()
    cursor.prompt("Create a.txt and b.txt")
    story.write("a.txt", "1\n")
    story.commit("Add a in the turn")
    story.write("b.txt", "2\n")
    cursor.stop()
    story.commit("Add b")
    for commit, files in (("HEAD~1", ["a.txt"]), ("HEAD", ["b.txt"])):
        slot = story.linked(commit)["slots"][ID]
        assert (slot["agent"], slot["files_touched"]) == ("Cursor", files)
        assert slot["prompts"] == ["Create a.txt and b.txt"]
        assert slot["transcript"] == cursor.file.read_text(), "complete since the turn's end"
    state = cursor.state()
    assert (state["agent_type"], state["phase"], state["transcript_path"]) == ("Cursor", "idle", str(cursor.file))
    assert story.log_errors() == []
    cursor.hook("session-end", "sessionEnd", session_id=ID, reason="completed")
    assert cursor.state()["phase"] == "ended"
    for command in (["resume"], ["resume", "--session", ID], ["rewind", "--list"], ["status"], ["explain"]):
        story.entire(*command)
    said = "".join(capsys.readouterr())
    assert "claude -r" not in said
    assert "claude --resume" not in said


def test_a_turn_that_was_lost_is_saved_once_its_agent_is_gone(cursor: Cursor) -> None:
    story = cursor.story
    cursor.prompt("Create a.txt")
    story.write("a.txt", "1\n")
    own = story.root / ".git/entire/sessions" / f"{ID}.json"
    own.write_text(json.dumps({**json.loads(own.read_text()), "process": [1 << 22, "1"]}))
    story.started()
    (path,) = (story.root / ".git/entire-sessions").glob(f"{ID}.json")
    assert json.loads(path.read_text())["phase"] == "idle"
    story.commit("Add a")
    assert story.linked()["slots"][ID]["files_touched"] == ["a.txt"]


@pytest.mark.parametrize("agents", [("claude-code", "cursor"), ("cursor", "claude-code")])
def test_a_conversation_that_reaches_both_agents_hooks_is_one_session(
    cursor: Cursor, monkeypatch: pytest.MonkeyPatch, agents: tuple[str, str]
) -> None:
    install(monkeypatch)
    story = cursor.story
    cursor.start(*agents)
    for number in "12":
        cursor.prompt(f"Create {number}.txt", *agents)
        story.write(f"{number}.txt", "x\n")
        cursor.stop(*agents)
    assert cursor.turns() == ["Create 1.txt", "Create 2.txt"]
    state = cursor.state()
    assert (state["agent_type"], state["checkpoint_count"]) == ("Cursor", 2)
    story.commit("Add both")
    slot = story.linked()["slots"][ID]
    assert (slot["agent"], slot["files_touched"], slot["checkpoints_count"]) == ("Cursor", ["1.txt", "2.txt"], 2)
    errors = set(story.log_errors())  # git runs another process, where it is not installed
    assert errors <= {"the agent 'cursor' is not installed; its transcript is saved without being read"}


def test_its_subagents(cursor: Cursor) -> None:
    child = cursor.file.parent / "subagents" / "abc-123.jsonl"
    child.parent.mkdir()
    child.write_text('{"role":"assistant"}\n')
    cursor.prompt("Delegate")
    task: dict[str, Any] = {
        "tool_name": "Task",
        "tool_use_id": "tc_1",
        "tool_input": {"subagent_type": "explore", "description": "Look"},
    }
    cursor.hook("pre-task", "preToolUse", **task)
    cursor.story.write("a.txt", "1\n")
    end = {"subagent_type": "explore", "description": "Look", "summary": "Looked", "status": "completed"}
    cursor.hook("subagent-stop", "subagentStop", conversation_id="of-the-child", parent_conversation_id=ID,
                agent_transcript_path=str(child), **end)  # fmt: skip
    cursor.hook("post-task", "postToolUse", **task, tool_output="{}")
    cursor.stop()
    assert cursor.state()["transcript_path"] == str(cursor.file)
    cursor.story.commit("Add a")
    names = cursor.story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1").splitlines()
    assert [name.partition("/tasks/")[2] for name in names if "/tasks/" in name] == [
        "tc_1/agent-abc-123.jsonl",
        "tc_1/checkpoint.json",
    ]
    assert cursor.story.log_errors() == []


@pytest.mark.parametrize("verb", ["post-todo", "stop-failure", "no-such-verb"])
def test_what_means_nothing(cursor: Cursor, verb: str) -> None:
    assert cursor.hook(verb, "postToolUse", tool_name="TodoWrite") == ""
    assert cursor.hook("pre-task", "preToolUse", tool_name="Shell") == ""
    assert cursor.hook("stop", "stop", conversation_id="../x") == ""
    assert not (cursor.story.root / ".git/entire-sessions").exists()
