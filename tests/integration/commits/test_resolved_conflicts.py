"""A conflict that is resolved is the work of who resolved it: the lines that differ from both sides (linking.md 1)."""

from __future__ import annotations

import pytest

from entire.model.histories import LogRequest
from entire.workspace import Workspace
from tests.integration.kept import PERSON, commit_of, lines
from tests.integration.story import Session, Story
from tests.integration.why.test_why_properties import names

WAYS = {
    "rebase": (("switch", "-q", "topic"), ("rebase", "-q", "main"), ("rebase", "--continue")),
    "rebase --apply": (("switch", "-q", "topic"), ("rebase", "-q", "--apply", "main"), ("rebase", "--continue")),
    "cherry-pick": (("switch", "-q", "main"), ("cherry-pick", "topic"), ("cherry-pick", "--continue")),
    "cherry-pick, commit": (("switch", "-q", "main"), ("cherry-pick", "topic"), ("commit", "-q", "--no-edit")),
    "merge": (("switch", "-q", "main"), ("merge", "-q", "topic"), ("merge", "--continue")),
    "merge, commit": (("switch", "-q", "main"), ("merge", "-q", "topic"), ("commit", "-q", "--no-edit")),
}


def in_conflict(story: Story, *options: str) -> tuple[Session, str]:
    """Make a linked commit of a session on ``topic``, in conflict with a person's on main; return that session and the
    checkpoint."""
    story.write("f.txt", "1\n2\n3\n")
    story.commit("f", env=PERSON)
    story.git("switch", "-q", "-c", "topic")
    other = story.started()
    with other.turn("Change f"):
        other.write("f.txt", "1\ntheirs\n3\n")
    story.git(*options, "commit", "-q", "-a", "-m", "Topic", env=PERSON)
    Workspace.find(story.root).history.log(LogRequest())
    name = str(story.linked()["checkpoint_id"])
    story.git("switch", "-q", "main")
    story.write("f.txt", "1\nours\n3\n")
    story.commit("Main", env=PERSON)
    return other, name


@pytest.fixture
def linked(story: Story) -> tuple[Session, str]:
    return in_conflict(story)


def resolve(story: Story, way: str, text: str, session: Session | None) -> None:
    """Run into the conflict and resolve it, as a session's agent or a person."""
    go, start, finish = WAYS[way]
    story.git(*go, env=PERSON)
    env = PERSON if session is None else {"CLAUDE_CODE_SESSION_ID": session.id, "CLAUDECODE": "1"}
    if session is None:
        story.git(*start, ok=False, env=env)
        story.write("f.txt", text)
        story.git("add", "f.txt")
        story.git(*finish, env={**env, "GIT_EDITOR": "true"})
        return
    with session.shell("git " + " ".join(start)):
        story.git(*start, ok=False, env=env)
    session.write("f.txt", text)
    with session.shell("git " + " ".join(finish)):
        story.git("add", "f.txt")
        story.git(*finish, env={**env, "GIT_EDITOR": "true"})


@pytest.mark.parametrize("way", WAYS)
def test_the_session_that_resolved_joins_the_commit(story: Story, linked: tuple[Session, str], way: str) -> None:
    other, name = linked
    session = story.started()
    session.prompt("Resolve it")
    resolve(story, way, "1\nours\nboth\ntheirs\n3\n", session)
    session.stop()
    *carried, new = dict.fromkeys([*story.ids(), *story.recorded()])  # no hook sees what `rebase --apply` makes
    assert carried == ([] if way.startswith("merge") else [name])
    slots = story.checkpoint(new)["slots"]
    assert list(slots) == [session.id]
    assert slots[session.id]["files_touched"] == ["f.txt"]
    assert lines(slots[session.id])[0] == 1, "only the line that neither side has"
    if carried:
        assert commit_of(story, "HEAD") in [one["commit"] for one in story.checkpoint(name)["lineage"]["commits"]]
    assert list(story.checkpoint(name)["slots"]) == [other.id]
    assert story.log_errors() == []


