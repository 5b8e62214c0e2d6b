"""What the commit of a turn contains, and what it says, with several sessions, people and commits beside it."""

from __future__ import annotations

import json
import os

import pytest

from tests.integration import turn_commits
from tests.integration.story import Session, Story
from tests.integration.turn_commits import committed, status, subjects, uncommitted

story, session = turn_commits.story, turn_commits.session


def test_each_session_commits_its_own_files(story: Story, session: Session) -> None:
    other = story.started()
    session.prompt("one")
    other.prompt("two")
    session.write("a.txt", "a\n")
    other.write("b.txt", "b\n")
    session.stop()
    assert committed(story) == ["a.txt"]
    assert story.linked()["files_touched"] == ["a.txt"]
    assert list(story.linked()["slots"]) == [session.id]
    assert status(story) == "?? b.txt\n"
    other.stop()
    assert committed(story) == ["b.txt"]
    assert list(story.linked()["slots"]) == [other.id]
    assert subjects(story)[:2] == ["Two", "One"]
    assert status(story) == ""


def test_a_file_of_two_sessions_is_linked_to_both(story: Story, session: Session) -> None:
    story.write("c.txt", "".join(f"{n}\n" for n in range(20)))
    story.commit("c")
    failing = turn_commits.hook(story, "pre-commit", "exit 1")
    with session.turn("one"):
        session.edit("c.txt", "3\n", "three\n")
        session.write("a.txt", "a\n")
    failing.unlink()
    other = story.started()
    with other.turn("two"):
        other.edit("c.txt", "17\n", "seventeen\n")
    assert committed(story) == ["c.txt"]
    assert set(story.linked()["slots"]) == {session.id, other.id}
    assert status(story) == "?? a.txt\n"
    with session.turn("three"):
        pass
    assert committed(story) == ["a.txt"]
    assert list(story.linked()["slots"]) == [session.id]
    assert uncommitted(session) == ""


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_file_of_two_turns_is_committed_by_the_second_if_it_was_not_by_the_first(
    story: Story, session: Session, *, is_deleted: bool
) -> None:
    story.write("c.txt", "c\n")
    story.commit("c")
    other = story.started()
    session.prompt("one")
    other.prompt("two")
    failing = turn_commits.hook(story, "pre-commit", "exit 1")
    for each in (session, other):
        each.write("c.txt", f"by {each.id}\n")
    if is_deleted:
        with other.shell("rm c.txt"):
            story.path("c.txt").unlink()
    session.stop()
    assert subjects(story)[0] == "c"
    failing.unlink()
    other.stop()
    assert subjects(story)[:2] == ["Two", "c"]
    assert (committed(story), status(story)) == (["c.txt"], "")
    assert (uncommitted(session), uncommitted(other)) == ("", "")


def test_a_file_that_was_left_to_a_turn_that_never_ends(story: Story, session: Session) -> None:
    other = story.started()
    session.prompt("one")
    other.prompt("two")
    session.write("a.txt", "one\n")
    other.write("a.txt", "two\n")
    other.hook("pre-task", tool_name="Agent", tool_use_id="toolu_1", tool_input={"prompt": "help"})  # a snapshot
    head = story.head()
    session.stop()
    assert (story.head(), status(story)) == (head, "?? a.txt\n"), "it is left to the other turn"
    other.end()
    with session.turn("three"):
        session.write("b.txt", "b\n")
    assert (committed(story), status(story)) == (["a.txt", "b.txt"], "")
    assert set(story.linked()["slots"]) == {session.id, other.id}


