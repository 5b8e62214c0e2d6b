"""The auto-commit strategy: what a subagent changed is committed when it ends, apart from its session's own work."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.integration.story import Session, Story, stamp
from tests.integration.turn_commits import hook, session, status, story, subjects, uncommitted
from tests.integration.turns.test_turn_ends import answer_call, inner

__all__ = ["session", "story"]  # fixtures

CHECKPOINTS = "refs/heads/entire/checkpoints/v1"
GIVEN = {"description": "Write a note", "prompt": "Write a note.", "subagent_type": "general-purpose"}


class Subagent:
    """A subagent in the foreground; ``tool``: the id of the call that starts it."""

    def __init__(self, session: Session, tool: str, agent: str, *, is_announced: bool = True) -> None:
        self.session, self.tool, self.agent = session, tool, agent
        session.answer({"type": "tool_use", "id": tool, "name": "Task", "input": GIVEN})
        if is_announced:
            session.hook("pre-task", tool_name="Task", tool_use_id=tool, tool_input=GIVEN)
        folder = session.file.with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        meta = {"agentType": "general-purpose", "description": "Write a note", "toolUseId": tool}
        (folder / f"agent-{agent}.meta.json").write_text(json.dumps(meta))
        self.path = folder / f"agent-{agent}.jsonl"

    def write(self, name: str, text: str = "note\n", tokens: int = 1000) -> None:
        """Write a file with its tool."""
        inner(self.session, self.path, self.agent, name, text, tokens)

    def shell(self, name: str) -> None:
        """Write a file with its shell."""
        call, now = f"toolu_{name}", time.time()
        given = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"echo sub > {name}"}}
        done = {"type": "tool_result", "tool_use_id": call, "content": ""}
        self.session.story.write(name, "sub\n")
        common = {"isSidechain": True, "agentId": self.agent, "timestamp": stamp(now)}
        with self.path.open("a") as file:
            for kind, block in (("assistant", given), ("user", done)):
                message = {"role": kind, "content": [block]}
                record = {**common, "type": kind, "uuid": f"{kind}-{now}", "message": message}
                file.write(json.dumps(record) + "\n")

    def end(self) -> None:
        response = {"agentId": self.agent, "status": "completed", "agentType": "general-purpose"}
        answer_call(self.session, self.tool, response)
        self.session.hook("subagent-stop", agent_id=self.agent, agent_type="general-purpose", background_tasks=[])
        self.session.hook("post-task", tool_name="Task", tool_use_id=self.tool, tool_input=GIVEN,
                          tool_response=response)  # fmt: skip


def files(story: Story, commit: str = "HEAD") -> list[str]:
    return story.git("show", "--name-only", "--format=", commit).split()


def tokens(story: Story, session: Session, commit: str = "HEAD") -> tuple[int, int]:
    """Return the input tokens that a commit's checkpoint counts for a session, and for its subagents."""
    usage: dict[str, Any] = story.linked(commit)["slots"][session.id]["token_usage"]
    return usage["input_tokens"], (usage.get("subagent_tokens") or {}).get("input_tokens", 0)


def names(story: Story, commit: str = "HEAD") -> list[str]:
    folder = story.ids(commit)[0].path
    return story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1", f"{folder}/tasks/").split()


