"""Turns that their agent does not end: interrupted, killed, or followed by another prompt (linking.md section 7)."""

from __future__ import annotations

import json
import time

import pytest

from tests.integration.interrupting import PERSON, attribution, call, killed
from tests.integration.story import Session, Story, story
from tests.integration.turn_commits import session

__all__ = ["session", "story"]


def test_what_a_person_types_after_an_interruption_is_theirs(story: Story, session: Session) -> None:
    session.prompt("write")
    session.write("agent.txt", "agent\n")
    session.interrupt()
    story.write("mine.txt", "mine\nmine\n")
    story.commit("both")
    assert attribution(story) == (1, 2, 3)
    assert story.log_errors() == []


def test_what_a_shell_did_until_it_was_interrupted_is_the_agents(story: Story, session: Session) -> None:
    session.prompt("run")
    running = call(session)
    story.write("by-shell.txt", "agent\n")
    time.sleep(0.01)
    session.interrupt(running)
    time.sleep(0.01)
    story.write("mine.txt", "mine\n")
    story.commit("both")
    assert attribution(story) == (1, 1, 2)


def test_before_the_answer_nothing_is_written_down(story: Story, session: Session) -> None:
    session.prompt("write")
    story.write("mine.txt", "mine\n")
    story.commit("mine", env=PERSON)
    assert story.ids() == []
    session.prompt("write again")
    session.write("agent.txt", "agent\n")
    session.stop()
    story.commit("agent's")
    assert attribution(story) == (1, 0, 1)


def test_the_next_prompt_shows_that_nothing_was_running(story: Story, session: Session) -> None:
    with session.turn("first"):
        pass
    session.prompt("second")
    session.write("agent.txt", "agent\n")
    story.write("mine.txt", "mine\nmine\n")
    session.prompt("third")
    session.stop()
    story.commit("both")
    assert attribution(story) == (1, 2, 3)


def test_a_killed_agents_turn_ends_with_its_last_record(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.prompt("write")
    session.write("agent.txt", "agent\n")
    killed(session, monkeypatch)
    story.write("mine.txt", "mine\nmine\n")
    story.commit("both", env=PERSON)
    assert attribution(story) == (1, 2, 3)


def test_an_interrupted_turn_is_no_obstacle_to_a_rewind(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    with session.turn("first"):
        session.write("agent.txt", "agent\n")
    session.prompt("second")
    session.write("agent.txt", "wrong\n")
    session.interrupt()
    capsys.readouterr()
    assert story.entire("status") == 0
    assert "interrupted" in capsys.readouterr().out
    assert story.entire("rewind", "--list") == 0
    points = json.loads(capsys.readouterr().out)
    assert story.entire("rewind", "--to", points[-1]["id"], "--files-only") == 0
    assert story.read("agent.txt") == "agent\n"
