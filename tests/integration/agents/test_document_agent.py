"""An agent that keeps its transcript as one JSON document: it is stored, cut and restored by messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest

from entire.agents import registry
from entire.agents.documents import DocumentTranscript
from entire.conversation.records import Prompt
from entire.model.positions import Position
from entire.model.tokens import TokenUsage
from entire.model.transcripts import FileReport
from tests import bare_agent
from tests.bare_agent import Chosen, SessionResumer
from tests.integration.agents.test_bare_agent import Bared
from tests.integration.story import Story
from tests.integration.turns.test_vanished_transcripts import capture


class Document(DocumentTranscript):
    def _between(self, since: Position, until: Position | None) -> list[tuple[int, dict[str, Any]]]:
        last = until.count if until is not None else len(self.natives())
        return [(n, message) for n, message in enumerate(self.natives()) if since.count <= n < last]

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        found = self._between(since, until)
        return [Prompt(text=message["text"], position=n) for n, message in found if message["type"] == "user"]

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        return [FileReport(path=message["file"]) for _, message in self._between(since, until) if "file" in message]

    def summary(self, since: Position) -> str:
        return next((message["text"] for _, message in reversed(self._between(since, None)) if "tokens" in message), "")

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        return any("tokens" in message for _, message in self._between(since, until))

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        return self.end()

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        spent = [message["tokens"] for _, message in self._between(since, until) if "tokens" in message]
        return TokenUsage(output_tokens=sum(spent), api_call_count=len(spent))


class DocumentAgent(SessionResumer):
    capabilities: ClassVar[frozenset[str]] = frozenset({"transcript_analyzer", "token_calculator", "session_resumer"})

    def transcript(self, session_ref: str, stored: bytes | None = None) -> Document:
        return Document(session_ref, stored)

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return str(Chosen.file)  # type: ignore[attr-defined]


class Told(Bared):
    """A session of that agent; answer n costs 2^n tokens."""

    def __init__(self, story: Story) -> None:
        super().__init__(story)
        self.file = story.projects / "session.json"
        self.messages: list[dict[str, Any]] = []
        self.answers = 0

    def say(self, **message: object) -> None:
        self.messages.append(message)
        document = {"sessionId": self.id, "messages": self.messages, "lastUpdated": len(self.messages)}
        self.file.write_text(json.dumps(document, indent=2))

    @contextmanager
    def tell(self, prompt: str) -> Iterator[None]:
        self.hook("turn-start", prompt=prompt)
        self.say(type="user", text=prompt)
        yield
        self.say(type="agent", text=f"Done: {prompt}", tokens=2**self.answers)
        self.answers += 1
        self.hook("turn-end")

    def write(self, name: str) -> None:
        self.story.write(name, f"{name}\n")
        self.say(type="tool", file=str(self.story.root / name))

    def texts(self) -> list[str]:
        """Return the prompts that the agent's file holds now."""
        document = json.loads(self.file.read_text())
        return [message["text"] for message in document["messages"] if message["type"] == "user"]

    def points(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(capture(self.story, "rewind", "--list"))
        return found


@pytest.fixture
def told(story: Story, monkeypatch: pytest.MonkeyPatch) -> Told:
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Chosen"))
    monkeypatch.setattr(Chosen, "agent", DocumentAgent)
    told = Told(story)
    monkeypatch.setattr(Chosen, "file", told.file, raising=False)
    told.hook("session-start")
    with told.tell("First"):
        told.write("one.txt")
    with told.tell("Second"):
        pass
    with told.tell("Third"):
        told.write("three.txt")
    return told


def test_a_checkpoint_holds_the_whole_document(told: Told) -> None:
    told.commit("all")
    slot = told.slot()
    assert slot["transcript"] == told.file.read_text()
    assert slot["prompts"] == ["First", "Second", "Third"]
    assert slot["token_usage"]["output_tokens"] == 1 + 2 + 4
    with told.tell("Fourth"):
        told.write("four.txt")
    told.commit("more")
    slot = told.slot()
    assert (slot["token_usage"]["output_tokens"], slot["checkpoint_transcript_start"]) == (8, 8)


def test_the_end_of_a_turn_without_a_step(told: Told) -> None:
    (second,) = [point for point in told.points() if point["message"] == "Second"]
    assert told.story.entire("rewind", "--to", second["id"], "--yes") == 0
    assert told.texts() == ["First", "Second"]
    assert not told.story.path("three.txt").exists()
    assert told.story.entire("rewind", "--undo", "--yes") == 0
    assert told.texts() == ["First", "Second", "Third"]


def test_before_a_prompt(told: Told) -> None:
    assert told.story.entire("rewind", "--before-last-prompt", "--yes") == 0
    assert told.texts() == ["First", "Second"]
    assert told.story.entire("rewind", "--before-last-prompt", "--yes") == 0
    assert told.texts() == ["First"]


def test_the_next_turn_counts_only_itself(told: Told) -> None:
    told.commit("all")
    (second,) = [point for point in told.points() if point["message"] == "Second"]
    assert told.story.entire("rewind", "--to", second["id"], "--yes", "--logs-only") == 0
    assert told.texts() == ["First", "Second"]
    told.messages = json.loads(told.file.read_text())["messages"]
    with told.tell("Other"):
        told.write("other.txt")
    told.commit("other")
    assert told.slot()["token_usage"]["output_tokens"] == 8
    assert told.slot()["prompts"] == ["First", "Second", "Other"]


def test_a_document_that_is_gone(told: Told) -> None:
    held = told.file.read_text()
    told.file.unlink()
    told.commit("all")
    assert told.slot()["transcript"] == held
    (second,) = [point for point in told.points() if point["message"] == "Second"]
    assert told.story.entire("rewind", "--to", second["id"], "--yes", "--logs-only") == 0
    assert told.texts() == ["First", "Second"]
