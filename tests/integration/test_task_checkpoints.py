"""The checkpoint of a subagent's own commit names its task, in its message and in its session's record."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from tests.integration.story import Session, Story

TASK = "toolu_0a1b2c3d4e5f6"
GIVEN = {"description": "Write a <note>", "prompt": "Write it", "subagent_type": "general-purpose"}
SUBJECT = "Completed 'general-purpose' agent: Write a <note> (toolu_0a1b2c)"
EDITOR = """\
import json, pathlib
path = pathlib.Path(".git/entire/pending.json")
path.write_text(json.dumps({**json.loads(path.read_text()), "task": "TASK"}))
"""


def delegate(session: Session) -> None:
    """Let a subagent write a file."""
    session.hook("pre-task", tool_name="Agent", tool_use_id=TASK, tool_input=GIVEN)
    session.write("note.txt", "note\n")
    result = {"status": "completed", "agentId": "a1", "agentType": "general-purpose", "content": []}
    session.hook("post-task", tool_name="Agent", tool_use_id=TASK, tool_input=GIVEN, tool_response=result)


def commit(story: Story, tmp_path: Path, task: str, *args: str) -> str:
    """Commit; between prepare-commit-msg and post-commit, say that the commit is a task's."""
    script = tmp_path / "editor.py"
    script.write_text(EDITOR.replace("TASK", task))
    editor = shlex.join([sys.executable, str(script)])
    return story.commit("Note", "-e", *args, env={"GIT_EDITOR": editor})


def written(story: Story) -> str:
    """Return the message of the newest commit of the checkpoints branch, from its third line on."""
    message = story.git("cat-file", "commit", "entire/checkpoints/v1").partition("\n\n")[2]
    return message.partition("\n\n")[2]


def record_of(story: Story, session: Session) -> dict[str, Any]:
    found: dict[str, Any] = story.linked()["slots"][session.id]
    return found


def test_the_commit_of_a_task(story: Story, tmp_path: Path) -> None:
    session = story.started()
    session.prompt("Use a helper")
    delegate(session)
    commit(story, tmp_path, TASK)
    (checkpoint_id,) = story.ids()
    assert written(story).splitlines()[:2] == [SUBJECT, ""]
    assert written(story).splitlines()[-1] == f"Entire-Metadata-Task: {checkpoint_id.path}/tasks/{TASK}"
    record = record_of(story, session)
    assert (record["is_task"], record["tool_use_id"]) == (True, TASK)
    assert list(record)[list(record).index("turn_id") + 1 :][:2] == ["is_task", "tool_use_id"]
    told = json.loads(story.show(f"{checkpoint_id.path}/tasks/{TASK}/checkpoint.json"))
    assert (told["tool_use_id"], told["agent_id"]) == (TASK, "a1")
    session.stop()  # finalises the checkpoint
    assert (record_of(story, session)["is_task"], record_of(story, session)["tool_use_id"]) == (True, TASK)
    assert story.log_errors() == []


def test_an_amended_commit_of_a_task_stays_one(story: Story, tmp_path: Path) -> None:
    session = story.started()
    with session.turn("Use a helper"):
        delegate(session)
    commit(story, tmp_path, TASK)
    with session.turn("More"):
        session.write("more.txt", "more\n")
    story.commit("Note", "--amend")
    record = record_of(story, session)
    assert record["files_touched"] == ["more.txt", "note.txt"]
    assert (record["is_task"], record["tool_use_id"]) == (True, TASK)


def test_a_task_of_no_session_is_not_named(story: Story, tmp_path: Path) -> None:
    session = story.started()
    with session.turn("Use a helper"):
        delegate(session)
    commit(story, tmp_path, "toolu_unknown")
    assert written(story).startswith("Entire-Session: ")
    assert "Entire-Metadata-Task" not in written(story)
    assert {"is_task", "tool_use_id"}.isdisjoint(record_of(story, session))