def test_a_turn_a_task_and_a_turn_are_three_commits(story: Story, session: Session) -> None:
    with session.turn("please create greeting file"):
        session.write("hello.py", "print('hello')\n")  # 0, 1
    session.prompt("delegate the note")
    subagent = Subagent(session, "toolu_1a1fe0b2c3", "f00d")  # 2
    subagent.write("note.txt")
    subagent.end()
    assert subjects(story)[0] == "Completed 'general-purpose' agent: Write a note (toolu_1a1fe0)", (
        "before the turn ends"
    )
    session.stop()  # 3
    with session.turn("change greeting"):
        session.edit("hello.py", "hello", "hi")  # 4, 5
    assert subjects(story)[:3] == [
        "Change greeting",
        "Completed 'general-purpose' agent: Write a note (toolu_1a1fe0)",
        "Create greeting file",
    ]
    assert [files(story, commit) for commit in ("HEAD~2", "HEAD~1", "HEAD")] == [
        ["hello.py"],
        ["note.txt"],
        ["hello.py"],
    ]
    (checkpoint,) = story.ids("HEAD~1")
    found = story.checkpoint(checkpoint)
    assert (found["strategy"], found["files_touched"]) == ("auto-commit", ["note.txt"])
    assert list(found["slots"]) == [session.id]
    folder = f"{checkpoint[:2]}/{checkpoint[2:]}/tasks/toolu_1a1fe0b2c3"
    assert names(story, "HEAD~1") == [f"{folder}/agent-f00d.jsonl", f"{folder}/checkpoint.json"]
    assert story.show(f"{folder}/agent-f00d.jsonl") == subagent.path.read_text()
    assert names(story, "HEAD") == []
    counted = [tokens(story, session, commit) for commit in ("HEAD~2", "HEAD~1", "HEAD")]
    assert counted == [(0b11, 0), (0b1100, 1000), (0b110000, 0)]
    assert status(story) == ""
    assert story.log_errors() == []


def test_a_task_is_committed_without_what_its_session_wrote_before(story: Story, session: Session) -> None:
    """By its tool, by its shell, and in a file that it goes on with afterwards."""
    session.prompt("work")
    session.write("tool.txt", "main\n")
    with session.shell("write"):
        story.write("shell.txt", "main\n")
    subagent = Subagent(session, "toolu_01", "f00d")
    subagent.write("note.txt")
    subagent.shell("by-shell.txt")
    subagent.end()
    assert files(story) == ["by-shell.txt", "note.txt"]
    assert status(story) == "?? shell.txt\n?? tool.txt\n"
    session.edit("tool.txt", "main", "main again")
    session.stop()
    assert subjects(story)[:2] == ["Work", "Completed 'general-purpose' agent: Write a note (toolu_01)"]
    assert files(story) == ["shell.txt", "tool.txt"]
    assert story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire").split() == [CHECKPOINTS]
    main, sub = zip(tokens(story, session, "HEAD~1"), tokens(story, session), strict=True)
    assert (sum(main), sub) == (2**session.answers - 1, (1000, 0))
    assert story.log_errors() == []


def test_what_the_session_wrote_before_is_in_a_step_meanwhile(story: Story, session: Session) -> None:
    session.prompt("work")
    session.write("main.txt", "main\n")
    subagent = Subagent(session, "toolu_01", "f00d")
    subagent.write("note.txt")
    subagent.end()
    steps = story.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire").split()
    (shadow,) = [name for name in steps if name != "entire/checkpoints/v1"]
    assert shadow.startswith(f"entire/{story.head()[:7]}-")
    assert story.git("show", f"{shadow}:main.txt") == "main\n"
    session.stop()
    assert story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire").split() == [CHECKPOINTS]


def test_without_its_start_only_reports_tell_what_its_session_wrote_before(story: Story, session: Session) -> None:
    session.prompt("work")
    session.write("tool.txt", "main\n")
    subagent = Subagent(session, "toolu_01", "f00d", is_announced=False)
    subagent.write("note.txt")
    subagent.shell("by-shell.txt")
    subagent.end()
    assert (files(story), status(story)) == (["by-shell.txt", "note.txt"], "?? tool.txt\n")


def test_a_file_that_its_session_wrote_and_its_shell_changed_is_the_tasks(story: Story, session: Session) -> None:
    session.prompt("work")
    session.write("tool.txt", "main\n")
    subagent = Subagent(session, "toolu_01", "f00d")
    story.write("tool.txt", "main\nsub\n")
    subagent.end()
    assert files(story) == ["tool.txt"]


