"""The whole story through a plugin that speaks only version 1: capture, commit, rewind, resume elsewhere."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from entire import contents
from entire.plugin_host import sessions
from entire.plugin_host.transcript import ExternalTranscript
from tests import plugins
from tests.integration.story import Story

FULL = (
    "hooks", "transcript_analyzer", "transcript_preparer", "token_calculator", "hook_response_writer",
    "subagent_aware_extractor",
)  # fmt: skip


class Played:
    """A session whose events name no transcript: only the plugin knows where that is."""

    def __init__(self, story: Story, folder: Path, monkeypatch: pytest.MonkeyPatch, **config: Any) -> None:
        self.story = story
        self.sessions = folder / "sessions"
        self.sessions.mkdir(exist_ok=True)
        self.file = self.sessions / "s1.jsonl"
        self.plugin = plugins.version_one(folder / "bin", **config)
        monkeypatch.setenv("PATH", f"{self.plugin.parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("SESSIONS", str(self.sessions))
        assert story.entire("plugin", "allow", "one") == 0

    def hook(self, verb: str, **more: object) -> list[str]:
        """Call a hook; return what the plugin was asked."""
        plugins.asked(self.plugin)
        before = sys.stdin
        sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps({"session_id": "s1", **more}).encode()))
        try:
            assert self.story.entire("hooks", "one", verb) == 0
        finally:
            sys.stdin = before
        return plugins.asked(self.plugin)

    def say(self, *records: dict[str, Any]) -> None:
        with self.file.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def turn(self, name: str) -> list[str]:
        self.hook("prompt", prompt=f"create {name}")
        self.story.write(name, f"{name}\n")
        self.say({"prompt": f"create {name}"}, {"file": str(self.story.path(name))},
                 {"answer": f"wrote {name}", "in": 5, "out": 2})  # fmt: skip
        return self.hook("stop")

    def points(self) -> list[dict[str, Any]]:
        """Return the points to which a rewind can go, the newest first."""
        before = sys.stdout
        sys.stdout = io.StringIO()
        try:
            assert self.story.entire("rewind", "--list") == 0
            found: list[dict[str, Any]] = json.loads(sys.stdout.getvalue())
        finally:
            sys.stdout = before
        return found

    def slot(self) -> dict[str, Any]:
        slot: dict[str, Any] = self.story.linked()["slots"]["s1"]
        return slot


@pytest.fixture
def played(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    return Played(story, tmp_path, monkeypatch, capabilities=FULL)


def test_a_plugin_with_every_capability_is_asked_eight_times(played: Played) -> None:
    played.hook("session-start")
    for name in ("a.txt", "b.txt"):
        asked = played.turn(name)
        assert len(asked) == len(set(asked)) == 8, asked
    played.story.commit("Add both")
    assert plugins.asked(played.plugin) == [], "git's hooks start no plugin"
    slot = played.slot()
    assert slot["prompts"] == ["create a.txt", "create b.txt"]
    assert slot["files_touched"] == ["a.txt", "b.txt"]
    assert slot["token_usage"]["output_tokens"] == 4
    assert slot["transcript"] == played.file.read_text()
    assert played.story.log_errors() == []


def test_tokens_of_subagents_are_in_the_checkpoint(played: Played) -> None:
    folder = played.sessions / "s1" / "subagents"
    folder.mkdir(parents=True)
    (folder / "x.jsonl").write_text('{"answer": "done", "in": 100, "out": 20}\n')
    played.turn("a.txt")
    played.story.commit("Add a")
    usage = played.slot()["token_usage"]
    assert (usage["output_tokens"], usage["subagent_tokens"]["output_tokens"]) == (2, 20)


@pytest.mark.parametrize("unit", ["lines", "bytes", "odd"])
def test_what_follows_a_compaction_belongs_to_the_turn(
    story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    """The transcript is shorter afterwards, so that its end says nothing about what the agent did."""
    played = Played(story, tmp_path, monkeypatch, unit=unit)
    played.turn("a.txt")
    story.commit("Add a")
    played.hook("prompt", prompt="create b.txt")
    played.say({"prompt": "create b.txt"}, {"answer": "first compact", "in": 5, "out": 2})
    played.hook("compact")
    played.file.write_text("")
    story.write("b.txt", "b\n")
    played.say({"prompt": "create b.txt"}, {"answer": "wrote b", "in": 7, "out": 3})
    played.hook("stop")
    story.commit("Add b")
    slot = played.slot()
    assert (slot["files_touched"], slot["transcript"]) == (["b.txt"], played.file.read_text())
    assert story.log_errors() == []


def test_a_turn_whose_start_was_missed_has_its_transcript(played: Played) -> None:
    played.story.write("a.txt", "a\n")
    played.say({"prompt": "create a"}, {"file": str(played.story.path("a.txt"))}, {"answer": "ok", "in": 1, "out": 1})
    played.hook("stop")
    played.story.commit("Add a")
    assert (played.slot()["prompts"], played.slot()["files_touched"]) == (["create a"], ["a.txt"])


def test_without_an_analyzer_the_session_data_tell_the_files(
    story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"new_files": [str(story.path("a.txt"))]}
    played = Played(story, tmp_path, monkeypatch, capabilities=["hooks"], session=told)
    story.write("a.txt", "a\n")
    story.write("by-a-person.txt", "a\n")
    played.say({"note": "what only the agent reads"})
    played.hook("stop", prompt="create a")
    story.commit("Add both")
    assert played.slot()["files_touched"] == ["a.txt"]


@pytest.mark.parametrize("capabilities", [["hooks"], ["hooks", "token_calculator"]])
def test_tokens_of_a_transcript_without_numbers_or_lines_are_not_said_to_be_none(
    story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capabilities: list[str]
) -> None:
    used = {"input_tokens": 5, "output_tokens": 2}
    played = Played(story, tmp_path, monkeypatch, capabilities=capabilities, answers={"calculate-tokens": used})
    played.hook("prompt", prompt="create a.txt")
    story.write("a.txt", "a\n")
    played.file.write_text("You: create a.txt\nAgent: done\n")
    played.hook("stop")
    story.commit("Add a")
    usage = played.slot().get("token_usage") or {}
    assert usage.get("output_tokens") == (2 if "token_calculator" in capabilities else None)


def test_a_conversation_is_rewound_by_the_plugin_and_back(played: Played) -> None:
    played.turn("a.txt")
    short = played.file.read_bytes()
    played.turn("b.txt")
    whole = played.file.read_bytes()
    steps = [point for point in played.points() if point["kind"] == "step"]
    assert played.story.entire("rewind", "--to", steps[-1]["id"], "--yes") == 0
    assert played.file.read_bytes() == short
    assert played.story.entire("rewind", "--undo", "--yes") == 0
    assert played.file.read_bytes() == whole


def test_a_conversation_whose_plugin_may_not_run_stays_as_it_is(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless the user agrees, nothing is rewound: the files would be those of another moment than the conversation."""
    played.turn("a.txt")
    played.turn("b.txt")
    whole = played.file.read_bytes()
    steps = [point for point in played.points() if point["kind"] == "step"]
    played.hook("session-end")
    assert played.story.entire("plugin", "deny", "one") == 0
    capsys.readouterr()
    assert played.story.entire("rewind", "--to", steps[-1]["id"]) == 1
    assert "session s1 cannot be put back: the plugin one is denied" in capsys.readouterr().err
    assert played.story.path("b.txt").exists()
    assert played.story.entire("rewind", "--to", steps[-1]["id"], "--yes") == 0
    assert not played.story.path("b.txt").exists()
    assert played.file.read_bytes() == whole


