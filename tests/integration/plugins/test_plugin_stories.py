"""The whole story of a plugin's session, wherever its agent keeps it: capture, commit, explain, rewind, resume."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.plugin_at_work import PluginAtWork
from tests.integration.recording_plugin import RecordingPlugin
from tests.integration.story import Story

SOURCE = Path(__file__).resolve().parents[2] / "fixtures/plugins/story.mjs"
FORMS = [("lines", "lines"), ("lines", "bytes"), ("lines", "growing"), ("document", "lines"), ("rows", "lines"),
         ("rows", "growing")]  # fmt: skip


def play_the_whole_story(played: PluginAtWork, move: Callable[[Path], None]) -> None:
    """``move`` lets the agent have its sessions in another folder, as on another machine."""
    story = played.story
    played.enable()
    played.hook("session-start")
    played.turn("one.txt", 1)
    after_one = played.text()
    played.turn("two.txt", 10)
    story.commit("Add two files")
    assert played.slot()["transcript"].rstrip("\n") == played.text().rstrip("\n")
    assert (played.slot()["prompts"], played.tokens()) == (["Create one.txt", "Create two.txt"], 11)
    played.begin("Create three.txt")
    played.work("three.txt", 100)
    story.commit("Add three in the turn")
    played.say(answer="Done.", tokens=1000)
    played.end()
    assert played.slot()["transcript"].rstrip("\n") == played.text().rstrip("\n")
    assert (played.tokens("HEAD~"), played.tokens()) == (11, 1100)
    told = played.ok("explain", "HEAD")
    assert "Create three.txt" in told
    after_three = played.text()
    played.turn("extra.txt", 10000)
    assert "Create extra.txt" in played.text()
    before = played.text()
    for message, after in (("Add three in the turn", after_three), ("Create one.txt", after_one)):
        (point,) = [each["id"] for each in played.json("rewind", "--list") if each["message"] == message]
        played.ok("rewind", "--to", point, "--yes")
        assert (played.text(), story.path("extra.txt").exists()) == (after, False)
        played.ok("rewind", "--undo", "--yes")
        assert (played.text(), story.path("extra.txt").exists()) == (before, True)
    assert story.log_errors() == []
    there = Story.__new__(Story)
    there.root, there.projects, there.env = story.root.parent / "clone", story.projects, story.env
    story.git("clone", "-q", str(story.root), str(there.root))
    move(story.root.parent / "elsewhere")
    resumed = type(played)(there, played.plugin)
    resumed.ok("enable", "--agent", played.plugin.name)
    assert f"{played.plugin.name} --resume {played.id}" in resumed.ok("resume", "main")
    assert resumed.text().rstrip("\n") == after_three.rstrip("\n")
    resumed.turn("four.txt", 100000)
    there.commit("Add four")
    assert resumed.tokens() == 100000
    assert resumed.slot()["transcript"].rstrip("\n") == resumed.text().rstrip("\n")
    assert there.log_errors() == []


@pytest.mark.parametrize(("store", "unit"), FORMS)
def test_the_whole_story(tmp_path: Path, store: str, unit: str) -> None:
    plugin = RecordingPlugin(tmp_path / "plugin", store=store, unit=unit)
    play_the_whole_story(PluginAtWork(Story(tmp_path / "repo", enable=False), plugin), plugin.move)


class Scribe:
    """The plugin ``tests/fixtures/plugins/story.mjs``, which Node runs."""

    name = "scribe"

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.sessions = folder / "sessions"
        self.bin.mkdir(parents=True)
        self.sessions.mkdir()
        path = self.bin / "entire-agent-scribe"
        path.write_text(f'#!/bin/sh\nexec node "{SOURCE}" "$@"\n')
        path.chmod(0o755)

    def ref(self, session_id: str) -> str:
        return str(self.sessions / f"{session_id}.json")

    def say(self, session_id: str, record: dict[str, object]) -> None:
        role, text = ("user", record["prompt"]) if "prompt" in record else ("agent", record.get("answer", ""))
        files = [record["file"]] if "file" in record else []
        path = Path(self.ref(session_id))
        known = json.loads(path.read_text())["messages"] if path.exists() else []
        added = {"role": role, "text": text, "files": files, "tokens": record.get("tokens", 0)}
        path.write_text(json.dumps({"messages": [*known, added]}))

    def text(self, session_id: str) -> str:
        path = Path(self.ref(session_id))
        return path.read_text() if path.exists() else ""


class Dictated(PluginAtWork):
    """Calls hooks as the plugin's agent does."""

    def hook(self, verb: str, **more: object) -> None:
        self.story.env["SESSIONS"] = str(self.plugin.sessions)
        name = {"session-start": "start", "turn-start": "prompt", "turn-end": "stop", "session-end": "end"}[verb]
        self.raw_hook(name, json.dumps({"session_id": self.id, "prompt": more.get("prompt")}).encode())


@pytest.mark.skipif(shutil.which("node") is None, reason="the plugin needs Node, which is not installed")
def test_a_plugin_in_javascript(tmp_path: Path) -> None:
    plugin = Scribe(tmp_path / "plugin")
    played = Dictated(Story(tmp_path / "repo", enable=False), plugin)
    played.story.env["SESSIONS"] = str(plugin.sessions)

    def move(folder: Path) -> None:
        plugin.sessions = folder
        played.story.env["SESSIONS"] = str(folder)

    play_the_whole_story(played, move)
