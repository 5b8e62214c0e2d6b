"""The whole story of a plugin's session, wherever its agent keeps it: capture, commit, explain, rewind, resume."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.integration.plugin_at_work import PluginAtWork
from tests.integration.recording_plugin import RecordingPlugin
from tests.integration.story import Story

FORMS = [("lines", "lines"), ("lines", "bytes"), ("lines", "growing"), ("document", "lines"), ("rows", "lines"),
         ("rows", "growing")]  # fmt: skip


@pytest.mark.parametrize(("store", "unit"), FORMS)
def test_the_whole_story(tmp_path: Path, store: str, unit: str) -> None:
    plugin = RecordingPlugin(tmp_path / "plugin", store=store, unit=unit)
    story = Story(tmp_path / "repo", enable=False)
    played = PluginAtWork(story, plugin)
    played.enable()
    played.hook("session-start")
    played.turn("one.txt", 1)
    after_one = played.text()
    played.turn("two.txt", 10)
    played.story.commit("Add two files")
    assert played.slot()["transcript"].rstrip("\n") == played.text().rstrip("\n")
    assert (played.slot()["prompts"], played.tokens()) == (["Create one.txt", "Create two.txt"], 11)
    played.begin("Create three.txt")
    played.work("three.txt", 100)
    played.story.commit("Add three in the turn")
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
    assert played.story.log_errors() == []
    subprocess.run(["git", "clone", "-q", str(story.root), str(tmp_path / "clone")], env=story.env, check=True)
    plugin.move(tmp_path / "elsewhere")
    there = Story.__new__(Story)
    there.root, there.projects, there.env = tmp_path / "clone", story.projects, story.env
    resumed = PluginAtWork(there, plugin)
    resumed.ok("enable", "--agent", "recorder")
    assert f"recorder --resume {played.id}" in resumed.ok("resume", "main")
    assert resumed.text().rstrip("\n") == after_three.rstrip("\n")
    resumed.turn("four.txt", 100000)
    there.commit("Add four")
    assert resumed.tokens() == 100000
    assert resumed.slot()["transcript"].rstrip("\n") == resumed.text().rstrip("\n")
    assert there.log_errors() == []
