"""Helpers of Claude Code 2.1.332: they work in the background, and their events carry the newest prompt's id."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import pytest

from tests.integration.shown import Shown, show
from tests.integration.story import Session, Story

__all__ = ["show"]


class Helper:
    """A helper that a session launches: it answers at once, and works in the background."""

    def __init__(self, session: Session, task: str) -> None:
        self.session = session
        self.last: Any = None
        self.id = f"a{uuid.uuid4().hex[:16]}"
        self.call = f"toolu_{uuid.uuid4().hex[:20]}"
        self.file = session.file.with_suffix("") / "subagents" / f"agent-{self.id}.jsonl"
        self.about = {"id": self.id, "type": "subagent", "status": "running", "description": task}
        given = {"description": task, "prompt": task, "subagent_type": "general-purpose"}
        session.answer({"type": "tool_use", "id": self.call, "name": "Agent", "input": given})
        session.hook("pre-task", tool_name="Agent", tool_use_id=self.call, tool_input=given)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        note = {"agentType": "general-purpose", "description": task, "toolUseId": self.call}
        self.file.with_suffix(".meta.json").write_text(json.dumps(note))
        result: dict[str, Any] = {"isAsync": True, "status": "async_launched", "agentId": self.id, "description": task}
        session.hook("post-task", tool_name="Agent", tool_use_id=self.call, tool_input=given, tool_response=result)
        block = {"tool_use_id": self.call, "type": "tool_result", "content": "Async agent launched successfully."}
        session.record("user", message={"role": "user", "content": [block]}, toolUseResult=result)
        self._record("user", {"role": "user", "content": task}, promptId=session.prompt_id)

    def _record(self, kind: str, message: dict[str, Any], **more: object) -> None:
        now = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"
        value = {"parentUuid": self.last, "isSidechain": True, "agentId": self.id, "type": kind, "message": message,
                 "uuid": str(uuid.uuid4()), "timestamp": stamp, "sessionId": self.session.id, **more}  # fmt: skip
        self.last = value["uuid"]
        with self.file.open("a") as file:
            file.write(json.dumps(value) + "\n")

    def say(self, *blocks: dict[str, Any]) -> None:
        usage = {"input_tokens": 7, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        self._record("assistant", {"id": f"msg_{uuid.uuid4().hex[:9]}", "role": "assistant", "model": "claude-x",
                                   "content": list(blocks), "usage": usage})  # fmt: skip

    def write(self, name: str, text: str) -> None:
        self.report(self.change(name, text), name, text)

    def change(self, name: str, text: str) -> str:
        """Write a file, of which the result is not written down yet; return the call's id."""
        path, call = str(self.session.story.root / name), f"toolu_{uuid.uuid4().hex[:20]}"
        self.say({"type": "tool_use", "id": call, "name": "Write", "input": {"file_path": path, "content": text}})
        self.session.story.write(name, text)
        return call

    def report(self, call: str, name: str, text: str) -> None:
        path = str(self.session.story.root / name)
        block = {"tool_use_id": call, "type": "tool_result", "content": "ok"}
        result: dict[str, Any] = {
            "type": "create",
            "filePath": path,
            "content": text,
            "structuredPatch": [],
            "originalFile": None,
        }
        self._record("user", {"role": "user", "content": [block]}, toolUseResult=result)

    def end(self, text: str = "Done.") -> None:
        self.say({"type": "text", "text": text})
        self.session.hook("subagent-stop", agent_id=self.id, agent_type="general-purpose", stop_hook_active=False,
                          agent_transcript_path=str(self.file), last_assistant_message=text,
                          background_tasks=[self.about])  # fmt: skip

    def notify(self) -> None:
        """Begin the turn in which the agent hears of the helper's end."""
        text = (f"<task-notification>\n<task-id>{self.id}</task-id>\n<tool-use-id>{self.call}</tool-use-id>\n"
                f"<status>completed</status>\n<summary>Agent finished</summary>\n</task-notification>")  # fmt: skip
        session = self.session
        session.prompt_id = str(uuid.uuid4())
        session.hook("user-prompt-submit", prompt=text)
        session.record("user", promptId=session.prompt_id, promptSource="system", origin={"kind": "task-notification"},
                       message={"role": "user", "content": text})  # fmt: skip


def stop(session: Session, *running: Helper) -> None:
    session.answer({"type": "text", "text": "Launched."})
    session.hook("stop", last_assistant_message="Launched.", background_tasks=[helper.about for helper in running])


def why(show: Shown, name: str, line: int = 1) -> dict[str, Any]:
    shown = json.loads(show(f"{name}:{line}", "--json", command="why"))
    found: dict[str, Any] = shown["files"][0]["ranges"][0]
    return found


