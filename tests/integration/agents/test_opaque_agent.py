"""An agent whose transcript is stored and put back without being read: only its events tell prompts and turns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entire.agents import registry
from tests import bare_agent
from tests.bare_agent import Chosen, with_capabilities
from tests.integration.agents.test_bare_agent import Bared
from tests.integration.story import Story
from tests.integration.turns.test_vanished_transcripts import capture


class Told(Bared):
    def tell(self, prompt: str, name: str = "") -> str:
        """Play a turn, which may write a file; return what the transcript holds at its end."""
        self.hook("turn-start", prompt=prompt)
        self.say(prompt=prompt)
        if name:
            self.story.write(name, f"{prompt}\n")
        self.hook("turn-end")
        return self.file.read_text()

    def point(self, prompt: str) -> dict[str, Any]:
        points: list[dict[str, Any]] = json.loads(capture(self.story, "rewind", "--list"))
        return next(point for point in points if point["prompt"] == prompt)

    def rewind(self, point: str) -> None:
        assert self.story.entire("rewind", "--to", point) == 0


@pytest.fixture
def told(story: Story, monkeypatch: pytest.MonkeyPatch) -> Told:
    told = Told(story)
    agent = with_capabilities("session_resumer")
    monkeypatch.setattr(agent, "resolve_session_file", lambda *_: str(told.file))
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Chosen"))
    monkeypatch.setattr(Chosen, "agent", agent)
    told.hook("session-start")
    return told


def test_it_goes_back_and_on_with_its_prompts(told: Told) -> None:
    first = told.tell("First", "one.txt")
    last = told.tell("Last", "last.txt")
    points = [told.point(prompt)["id"] for prompt in ("First", "Last")]
    told.rewind(points[0])
    assert told.file.read_text() == first
    told.rewind(points[1])
    assert told.file.read_text() == last
    told.rewind(points[0])
    told.tell("Other", "other.txt")
    told.commit("First and other")
    assert told.slot()["prompts"] == ["First", "Other"]


def test_no_conversation_is_removed_because_its_records_are_unknown(told: Told) -> None:
    told.tell("First", "one.txt")
    told.tell("Talk")
    last = told.tell("Last", "last.txt")
    told.rewind(told.point("Last")["before_prompt"])
    assert not (told.story.root / "last.txt").exists()
    assert told.file.read_text() == last
    told.rewind(told.point("First")["before_prompt"])
    assert not told.file.exists() or told.file.read_text() == ""


def test_its_adapter_joins_what_it_split(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks may end anywhere; no newline between them is the transcript's."""

    def split(_agent: object, transcript: bytes, _max_size: int) -> list[bytes]:
        return [transcript[:7], transcript[7:]]

    monkeypatch.setattr(Chosen.agent, "chunk_transcript", split)
    monkeypatch.setattr(Chosen.agent, "reassemble_transcript", lambda _agent, chunks: b"".join(chunks))
    first = told.tell("First", "one.txt")
    told.file.unlink()
    told.commit("One")
    (checkpoint_id,) = told.story.ids()
    assert capture(told.story, "explain", checkpoint_id, "--raw-transcript") == first
    assert told.story.entire("resume", told.id) == 0
    assert told.file.read_text() == first
    told.file.unlink()
    told.rewind(told.point("First")["id"])
    assert told.file.read_text() == first
