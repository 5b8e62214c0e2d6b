"""An agent whose session is not a file: it is stored, put back and continued as what its adapter makes of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from entire.agents import registry
from tests.integration.agents import composed_agent
from tests.integration.agents.test_bare_agent import Bared
from tests.integration.story import Story
from tests.integration.turns.test_vanished_transcripts import capture


class Folder(Bared):
    """A session in a folder that is not the one where the agent would begin a session now."""

    def __init__(self, story: Story) -> None:
        super().__init__(story)
        self.file = story.projects / "yesterday" / self.id
        self.file.mkdir(parents=True)

    def say(self, **message: object) -> None:
        self.say_in(self.file, **message)

    def say_in(self, folder: Path, **message: object) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        Path(folder, f"{len(list(folder.glob('*.json'))):03}.json").write_text(json.dumps(message))

    @contextmanager
    def tell(self, prompt: str) -> Iterator[None]:
        self.hook("turn-start", prompt=prompt)
        self.say(type="user", text=prompt)
        yield
        self.say(type="agent", text=f"Done: {prompt}", tokens=1)
        self.hook("turn-end")

    def write(self, name: str, to: Path | None = None) -> None:
        self.story.write(name, f"{name}\n")
        self.say_in(to or self.file, type="tool", file=name, ok=True)

    def help(self, name: str) -> Path:
        """Let a subagent write a file; return its folder."""
        folder = self.file / "helpers" / name
        self.hook("subagent-start", tool_use_id=f"call_{name}", subagent_id=name)
        self.write(f"{name}.txt", folder)
        self.say_in(folder, type="agent", text="Helped", tokens=100)
        self.say(type="call", helper=name)
        self.hook("subagent-end", tool_use_id=f"call_{name}", subagent_id=name, subagent_ref=str(folder))
        return folder

    def vanish(self) -> None:
        shutil.rmtree(self.file)

    def messages(self, folder: Path | None = None) -> list[Any]:
        data = composed_agent.composed(str(folder or self.file))
        found: list[Any] = json.loads(data)["messages"] if data else []
        return found

    def point(self, prompt: str) -> str:
        points = json.loads(capture(self.story, "rewind", "--list"))
        return next(str(point["id"]) for point in points if point["prompt"] == prompt)

    def stored(self) -> list[Any]:
        """Return the messages in the checkpoint of HEAD."""
        found: list[Any] = json.loads(self.slot()["transcript"])["messages"]
        return found


@pytest.fixture
def folder(story: Story, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setitem(registry.BUILTIN, "bare", composed_agent.entry())
    folder = Folder(story)
    folder.hook("session-start")
    with folder.tell("First"):
        folder.write("one.txt")
    with folder.tell("Second"):
        folder.write("two.txt")
    return folder


def test_it_goes_back_where_it_is_and_returns(folder: Folder) -> None:
    before = folder.messages()
    assert folder.story.entire("rewind", "--to", folder.point("First")) == 0
    assert folder.messages() == before[:3]
    assert folder.story.entire("rewind", "--undo", "--yes") == 0
    assert folder.messages() == before
    assert not (folder.story.projects / "today").exists()
    assert folder.story.log_errors() == []


def test_an_undo_knows_it_in_other_bytes(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The agent composes what was put back: with commands, an undo is refused only if it has continued."""
    monkeypatch.setattr(composed_agent.ComposedAgent, "put_back", composed_agent.put_back_by_a_command)
    before = folder.messages()
    assert folder.story.entire("rewind", "--to", folder.point("First")) == 0
    assert folder.story.entire("rewind", "--undo", "--yes") == 0
    assert folder.messages() == before
    assert folder.story.entire("rewind", "--undo", "--yes") == 0
    assert folder.messages() == before[:3]
    folder.say(type="user", text="Something else")
    capsys.readouterr()
    assert folder.story.entire("rewind", "--undo", "--yes") == 1
    assert "has continued since" in capsys.readouterr().err


def test_what_a_rewind_put_back_stays_restorable(folder: Folder) -> None:
    before = folder.messages()
    assert folder.story.entire("rewind", "--to", folder.point("First")) == 0
    folder.vanish()
    folder.commit("One")
    assert folder.stored() == before[:3]
    assert folder.slot()["prompts"] == ["First"]
    assert folder.slot()["token_usage"]["api_call_count"] == 1


def test_what_an_undo_brought_back_stays_restorable(folder: Folder) -> None:
    before = folder.messages()
    assert folder.story.entire("rewind", "--to", folder.point("First")) == 0
    assert folder.story.entire("rewind", "--undo", "--yes") == 0
    folder.vanish()
    folder.commit("One and two")
    assert folder.stored() == before


def test_what_a_resume_put_back_stays_restorable(folder: Folder) -> None:
    before = folder.messages()
    folder.vanish()
    assert folder.story.entire("resume", folder.id) == 0
    shutil.rmtree(folder.story.projects / "today")
    folder.commit("One and two")
    assert folder.stored() == before


def test_its_subagents_come_back_with_it(folder: Folder) -> None:
    with folder.tell("Third"):
        helped = folder.help("h1")
        folder.write("three.txt")
    before, said = folder.messages(), folder.messages(helped)
    third = folder.point("Third")
    assert folder.story.entire("rewind", "--to", folder.point("Second")) == 0
    shutil.rmtree(helped)
    assert folder.story.entire("rewind", "--to", third) == 0
    assert (folder.messages(), folder.messages(helped)) == (before, said)
    folder.vanish()
    folder.commit("Three turns")
    folder.story.show(f"{folder.folder()}/tasks/call_h1/agent-h1.jsonl")
    assert folder.slot()["token_usage"]["subagent_tokens"]["api_call_count"] == 1


def test_a_subagent_reports_the_files_of_its_own_turn_only(folder: Folder) -> None:
    """The session's tasks still name it in later turns, but what a person changed since is the person's."""
    with folder.tell("Third"):
        folder.help("h1")
    folder.commit("Three turns")
    folder.story.write("h1.txt", "mine\n")
    folder.say(type="user", text="Fourth")  # its start is missed: only what tools report is its work
    folder.say(type="agent", text="Done: Fourth", tokens=1)
    folder.hook("turn-end", prompt="Fourth")
    folder.commit("Mine")
    assert folder.story.ids() == []
