"""Conversations that their agent has open: it would write over what is put back, so that is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from entire import process
from entire.model.session import Process
from tests.integration.setup.test_clean import change_state
from tests.integration.story import Session, Story, story

__all__ = ["story"]


@pytest.fixture
def waiting(story: Story, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session of two turns, the second without a commit, whose agent waits for the next prompt."""
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    agent = subprocess.Popen(["sleep", "600"])
    found = process.look(agent.pid)
    assert found is not None
    session = story.started()
    with session.turn("first"):
        session.write("a.txt", "one\n")
    story.commit("one")
    with session.turn("second"):
        session.write("a.txt", "two\n")
    change_state(story, session, process=Process(pid=found.pid, started=found.started))
    yield session
    agent.kill()
    agent.wait()


def test_a_rewind_is_refused_until_the_agent_is_closed(
    story: Story, waiting: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    before, head = waiting.file.read_bytes(), story.head()
    assert story.entire("rewind", "--to", head) == 1
    said = capsys.readouterr().err
    assert "has session" in said and "--force" in said
    assert (waiting.file.read_bytes(), story.read("a.txt")) == (before, "two\n")
    assert story.entire("rewind", "--to", head, "--preview") == 0
    assert story.entire("rewind", "--to", head, "--files-only") == 0
    assert (waiting.file.read_bytes(), story.read("a.txt")) == (before, "one\n")
    assert story.entire("rewind", "--undo", "--yes") == 0, "it changes no conversation"
    assert story.entire("rewind", "--to", head, "--force") == 0
    cut = waiting.file.read_bytes()
    assert (before.startswith(cut), len(cut) < len(before)) == (True, True)
    assert story.entire("rewind", "--undo", "--yes") == 1
    assert waiting.file.read_bytes() == cut
    assert story.entire("rewind", "--undo", "--yes", "--force") == 0
    assert (waiting.file.read_bytes(), story.read("a.txt")) == (before, "two\n")


def test_a_resume_is_refused_until_the_agent_is_closed(
    story: Story, waiting: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    story.commit("two")
    stored = waiting.file.read_bytes()
    shorter = stored[: stored.rindex(b"\n", 0, -1) + 1]
    waiting.file.write_bytes(shorter)
    assert story.entire("resume") == 1
    assert "close it first, or use --force" in capsys.readouterr().err
    assert waiting.file.read_bytes() == shorter
    assert story.entire("resume", "--force") == 0
    assert waiting.file.read_bytes() == stored
