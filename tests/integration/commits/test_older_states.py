"""Content that came back: what a turn writes is its own, also where the lines are those of a merge, a revert or an
older state (linking.md section 1).
"""

from __future__ import annotations

import pytest

from tests.integration.kept import PERSON, lines, slot_of, unlinked
from tests.integration.story import Session, Story

SEVEN = "".join(f"{word}\n" for word in ("one", "two", "three", "four", "five", "six", "seven"))


def begin(story: Story) -> Session:
    story.write("f.txt", SEVEN)
    story.commit("f")
    return story.started()


def begin_on_two_branches(story: Story) -> Session:
    """Return a session that made SEVEN on the branch col, and ONE on main."""
    session = begin(story)
    story.git("switch", "-qc", "col")
    with session.turn("SEVEN"):
        session.edit("f.txt", "seven\n", "SEVEN\n")
        session.commit("on col", "-a", add=False)
    story.git("switch", "-q", "main")
    with session.turn("ONE"):
        session.edit("f.txt", "one\n", "ONE\n")
        session.commit("on main", "-a", add=False)
    return session


def test_a_line_that_a_merge_brought_is_taken_back_by_the_agent(story: Story) -> None:
    session = begin_on_two_branches(story)
    with session.turn("g"):
        session.write("g.txt", "g\n")
        session.commit("g")
    with session.turn("merge and take back"):
        with session.shell("git merge col"):
            story.git("merge", "-q", "-m", "merge", "col")
        session.edit("f.txt", "SEVEN\n", "seven\n")
        session.commit("back", "-a", add=False)
    record = slot_of(story, session)
    assert (record["files_touched"], lines(record)) == (["f.txt"], (1, 0, 0, 0, 1))
    assert story.log_errors() == []


@pytest.mark.parametrize("how", ["--mixed", "--soft"])
def test_a_persons_commit_that_is_undone_in_a_turn_stays_the_persons_work(story: Story, how: str) -> None:
    """A reset that leaves the files alone removes no line, so that the agent cannot have written them again."""
    session = begin(story)
    story.write("f.txt", SEVEN.replace("two\n", "two\nmine\n"))
    story.commit("mine", env=PERSON)
    with session.turn("go on"):
        story.git("reset", "-q", how, "HEAD~1", env=PERSON)
        session.edit("f.txt", "seven\n", "SEVEN\n")
        session.commit("both")
    assert lines(slot_of(story, session)) == (1, 1, 0, 0, 2)
    assert story.log_errors() == []


@pytest.mark.parametrize("who", ["agent", "person"])
def test_a_line_taken_back_after_a_merge_between_turns(story: Story, who: str) -> None:
    """What a turn wrote is its own, whoever commits; what a person took back is the person's."""
    session = begin_on_two_branches(story)
    story.git("merge", "-q", "-m", "merge", "col")
    with session.turn("take back"):
        session.write("open.txt", "keeps the session alive\n")
        if who == "agent":
            session.edit("f.txt", "SEVEN\n", "seven\n")
    if who == "person":
        story.write("f.txt", story.read("f.txt").replace("SEVEN", "seven"))
    story.commit("back", "-a", add=False)
    if who == "agent":
        record = slot_of(story, session)
        assert (record["files_touched"], lines(record)) == (["f.txt"], (1, 0, 0, 0, 1))
    else:
        assert unlinked(story) == "it contains no session content"
    assert session.state()["files_touched"] == ["open.txt"]


@pytest.mark.parametrize("how", ["checkout", "revert -n", "edit"])
@pytest.mark.parametrize("commits", ["agent", "person"])
def test_an_older_state_that_a_turn_brings_back_is_its_own(story: Story, how: str, commits: str) -> None:
    session = begin(story)
    with session.turn("change"):
        session.edit("f.txt", "one\n", "ONE\n")
    story.commit("change", "-a", add=False)
    with session.turn("back"):
        if how == "edit":
            session.edit("f.txt", "ONE\n", "one\n")
        else:
            command = ["checkout", "HEAD~", "--", "f.txt"] if how == "checkout" else ["revert", "-n", "HEAD"]
            with session.shell("git " + " ".join(command)):
                story.git(*command)
        if commits == "agent":
            session.commit("back", "-a", add=False)
    if commits == "person":
        story.commit("back", "-a", add=False)
    record = slot_of(story, session)
    assert (record["files_touched"], lines(record)) == (["f.txt"], (1, 0, 0, 0, 1))
    assert not session.state().get("files_touched")
    assert story.log_errors() == []


