"""What git brings into the worktree keeps its owners, whoever ran it: no older commit and no line becomes a turn's."""

from __future__ import annotations

import os

import pytest

from entire.workspace import Workspace
from tests.integration.kept import PERSON
from tests.integration.line_owners import PERSON as A_PERSON
from tests.integration.story import Session, Story
from tests.integration.why.test_why_properties import names

TOPIC = "topic"


@pytest.fixture
def session(story: Story) -> Session:
    """A session on main; a person has made commits on main and on the branch ``topic`` before, in this worktree."""
    story.write("a.txt", "a1\na2\na3\n")
    story.commit("Person: a", env=PERSON)
    story.git("tag", "main-start")
    story.git("switch", "-q", "-c", TOPIC)
    for number in range(3):
        story.write("topic.txt", "".join(f"topic {line}\n" for line in range(number + 1)))
        story.write("a.txt", f"a1\na2\na3\ntopic {number}\n")
        story.commit(f"Person: topic {number}", env=PERSON)
    story.git("switch", "-q", "main")
    session = story.started()
    with session.turn("Make own.txt"):
        session.write("own.txt", "own 1\nown 2\n")
    story.commit("Own", env=PERSON)
    return session


def linked(story: Story) -> list[str]:
    """Return the subjects of the commits of all branches and reflogs that are linked in any way."""
    listed = story.git("log", "--reflog", "--exclude=entire/*", "--branches", "--format=%H %s").splitlines()
    found = [line.partition(" ") for line in listed]
    return sorted({subject for oid, _, subject in found if story.ids(oid) or story.recorded(oid)})


def by_agent(session: Session, *commands: tuple[str, ...]) -> None:
    """Let the agent run git in its shell."""
    with session.shell("; ".join("git " + " ".join(words) for words in commands)):
        for words in commands:
            session.story.git(*words, ok=False, env={"CLAUDE_CODE_SESSION_ID": session.id, "CLAUDECODE": "1"})


GOING: dict[str, list[tuple[str, ...]]] = {
    "checkout": [("checkout", "-q", TOPIC)],
    "switch and back": [("switch", "-q", TOPIC), ("switch", "-q", "main")],
    "reset": [("reset", "-q", "--hard", TOPIC)],
    "rebase": [("rebase", "-q", TOPIC)],
    "rebase --apply": [("rebase", "-q", "--apply", TOPIC)],
    "merge": [("merge", "-q", "--no-edit", TOPIC)],
    "fast-forward": [("switch", "-q", "-c", "other", f"{TOPIC}~2"), ("merge", "-q", "--ff-only", TOPIC)],
    "pull": [("pull", "-q", "--no-rebase", "--no-edit", ".", TOPIC)],
    "pull --rebase": [("pull", "-q", "--rebase", ".", TOPIC)],
    "cherry-pick": [("cherry-pick", f"{TOPIC}~2", f"{TOPIC}~1", TOPIC)],
}


@pytest.mark.parametrize(
    ("way", "who"),
    [*((way, "agent") for way in GOING), *((way, "person") for way in ("checkout", "rebase", "reset", "merge"))],
)
def test_a_turn_in_which_somebody_only_goes_elsewhere(story: Story, session: Session, way: str, who: str) -> None:
    steps = session.state().get("checkpoint_count", 0)
    session.prompt("Go there")
    if who == "agent":
        by_agent(session, *GOING[way])
    else:
        for words in GOING[way]:
            story.git(*words, env=PERSON)
    session.stop()
    assert linked(story) == ["Own"]
    assert session.state().get("files_touched", []) == []
    assert session.state().get("checkpoint_count", 0) == steps, "a turn without file changes makes no step"
    story.git("reset", "-q", "--soft", "main-start")
    story.write("mine.txt", "mine\n")
    story.commit("Again", env=PERSON)
    named = {path: writers(story, path) for path in ("a.txt", "topic.txt", "own.txt") if story.path(path).exists()}
    expected = {"a.txt": {A_PERSON}, "topic.txt": {A_PERSON}, "own.txt": {"Make own.txt"}}
    assert named == {path: expected[path] for path in named}
    assert story.log_errors() == []


def writers(story: Story, path: str) -> set[str]:
    """Return whom `entire why` names for the lines of a file."""
    os.environ["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(story.projects)
    return set(names(Workspace.find(story.root), path))


def test_what_an_agent_stashed_in_its_turn_is_its_own_when_a_person_pops_it(story: Story, session: Session) -> None:
    with session.turn("Stash it"):
        session.write("kept.txt", "kept 1\nkept 2\n")
        by_agent(session, ("stash", "-q", "-u"))
    story.git("stash", "pop", "-q", env=PERSON)
    story.commit("Kept", env=PERSON)
    assert linked(story) == ["Kept", "Own"]
    assert writers(story, "kept.txt") == {"Stash it"}
    assert story.log_errors() == []


def test_an_amend_after_going_away_and_back(story: Story, session: Session) -> None:
    with session.turn("Commit, look elsewhere, amend"):
        session.write("more.txt", "more 1\n")
        session.commit("More")
        by_agent(session, ("checkout", "-q", TOPIC), ("checkout", "-q", "-"))
        session.write("more.txt", "more 1\nmore 2\n")
        by_agent(session, ("commit", "-q", "-a", "--amend", "--no-edit"))
    assert writers(story, "more.txt") == {"Commit, look elsewhere, amend"}
    assert story.log_errors() == []


def test_lines_of_a_pick_that_was_undone_are_still_a_persons(story: Story, session: Session) -> None:
    session.prompt("Pick and undo")
    by_agent(session, ("cherry-pick", TOPIC))
    session.write("a.txt", "a1\na2\na3\ntopic 2\nglue\n")
    session.write("topic.txt", "topic 0\ntopic 1\ntopic 2\n")
    by_agent(session, ("add", "-A"), ("-c", "core.editor=true", "cherry-pick", "--continue"), ("reset", "-q", "HEAD~1"))
    session.write("a.txt", "a1\na2\na3\ntopic 2\nglue\nmore\n")
    session.stop()
    story.commit("Again", env=PERSON)
    assert writers(story, "topic.txt") == {A_PERSON}
    assert writers(story, "a.txt") == {A_PERSON, "Pick and undo"}
    assert story.log_errors() == []


def test_a_soft_reset_that_goes_on_on_another_branch_keeps_the_link(story: Story, session: Session) -> None:
    story.git("branch", "other", "HEAD~1")
    story.git("reset", "-q", "--soft", "HEAD~1", env=PERSON)
    story.git("checkout", "-q", "other", env=PERSON)
    story.commit("Own, elsewhere", env=PERSON)
    assert "Own, elsewhere" in linked(story)
    assert writers(story, "own.txt") == {"Make own.txt"}
    assert story.log_errors() == []


def test_a_commit_of_what_was_picked_without_committing_keeps_its_checkpoint(story: Story, session: Session) -> None:
    (name,) = story.ids()
    story.git("switch", "-q", TOPIC, env=PERSON)
    session.prompt("Pick it")
    by_agent(session, ("cherry-pick", "-n", "main"), ("commit", "-q", "-m", "Mine"))
    session.stop()
    assert story.ids() == [name]
    assert writers(story, "own.txt") == {"Make own.txt"}
    assert story.log_errors() == []