def test_resume_says_how_the_plugin_of_a_session_may_run(played: Played, capsys: pytest.CaptureFixture[str]) -> None:
    played.turn("a.txt")
    played.hook("session-end")
    played.story.commit("Add a")
    assert played.story.entire("plugin", "deny", "one") == 0
    capsys.readouterr()
    assert played.story.entire("resume") == 1
    assert "session s1: the plugin one is denied" in (said := capsys.readouterr().err)
    assert "`entire plugin allow one` lets it run" in said


def test_a_known_conversation_is_rewound_though_the_plugin_names_no_folder(played: Played) -> None:
    played.turn("a.txt")
    short = played.file.read_bytes()
    played.turn("b.txt")
    plugins.configure(played.plugin, capabilities=FULL, fails=["get-session-dir"])
    steps = [point for point in played.points() if point["kind"] == "step"]
    assert played.story.entire("rewind", "--to", steps[-1]["id"], "--yes") == 0
    assert played.file.read_bytes() == short


def test_a_session_is_resumed_elsewhere_and_taken_back(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played.turn("a.txt")
    played.story.commit("Add a")
    whole = played.file.read_bytes()
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("SESSIONS", str(elsewhere))
    other = Story(tmp_path / "other", first_commit=False)
    other.git("fetch", "-q", str(played.story.root), "main", "entire/checkpoints/v1:entire/checkpoints/v1")
    other.git("reset", "-q", "--hard", "FETCH_HEAD")
    assert other.entire("resume") == 0
    assert "one --resume s1" in capsys.readouterr().out
    assert (elsewhere / "s1.jsonl").read_bytes() == whole
    assert other.entire("resume", "--undo") == 0
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("capabilities", [("hooks", "transcript_analyzer", "token_calculator"), FULL])
def test_a_long_conversation_is_read_and_put_back_block_by_block(
    story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes],
    capabilities: tuple[str, ...],
) -> None:  # fmt: skip
    played = Played(story, tmp_path, monkeypatch, capabilities=capabilities)
    played.turn("a.txt")
    played.say(*({"answer": f"{number} {'word ' * 40}", "in": 1, "out": 1} for number in range(100)))
    played.turn("b.txt")
    story.commit("Add both")
    short = played.file.read_bytes()
    played.turn("c.txt")
    whole = played.file.read_bytes()
    point = next(point for point in played.points() if point.get("condensation_id"))
    monkeypatch.setattr(contents, "MOST", 1 << 12)
    monkeypatch.setattr(contents, "_BLOCK", 1 << 10)
    monkeypatch.setattr(sessions, "_COMPARED", 1 << 12)
    monkeypatch.setattr(ExternalTranscript, "snapshot", property(lambda _: pytest.fail("it was read as a whole")))
    capsysbinary.readouterr()
    assert story.entire("explain", story.ids()[0], "--raw-transcript") == 0
    assert capsysbinary.readouterr().out == short
    assert story.entire("rewind", "--to", point["condensation_id"], "--force") == 0
    assert played.file.read_bytes() == short
    assert story.entire("rewind", "--undo", "--yes") == 0
    assert played.file.read_bytes() == whole
    played.file.unlink()
    assert story.entire("resume") == 0
    assert played.file.read_bytes() == short
    assert story.entire("resume", "--undo") == 0
    assert not played.file.exists()


