"""What a person staged before the turn stays staged, byte for byte, whatever the agent does with the same files."""

from __future__ import annotations

import json

import pytest

from tests.integration import turn_commits
from tests.integration.story import Session, Story
from tests.integration.turn_commits import committed, hook, status, subjects, uncommitted

story, session = turn_commits.story, turn_commits.session
LINES = "".join(f"{number}\n" for number in range(1, 21))


def entries(story: Story) -> dict[str, str]:
    """Return the index: mode, blob and stage by path."""
    lines = (line.split("\t") for line in story.git("ls-files", "--stage").splitlines())
    return {path: facts for facts, path in lines}


@pytest.fixture
def files(story: Story) -> None:
    for name in ("c.txt", "d.txt", "old.txt"):
        story.write(name, f"{name}\n{LINES}")
    story.commit("files")


@pytest.mark.usefixtures("files")
def test_every_kind_of_staged_change_stays(story: Story, session: Session) -> None:
    story.write("c.txt", f"staged\n{LINES}")
    story.git("add", "c.txt")
    story.write("c.txt", f"staged\n{LINES}typed\n")
    story.git("rm", "-q", "d.txt")
    story.git("mv", "old.txt", "moved.txt")
    story.write("new.txt", "new\n")
    story.write("mode.sh", "#!/bin/sh\n")
    story.git("add", "new.txt", "mode.sh")
    story.git("update-index", "--chmod=+x", "mode.sh")
    story.write("planned.txt", "planned\n")
    story.git("add", "--intent-to-add", "planned.txt")
    before, shown = entries(story), status(story)
    with session.turn("one"):
        session.write("a.txt", "a\n")
    after = entries(story)
    after.pop("a.txt")
    assert (after, status(story)) == (before, shown)
    assert committed(story) == ["a.txt"]
    assert uncommitted(session) == ""


@pytest.mark.usefixtures("files")
def test_files_that_the_agent_changes_too_are_held_back(story: Story, session: Session) -> None:
    story.write("c.txt", f"staged\n{LINES}")
    story.write("new.txt", "new\n")
    story.git("add", "c.txt", "new.txt")
    story.git("mv", "old.txt", "moved.txt")
    story.git("rm", "-q", "d.txt")
    before = entries(story)
    with session.turn("one"):
        session.edit("c.txt", "7\n", "seven\n")
        session.write("new.txt", "new\nagent\n")
        session.edit("moved.txt", "7\n", "seven\n")
        session.write("d.txt", "written again\n")
        session.write("a.txt", "a\n")
    after = entries(story)
    after.pop("a.txt")
    assert (after, committed(story)) == (before, ["a.txt"])
    reason = uncommitted(session)
    assert "c.txt (it was staged before the turn)" in reason
    assert "and 1 more" in reason
    story.git("commit", "-q", "-m", "What I staged")
    with session.turn("two"):
        pass
    assert sorted(committed(story)) == ["c.txt", "d.txt", "moved.txt", "new.txt"]
    assert (status(story), uncommitted(session)) == ("", "")


def test_what_the_agent_unstages_is_committed(story: Story, session: Session) -> None:
    story.write("README.md", "start\nstaged\n")
    story.git("add", "README.md")
    with session.turn("one"):
        with session.shell("git reset"):
            story.git("reset", "-q")
        session.edit("README.md", "staged\n", "staged\nagent\n")
    assert committed(story) == ["README.md"]
    (slot,) = story.linked()["slots"].values()
    assert (slot["initial_attribution"]["agent_lines"], slot["initial_attribution"]["human_added"]) == (1, 1)


def test_a_strategy_that_is_chosen_within_a_turn(story: Story, session: Session) -> None:
    story.entire("enable", "--strategy", "manual-commit", "--local")
    with session.turn("one"):
        session.write("README.md", "start\nagent\n")
        session.write("a.txt", "a\n")
    story.git("add", "README.md")
    session.prompt("two")
    story.entire("enable", "--strategy", "auto-commit", "--local")
    session.write("b.txt", "b\n")
    session.stop()
    assert committed(story) == ["a.txt", "b.txt"]
    assert uncommitted(session) == "README.md (it is staged, maybe since before the turn)"
    assert status(story) == "M  README.md\n"
    found = story.linked()
    assert (found["strategy"], found["files_touched"]) == ("auto-commit", ["a.txt", "b.txt"])


def test_a_strategy_that_is_left_within_a_turn(story: Story, session: Session) -> None:
    failing = hook(story, "pre-commit", "exit 1")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    failing.unlink()
    session.prompt("two")
    story.entire("enable", "--strategy", "manual-commit", "--local")
    session.write("b.txt", "b\n")
    session.stop()
    assert (subjects(story)[0], uncommitted(session)) == ("Enable entire", "")
    story.commit("By hand")
    found = story.linked()
    assert (found["strategy"], found["files_touched"]) == ("manual-commit", ["a.txt", "b.txt"])
    assert found["token_usage"]["input_tokens"] == 2**session.answers - 1


def test_hooks_of_an_earlier_version(story: Story, session: Session) -> None:
    """They do not know that Entire makes the commit, so they start it."""
    for name in ("prepare-commit-msg", "commit-msg", "post-commit"):
        path = story.root / ".git/hooks" / name
        path.write_text(path.read_text().replace("$ENTIRE_COMMIT", "$UNKNOWN"))
        hook(story, name, "exit 0")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert len(story.ids()) == 1
    tree = story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1").split()
    assert len([name for name in tree if name.endswith("/0/metadata.json")]) == 1
    assert story.linked()["files_touched"] == ["a.txt"]
    log = [json.loads(line) for line in (story.root / ".git/entire/logs/entire.log").read_text().splitlines()]
    assert not [line for line in log if line["level"] in ("WARN", "ERROR")]


def test_a_folder_where_a_staged_deletion_was_a_file(story: Story, session: Session) -> None:
    """The commit cannot have both, and must not contain the person's deletion."""
    story.write("d", "file\n")
    story.commit("d")
    story.git("rm", "-q", "d")
    with session.turn("one"):
        session.write("d/x", "x\n")
        session.write("a.txt", "a\n")
    assert committed(story) == ["a.txt"]
    assert uncommitted(session) == "d/x (something else is staged in its place)"
    assert status(story) == "D  d\n?? d/\n"
    story.git("commit", "-q", "-m", "gone")
    with session.turn("two"):
        pass
    assert committed(story) == ["d/x"]


def test_the_agent_makes_a_folder_of_a_file(story: Story, session: Session) -> None:
    story.write("d", "file\n")
    story.commit("d")
    with session.turn("one"), session.shell("git rm d"):
        story.git("rm", "-q", "d")
        story.write("d/x", "x\n")
    assert (sorted(committed(story)), status(story)) == (["d", "d/x"], "")