def test_a_file_that_both_wrote_is_the_tasks(story: Story, session: Session) -> None:
    session.prompt("work")
    session.write("shared.txt", "main\n")
    subagent = Subagent(session, "toolu_01", "f00d")
    subagent.write("shared.txt", "main\nsub\n")
    subagent.end()
    assert files(story) == ["shared.txt"]
    session.stop()
    assert subjects(story)[0].startswith("Completed"), "nothing is left for the turn"
    assert tokens(story, session) == (2**session.answers - 1, 1000)


def test_a_task_without_changes_makes_no_commit(story: Story, session: Session) -> None:
    """It goes into the turn's checkpoint, and its session's work is not committed early."""
    session.prompt("work")
    session.write("main.txt", "main\n")
    Subagent(session, "toolu_01", "f00d").end()
    assert subjects(story)[0] == "Enable entire"
    session.stop()
    assert subjects(story)[:2] == ["Work", "Enable entire"]
    assert files(story) == ["main.txt"]
    assert [name.rsplit("/", 2)[1] for name in names(story)] == ["toolu_01"]


def test_subagents_side_by_side_are_committed_apart(story: Story, session: Session) -> None:
    session.prompt("work")
    one, two = Subagent(session, "toolu_01", "aaaa"), Subagent(session, "toolu_02", "bbbb")
    two.write("two.txt", tokens=2000)
    one.write("one.txt", tokens=1000)
    one.end()
    assert (subjects(story)[0][-10:], files(story)) == ("(toolu_01)", ["one.txt"])
    two.write("more.txt", tokens=4000)
    two.end()
    assert (subjects(story)[0][-10:], files(story)) == ("(toolu_02)", ["more.txt", "two.txt"])
    session.stop()
    assert subjects(story)[2] == "Enable entire"
    counted = [tokens(story, session, commit) for commit in ("HEAD~1", "HEAD")]
    assert sum(main for main, _ in counted) == 2**session.answers - 1
    assert sum(sub for _, sub in counted) == 7000
    assert {name.rsplit("/", 2)[1] for name in names(story)} == {"toolu_02"}


def test_an_end_that_is_reported_twice_makes_one_commit(story: Story, session: Session) -> None:
    session.prompt("work")
    subagent = Subagent(session, "toolu_01", "f00d")
    subagent.write("note.txt")
    subagent.end()
    with session.shell("write"):
        story.write("main.txt", "main\n")
    Subagent(session, "toolu_02", "beef").end()
    subagent.end()
    assert (subjects(story)[1], files(story)) == ("Enable entire", ["note.txt"])


def test_a_task_that_cannot_be_committed_goes_into_the_turns_commit(story: Story, session: Session) -> None:
    refusing = story.root / "refuse"
    hook(story, "pre-commit", f"! test -e '{refusing}'")
    (story.root / ".git/info/exclude").write_text("refuse\n")
    refusing.touch()
    session.prompt("work")
    subagent = Subagent(session, "toolu_01", "f00d")
    subagent.write("note.txt")
    subagent.end()
    assert uncommitted(session) == "the pre-commit hook failed with status 1"
    refusing.unlink()
    session.stop()
    assert (subjects(story)[:2], files(story)) == (["Work", "Enable entire"], ["note.txt"])
    assert (uncommitted(session), tokens(story, session)) == ("", (2**session.answers - 1, 1000))


def test_a_task_leaves_the_reason_of_an_earlier_turn(story: Story, session: Session) -> None:
    story.write("README.md", "staged\n")
    story.git("add", "README.md")
    with session.turn("one"):
        session.write("README.md", "staged\nagent\n")
    assert "it was staged before the turn" in uncommitted(session)
    session.prompt("two")
    Subagent(session, "toolu_01", "f00d").end()
    assert "it was staged before the turn" in uncommitted(session)