def test_a_plugin_may_name_no_command(played: Played, capsys: pytest.CaptureFixture[str]) -> None:
    played.turn("a.txt")
    played.story.commit("Add a")
    plugins.configure(played.plugin, capabilities=FULL, fails=["format-resume-command"])
    assert played.story.entire("resume") == 0
    assert "to continue: open it in Version One, whose plugin names no command\n" in capsys.readouterr().out
    assert played.story.entire("resume", "--run") == 1
    assert "the agent names no command that continues session s1\n" in capsys.readouterr().err


def test_a_transcript_that_is_compacted_is_counted_from_its_start_once(played: Played) -> None:
    played.turn("a.txt")
    played.story.commit("Add a")
    played.file.write_text('{"note": "compacted"}\n')
    played.hook("compact")
    played.turn("b.txt")
    played.story.commit("Add b")
    assert (played.slot()["token_usage"]["output_tokens"], played.slot()["prompts"][-1]) == (2, "create b.txt")
    played.hook("prompt", prompt="create c")
    played.story.write("c.txt", "c\n")
    played.file.write_text('{"note": "compacted"}\n')
    played.hook("compact")
    played.say({"answer": "wrote c", "in": 5, "out": 100})
    assert len(played.hook("stop")) == 8
    played.story.commit("Add c")
    assert (played.slot()["token_usage"]["output_tokens"], played.slot()["prompts"][-1]) == (100, "create c")
    assert played.story.log_errors() == []


def test_prompts_that_a_compacted_transcript_lacks_are_shown_as_events_carried_them(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    played.turn("a.txt")
    played.file.write_text('{"note": "compacted"}\n')
    played.hook("compact")
    played.story.commit("Add a")
    assert played.story.entire("explain", "HEAD") == 0
    assert "1. create a.txt" in capsys.readouterr().out
