"""``entire why`` on commits that replace several others: a line that no record names is a person's if it cannot be a
session's.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from entire.model.ids import CheckpointId
from tests.integration.story import Story
from tests.integration.why.test_why import FIRST, MINE, SECOND, W1, W2, P, asked, owners

LATER = "a_line_that_a_person_typed_at_the_squash = True\n"
FIXUP = {"GIT_SEQUENCE_EDITOR": "sed -i -e '2s/^pick/fixup/'", "GIT_EDITOR": "true"}


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """A commit of a turn and one of a person on the branch ``topic``."""
    story = Story(tmp_path / "repo")
    story.write("a.py", "".join(f"a_line_that_was_always_there_{n} = {n}\n" for n in range(4)))
    story.commit("Base")
    story.git("checkout", "-q", "-b", "topic")
    session = story.started()
    with session.turn(W1):
        session.write("a.py", story.read("a.py") + FIRST)
    story.commit("First")
    story.write("a.py", MINE + story.read("a.py"))
    story.commit("By hand")
    return story


def soft(story: Story) -> None:
    story.git("reset", "-q", "--soft", "HEAD~2")
    story.commit("Squashed")


def merged(story: Story) -> None:
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "topic")
    story.commit("Squashed")


def fixup(story: Story) -> None:
    story.git("rebase", "-q", "-i", "HEAD~2", env=FIXUP)


def second_turn(story: Story, end: str) -> list[CheckpointId]:
    """Commit functions and an ``end`` that another session appends; return the checkpoints of the commit."""
    session = story.started()
    with session.turn(W2):
        session.write("a.py", story.read("a.py") + SECOND + end)
    story.commit("Second")
    return story.ids()


@pytest.mark.parametrize("squash", [soft, merged, fixup])
def test_a_persons_line_of_a_squash_is_the_persons(story: Story, squash: object) -> None:
    by_hand = story.head()
    assert callable(squash)
    squash(story)
    assert owners(story) == [(1, 1, P), (2, 5, P), (6, 9, W1)]
    origin = asked(story).ranges[0].origin
    assert (origin.commit, origin.original, origin.is_evidence) == (story.head(), by_hand, False)


def test_what_is_typed_at_a_squash_is_the_persons(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    story.git("reset", "-q", "--soft", "HEAD~2")
    story.write("a.py", LATER + story.read("a.py"))
    story.commit("Squashed")
    assert owners(story, "a.py:1") == [(1, 1, P)]
    assert asked(story, "a.py:1").ranges[0].origin.is_evidence
    capsys.readouterr()
    assert story.entire("why", "a.py:1") == 0
    assert "Ada Tester wrote it: no session's checkpoint has the line." in capsys.readouterr().out


def test_a_squash_with_more_of_a_session_keeps_its_persons(story: Story) -> None:
    """The record of the new checkpoint names only what is new."""
    story.write("b.py", MINE)
    story.commit("Other file")
    session = story.started()
    with session.turn("Write more"):
        session.write("c.py", "def another_function_of_the_agent(argument):\n")
    story.git("reset", "-q", "--soft", "HEAD~3")
    story.commit("Squashed")
    assert len(story.ids()) == 2
    assert [owners(story, name)[0][2] for name in ("a.py", "b.py", "c.py")] == [P, P, "Write more"]


def test_a_brace_that_is_left_of_an_undone_commit_is_its_turns(story: Story) -> None:
    """What else the worktree had at the reset proves that the reset was not a hard one."""
    second = second_turn(story, "}\n")
    session = story.started()
    with session.turn("Write another file"):
        session.write("b.py", FIRST)
    story.commit("Third")
    third = story.ids()
    with session.turn("Replace them"):
        session.write("a.py", story.read("a.py").replace(SECOND, "replaced_by_the_agent = True\n"))
    story.git("reset", "-q", "--soft", "HEAD~2")
    story.commit("Squashed")
    assert story.ids()[:-1] == [*second, *third]
    assert owners(story)[-2:] == [(10, 10, "Replace them"), (11, 11, W2)]


@pytest.mark.parametrize("by_agent", [True, False])
def test_a_brace_written_again_after_a_hard_reset_is_its_writers(story: Story, by_agent: bool) -> None:
    undone = second_turn(story, "}\n")
    story.git("reset", "-q", "--hard", "HEAD~1")
    text = story.read("a.py") + "written_after_the_reset = True\n}\n"
    if by_agent:
        session = story.started()
        with session.turn("Write it again"):
            session.write("a.py", text)
    else:
        story.write("a.py", text)
    story.commit("Again")
    assert not set(undone) & set(story.ids())
    assert owners(story)[-1] == (10, 11, "Write it again" if by_agent else P)


def test_a_squash_whose_reflog_is_gone_is_concluded(story: Story) -> None:
    soft(story)
    shutil.rmtree(story.path(".git/logs"))
    assert owners(story) == [(1, 1, P), (2, 5, P), (6, 9, W1)]
    assert asked(story).ranges[0].origin.is_evidence


def test_an_agents_line_whose_trailer_was_removed_stays_unknown_in_a_squash(story: Story) -> None:
    session = story.started()
    with session.turn("Write a hidden line"):
        session.write("a.py", story.read("a.py") + "a_hidden_line_of_the_agent = True\n")
    editor = story.root.parent / "editor"
    editor.write_text("#!/bin/sh\nsed -i -e '/^Entire-/d' -e '1s/^$/Mine/' \"$1\"\n")
    editor.chmod(0o755)
    story.git("add", "-A")
    story.git("commit", "-q", "-e", "-m", "Mine", env={"GIT_EDITOR": str(editor)})
    story.git("reset", "-q", "--soft", "HEAD~3")
    story.commit("Squashed")
    assert owners(story)[-1] == (10, 10, "? its trailer was removed by hand")


def test_what_an_agent_resolves_in_a_rebase_is_not_a_persons(story: Story) -> None:
    story.git("reset", "-q", "--hard", "HEAD~1")
    story.git("checkout", "-q", "main")
    story.write("a.py", story.read("a.py") + MINE)
    story.commit("In the way")
    story.git("checkout", "-q", "topic")
    session = story.started()
    with session.turn("Rebase it"):
        story.git("rebase", "-q", "main", ok=False)
        session.write("a.py", "resolved_by_the_agent_in_the_rebase = True\n")
        with session.shell("git rebase --continue"):
            story.git("add", "-A")
            story.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert not any(who == P for _, _, who in owners(story))


@pytest.mark.parametrize("command", ["rebase", "cherry-pick"])
def test_what_a_person_resolves_in_a_copy_is_the_persons(story: Story, command: str) -> None:
    story.git("reset", "-q", "--hard", "HEAD~1")
    story.git("checkout", "-q", "main")
    story.write("a.py", story.read("a.py") + MINE)
    story.commit("In the way")
    if command == "rebase":
        story.git("checkout", "-q", "topic")
    story.git(command, "main" if command == "rebase" else "topic", ok=False)
    story.write("a.py", "resolved_by_a_person = True\n" + FIRST)
    story.git("add", "-A")
    story.git(command, "--continue", env={"GIT_EDITOR": "true"})
    assert owners(story) == [(1, 1, P), (2, 5, W1)]
    assert story.log_errors() == []


@pytest.mark.parametrize("how", ["by the agent", "by a person", "at once"])
def test_what_a_revert_restores_is_known_if_the_revert_also_holds_a_sessions_lines(story: Story, how: str) -> None:
    story.write("a.py", "")
    story.commit("Empty it")
    session = story.started()
    with session.turn("Write another file"):
        if how == "by the agent":
            with session.shell("git revert HEAD"):
                story.git("revert", "--no-edit", "HEAD")
        session.write("b.py", SECOND)
    if how == "by a person":
        story.git("revert", "--no-edit", "HEAD")
    elif how == "at once":
        story.git("revert", "-n", "HEAD")
    story.git("add", "-A")
    story.git("commit", "-q", "--no-edit", *([] if how == "at once" else ["--amend"]))
    assert story.git("log", "-1", "--format=%s") == 'Revert "Empty it"\n'
    assert len(story.ids()) == 1
    assert owners(story, "b.py") == [(1, 4, "Write another file")]
    restored = [(1, 9, "Write another file")] if how == "by the agent" else [(1, 5, P), (6, 9, W1)]
    assert owners(story) == restored


def test_a_squash_whose_message_quotes_a_revert_is_no_revert(story: Story) -> None:
    story.write("a.py", "")
    base = story.commit("Empty it")
    story.git("revert", "--no-edit", "HEAD")
    session = story.started()
    with session.turn("Write another file"):
        session.write("b.py", SECOND)
    story.commit("Other file")
    ids = story.ids()
    story.git("checkout", "-q", "-b", "squashed", base)
    story.git("merge", "-q", "--squash", "topic")
    story.git("commit", "-q", "--no-edit")
    assert "This reverts commit" in story.git("log", "-1", "--format=%B")
    assert story.ids() == ids
    assert [commit["commit"] for commit in story.linked()["lineage"]["commits"]][-1] == story.head()
    assert owners(story) == [(1, 9, P)]