def test_an_agent_resolves_a_persons_commit_without_hooks(story: Story, linked: tuple[Session, str]) -> None:
    session, _ = linked
    story.git("branch", "-f", "topic")
    story.git("reset", "-q", "--hard", "HEAD~1")
    story.write("f.txt", "1\ntheirs\n3\n")
    story.commit("Theirs", env=PERSON)
    with session.turn("Resolve it"):
        resolve(story, "rebase --apply", "1\ntheirs\nboth\nours\n3\n", session)
    assert lines(story.linked()["slots"][session.id])[0] == 1
    assert story.log_errors() == []


@pytest.mark.parametrize("conflict", [False, True])
def test_a_turns_commit_that_no_hook_saw_before_its_rebase(
    story: Story, linked: tuple[Session, str], conflict: bool
) -> None:
    session, _ = linked
    story.git("switch", "-q", "-c", "aside", "main~1")
    story.write("g.txt", "g\n")
    story.commit("Aside", env=PERSON)
    story.git("switch", "-q", "-c", "mine", "main~1")
    with session.turn("Commit and rebase it"):
        session.write("f.txt", "1\nmine\n3\n" if conflict else "1\n2\n3\n4\n5\n6\nmine\n")
        with session.shell("git commit"):
            story.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-am", "Mine")
        with session.shell("git rebase"):
            story.git("rebase", "-q", "--apply", "main" if conflict else "aside", ok=False)
        if conflict:
            session.write("f.txt", "1\nours\nmine\n3\n")
            with session.shell("git rebase --continue"):
                story.git("add", "f.txt")
                story.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert lines(story.linked()["slots"][session.id])[0] == (1 if conflict else 4)
    assert story.log_errors() == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", ["1\nours\nboth\ntheirs\n3\n", "1\ntheirs\n3\n"], ids=["by hand", "theirs"])
def test_a_person_resolves_while_no_turn_runs(story: Story, linked: tuple[Session, str], way: str, text: str) -> None:
    _, name = linked
    session = story.started()
    with session.turn("Make open.txt"):
        session.write("open.txt", "open\n")
    resolve(story, way, text, None)
    assert story.ids() == ([] if way.startswith("merge") else [name])
    assert session.state()["files_touched"] == ["open.txt"]
    story.commit("Open", env=PERSON)
    slot = story.linked()["slots"][session.id]
    assert (slot["files_touched"], lines(slot)) == (["open.txt"], (1, 0, 0, 0, 1))
    assert story.log_errors() == []


@pytest.mark.parametrize("way", ["rebase", "cherry-pick"])
def test_an_agent_that_takes_a_side_adds_nothing(story: Story, linked: tuple[Session, str], way: str) -> None:
    _, name = linked
    session = story.started()
    session.prompt("Resolve it")
    resolve(story, way, "1\ntheirs\n3\n", session)
    session.stop()
    assert story.ids() == [name]
    assert story.log_errors() == []


@pytest.mark.parametrize("by", ["person", "person near a session", "agent"])
@pytest.mark.parametrize("hooks", [True, False])
@pytest.mark.parametrize("way", [way for way in WAYS if not way.startswith("merge")])
def test_a_commit_that_is_linked_by_its_id_stays_linked(
    story: Story, monkeypatch: pytest.MonkeyPatch, way: str, hooks: bool, by: str
) -> None:
    other, name = in_conflict(story, "-c", "core.hooksPath=/dev/null")
    assert story.ids("topic") == []
    session = other if by == "person" else story.started()
    if by == "person near a session":
        with session.turn("Make open.txt"):
            session.write("open.txt", "open\n")
    monkeypatch.setitem(story.env, "GIT_CONFIG_COUNT", "0" if hooks else "1")
    monkeypatch.setitem(story.env, "GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setitem(story.env, "GIT_CONFIG_VALUE_0", "/dev/null")
    if by == "agent":
        session.prompt("Resolve it")
    resolve(story, way, "1\nours\nboth\ntheirs\n3\n", session if by == "agent" else None)
    if by == "agent":
        session.stop()
    named = names(Workspace.find(story.root), "f.txt")
    assert named == ["person", "person", "Resolve it" if by == "agent" else "person", "Change f", "person"]
    carried, *new = dict.fromkeys([*story.ids(), *story.recorded()])
    assert carried == name
    assert [list(story.checkpoint(one)["slots"]) for one in new] == ([[session.id]] if by == "agent" else [])
    assert commit_of(story, "HEAD") in [one["commit"] for one in story.checkpoint(name)["lineage"]["commits"]]
    assert story.log_errors() == []