def test_an_older_state_that_a_person_brings_back_has_its_owners(story: Story) -> None:
    session = begin(story)
    with session.turn("change"):
        session.edit("f.txt", "one\n", "ONE\n")
    with session.turn("other"):
        session.write("open.txt", "o\n")
    story.git("stash", "-q", "--", "f.txt")
    with session.turn("more"):
        session.write("more.txt", "m\n")
    story.git("stash", "pop", "-q")
    story.commit("change", "-a", add=False)
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)


def test_the_persons_lines_that_the_agent_stashes_and_pops_stay_the_persons(story: Story) -> None:
    session = begin(story)
    story.write("f.txt", SEVEN.replace("one", "person"))
    story.write("mine.txt", "person\n")
    with session.turn("stash"), session.shell("git stash -u"):
        story.git("stash", "-q", "-u")
    with session.turn("pop"):
        with session.shell("git stash pop"):
            story.git("stash", "pop", "-q")
        session.write("new.txt", "agent\n")
    story.commit("all")
    record = slot_of(story, session)
    assert lines(record) == (1, 1, 1, 0, 3)


@pytest.mark.parametrize("meanwhile", ["a person commits the file", "another session commits"])
def test_what_a_session_stashed_is_its_own_whatever_is_committed_before_it_comes_back(
    story: Story, meanwhile: str
) -> None:
    session = begin(story)
    story.git("branch", "aside")
    with session.turn("stash"):
        session.edit("f.txt", "one\n", "ONE\n")
        with session.shell("git stash"):
            story.git("stash", "-q")
    if meanwhile == "a person commits the file":
        story.write("f.txt", SEVEN.replace("seven", "person"))
        story.commit("person", env=PERSON)
        story.git("checkout", "-q", "aside", env=PERSON)
    else:
        other = story.started()
        for number in range(4):
            with other.turn(f"other {number}"):
                other.write("g.txt", f"other {number}\n")
            story.commit(f"other {number}", env=PERSON)
    story.git("stash", "pop", "-q", env=PERSON)
    story.commit("popped", env=PERSON)
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    assert story.log_errors() == []


@pytest.mark.parametrize("how", ["squash", "pick"])
def test_the_agent_commits_other_peoples_work(story: Story, how: str) -> None:
    """A commit that the agent makes is linked, also where a merge or a pick brought all of it."""
    session = begin(story)
    story.git("switch", "-qc", "col")
    story.write("f.txt", SEVEN.replace("seven", "SEVEN"))
    story.commit("on col")
    story.git("switch", "-q", "main")
    story.write("f.txt", SEVEN.replace("seven", "other") if how == "pick" else SEVEN.replace("one", "ONE"))
    story.commit("on main")
    with session.turn("bring it"):
        if how == "squash":
            story.git("merge", "-q", "--squash", "col", ok=False)
        else:
            story.git("cherry-pick", "col", ok=False)
            story.git("checkout", "--theirs", "f.txt")
        session.commit("bring it", "-a", add=False)
    assert len(story.ids()) == 1


def test_the_agent_replaces_a_line_that_it_committed_in_the_same_turn(story: Story) -> None:
    session = begin(story)
    with session.turn("go"):
        session.edit("f.txt", "one\n", "first\n")
        session.commit("first", "-a", add=False)
        session.edit("f.txt", "first\n", "second\n")
        session.commit("second", "-a", add=False)
        assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
        session.edit("f.txt", "second\n", "third\n")
    story.commit("third", "-a", add=False)
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
