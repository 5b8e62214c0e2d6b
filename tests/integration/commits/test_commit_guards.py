"""What a commit contains is counted, stored and closed once, and nothing else is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.integration.commits.test_places import linked_worktree
from tests.integration.kept import PERSON, answers, journal, lines, shadows, sole, tokens, unlinked
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def subagent(session: Session, tool: str, agent: str, *, cost: int) -> None:
    """Let a subagent in the foreground answer once."""
    given = {"description": "Look around", "prompt": "x", "subagent_type": "Explore"}
    session.answer({"type": "tool_use", "id": tool, "name": "Agent", "input": given})
    session.hook("pre-task", tool_name="Agent", tool_use_id=tool, tool_input=given)
    folder = session.file.with_suffix("") / "subagents"
    folder.mkdir(parents=True, exist_ok=True)
    common = {"isSidechain": True, "agentId": agent, "sessionId": session.id, "timestamp": "2026-01-01T00:00:00.000Z"}
    answer = {"id": f"msg_{agent}", "role": "assistant", "content": [{"type": "text", "text": "Seen."}],
              "usage": {"input_tokens": cost, "output_tokens": 1}}  # fmt: skip
    records = [
        {**common, "type": "user", "uuid": f"{agent}-1", "message": {"role": "user", "content": "x"}},
        {**common, "type": "assistant", "uuid": f"{agent}-2", "message": answer},
    ]
    (folder / f"agent-{agent}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    response = {"agentId": agent, "status": "completed", "agentType": "Explore"}
    block = {"tool_use_id": tool, "type": "tool_result", "content": ""}
    session.record("user", message={"role": "user", "content": [block]}, toolUseResult=response)
    session.hook("post-task", tool_name="Agent", tool_use_id=tool, tool_input=given, tool_response=response)


def tasks(story: Story, commit: str = "HEAD") -> set[str]:
    """Return the tasks that a commit's checkpoint holds."""
    (checkpoint_id,) = story.ids(commit)
    names = story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1", f"{checkpoint_id.path}/tasks/")
    return {name.split("/")[3] for name in names.split()}


# ---------------------------------------------------------------- counted once


def test_the_merged_side_is_not_the_work_of_the_agent_that_merges(story: Story, session: Session) -> None:
    story.write("f.txt", "one\nbase\n")
    story.commit("f")
    story.git("checkout", "-q", "-b", "feature")
    story.write("f.txt", "one\ntheirs\n")
    story.write("theirs.txt", "theirs\n" * 5)
    story.commit("Theirs")
    story.git("checkout", "-q", "main")
    story.write("f.txt", "one\nours\n")
    story.commit("Ours")
    with session.turn("Merge feature"):
        with session.shell("git merge feature"):
            story.git("merge", "-q", "feature", ok=False)
        session.write("f.txt", "one\nboth\n")
        session.commit("Merge")
    record = story.linked()["slots"][session.id]
    assert (record["files_touched"], lines(record)) == (["f.txt"], (1, 0, 0, 0, 1))
    assert story.log_errors() == []


def test_a_commit_in_the_name_of_a_session_between_turns_is_not_its_own(story: Story, session: Session) -> None:
    """A person commits in a terminal that the agent opened, while work of the session is open."""
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.write("mine.py", "p\n")
    story.git("add", "mine.py")
    story.commit("Mine", add=False, env={"CLAUDE_CODE_SESSION_ID": session.id})
    assert unlinked(story)
    assert story.log_errors() == []


def test_subagents_and_their_tasks_are_in_one_checkpoint(story: Story, session: Session) -> None:
    with session.turn("Delegate"):
        subagent(session, "toolu_1", "a1", cost=500)  # 0
        session.write("a.py", "a\n")  # 1, 2
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert record["token_usage"]["subagent_tokens"]["input_tokens"] == 500
    assert tasks(story) == {"toolu_1"}
    with session.turn("Go on"):
        session.write("b.py", "b\n")  # 3, 4
    story.commit("b")
    record = sole(story, session, ["b.py"])
    assert tokens(record) == answers(3, 4)
    assert not record["token_usage"].get("subagent_tokens")
    assert tasks(story) == set()
    assert story.log_errors() == []


def test_a_task_is_not_in_a_checkpoint_before_its_end(story: Story, session: Session) -> None:
    """The agent commits twice in one turn, and delegates then: the last checkpoint takes the rest of the turn."""
    session.prompt("Delegate")
    session.write("a.py", "a\n")  # 0
    first = session.commit("a")  # 1
    session.write("b.py", "b\n")  # 2
    second = session.commit("b")  # 3
    subagent(session, "toolu_1", "a1", cost=500)  # 4
    session.stop()  # 5
    assert (tasks(story, first), tasks(story, second)) == (set(), {"toolu_1"})
    assert tokens(sole(story, session, ["a.py"], first)) == answers(0, 1)
    assert tokens(sole(story, session, ["b.py"], second)) == answers(2, 3, 4, 5)
    assert story.log_errors() == []