def test_a_persons_lines_in_a_file_of_the_session(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    story.write("c.txt", "1\n2\n3\n")
    story.commit("c")
    story.write("c.txt", "person\n1\n2\n3\n")
    with session.turn("one"):
        session.edit("c.txt", "3\n", "3\nagent\n")
    assert committed(story) == ["c.txt"]
    (slot,) = story.linked()["slots"].values()
    assert slot["initial_attribution"]["human_added"] == 1
    assert slot["initial_attribution"]["agent_lines"] == 1
    for words, said in (
        (("show", "HEAD"), "1 by the agent, 1 by people"),
        (("explain", "--commit", "HEAD"), "line 1: a person"),
        (("log", "-p"), "1  a person"),
    ):
        capsys.readouterr()
        assert story.entire(*words) == 0
        assert said in capsys.readouterr().out


def test_the_agent_commits_and_works_on(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
        session.commit("By the agent")
        session.write("a.txt", "a\nmore\n")
    assert subjects(story)[:2] == ["One", "By the agent"]
    assert story.ids("HEAD") != story.ids("HEAD~1")
    assert story.linked()["files_touched"] == ["a.txt"]


def test_the_agent_amends(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
    (first,) = story.ids()
    with session.turn("two"):
        session.write("b.txt", "b\n")
        session.commit("One, amended", "--amend")
        session.write("c.txt", "c\n")
    assert subjects(story)[:3] == ["Two", "One, amended", "Enable entire"]
    assert story.ids("HEAD~1") == [first]
    assert story.checkpoint(first)["files_touched"] == ["a.txt", "b.txt"]
    assert committed(story) == ["c.txt"]


def test_a_turn_that_only_amends(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
    (first,) = story.ids()
    with session.turn("two"):
        session.write("b.txt", "b\n")
        with session.shell("git commit"):
            story.git("add", "-A")
            story.git(
                "commit", "-q", "--amend", "--no-edit", env={"CLAUDE_CODE_SESSION_ID": session.id, "CLAUDECODE": "1"}
            )
    assert subjects(story)[:2] == ["One", "Enable entire"]
    assert story.ids() == [first]
    assert story.checkpoint(first)["files_touched"] == ["a.txt", "b.txt"]


def test_the_agent_stages_deletes_and_renames(story: Story, session: Session) -> None:
    for name in ("gone.txt", "old.txt", "kept.txt"):
        story.write(name, f"{name}\n" * 5)
    story.commit("more")
    with session.turn("one"):
        session.write("new.txt", "new\n")
        with session.shell("git"):
            story.git("add", "new.txt")
            story.git("rm", "-q", "gone.txt")
            story.git("mv", "old.txt", "moved.txt")
            (story.root / "kept.txt").unlink()
            (story.root / "README.md").chmod(0o755)
            os.symlink("new.txt", story.root / "link")
    assert status(story) == ""
    assert story.git("show", "--name-status", "--format=", "-M").split("\n")[:-1] == [
        "M\tREADME.md",
        "D\tgone.txt",
        "D\tkept.txt",
        "A\tlink",
        "R100\told.txt\tmoved.txt",
        "A\tnew.txt",
    ]
    assert story.linked()["files_touched"] == [
        "README.md",
        "gone.txt",
        "kept.txt",
        "link",
        "moved.txt",
        "new.txt",
        "old.txt",
    ]


def test_the_agent_stages_and_edits_again(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
        with session.shell("git add"):
            story.git("add", "a.txt")
        session.write("a.txt", "a\nb\n")
        session.write("b.txt", "b\n")
    assert committed(story) == ["b.txt"]
    assert uncommitted(session) == "a.txt (other content of it is staged)"
    assert (story.git("show", ":a.txt"), status(story)) == ("a\n", "AM a.txt\n")
    story.git("reset", "-q")
    with session.turn("two"):
        pass
    assert committed(story) == ["a.txt"]


def test_a_turn_without_changes(story: Story, session: Session) -> None:
    before = story.head()
    with session.turn("one"):
        pass
    assert story.head() == before
    assert uncommitted(session) == ""


def test_a_change_that_is_taken_back(story: Story, session: Session) -> None:
    before = story.head()
    with session.turn("one"):
        session.write("a.txt", "a\n")
        with session.shell("rm a.txt"):
            story.path("a.txt").unlink()
    assert story.head() == before
    assert uncommitted(session) == ""


def test_a_turn_whose_end_never_came(story: Story, session: Session) -> None:
    session.prompt("one")
    session.write("a.txt", "a\n")
    before = story.head()
    session.prompt("two")
    assert story.head() == before
    session.write("b.txt", "b\n")
    session.stop()
    assert committed(story) == ["a.txt", "b.txt"]
    assert subjects(story)[0] == "Two"
    (slot,) = story.linked()["slots"].values()
    assert slot["prompts"] == ["one", "two"]


def test_a_session_that_ends_within_a_turn(story: Story, session: Session) -> None:
    before = story.head()
    session.prompt("one")
    session.write("a.txt", "a\n")
    session.end()
    assert story.head() == before
    assert uncommitted(session) == "the end of its turn was never reported"
    session.hook("session-start", source="resume")
    with session.turn("two"):
        session.write("b.txt", "b\n")
    assert committed(story) == ["a.txt", "b.txt"]
    assert uncommitted(session) == ""


def test_stop_twice(story: Story, session: Session) -> None:
    session.prompt("one")
    session.write("a.txt", "a\n")
    session.stop()
    head, checkpoints = story.head(), story.git("rev-parse", "entire/checkpoints/v1")
    session.hook("stop", stop_hook_active=False)
    assert (story.head(), story.git("rev-parse", "entire/checkpoints/v1")) == (head, checkpoints)
    story.write("typed.txt", "typed\n")
    session.hook("stop", stop_hook_active=False)
    assert story.head() == head
    assert status(story) == "?? typed.txt\n"


def test_compaction_in_a_turn(story: Story, session: Session) -> None:
    session.prompt("one")
    session.write("a.txt", "a\n")
    head = story.head()
    session.hook("pre-compact", trigger="auto")
    session.hook("session-start", source="compact")
    assert story.head() == head
    session.write("b.txt", "b\n")
    session.stop()
    assert committed(story) == ["a.txt", "b.txt"]
    assert subjects(story)[0] == "One"
    (slot,) = story.linked()["slots"].values()
    assert slot["token_usage"]["input_tokens"] == 2**session.answers - 1


def test_a_resumed_session(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
    session.end()
    session.hook("session-start", source="resume")
    with session.turn("two"):
        session.write("b.txt", "b\n")
    assert subjects(story)[:2] == ["Two", "One"]
    tokens = [story.linked(commit)["token_usage"]["input_tokens"] for commit in ("HEAD~1", "HEAD")]
    assert sum(tokens) == 2**session.answers - 1


def test_a_large_file_is_not_forgotten_silently(
    story: Story, session: Session, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (story.root / ".entire/entire.json").write_text(json.dumps({"max_untracked_bytes": 100}))
    story.write("mine.bin", "x" * 1000)
    with session.turn("one"):
        session.write("big.bin", "x" * 1000)
        session.write("a.txt", "a\n")
    assert committed(story) == ["a.txt"]
    assert "big.bin" in uncommitted(session)
    assert "mine.bin" not in uncommitted(session)
    assert b"big.bin" in capsysbinary.readouterr().out
    with session.turn("two"):
        session.write("big2.bin", "x" * 1000)
    assert b"left uncommitted: big2.bin" in capsysbinary.readouterr().out
    assert story.entire("status") == 0
    assert b"not committed: big2.bin (it is larger than max_untracked_bytes" in capsysbinary.readouterr().out


def test_ignored_and_nested(story: Story, session: Session) -> None:
    story.write(".gitignore", "*.log\n")
    story.commit("ignore")
    with session.turn("one"):
        session.write("a.log", "log\n")
        session.write("a.txt", "a\n")
        with session.shell("git init nested"):
            story.git("init", "-q", "nested")
            story.write("nested/x.txt", "x\n")
            story.git("-C", "nested", "add", "-A")
            story.git("-C", "nested", "commit", "-q", "-m", "nested")
    assert committed(story) == ["a.txt"]
    assert status(story) == "?? nested/\n"


def test_files_of_entire_and_the_agent(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
        settings = json.loads(story.read(".claude/settings.json"))
        settings["model"] = "x"
        session.write(".claude/settings.json", json.dumps(settings, indent=2) + "\n")
        session.write(
            ".entire/settings.json",
            json.dumps({**json.loads(story.read(".entire/settings.json")), "log_level": "debug"}),
        )
        session.write("CLAUDE.md", "notes\n")
    assert sorted(committed(story)) == [".claude/settings.json", "CLAUDE.md", "a.txt"]
    assert status(story) == " M .entire/settings.json\n"


def test_reset_soft_by_the_agent(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
    (first,) = story.ids()
    with session.turn("two"):
        with session.shell("git reset --soft HEAD~1"):
            story.git("reset", "-q", "--soft", "HEAD~1")
        session.write("b.txt", "b\n")
    assert (subjects(story)[0], committed(story), status(story)) == ("Two", ["b.txt"], "A  a.txt\n")
    story.git("commit", "-q", "-m", "What was reset")
    assert story.ids() == [first]


def test_reset_hard_by_the_agent(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
    with session.turn("two"), session.shell("git reset --hard HEAD~1"):
        story.git("reset", "-q", "--hard", "HEAD~1")
    assert subjects(story)[0] == "Enable entire"
    assert uncommitted(session) == ""


def test_stash_by_the_agent(story: Story, session: Session) -> None:
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    with session.turn("one"):
        session.write("README.md", "start\nagent\n")
        with session.shell("git stash"):
            story.git("stash", "-q")
        session.write("b.txt", "b\n")
        with session.shell("git stash pop"):
            story.git("stash", "pop", "-q")
    assert committed(story) == ["README.md", "b.txt"]
    assert status(story) == "A  mine.txt\n"


def test_the_agent_switches_the_branch(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
        with session.shell("git checkout -b topic"):
            story.git("checkout", "-q", "-b", "topic")
    assert story.git("log", "-1", "--format=%s %D").strip() == "One HEAD -> topic"
    assert story.git("log", "-1", "--format=%s", "main").strip() == "Enable entire"


def test_tokens_after_refusals(story: Story, session: Session) -> None:
    path = turn_commits.hook(story, "pre-commit", "exit 1")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    path.unlink()
    with session.turn("two"):
        session.write("b.txt", "b\n")
    (slot,) = story.linked()["slots"].values()
    assert slot["prompts"] == ["one", "two"]
    assert slot["token_usage"]["input_tokens"] == 2**session.answers - 1


def test_a_person_commits_what_was_refused(story: Story, session: Session) -> None:
    path = turn_commits.hook(story, "pre-commit", "exit 1")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    path.unlink()
    story.commit("By hand")
    assert story.linked()["files_touched"] == ["a.txt"]
    assert uncommitted(session) == ""
    head = story.head()
    session.hook("stop", stop_hook_active=False)
    assert story.head() == head
    assert uncommitted(session) == ""
