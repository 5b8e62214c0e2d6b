"""Git's hooks, and those of other agents, start no plugin: commits count what the plugin's own hooks recorded."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from entire.model.session import Process
from entire.workspace import Workspace
from tests import plugins
from tests.integration.agents.test_bare_agent import Bared
from tests.integration.recording_plugin import NAME, RecordingPlugin
from tests.integration.setup.test_clean import change_state, dead_pid
from tests.integration.story import Session, Story


class Played(Bared):
    """Plays a session of the plugin's agent; everything but its own hooks must not start the plugin."""

    agent = NAME

    def __init__(self, story: Story, plugin: RecordingPlugin) -> None:
        super().__init__(story)
        self.plugin = plugin
        self.file = plugin.sessions / "bare.jsonl"

    def is_left_alone(self) -> None:
        assert self.plugin.calls() == [], "a hook of git or another agent started the plugin"

    def hook(self, verb: str, **more: object) -> str:
        self.is_left_alone()
        self.under_lock = []
        try:
            return super().hook(verb, **more)
        finally:
            self.under_lock, self.started = self.plugin.calls_under_lock(), self.plugin.calls()
            self.plugin.forget()

    def commit(self, message: str) -> None:
        super().commit(message)
        self.is_left_alone()

    def work(self, name: str, tokens: int) -> None:
        """Write a file and an answer in the running turn."""
        self.story.write(name, f"{name}\n")
        self.say(file=name)
        self.say(answer=f"wrote {name}", tokens=tokens)

    def turn(self, name: str, *tokens: int | None) -> None:
        self.hook("turn-start", prompt=f"Create {name}")
        self.say(prompt=f"Create {name}")
        self.work(name, tokens[0] or 0)
        self.hook("turn-end")

    def tokens(self) -> tuple[int | None, int | None]:
        usage = self.slot().get("token_usage") or {}
        return usage.get("output_tokens"), usage.get("api_call_count")


@pytest.fixture
def capabilities() -> dict[str, bool]:
    """Return the plugin's further capabilities."""
    return {}


@pytest.fixture
def played(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capabilities: dict[str, bool]) -> Played:
    plugin = RecordingPlugin(tmp_path / "plugin", capabilities)
    monkeypatch.setenv("PATH", plugin.search_path)
    assert story.entire("plugin", "allow", NAME) == 0
    plugin.forget()
    told = Played(story, plugin)
    told.hook("session-start")
    return told


def test_a_commit_between_turns_has_everything(played: Played) -> None:
    played.turn("one.txt", 1)
    played.turn("two.txt", 10)
    played.commit("Add both")
    slot = played.slot()
    assert slot["transcript"] == played.file.read_text()
    assert slot["prompts"] == ["Create one.txt", "Create two.txt"]
    assert slot["files_touched"] == ["one.txt", "two.txt"]
    assert played.tokens() == (11, 2)
    played.turn("three.txt", 100)
    played.commit("Add another")
    assert played.tokens() == (100, 1)
    assert played.slot()["checkpoint_transcript_start"] == 6
    assert played.story.log_errors() == []


def test_prompts_whose_place_is_not_told_are_the_turns_in_their_order(played: Played) -> None:
    """Version 1 tells only their texts."""
    for names in (("one.txt", "two.txt"), ("three.txt", "four.txt")):
        for name in names:
            played.turn(name, 1)
        played.commit("Add two")
        (part,) = Workspace.find(played.story.root).history.explain("HEAD").checkpoints[0].parts
        played.plugin.forget()
        assert [prompt.text for prompt in part.prompts] == [f"Create {name}" for name in names]
        owners = [played.lineage()["files"][name]["added"][0][2].partition("/")[2] for name in names]
        assert [prompt.turn for prompt in part.prompts] == owners