@pytest.mark.parametrize("order", ["before the notification", "after it", "in a later prompt", "before the stop"])
def test_what_a_helper_wrote_is_that_of_the_prompt_that_launched_it(story: Story, show: Shown, order: str) -> None:
    session = story.started()
    session.prompt("Use a helper")
    helper = Helper(session, "Write a note")
    if order == "before the stop":
        helper.write("note.txt", "from a helper\n")
        helper.end()
    stop(session, helper)
    if order == "in a later prompt":
        session.prompt("Something else")
        session.write("else.txt", "else\n")
    if order != "before the stop":
        helper.write("note.txt", "from a helper\n")
    if order in ("before the notification", "in a later prompt"):
        helper.end()
    if order == "in a later prompt":
        session.stop()
    helper.notify()
    if order == "after it":
        helper.end()
    session.stop("The helper is done.")
    story.commit("Note")
    line = why(show, "note.txt")
    assert (line["origin"]["prompt"], line["call"]["name"]) == ("Use a helper", "Write")
    if order == "in a later prompt":
        assert why(show, "else.txt")["origin"]["prompt"] == "Something else"
    prompts = story.linked()["slots"][session.id]["prompts"]
    assert prompts == ["Use a helper", *(["Something else"] if order == "in a later prompt" else [])]


def test_what_a_helper_reports_after_its_turns_end_has_found_the_file(story: Story, show: Shown) -> None:
    """The result is written down later than the file: the snapshot of the turn's end has it as nobody's."""
    session = story.started()
    session.prompt("Use a helper")
    helper = Helper(session, "Write a note")
    call = helper.change("note.txt", "from a helper\n")
    stop(session, helper)
    helper.report(call, "note.txt", "from a helper\n")
    helper.end()
    helper.notify()
    session.stop("The helper is done.")
    story.commit("Note")
    assert story.linked()["files_touched"] == ["note.txt"]
    assert why(show, "note.txt")["origin"]["prompt"] == "Use a helper"


def test_what_the_agent_wrote_when_it_heard_of_the_end(story: Story, show: Shown) -> None:
    """It began that turn by itself: the turn answers the prompt that launched the helper."""
    session = story.started()
    session.prompt("Use a helper")
    helper = Helper(session, "Write a note")
    stop(session, helper)
    with session.turn("Something else"):
        session.write("else.txt", "else\n")
    helper.write("note.txt", "from a helper\n")
    helper.end()
    helper.notify()
    session.write("after.txt", "after\n")
    session.stop()
    uncommitted = why(show, "after.txt")
    story.commit("Note")
    for line in (uncommitted, why(show, "after.txt")):
        assert (line["origin"]["prompt"], line["call"]["name"]) == ("Use a helper", "Write")
    turn = line["origin"]["turn"]
    assert f"2 ({why(show, 'else.txt')['origin']['turn']})" in show(f"{session.id}/{turn}")


def test_a_commit_while_a_helper_works(story: Story, show: Shown) -> None:
    session = story.started()
    session.prompt("Use a helper")
    helper = Helper(session, "Write two notes")
    stop(session, helper)
    helper.write("one.txt", "first\n")
    story.commit("One")
    first = story.linked()
    assert why(show, "one.txt")["call"]["name"] == "Write"
    helper.write("two.txt", "second\n")
    helper.end()
    helper.notify()
    session.stop()
    story.commit("Two")
    assert story.linked()["slots"][session.id]["files_touched"] == ["two.txt"]
    assert first["slots"][session.id]["files_touched"] == ["one.txt"]
    for name in ("one.txt", "two.txt"):
        line = why(show, name)
        assert (line["origin"]["prompt"], line["call"]["name"]) == ("Use a helper", "Write")


def test_two_helpers_of_two_prompts_that_end_in_the_other_order(story: Story, show: Shown) -> None:
    session = story.started()
    helpers = {}
    for name in ("one", "two"):
        session.prompt(f"Launch {name}")
        helpers[name] = Helper(session, name)
        stop(session, *helpers.values())
    for name in ("two", "one"):
        helpers[name].write(f"{name}.txt", f"{name}\n")
        helpers[name].end()
        helpers[name].notify()
        session.stop()
    story.commit("Both")
    for name in ("one", "two"):
        line = why(show, f"{name}.txt")
        assert (line["origin"]["prompt"], line["call"]["name"]) == (f"Launch {name}", "Write")
    counted = story.linked()["slots"][session.id]["token_usage"]
    assert counted["subagent_tokens"]["api_call_count"] == 4


def test_the_agent_exits_while_a_helper_works(story: Story, show: Shown) -> None:
    """No SubagentStop, no notification: what it reported until then is its prompt's."""
    session = story.started()
    session.prompt("Use a helper")
    helper = Helper(session, "Write a note")
    stop(session, helper)
    helper.write("note.txt", "from a helper\n")
    session.end()
    story.commit("Note")
    line = why(show, "note.txt")
    assert (line["origin"]["prompt"], line["call"]["name"]) == ("Use a helper", "Write")
