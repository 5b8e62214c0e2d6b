"""``entire show``: what is printed for a commit, a checkpoint and a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.shown import Shown, begun, show
from tests.integration.story import Session, Story

__all__ = ["show"]


@pytest.fixture
def session(story: Story) -> Session:
    return begun(story)


def without_times(out: str) -> list[str]:
    return [line.partition("  20")[0].rstrip() for line in out.split("\n")]


def test_a_commit_with_its_conversation(story: Story, session: Session, show: Shown) -> None:
    out = without_times(show("HEAD~1"))
    start = out.index(f"Conversation of session {session.id}")
    write = out.pop(start + 5)  # whose path may be cut
    assert write.startswith(f"  * Write: {story.root}"[:60]) and write.endswith(" (+2 -0)")
    assert out[start + 2 :] == [
        "You  turn 1",
        "  Add a greeting",
        "",
        "    +print('hi')",
        "    +print('there')",
        "  ✗ Bash: pytest -q (3 lines)",
        "    collected 1",
        "    E assert 0",
        "    Exit code 1",
        "",
        "Agent",
        "  Done.",
        "",
    ]
    assert show(story.ids("HEAD~1")[0][:6]).split("\n")[5:] == show("HEAD~1").split("\n")[5:]
    assert "Say hello" in show()
    assert "Add a greeting" not in show()


def test_a_whole_session_while_it_works(session: Session, show: Shown) -> None:
    out = show(session.id[:8])
    assert "  From         the agent's own transcript\n" in out
    assert [line.strip() for line in out.split("\n") if line.startswith("You")] == [
        line.strip() for line in out.split("\n") if "  turn " in line
    ]
    for prompt in ("Add a greeting", "Say hello", "And now the rest"):
        assert f"\n  {prompt}\n" in out
    (part,) = show.json(session.id)["conversations"]
    assert [turn["number"] for turn in part["turns"]] == [1, 2, 3]
    assert len({turn["turn"] for turn in part["turns"]} - {""}) == 3
    assert part["messages"] is None


def test_json_has_the_conversation_only_when_asked_for_all(session: Session, show: Shown) -> None:
    assert [part["messages"] for part in show.json("HEAD")["conversations"]] in ([], [None])
    (part,) = show.json("HEAD", "--full")["conversations"]
    (call,) = [message["call"] for message in part["messages"] if message["call"]]
    assert [(edit["old"], edit["new"]) for edit in call["edits"]] == [("'hi'", "'hello'")]
    assert call["output"] == "ok"
    assert part["session_id"] == session.id


def test_a_commit_without_a_checkpoint(story: Story, show: Shown) -> None:
    assert show("HEAD").startswith("No associated Entire checkpoint for ")
    assert show.json("HEAD")["checkpoints"] == []
    assert "no commit, checkpoint, session or turn here" in show.error("nonsense")
    assert "TARGET" in show.error("HEAD", "--uncommitted", status=2)


def test_before_the_first_commit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story = Story(tmp_path / "new", first_commit=False)
    show = Shown(story, capsys)
    assert "there are no commits yet" in show.error()
    session = story.started()
    session.prompt("Begin")
    session.write("a.py", "one\n")
    assert "+one\n" in show("--uncommitted")
    session.stop()
    assert "Begin" in show("--uncommitted")
    assert "+one\n" in show("--uncommitted")


def test_a_prompt_that_the_agent_has_not_written_yet(story: Story, show: Shown) -> None:
    session = story.started()
    with session.turn("First"):
        session.write("a.py", "a\n")
    session.hook("user-prompt-submit", prompt="Second", prompt_id="p-2")
    (part,) = show.json(session.id)["conversations"]
    assert [(turn["number"], turn["prompt"], turn["ended"] is None) for turn in part["turns"]] == [
        (1, "First", False), (2, "Second", True),
    ]  # fmt: skip
    assert show(session.id).endswith("\n  Second\n")
    assert "First" not in show(f"{session.id}/2")
    assert show.json("--uncommitted")["conversations"][0]["open_files"] == ["a.py"]


def test_a_session_without_a_transcript(story: Story, show: Shown) -> None:
    session = story.started()
    session.hook("user-prompt-submit", prompt="Only the event says this", prompt_id="p-1")
    assert "\n  Only the event says this\n" in show(session.id)
    assert show.json(session.id)["conversations"][0]["source"] == ""


def test_from_a_clone_and_a_linked_worktree(story: Story, session: Session, tmp_path: Path, show: Shown) -> None:
    story.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    story.git("clone", "-q", str(story.root), str(tmp_path / "clone"))
    branch = "entire/checkpoints/v1"
    story.git("-C", str(tmp_path / "clone"), "fetch", "-q", "origin", f"{branch}:refs/remotes/origin/{branch}")
    here = show("HEAD")
    for place in ("linked", "clone"):
        assert story.entire("show", cwd=tmp_path / place) == 0
        assert show.printed() == here
    assert story.entire("show", session.id, cwd=tmp_path / "clone") == 0
    told = show.printed()
    assert "Say hello" in told
    assert "And now the rest" not in told
    assert story.entire("show", "--uncommitted", cwd=tmp_path / "linked") == 0
    assert show.printed() == "No session has uncommitted work here.\n"


def test_the_tokens_of_several_models(story: Story, show: Shown) -> None:
    session = story.started()
    with session.turn("Think"):
        session.write("a.py", "a = 1\n")
    assert "By model" not in show(session.id)
    session.model = "claude-small"
    with session.turn("Be quick"):
        session.write("b.py", "b = 1\n")
    lines = show(session.id).split("\n")
    start = next(number for number, line in enumerate(lines) if "By model" in line)
    assert "claude-x: " in lines[start] and "20 out (2 calls)" in lines[start]
    assert "claude-small: " in lines[start + 1] and "20 out (2 calls)" in lines[start + 1]
    (part,) = show.json(f"{session.id}:2")["conversations"]
    assert "answers" not in part
    assert {name: used["api_call_count"] for name, used in part["models"].items()} == {"claude-small": 2}
