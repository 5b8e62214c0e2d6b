"""An agent that deletes its transcript loses nothing that was readable at a turn's end (linking.md section 7)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    story.write("a.txt", "one\n")
    story.commit("First")
    session = story.session()
    session.start()
    return session


def vanish(session: Session) -> str:
    """Delete the transcript as an agent's own cleanup does; return what it held."""
    held = session.file.read_text()
    session.file.unlink()
    shutil.rmtree(session.file.with_suffix(""), ignore_errors=True)
    return held


def helper(session: Session, name: str, words: str = "helped", call: str = "") -> Path:
    """Let a subagent answer; return its transcript."""
    path = session.file.with_suffix("") / "subagents" / f"agent-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    call, prompt = call or f"toolu_{name}", {"prompt": "help", "subagent_type": "helper", "description": "helps"}
    session.hook("pre-task", tool_name="Task", tool_use_id=call, tool_input=prompt)
    session.answer({"type": "tool_use", "id": call, "name": "Task", "input": prompt})
    usage = {"input_tokens": 1000, "output_tokens": 7}
    message = {"id": f"msg_{call}", "type": "message", "role": "assistant", "model": "x", "usage": usage,
               "content": [{"type": "text", "text": words}]}  # fmt: skip
    record = {"type": "assistant", "isSidechain": True, "uuid": call, "message": message}
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")
    session.record("user", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": call}]},
                   toolUseResult={"agentId": name, "status": "completed"})  # fmt: skip
    session.hook("post-task", tool_name="Task", tool_use_id=call, tool_input=prompt, tool_response={"agentId": name})
    return path


def tasks(story: Story) -> dict[str, str]:
    """Return the subagents' transcripts in the checkpoint of HEAD, by file name."""
    (checkpoint_id,) = story.ids("HEAD")
    folder = f"{checkpoint_id[:2]}/{checkpoint_id[2:]}/tasks"
    listed = story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1", folder).split()
    return {Path(name).name: story.git("show", f"entire/checkpoints/v1:{name}") for name in listed
            if name.endswith(".jsonl")}  # fmt: skip


def sole(story: Story) -> dict[str, Any]:
    """Return the record of the only session in the checkpoint of HEAD."""
    (record,) = story.linked()["slots"].values()
    found: dict[str, Any] = record
    return found


def sums(record: dict[str, Any]) -> tuple[int, int]:
    usage = record["token_usage"]
    return usage["input_tokens"], usage["api_call_count"]


def helped(record: dict[str, Any]) -> tuple[int, int]:
    usage = record["token_usage"].get("subagent_tokens") or {}
    return usage.get("input_tokens", 0), usage.get("api_call_count", 0)


def test_between_a_turn_and_its_commit(story: Story, session: Session) -> None:
    with session.turn("Write b"):
        session.write("b.txt", "b\n")
        path = helper(session, "h1")
        said = path.read_text()
    held = vanish(session)
    story.commit("b")
    record = sole(story)
    assert record["transcript"] == held
    assert record["prompts"] == ["Write b"]
    assert sums(record) == (1 + 2 + 4, 3)
    assert helped(record) == (1000, 1)
    assert tasks(story) == {"agent-h1.jsonl": said}
    assert story.log_errors() == []


def test_after_a_turn_without_changed_files(story: Story, session: Session) -> None:
    with session.turn("Write b"):
        session.write("b.txt", "b\n")
    with session.turn("What is in b?"):
        path = helper(session, "h2")
        said = path.read_text()
    held = vanish(session)
    story.commit("b")
    record = sole(story)
    assert record["transcript"] == held
    assert record["prompts"] == ["Write b", "What is in b?"]
    assert sums(record) == (1 + 2 + 4 + 8 + 16 - 16, 4)
    assert helped(record) == (1000, 1)
    assert tasks(story) == {"agent-h2.jsonl": said}


