"""Trailer and checkpoint are one, also when hooks never run or are killed in the middle (linking.md section 3)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration import dying
from tests.integration.kept import PERSON, all_ids, answers, checkpoints, journal, lines, sole, tokens, unlinked
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    found = story.session()
    found.start()
    return found


def pending(story: Story) -> Path:
    return story.path(".git/entire/pending.json")


def consistent(story: Story) -> None:
    """Check that commits and checkpoints tell the same, and that everything that we wrote can be read."""
    assert all_ids(story) == checkpoints(story)
    assert not pending(story).exists()
    assert not list(story.path(".git").rglob("*.broken"))
    for path in (*story.path(".git/entire").rglob("*.json"), *story.path(".git/entire-sessions").glob("*.json")):
        json.loads(path.read_text())
    assert story.log_errors() == []


def without_hook(story: Story, name: str) -> Iterator[None]:
    path = story.path(f".git/hooks/{name}")
    kept = path.read_text()
    path.write_text("#!/bin/sh\nexit 0\n")
    yield
    path.write_text(kept)


@pytest.fixture
def no_post_commit(story: Story) -> Iterator[None]:
    yield from without_hook(story, "post-commit")


def test_post_commit_never_ran(story: Story, session: Session, no_post_commit: None) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    commit = story.commit("a")
    assert len(story.ids()) == 1
    assert checkpoints(story) == set()
    assert pending(story).exists()
    story.session().start()
    record = sole(story, session, ["a.py"], commit)
    assert tokens(record) == answers(0, 1)
    assert lines(record) == (1, 0, 0, 0, 1)
    consistent(story)


def test_two_commits_in_a_row_and_the_first_without_post_commit(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
        session.write("b.py", "b\n")
    story.git("add", "a.py")
    for _ in without_hook(story, "post-commit"):
        first = story.commit("a", add=False)
    second = story.commit("b")
    assert tokens(sole(story, session, ["a.py"], first)) == answers(0, 1, 2)
    assert tokens(sole(story, session, ["b.py"], second)) == (0, 0)
    consistent(story)


def test_within_a_turn_without_post_commit(story: Story, session: Session, no_post_commit: None) -> None:
    session.prompt("Work")
    session.write("a.py", "a\n")  # 0
    commit = session.commit("a")  # 1
    session.write("b.py", "b\n")  # 2
    session.stop()  # 3
    record = sole(story, session, ["a.py"], commit)
    assert tokens(record) == answers(0, 1, 2, 3)
    assert record["transcript"] == session.file.read_text()
    consistent(story)


def test_the_session_goes_on_before_the_record_is_completed(
    story: Story, session: Session, no_post_commit: None
) -> None:
    """What is said after the commit is not in its checkpoint, and is counted later."""
    with session.turn("One"):
        session.write("a.py", "a\n")  # 0, 1
    first = story.commit("a")
    with session.turn("Two"):
        session.write("b.py", "b\n")  # 2, 3
    assert tokens(sole(story, session, ["a.py"], first)) == answers(0, 1)
    second = story.commit("b")
    story.session().start()
    assert tokens(sole(story, session, ["b.py"], second)) == answers(2, 3)
    consistent(story)


def test_a_commit_that_never_came(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.git("add", "a.py")
    hook = story.path(".git/hooks/commit-msg")
    kept = hook.read_text()
    hook.write_text("#!/bin/sh\nexit 1\n")
    story.git("commit", "-q", "-m", "refused", ok=False)
    hook.write_text(kept)
    assert story.git("log", "-1", "--format=%s").strip() == "Enable entire"
    assert pending(story).exists()
    story.session().start()
    consistent(story)
    assert checkpoints(story) == set()
    story.commit("a")
    assert tokens(sole(story, session, ["a.py"])) == answers(0, 1)
    consistent(story)


def test_an_empty_message_gives_up_as_without_us(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.git("add", "a.py")
    head = story.head()
    story.git("commit", "-q", ok=False, env={"GIT_EDITOR": "true"})
    assert story.head() == head
    story.session().start()
    consistent(story)
    story.commit("a")
    sole(story, session, ["a.py"])
    consistent(story)


def test_the_trailer_is_removed_in_the_editor(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.git("add", "a.py")
    editor = "f() { sed -i '/^Entire-Checkpoint/d' \"$1\"; sed -i '1s/.*/mine/' \"$1\"; }; f"
    story.git("commit", "-q", env={"GIT_EDITOR": editor})
    assert "removed" in unlinked(story)
    consistent(story)
    story.write("a.py", "a\nperson\n")
    story.commit("more")
    assert story.ids() == []
    consistent(story)


def test_the_editor_is_open_while_the_session_goes_on(story: Story, session: Session, tmp_path: Path) -> None:
    """The decision at prepare time holds: what the session does meanwhile is not in this commit."""
    with session.turn("One"):
        session.write("a.py", "a\n")  # 0, 1
    story.git("add", "a.py")
    opened, closed = tmp_path / "opened", tmp_path / "closed"
    editor = f'f() {{ touch {opened}; while [ ! -e {closed} ]; do sleep 0.02; done; echo done >>"$1"; }}; f'
    child = subprocess.Popen(["git", "commit", "-q"], cwd=story.root, env={**story.env, "GIT_EDITOR": editor, **PERSON})
    while not opened.exists():
        assert child.poll() is None
    with session.turn("Two"):
        session.write("b.py", "b\n")  # 2, 3
    assert pending(story).exists()
    story.session().start()
    closed.touch()
    assert child.wait() == 0
    record = sole(story, session, ["a.py"])
    assert tokens(record) == answers(0, 1)
    consistent(story)
    story.commit("b")
    assert tokens(sole(story, session, ["b.py"])) == answers(2, 3)
    consistent(story)


def test_a_broken_record_is_put_aside(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    pending(story).write_bytes(b'{"kind": "plain", "sess')
    story.commit("a")
    assert tokens(sole(story, session, ["a.py"])) == answers(0, 1)
    assert story.log_errors() == []


# ---------------------------------------------------------------- killed at every write


class Again:
    """A story that begins at the same place again and again."""

    def __init__(self, story: Story, session: Session) -> None:
        self._story, self._session = story, session
        self._place = story.root.parent
        self._copy = self._place.parent / f"{self._place.name}-copy"
        self._state = session.parent, session.prompt_id, session.answers
        shutil.copytree(self._place, self._copy, symlinks=True)

    def restore(self) -> None:
        for name in os.listdir(self._copy):
            shutil.rmtree(self._place / name, ignore_errors=True)
            shutil.copytree(self._copy / name, self._place / name, symlinks=True)
        self._session.parent, self._session.prompt_id, self._session.answers = self._state


def counted_once(story: Story, session: Session) -> None:
    """Check that the checkpoints of all commits together hold every answer of the session once."""
    found = [tokens(story.checkpoint(one)["slots"][session.id]) for one in all_ids(story)]
    assert (sum(one for one, _ in found), sum(count for _, count in found)) == answers(*range(session.answers))


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("hook", ["prepare-commit-msg", "post-commit"])
@pytest.mark.parametrize("inside", [False, True], ids=["between turns", "inside a turn"])
def test_a_git_hook_is_killed_at_any_write(story: Story, session: Session, inside: bool, hook: str, part: int) -> None:
    with session.turn("One"):
        session.write("a.py", "a\n")
        session.write("open.py", "o\n")
    if inside:
        session.prompt("Two")
        session.write("b.py", "b\n")
    again = Again(story, session)
    for count in range(part, 200, 4):
        again.restore()
        env = dying.environment(story.root.parent / "bin", hook, count)
        story.git("add", "a.py")
        story.commit("a", add=False, env={**env, **PERSON})
        if inside:
            session.stop()
        else:
            story.session().start()
        consistent(story)
        if story.ids() or story.recorded():
            sole(story, session, ["a.py"])
        session.start()
        with session.turn("Last"):
            session.write("c.py", "c\n")
        story.commit("rest")
        sole(story, session, sorted([*(["b.py"] if inside else []), "c.py", "open.py"]))
        consistent(story)
        counted_once(story, session)
        if Path(env["ENTIRE_TESTS_LIVED"]).exists():
            assert count > 2
            return
    raise AssertionError("it never came to its end")


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("hook", ["user-prompt-submit", "stop", "session-end"])
def test_an_agents_hook_is_killed_at_any_write(story: Story, session: Session, hook: str, part: int) -> None:
    with session.turn("One"):
        session.write("a.py", "a\n")
    if hook != "user-prompt-submit":
        session.prompt("Two")
        session.write("b.py", "b\n")
        session.commit("ab")
        session.write("c.py", "c\n")
        session.answer({"type": "text", "text": "Done."})
    else:
        story.write("mine.py", "p\n")
    again = Again(story, session)
    for count in range(part, 200, 3):
        again.restore()
        lived = dying.in_child(
            count, lambda: session.hook(hook, prompt="Three", last_assistant_message="Done.", reason="x")
        )
        story.session().start()
        consistent(story)
        with session.turn("Last"):
            session.write("d.py", "d\n")
        story.commit("rest")
        record = sole(story, session, ["a.py", "d.py"] if hook == "user-prompt-submit" else ["c.py", "d.py"])
        assert lines(record)[:2] == ((2, 1) if hook == "user-prompt-submit" else (2, 0))
        consistent(story)
        counted_once(story, session)
        assert journal(story)["live"] is False
        if lived:
            assert count > 2
            return
    raise AssertionError("it never came to its end")
