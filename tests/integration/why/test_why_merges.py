"""Merges that change lines themselves: a line belongs to the turn that wrote it, or to the person, never to another."""

from __future__ import annotations

import pytest

from tests.integration.story import Session, Story
from tests.integration.why.test_why import FIRST, MINE, W1, P, owners

__all__ = ["story"]

from tests.integration.why.test_why import story

OTHER = "".join(f"def other_function_of_another_session_{n}(argument):\n" for n in range(4))
EVIL = "a_line_that_only_the_merge_has = True\n"
W3 = "Merge the other branch"


@pytest.fixture
def branches(story: Story) -> Story:
    """A branch ``other`` with another session's lines in another file, and one more commit on main."""
    story.git("switch", "-q", "-c", "other")
    session = story.started()
    with session.turn("Write other functions"):
        session.write("b.py", OTHER)
    story.commit("Other")
    story.git("switch", "-q", "main")
    story.write("mine.py", MINE)
    story.commit("Mine")
    return story


def merge(story: Story) -> None:
    story.git("merge", "-q", "--no-commit", "--no-ff", "other")


def test_a_line_that_a_person_types_into_a_merge(branches: Story) -> None:
    merge(branches)
    branches.write("a.py", FIRST + EVIL)
    branches.commit("Merge")
    assert owners(branches) == [(1, 4, W1), (5, 5, P)]
    assert owners(branches, "b.py") == [(1, 4, "Write other functions")]


def test_a_line_that_an_agent_writes_into_its_own_merge(branches: Story) -> None:
    session = branches.started()
    with session.turn(W3):
        with session.shell("git merge other"):
            merge(branches)
        session.write("a.py", FIRST + EVIL)
        with session.shell("git commit"):
            branches.commit("Merge")
    assert owners(branches) == [(1, 4, W1), (5, 5, W3)]
    assert owners(branches, "b.py") == [(1, 4, "Write other functions")]


def test_both_write_into_a_merge(branches: Story) -> None:
    merge(branches)
    session = branches.started()
    with session.turn(W3):
        session.write("a.py", FIRST + EVIL)
    branches.write("a.py", MINE + FIRST + EVIL)
    branches.commit("Merge")
    assert owners(branches) == [(1, 1, P), (2, 5, W1), (6, 6, W3)]


def test_an_agent_writes_into_a_file_that_the_merge_brings(branches: Story) -> None:
    merge(branches)
    session = branches.started()
    with session.turn(W3):
        session.write("b.py", OTHER + EVIL)
    branches.commit("Merge")
    assert owners(branches, "b.py") == [(1, 4, "Write other functions"), (5, 5, W3)]


def conflict(story: Story, line: str = "conflict = 'mine'\n") -> None:
    """Both branches change the first line of ``c.py``, a person on main and a session on ``other``."""
    story.write("c.py", "conflict = 'base'\nsecond_line_of_the_file = 2\n")
    story.commit("Base")
    story.git("switch", "-q", "-c", "theirs")
    session = story.started()
    with session.turn("Change the first line"):
        session.edit("c.py", "'base'", "'theirs'")
    story.commit("Theirs")
    story.git("switch", "-q", "main")
    story.write("c.py", line + "second_line_of_the_file = 2\n")
    story.commit("Mine")
    story.git("merge", "-q", "theirs", ok=False)


def resolve(story: Story, session: Session, text: str) -> None:
    with session.turn("Resolve the conflict"):
        session.write("c.py", text)


def test_a_conflict_that_an_agent_resolves(story: Story) -> None:
    conflict(story)
    resolve(story, story.started(), "conflict = 'both of them'\nsecond_line_of_the_file = 2\n")
    story.commit("Merge")
    assert owners(story, "c.py") == [(1, 1, "Resolve the conflict"), (2, 2, P)]


def test_a_conflict_that_an_agent_resolves_by_their_line(story: Story) -> None:
    conflict(story)
    resolve(story, story.started(), "conflict = 'theirs'\nsecond_line_of_the_file = 2\n")
    story.commit("Merge")
    assert owners(story, "c.py") == [(1, 1, "Change the first line"), (2, 2, P)]


def test_a_conflict_that_a_person_resolves_after_an_agent_tried(story: Story) -> None:
    conflict(story)
    resolve(story, story.started(), "conflict = 'as the agent has it'\nsecond_line_of_the_file = 2\n")
    story.write("c.py", "conflict = 'as the person has it'\nsecond_line_of_the_file = 2\n")
    story.commit("Merge")
    assert {who for _, _, who in owners(story, "c.py")} == {P}


def test_three_branches_are_merged_at_once(branches: Story) -> None:
    branches.git("switch", "-q", "-c", "third", "HEAD~1")
    branches.write("d.py", MINE)
    branches.commit("Third")
    branches.git("switch", "-q", "main")
    branches.git("merge", "-q", "--no-commit", "--no-ff", "other", "third")
    session = branches.started()
    with session.turn(W3):
        session.write("a.py", FIRST + EVIL)
    branches.write("d.py", MINE * 2)
    branches.commit("Merge")
    assert owners(branches) == [(1, 4, W1), (5, 5, W3)]
    assert owners(branches, "b.py") == [(1, 4, "Write other functions")]
    assert {who for _, _, who in owners(branches, "d.py")} == {P}


def test_a_person_commits_during_a_turn_what_was_typed_before_it(branches: Story) -> None:
    merge(branches)
    branches.write("a.py", FIRST + EVIL)
    session = branches.started()
    with session.turn(W3):
        session.write("f.py", MINE)
        branches.commit("Merge")
    assert owners(branches) == [(1, 4, W1), (5, 5, P)]
    assert owners(branches, "f.py") == [(1, 1, W3)]