def test_a_subagent_that_was_counted_before_is_counted_on(story: Story, session: Session) -> None:
    """What is stored of it is shorter than what it was: a secret in it was redacted."""
    with session.turn("Write b"):
        session.write("b.txt", "b\n")
        helper(session, "h1", "the token is ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s" + " " * 9)
    story.commit("b")
    assert helped(sole(story)) == (1000, 1)
    with session.turn("Write c"):
        session.write("c.txt", "c\n")
        helper(session, "h1", "again", call="toolu_again")
    vanish(session)
    story.commit("c")
    assert helped(sole(story)) == (1000, 1)


def test_a_transcript_that_was_cut(story: Story, session: Session) -> None:
    with session.turn("Write b"):
        session.write("b.txt", "b\n")
    held = session.file.read_text()
    session.file.write_text("".join(held.splitlines(keepends=True)[:2]))
    story.commit("b")
    assert sole(story)["transcript"] == held
    assert sums(sole(story)) == (1 + 2, 2)


def test_a_transcript_that_went_another_way(story: Story, session: Session) -> None:
    """What the agent wrote in place of something else counts, though it is shorter."""
    with session.turn("Write b"):
        session.write("b.txt", "b\n")
    first, *_ = session.file.read_text().splitlines(keepends=True)
    session.file.write_text(first + '{"type": "summary", "summary": "Made b"}\n')
    story.commit("b")
    assert sole(story)["transcript"] == session.file.read_text()


def test_a_transcript_that_was_cut_after_a_commit_of_the_turn(story: Story, session: Session) -> None:
    session.prompt("Write and commit")
    session.write("b.txt", "b\n")
    session.commit("b")
    session.write("c.txt", "c\n")
    before = sole(story)["transcript"]
    held = session.file.read_text()
    session.file.write_text("".join(held.splitlines(keepends=True)[:2]))
    session.hook("stop", last_assistant_message="Done.")
    assert sole(story)["transcript"] == before
    assert sole(story)["token_usage"]["api_call_count"] >= 2
    assert story.log_errors() == []


def test_a_checkpoint_of_the_turn_is_not_emptied_at_its_end(story: Story, session: Session) -> None:
    session.prompt("Write and commit")
    session.write("b.txt", "b\n")
    session.commit("b")
    held = vanish(session)
    session.hook("stop", last_assistant_message="Done.")
    record = sole(story)
    assert record["transcript"] and held.startswith(record["transcript"])
    assert record["token_usage"]["api_call_count"] >= 1
    assert story.log_errors() == []


def test_a_turn_without_changes_can_be_gone_back_to(story: Story, session: Session) -> None:
    with session.turn("What is in a?"):
        path = helper(session, "h3")
    said = path.read_text()
    first = session.file.read_text()
    with session.turn("And now?"):
        pass
    vanish(session)
    points = json.loads(capture(story, "rewind", "--list"))
    assert [point["message"] for point in points] == ["And now", "What is in a"]
    assert story.entire("rewind", "--to", points[-1]["id"], "--yes") == 0
    assert session.file.read_text() == first
    assert path.read_text() == said


def test_a_session_without_a_step_can_be_resumed(story: Story, session: Session) -> None:
    with session.turn("What is in a?"):
        pass
    held = vanish(session)
    session.end()
    assert story.entire("resume", session.id) == 0
    assert session.file.read_text() == held


def test_what_follows_a_loss_is_counted_once(story: Story, session: Session) -> None:
    with session.turn("Write b"):
        session.write("b.txt", "b\n")
    vanish(session)
    story.commit("b")
    assert sums(sole(story)) == (1 + 2, 2)
    assert story.entire("resume", session.id) == 0
    with session.turn("Write c"):
        session.write("c.txt", "c\n")
    story.commit("c")
    assert sums(sole(story)) == (4 + 8, 2)


def capture(story: Story, *args: str) -> str:
    import io
    import sys

    out, sys.stdout = sys.stdout, io.StringIO()
    try:
        assert story.entire(*args) == 0
        return sys.stdout.getvalue()
    finally:
        sys.stdout = out
