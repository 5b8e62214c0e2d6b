"""Prompts that are typed while the agent is busy: their hook comes at once, with the running turn's id (2.1.332)."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from tests.integration.shown import Shown, show
from tests.integration.story import Session, Story

__all__ = ["show"]


def why(show: Shown, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(show(f"{name}:1", "--json", command="why"))["files"][0]["ranges"][0]
    return found


@pytest.fixture
def session(story: Story) -> Session:
    session = story.started()
    session.prompt("Write a")
    session.write("a.txt", "a\n")
    return session


def test_a_queued_prompt_is_a_turn_of_its_own(story: Story, session: Session, show: Shown) -> None:
    """No hook tells when it begins: at the end of the turn before."""
    for _ in range(2):  # the same hook may be delivered twice
        session.hook("user-prompt-submit", prompt="Write b")
    session.stop()
    assert session.state()["phase"] == "idle"
    session.prompt_id = str(uuid.uuid4())
    session.record("user", promptId=session.prompt_id, promptSource="queued",
                   message={"role": "user", "content": "Write b"})  # fmt: skip
    with session.shell("echo b > b.txt"):
        story.write("b.txt", "b\n")  # no tool reports it
    session.stop()
    story.commit("Both")
    slot = story.linked()["slots"][session.id]
    assert (slot["prompts"], slot["files_touched"]) == (["Write a", "Write b"], ["a.txt", "b.txt"])
    assert why(show, "a.txt")["origin"]["prompt"] == "Write a"
    assert why(show, "b.txt")["origin"]["prompt"] == "Write b"
    with session.turn("Write c"):
        session.write("c.txt", "c\n")
    story.commit("C")
    assert story.linked()["slots"][session.id]["prompts"][-1] == "Write c"


def test_a_prompt_that_joins_the_running_turn(story: Story, session: Session, show: Shown) -> None:
    with session.shell("sleep 6"):
        session.hook("user-prompt-submit", prompt="And b too")
    session.record("attachment", attachment={"type": "queued_command", "prompt": "And b too", "commandMode": "prompt",
                                             "origin": {"kind": "human"}, "humanTurn": True})  # fmt: skip
    session.write("b.txt", "b\n")
    session.stop()
    with session.turn("Write c"):
        session.write("c.txt", "c\n")
    story.commit("All")
    prompts = story.linked()["slots"][session.id]["prompts"]
    assert prompts == ["Write a", "And b too", "Write c"]
    turns = show.json(session.id)["conversations"][0]["turns"]
    assert [(turn["number"], turn["prompt"]) for turn in turns] == list(enumerate(prompts, 1))


def queue(session: Session, text: str) -> None:
    """Let a turn end while a prompt waits."""
    session.hook("user-prompt-submit", prompt=text)
    session.stop()


def begin_queued(session: Session, text: str) -> None:
    session.prompt_id = str(uuid.uuid4())
    session.record("user", promptId=session.prompt_id, promptSource="queued", message={"role": "user", "content": text})


def phase(show: Shown) -> str:
    view: dict[str, Any] = show.json(command="status")
    return str(view["sessions"][0]["phase"])


def test_a_queued_prompts_turn_is_work(
    story: Story, session: Session, show: Shown, capsys: pytest.CaptureFixture[str]
) -> None:
    """No hook says that it began, but the transcript does; nothing is rewound below it."""
    queue(session, "Write b")
    assert phase(show) == "idle"  # it waits, or was taken back
    begin_queued(session, "Write b")
    assert phase(show) == "active"
    assert story.entire("rewind", "--to", "HEAD", "--yes") == 1
    assert "in the middle of a turn" in capsys.readouterr().err
    session.write("b.txt", "b\n")
    session.stop()
    assert phase(show) == "idle"


def test_a_queued_prompts_turn_that_was_interrupted_is_over(session: Session, show: Shown) -> None:
    queue(session, "Write b")
    begin_queued(session, "Write b")
    session.interrupt()
    assert phase(show) == "idle"