def test_a_subagent_that_commits_by_itself_gets_no_second_commit(story: Story, session: Session) -> None:
    session.prompt("work")
    subagent = Subagent(session, "toolu_01", "f00d")
    subagent.write("note.txt")
    story.commit("By the subagent", env={"CLAUDE_CODE_SESSION_ID": session.id, "CLAUDECODE": "1"})
    subagent.end()
    session.stop()
    assert subjects(story)[:2] == ["By the subagent", "Enable entire"]


RUNNING = [{"id": "f00d", "type": "subagent", "status": "running"}]


def in_background(session: Session) -> Subagent:
    """Start a subagent that goes on after the turn."""
    subagent = Subagent(session, "toolu_01", "f00d")
    result = {"isAsync": True, "status": "async_launched", "agentId": "f00d"}
    answer_call(session, "toolu_01", result)
    session.hook("post-task", tool_name="Task", tool_use_id="toolu_01", tool_input=GIVEN, tool_response=result)
    return subagent


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_background_subagent_is_committed_when_it_ends(story: Story, session: Session, is_listed: bool) -> None:
    session.prompt("work")
    subagent = in_background(session)  # 0
    session.write("main.txt", "main\n")  # 1
    subagent.write("early.txt", tokens=1000)
    session.answer({"type": "text", "text": "Started."})  # 2
    session.hook("stop", last_assistant_message="Started.", background_tasks=RUNNING)
    assert (subjects(story)[:2], files(story)) == (["Work", "Enable entire"], ["early.txt", "main.txt"])
    subagent.write("late.txt", tokens=2000)
    story.write("typed.txt", "by a person\n")
    session.hook("subagent-stop", agent_id="f00d", agent_type="general-purpose",
                 background_tasks=RUNNING if is_listed else [])  # fmt: skip
    assert subjects(story)[0] == "Completed 'general-purpose' agent: Write a note (toolu_01)"
    assert (files(story), status(story)) == (["late.txt"], "?? typed.txt\n")
    assert [tokens(story, session, commit) for commit in ("HEAD~1", "HEAD")] == [(0b111, 1000), (0, 2000)]
    with session.turn("<task-notification>"):
        session.write("after.txt", "after\n")  # 3, 4
    assert (files(story), tokens(story, session)) == (["after.txt"], (0b11000, 0))
    assert story.log_errors() == []


def test_in_a_sub_folder_of_a_linked_worktree(story: Story, tmp_path: Path) -> None:
    story.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    linked = Story.__new__(Story)
    linked.__dict__.update(story.__dict__, root=tmp_path / "linked")
    session = Session(linked, "11111111-1111-4111-8111-111111111111")
    session.cwd = linked.root / "sub"
    session.cwd.mkdir()
    session.start()
    session.prompt("work")
    session.write("sub/main.txt", "main\n")
    subagent = Subagent(session, "toolu_01", "f00d")
    subagent.write("sub/note.txt")
    subagent.end()
    session.stop()
    assert subjects(linked)[:2] == ["Work", "Completed 'general-purpose' agent: Write a note (toolu_01)"]
    assert [files(linked, "HEAD~1"), files(linked)] == [["sub/note.txt"], ["sub/main.txt"]]
    assert (status(linked), subjects(story)[0]) == ("", "Enable entire")


def test_a_file_of_a_subagent_and_of_another_turn(story: Story, session: Session) -> None:
    """The one that ends last commits it, if the subagent and its turn could not."""
    other = story.started()
    session.prompt("one")
    other.prompt("two")
    failing = hook(story, "pre-commit", "exit 1")
    subagent = Subagent(session, "toolu_1", "abc1")
    subagent.write("c.txt")
    other.write("c.txt", "two\n")
    subagent.end()
    session.stop()
    failing.unlink()
    other.stop()
    assert (subjects(story)[0], files(story), status(story)) == ("Two", ["c.txt"], "")
    assert set(story.linked()["slots"]) == {session.id, other.id}