@pytest.mark.parametrize("capabilities", [{}, {"transcript_preparer": True}, {"transcript_analyzer": False}])
def test_nothing_waits_for_the_plugin_under_the_lock(played: Played, capabilities: dict[str, bool]) -> None:
    for name in ("one.txt", "two.txt"):
        played.hook("turn-start", prompt=f"Create {name}")
        assert played.under_lock == []
        played.say(prompt=f"Create {name}")
        played.work(name, 1)
        played.hook("turn-end")
        assert played.under_lock == []
        names = [words[0] for words in played.started]
        assert len(names) == len(set(names)) <= 8, names
        assert ("prepare-transcript" in names) == capabilities.get("transcript_preparer", False)
    played.hook("compaction")
    assert played.under_lock == []
    played.hook("session-end")
    assert played.under_lock == []
    assert played.story.log_errors() == []


def test_a_commit_in_a_turn_is_completed_at_its_end(played: Played) -> None:
    played.turn("one.txt", 1)
    played.hook("turn-start", prompt="Create two.txt")
    played.say(prompt="Create two.txt")
    played.work("two.txt", 10)
    played.commit("Add both in the turn")
    assert played.slot()["transcript"] == played.file.read_text(), "lines need no plugin to be read"
    assert played.slot()["prompts"] == ["Create one.txt", "Create two.txt"]
    (part,) = Workspace.find(played.story.root).history.explain("HEAD").checkpoints[0].parts
    played.plugin.forget()
    assert [prompt.text for prompt in part.prompts] == ["Create one.txt", "Create two.txt"]
    assert played.tokens() == (1, 1)
    played.say(answer="Done.", tokens=100)
    played.hook("turn-end")
    assert [words[0] for words in played.started].count("calculate-tokens") == 1, "what is recorded is not asked again"
    assert played.slot()["transcript"] == played.file.read_text()
    assert played.tokens() == (111, 3)
    played.turn("three.txt", 1000)
    played.commit("Add another")
    assert played.tokens() == (1000, 1)
    assert played.story.log_errors() == []


def test_the_prompt_of_a_running_turn_follows_those_of_the_stored_transcript(played: Played) -> None:
    played.turn("one.txt", 1)
    stored = played.file.read_text()
    played.hook("turn-start", prompt="Create two.txt")
    played.file.write_text('{"note": "compacted"}\n')  # so what was stored last counts
    played.say(prompt="Create two.txt")
    played.work("two.txt", 10)
    played.commit("Add both in the turn")
    assert played.slot()["transcript"] == stored
    (part,) = Workspace.find(played.story.root).history.explain("HEAD").checkpoints[0].parts
    played.plugin.forget()
    assert [(prompt.text, prompt.position) for prompt in part.prompts] == [("Create one.txt", 0), ("Create two.txt", 3)]


def test_tokens_that_a_plugin_could_not_tell_are_asked_for_when_the_turn_of_the_commit_ends(played: Played) -> None:
    played.plugin.break_down("calculate-tokens")
    played.turn("one.txt", 1)
    played.plugin.recover()
    played.turn("two.txt", 10)
    played.hook("turn-start", prompt="Create three.txt")
    played.say(prompt="Create three.txt")
    played.work("three.txt", 100)
    played.commit("Add all in the turn")
    assert played.tokens() == (10, 1)
    played.hook("turn-end")
    assert played.tokens() == (111, 3)
    assert played.story.log_errors() == [
        "`entire-agent-recorder calculate-tokens` failed with status 1: the agent is not well"
    ]


def test_the_first_commit_of_the_first_turn(played: Played) -> None:
    played.hook("turn-start", prompt="Create one.txt")
    played.say(prompt="Create one.txt")
    played.work("one.txt", 1)
    played.commit("Add one in the turn")
    assert played.slot()["files_touched"] == ["one.txt"]
    played.work("two.txt", 10)
    played.commit("Add two in the turn")
    played.hook("turn-end")
    assert played.slot()["transcript"] == played.file.read_text()
    assert played.tokens() == (11, 2), "all of the turn's go to its last checkpoint"
    (first,) = played.story.linked("HEAD~1")["slots"].values()
    assert (first["token_usage"]["output_tokens"], first["prompts"]) == (0, ["Create one.txt"])
    assert played.story.log_errors() == []


