"""A prompt has one number in ``show`` and ``search``, whatever else the agent writes; what a search prints is there."""

from __future__ import annotations

import json
import shlex
import uuid

import pytest

from tests.integration.shown import Shown, show
from tests.integration.story import Session, Story

__all__ = ["show"]


def note(session: Session, text: str) -> None:
    """Write what the agent keeps of a request that it sent."""
    blob = {"type": "api-request-blob", "hash": "0f", "message": {"role": "user", "content": text}}
    with session.file.open("a") as file:
        file.write(json.dumps(blob) + "\n" + json.dumps({"type": "api-request", "id": "r"}) + "\n")


def automatic(session: Session) -> None:
    """Play a turn that the agent began by itself, because a helper ended."""
    text = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>"
    session.prompt_id = str(uuid.uuid4())
    session.hook("user-prompt-submit", prompt=text)
    session.record("user", promptId=session.prompt_id, promptSource="system", origin={"kind": "task-notification"},
                   message={"role": "user", "content": text})  # fmt: skip
    session.stop("Heard.")


@pytest.fixture
def session(story: Story) -> Session:
    session = story.started()
    for number, name in enumerate(("aardvark", "baboon", "cheetah")):
        with session.turn(f"Ask about the {name}"):
            note(session, f"Ask about the {name}")
            session.write(f"{name}.txt", f"{name}\n")
        if number == 0:
            automatic(session)
    return session


def test_what_is_found_is_shown_under_the_printed_name(story: Story, session: Session, show: Shown) -> None:
    story.commit("Animals")
    for number, name in enumerate(("aardvark", "baboon", "cheetah"), 1):
        found = json.loads(show(f"ask about the {name}", "--kind", "prompt", "--json", command="search"))["findings"]
        assert [(one["turn"], one["show"], one["occurrences"]) for one in found] == [
            (number, f"entire show {session.id}:{number}", 1)
        ]
        page = show(*shlex.split(found[0]["show"])[2:])
        assert f"Ask about the {name}" in page
        assert f"turn {number}" in page.lower()
    assert show.error(f"{session.id}:4")
    turns = show.json(session.id)["conversations"][0]["turns"]
    assert [turn["number"] for turn in turns] == [1, 2, 3]


def test_a_prompt_that_was_taken_back_is_shown_in_its_checkpoint(story: Story, session: Session, show: Shown) -> None:
    story.commit("Animals")
    (checkpoint,) = story.ids()
    first = next(json.loads(line) for line in session.file.read_text().splitlines() if "baboon" in line)
    session.parent = first["parentUuid"]  # a rewind in the agent
    with session.turn("Ask about the dingo"):
        session.write("dingo.txt", "dingo\n")
    story.commit("Dingo")
    shown = {}
    for name in ("aardvark", "cheetah", "dingo"):
        (found,) = json.loads(show(f"ask about the {name}", "--kind", "prompt", "--json", command="search"))["findings"]
        shown[name] = found["show"].removeprefix("entire show ")
        assert f"Ask about the {name}" in show(shown[name])
    assert shown == {"aardvark": f"{session.id}:1", "cheetah": checkpoint, "dingo": f"{session.id}:2"}


def test_records_of_another_type_are_shown_by_it_in_full(story: Story, session: Session, show: Shown) -> None:
    assert "api-request" not in show(session.id)
    assert "(1 api-request-blob, 1 api-request)" in show(session.id, "--full")
    assert show(f"{session.id}:2", "--full").count("api-request-blob") == 1
    story.commit("Animals")
    assert "(1 api-request-blob, 1 api-request)" in show("HEAD", "--full")