def test_what_a_running_turn_says_while_the_editor_is_open_is_not_counted(
    story: Story, session: Session, tmp_path: Path
) -> None:
    session.prompt("Work")
    session.write("a.py", "a\n")  # 0
    story.git("add", "a.py")
    opened, closed = tmp_path / "opened", tmp_path / "closed"
    editor = f'f() {{ touch {opened}; while [ ! -e {closed} ]; do sleep 0.02; done; echo done >>"$1"; }}; f'
    child = subprocess.Popen(["git", "commit", "-q"], cwd=story.root, env={**story.env, "GIT_EDITOR": editor, **PERSON})
    while not opened.exists():
        assert child.poll() is None
    session.write("b.py", "b\n")  # 1
    closed.touch()
    assert child.wait() == 0
    assert tokens(sole(story, session, ["a.py"])) == answers(0)
    session.stop()  # 2
    assert tokens(sole(story, session, ["a.py"])) == answers(0, 1, 2), "the last checkpoint of the turn takes the rest"
    assert story.log_errors() == []


# ---------------------------------------------------------------- open and closed


def test_a_deleted_file_is_carried_forward_as_deleted(story: Story, session: Session) -> None:
    story.write("old.py", "old\n")
    story.commit("Old")
    with session.turn("Replace it"):
        session.write("new.py", "new\n")
        with session.shell("rm old.py"):
            story.path("old.py").unlink()
    story.git("add", "new.py")
    story.commit("New", add=False)
    assert session.state()["files_touched"] == ["old.py"]
    (shadow,) = shadows(story)
    listed = story.git("ls-tree", "-r", "--name-only", shadow).split()
    assert "new.py" in listed
    assert "old.py" not in listed
    assert story.git("fsck", "--strict") == ""
    story.commit("Without the old one")
    sole(story, session, ["old.py"])
    assert story.log_errors() == []


def test_the_journal_is_short_again_when_everything_is_committed(story: Story, session: Session) -> None:
    lengths = []
    for number in range(6):
        with session.turn(f"Turn {number}"):
            session.write("a.py", f"{number}\n")
        story.commit(f"Turn {number}")
        lengths.append(len(journal(story)["entries"]))
    assert max(lengths) == lengths[3] == lengths[-1]
    assert story.log_errors() == []


def test_an_amend_that_never_came_changes_nothing(story: Story, session: Session) -> None:
    """HEAD carries the id of the checkpoint that the amend would have extended."""
    with session.turn("First"):
        session.write("a.py", "a\n")  # 0, 1
    head = story.commit("a")
    with session.turn("Second"):
        session.write("b.py", "b\n")  # 2, 3
    story.git("add", "b.py")
    story.git("commit", "-q", "--amend", ok=False, env={"GIT_EDITOR": "false", **PERSON})
    assert story.head() == head
    assert story.path(".git/entire/pending.json").exists()
    story.session().start()
    assert not story.path(".git/entire/pending.json").exists()
    assert tokens(sole(story, session, ["a.py"])) == answers(0, 1)
    assert session.state()["files_touched"] == ["b.py"]
    story.commit("b")
    assert tokens(sole(story, session, ["b.py"])) == answers(2, 3)
    assert story.log_errors() == []


WITHOUT_TRAILER = "f() { sed -i '/Entire-Checkpoint:/d' \"$1\"; sed -i '1s/.*/mine/' \"$1\"; }; f"


def test_content_whose_trailer_was_removed_is_not_open(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.git("add", "a.py")
    story.git("commit", "-q", env={"GIT_EDITOR": WITHOUT_TRAILER})
    assert "removed by hand" in unlinked(story)
    assert "files_touched" not in session.state()
    assert story.log_errors() == []


def test_trailers_of_a_squash_that_were_removed(story: Story, session: Session) -> None:
    story.git("checkout", "-q", "-b", "feature")
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.commit("a")
    story.git("checkout", "-q", "main")
    with session.turn("Open work"):
        session.write("b.py", "b\n")
    story.git("merge", "-q", "--squash", "feature")
    story.git("commit", "-q", env={"GIT_EDITOR": WITHOUT_TRAILER})
    assert "removed by hand" in unlinked(story)
    assert story.log_errors() == []


def test_a_commit_without_content_of_a_session_leaves_it_open(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.write("mine.py", "p\n")
    story.git("add", "mine.py")
    story.commit("Mine", add=False)
    assert unlinked(story)
    assert session.state()["files_touched"] == ["a.py"]
    assert story.log_errors() == []


def test_a_visit_in_another_worktree_ends_when_its_work_is_committed(story: Story, session: Session) -> None:
    """Else the git hooks would wake there for ever."""
    other = linked_worktree(story)
    with session.turn("Write there"):
        there = str(other.root / "there.txt")
        other.write("there.txt", "one\n")
        session.tool("Write", {"file_path": there}, {"type": "create", "filePath": there, "structuredPatch": []})
    path = Path(other.git("rev-parse", "--absolute-git-dir").strip(), "entire/journal.json")
    visiting = json.loads(path.read_text())
    assert (visiting["guests"], visiting["live"]) == ({session.id: ["there.txt"]}, True)
    other.commit("There", env=PERSON)
    gone = json.loads(path.read_text())
    assert (gone["guests"], gone["live"]) == ({}, False)
    assert story.log_errors() == []