def test_a_commit_of_a_part_leaves_the_rest_to_the_next(played: Played) -> None:
    played.hook("turn-start", prompt="Create two files")
    played.say(prompt="Create two files")
    played.work("one.txt", 1)
    played.work("two.txt", 10)
    played.hook("turn-end")
    story = played.story
    story.git("add", "one.txt")
    played.commit_added("Add one")
    assert played.slot()["files_touched"] == ["one.txt"]
    assert played.tokens() == (11, 2)
    (step,) = story.git("for-each-ref", "--format=%(objectname)", "refs/heads/entire/*").split()
    assert story.git("show", f"{step}:two.txt") == "two.txt\n", "the open file is on the new base"
    played.commit("Add two")
    assert played.slot()["files_touched"] == ["two.txt"]
    assert played.slot()["transcript"] == played.file.read_text()
    assert story.log_errors() == []


@pytest.mark.parametrize("capabilities", [{"transcript_preparer": True}])  # so the plugin itself reads the file
def test_a_transcript_that_could_not_be_read_follows_with_the_next_event(played: Played) -> None:
    for subcommand in ("read-transcript", "get-transcript-position", "extract-modified-files", "calculate-tokens"):
        played.plugin.break_down(subcommand)
    played.turn("one.txt", 1)
    played.commit("Add one")
    assert "transcript" not in played.slot() or not played.slot()["transcript"]
    played.plugin.recover()
    played.hook("turn-start", prompt="Go on")
    assert played.slot()["transcript"] == played.file.read_text()
    assert played.tokens() == (1, 1)
    (logged,) = played.story.log_errors()
    assert logged.endswith("failed with status 1: the agent is not well")


def test_the_hooks_of_another_agent_leave_a_lost_turn_to_the_plugin(played: Played) -> None:
    played.turn("one.txt", 1)
    played.hook("turn-start", prompt="Create two.txt")
    played.say(prompt="Create two.txt")
    played.work("two.txt", 10)
    change_state(played.story, Session(played.story, played.id), process=Process(pid=dead_pid(), started="1"))
    other = played.story.started()
    other.prompt("Look around")
    other.stop()
    played.is_left_alone()
    played.turn("three.txt", 100)
    played.commit("Add all")
    assert played.slot()["transcript"] == played.file.read_text()
    assert played.slot()["files_touched"] == ["one.txt", "three.txt", "two.txt"]
    assert played.tokens() == (111, 3)


def test_the_hooks_of_another_plugin_leave_it_to_the_plugin_too(
    played: Played, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    played.turn("one.txt", 1)
    played.hook("turn-start", prompt="Create two.txt")
    played.say(prompt="Create two.txt")
    played.work("two.txt", 10)
    change_state(played.story, Session(played.story, played.id), process=Process(pid=dead_pid(), started="1"))
    other = plugins.version_one(played.plugin.bin)
    monkeypatch.setenv("SESSIONS", str(tmp_path))
    assert played.story.entire("plugin", "allow", "one") == 0
    plugins.asked(other)
    played.plugin.forget()
    for verb in ("session-start", "prompt", "stop"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"session_id": "s1", "prompt": "Look around"}')))
        assert played.story.entire("hooks", "one", verb) == 0
        assert "parse-hook" in plugins.asked(other)
        played.is_left_alone()
    played.turn("three.txt", 100)
    assert played.story.log_errors() == []


def test_what_is_recorded_outlives_the_agents_own_file(played: Played) -> None:
    played.turn("one.txt", 1)
    text = played.file.read_text()
    played.file.unlink()
    played.commit("Add one")
    assert played.slot()["transcript"] == text
    assert played.tokens() == (1, 1)


@pytest.mark.parametrize("is_by_its_agent", [True, False])
def test_the_agents_own_commit_is_recognised_by_its_environment(
    played: Played, is_by_its_agent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process need not be an ancestor of git's: a server may start the commands."""
    change_state(played.story, Session(played.story, played.id), process=Process())
    other = played.story.started()
    other.prompt("Look around")
    played.hook("turn-start", prompt="Create one.txt")
    change_state(played.story, Session(played.story, played.id), process=Process())
    change_state(played.story, other, process=Process())
    with other.shell():
        played.story.write("one.txt", "1\n")
    if is_by_its_agent:
        monkeypatch.setenv("RECORDER", "1")
    played.commit("Add one")
    assert list(played.story.linked()["slots"]) == [played.id if is_by_its_agent else other.id]
