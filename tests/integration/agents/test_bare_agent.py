"""An agent's sessions are captured without any optional capability; each one adds its part, and only that."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from entire.agents import capabilities, registry
from entire.agents.opaque import OpaqueTranscript
from entire.cli import main
from entire.git import operation
from entire.model.transcripts import Message
from entire.store import checkpoints
from entire.workspace import Workspace
from tests import bare_agent
from tests.bare_agent import CAPABILITIES, TRANSCRIPTS, Bare, Chosen, with_capabilities
from tests.integration.story import Story

ALL = tuple(CAPABILITIES)


class Bared:
    """One session of the agent, played hook by hook; git's hooks are called here, where the agent is known."""

    agent = "bare"

    def __init__(self, story: Story) -> None:
        self.story = story
        self.id = "bare-session"
        self.file = story.projects / "bare.jsonl"
        self.helper = story.projects / "helper.jsonl"
        self.out = ""

    def hook(self, verb: str, **more: object) -> str:
        payload = {"session_id": self.id, "session_ref": str(self.file), **more}
        before = sys.stdin, sys.stdout
        sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode()))
        sys.stdout = io.TextIOWrapper(io.BytesIO())
        try:
            assert self.story.entire("hooks", self.agent, verb) == 0
            sys.stdout.flush()
            return sys.stdout.buffer.getvalue().decode()  # type: ignore[no-any-return]
        finally:
            sys.stdin, sys.stdout = before

    def say(self, **record: object) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def play(self) -> None:
        """Two prompts; a file of its own, one by a helper, and the last answer written late."""
        self.hook("session-start")
        self.hook("turn-start", prompt="Create one.txt", response_message="hello")
        self.say(prompt="Create one.txt")
        self.story.write("one.txt", "1\n")
        self.say(file="one.txt")
        self.say(answer="Done.", tokens=1)
        self.hook("turn-end")
        self.hook("turn-start", prompt="Let a helper create two.txt")
        self.say(prompt="Let a helper create two.txt")
        self.hook("subagent-start", tool_use_id="task_1", subagent_id="h1")
        self.story.write("two.txt", "2\n")
        self.helper.write_text(
            json.dumps({"file": "two.txt"}) + "\n" + json.dumps({"answer": "x", "tokens": 100}) + "\n"
        )
        self.say(helper="h1", ref=str(self.helper))
        self.hook("subagent-end", tool_use_id="task_1", subagent_id="h1")
        self.late(answer="Both done.", tokens=10)
        self.hook("turn-end")

    def late(self, **record: object) -> None:
        Path(f"{self.file}.late").write_text(json.dumps(record) + "\n")

    def turn(self, name: str, *tokens: int | None) -> None:
        """Create a file in a turn with these answers."""
        self.hook("session-start")
        self.hook("turn-start", prompt=f"Create {name}")
        self.story.write(name, "1\n")
        for number in tokens:
            self.say(answer="x", tokens=number)
        self.hook("turn-end")

    def lineage(self) -> dict[str, Any]:
        found: dict[str, Any] = self.story.linked()["lineage"]
        return found

    def amend(self) -> None:
        self.story.git("add", "-A", "--", "*.txt")
        file = self.story.root / ".git" / "MESSAGE"
        file.write_text(self.story.git("log", "-1", "--format=%B"))
        assert self.story.entire("hooks", "git", "prepare-commit-msg", ".git/MESSAGE", "commit", "HEAD") == 0
        self.story.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-F", ".git/MESSAGE")
        assert self.story.entire("hooks", "git", "post-commit") == 0

    def commit(self, message: str) -> None:
        self.story.git("add", "-A", "--", "*.txt")
        self.commit_added(message)

    def commit_added(self, message: str) -> None:
        file = self.story.root / ".git" / "MESSAGE"
        file.write_text(message + "\n")
        assert self.story.entire("hooks", "git", "prepare-commit-msg", ".git/MESSAGE", "message") == 0
        self.story.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-F", ".git/MESSAGE")
        assert self.story.entire("hooks", "git", "post-commit") == 0

    def slot(self) -> dict[str, Any]:
        found: dict[str, Any] = self.story.linked()["slots"][self.id]
        return found

    def folder(self) -> str:
        """Return the folder of the last commit's checkpoint."""
        (checkpoint_id,) = self.story.ids()
        return checkpoint_id.path

    def step(self) -> str:
        (branch,) = self.story.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire/").split()
        return branch


@pytest.fixture
def played(story: Story, monkeypatch: pytest.MonkeyPatch) -> Bared:
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Chosen"))
    monkeypatch.setattr(Chosen, "agent", Bare)
    return Bared(story)


def give(monkeypatch: pytest.MonkeyPatch, *names: str) -> type[Bare]:
    agent = with_capabilities(*names)
    monkeypatch.setattr(Chosen, "agent", agent)
    return agent


def test_every_capability_is_in_the_table() -> None:
    assert set(CAPABILITIES) == {*capabilities.NAMES, "line_transcript"}
    for name in capabilities.NAMES:
        ask = getattr(capabilities, name)
        for agent in (Bare(), with_capabilities(name)()):
            given = (agent, agent.transcript("")) if name in TRANSCRIPTS else (agent,)
            assert (ask(*given) is not None) == (name in agent.capabilities)


def test_with_the_contract_alone(played: Bared) -> None:
    played.play()
    step = played.step()
    assert played.story.git("show", f"{step}:one.txt") == "1\n"
    assert played.story.git("show", f"{step}:two.txt") == "2\n"
    folder = f"{step}:.entire/metadata/{played.id}"
    assert played.story.git("show", f"{folder}/full.jsonl") == played.file.read_text()
    assert played.story.git("show", f"{folder}/prompt.txt").startswith("Create one.txt")
    played.commit("Add both")
    slot = played.slot()
    assert slot["agent"] == "Bare Agent"
    assert slot["files_touched"] == ["one.txt", "two.txt"], "from git status: nothing else tells"
    assert slot["transcript"] == played.file.read_text()
    assert slot["prompts"] == ["Create one.txt", "Let a helper create two.txt"], "as the events told them"
    (shown,) = Workspace.find(played.story.root).history.explain("HEAD").checkpoints[0].parts
    assert [prompt.text for prompt in shown.prompts] == slot["prompts"], "the transcript cannot be read"
    assert not (slot.get("token_usage") or {}).get("api_call_count")
    assert slot["initial_attribution"]["agent_lines"] == 2
    assert slot["initial_attribution"]["agent_percentage"] == 100
    assert played.story.log_errors() == []


def test_a_commit_while_the_turn_runs_and_one_of_a_part(played: Bared) -> None:
    played.hook("session-start")
    played.hook("turn-start", prompt="Create one.txt")
    played.story.write("one.txt", "1\n")
    played.say(answer="half")
    played.commit("Add one in the turn")
    assert played.slot()["files_touched"] == ["one.txt"]
    played.story.write("two.txt", "2\n")
    played.say(answer="whole")
    played.hook("turn-end")
    assert played.slot()["transcript"] == played.file.read_text(), "finalised at the turn's end"
    played.commit("Add two")
    assert played.slot()["files_touched"] == ["two.txt"]
    assert played.story.log_errors() == []


def test_without_any_transcript(played: Bared) -> None:
    played.file = Path("")
    played.hook("session-start")
    played.hook("turn-start", prompt="Create one.txt")
    played.story.write("one.txt", "1\n")
    played.hook("turn-end")
    played.commit("Add one")
    assert played.slot()["prompts"] == ["Create one.txt"]
    assert played.slot()["files_touched"] == ["one.txt"]
    assert played.story.log_errors() == []


@pytest.mark.parametrize("capability", ALL)
def test_with_one_capability(played: Bared, monkeypatch: pytest.MonkeyPatch, capability: str) -> None:
    agent = give(monkeypatch, capability)
    played.play()
    played.commit("Add both")
    check(played, agent)


@pytest.mark.parametrize("capability", ALL)
def test_with_all_capabilities_but_one(played: Bared, monkeypatch: pytest.MonkeyPatch, capability: str) -> None:
    agent = give(monkeypatch, *(one for one in ALL if one != capability))
    played.play()
    played.commit("Add both")
    check(played, agent)


def test_with_all_capabilities(played: Bared, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = give(monkeypatch, *ALL)
    played.play()
    played.commit("Add both")
    check(played, agent)
    assert played.slot()["token_usage"]["subagent_tokens"]["output_tokens"] == 100


@pytest.mark.parametrize(
    ("messages", "shown"),
    [
        (None, [("user", "Create one.txt")]),
        ([Message(who="user", text="Mine", at=0), Message(who="tool", text="ls", at=1, name="shell")],
         [("user", "Mine"), ("tool", "ls")]),
    ],
    ids=["by its form", "as the adapter tells"],
)  # fmt: skip
def test_the_conversation_that_is_shown(
    played: Bared, monkeypatch: pytest.MonkeyPatch,
    messages: list[Message] | None, shown: list[tuple[str, str]],
) -> None:  # fmt: skip
    played.hook("session-start")
    played.hook("turn-start", prompt="Create one.txt")
    played.story.write("one.txt", "1\n")
    played.say(role="user", content="Create one.txt")
    played.hook("turn-end")
    played.commit("Add one")
    if messages is not None:
        monkeypatch.setattr(OpaqueTranscript, "messages", lambda _: messages, raising=False)
    workspace = Workspace.find(played.story.root)
    (checkpoint_id,) = workspace.checkpoints.ids()
    assert [(said.who, said.text) for said in workspace.checkpoints.conversation(checkpoint_id)] == shown
    later = workspace.checkpoints.conversation(checkpoint_id, played.id, 1)
    assert [said.at for said in later] == ([] if messages is None else [1])


# ---------------------------------------------------------------- tokens that are not known


def explained(played: Bared, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    """Return HEAD's checkpoint as JSON, and its page's line about tokens."""
    capsys.readouterr()
    assert played.story.entire("explain", "HEAD", "--json") == 0
    found = json.loads(capsys.readouterr().out)["checkpoints"][-1]
    assert played.story.entire("explain", "HEAD") == 0
    page = capsys.readouterr().out
    return found, next(line for line in page.split("\n") if line.startswith("  Tokens")).split(maxsplit=1)[1]


def test_without_a_calculator_tokens_are_unknown(played: Bared, capsys: pytest.CaptureFixture[str]) -> None:
    played.play()
    played.commit("Add both")
    assert "token_usage" not in played.slot()
    found, shown = explained(played, capsys)
    assert (found["tokens"], found["parts"][0]["tokens"], shown) == (None, None, "unknown")
    assert [turn.get("token_usage") for turn in played.lineage()["turns"][played.id]] == [None, None]


def test_a_turn_without_answers_spent_nothing(
    played: Bared, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, "token_calculator", "line_transcript")
    played.turn("one.txt")
    played.commit("Add one")
    assert played.slot()["token_usage"]["output_tokens"] == 0
    found, shown = explained(played, capsys)
    assert (found["parts"][0]["tokens"]["output_tokens"], shown) == (0, "0 in, 0 out (0 calls)")


@pytest.mark.parametrize(
    ("tokens", "stored", "shown"),
    [
        ((None,), None, "0 in, unknown out (1 call)"),
        ((None, 0), None, "0 in, unknown out (2 calls)"),
        ((5, None, 7), 12, "0 in, at least 12 out (3 calls)"),
        ((5, 7), 12, "0 in, 12 out (2 calls)"),
    ],
)
def test_answers_whose_tokens_are_unknown(
    played: Bared, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    tokens: tuple[int | None, ...], stored: int | None, shown: str,
) -> None:  # fmt: skip
    give(monkeypatch, "token_calculator", "line_transcript")
    played.turn("one.txt", *tokens)
    played.commit("Add one")
    assert played.slot()["token_usage"]["output_tokens"] == stored
    in_part = ["output_tokens"] if stored and None in tokens else []
    (turn,) = played.lineage()["turns"][played.id]
    assert (turn["token_usage"]["output_tokens"], turn["token_usage"].get("at_least", [])) == (stored, in_part)
    assert played.lineage().get("unknown_tokens") == ({played.id: ["output_tokens"]} if None in tokens else None)
    before = explained(played, capsys)
    for usage in (before[0]["tokens"], before[0]["parts"][0]["tokens"]):
        assert (usage["output_tokens"], usage["at_least"], before[1]) == (stored, in_part, shown)
    with_the_go_cli(played)
    assert played.slot()["token_usage"]["output_tokens"] == (stored or 0)
    assert explained(played, capsys) == before


def with_the_go_cli(played: Bared) -> None:
    """Write each metadata.json of HEAD's checkpoint again as the Go CLI does: it reads null as 0 and drops our keys."""
    story = played.story
    (checkpoint_id,) = story.ids()
    for name in ("metadata.json", "0/metadata.json"):
        path = f"{checkpoint_id.path}/{name}"
        value = json.loads(story.git("show", f"{checkpoints.LOCAL_REF}:{path}"))
        value["token_usage"] = {key: number or 0 for key, number in value["token_usage"].items() if key != "at_least"}
        blob = story.git("hash-object", "-w", "--stdin", stdin=json.dumps(value)).strip()
        index = {"GIT_INDEX_FILE": str(story.root / ".git" / "go-index")}
        story.git("read-tree", checkpoints.LOCAL_REF, env=index)
        story.git("update-index", "--cacheinfo", f"100644,{blob},{path}", env=index)
        tree = story.git("write-tree", env=index).strip()
        commit = story.git("commit-tree", tree, "-p", checkpoints.LOCAL_REF, "-m", "Update").strip()
        story.git("update-ref", checkpoints.LOCAL_REF, commit)


def test_an_amend_adds_what_is_known(
    played: Bared, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also to a session whose agent could not count them before, and after the Go CLI wrote 0 for them."""
    give(monkeypatch, "token_calculator", "line_transcript")
    played.turn("one.txt", None)
    played.commit("Add one")
    with_the_go_cli(played)
    played.turn("two.txt", 5)
    monkeypatch.setattr(operation, "find", lambda: operation.GitCommand(command="commit", amends=True))
    played.amend()
    assert played.slot()["token_usage"]["output_tokens"] == 5
    found, shown = explained(played, capsys)
    assert (found["tokens"]["at_least"], shown) == (["output_tokens"], "0 in, at least 5 out (2 calls)")


def test_a_commit_within_a_turn_and_its_end(
    played: Bared, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, "token_calculator", "line_transcript", "transcript_analyzer")
    played.hook("session-start")
    played.hook("turn-start", prompt="Create one.txt")
    played.say(prompt="Create one.txt")
    played.story.write("one.txt", "1\n")
    played.say(answer="half", tokens=3)
    played.commit("Add one")
    assert explained(played, capsys)[1] == "0 in, 3 out (1 call)"
    played.say(answer="whole", tokens=None)
    played.hook("turn-end")
    assert played.slot()["token_usage"]["output_tokens"] == 3
    assert explained(played, capsys)[1] == "0 in, at least 3 out (2 calls)"
    assert played.lineage()["unknown_tokens"] == {played.id: ["output_tokens"]}


def test_a_helper_whose_tokens_nobody_tells(
    played: Bared, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, "token_calculator", "line_transcript", "transcript_analyzer", "subagent_extractor")
    played.hook("session-start")
    played.hook("turn-start", prompt="Let two helpers work")
    played.say(prompt="Let two helpers work")
    played.story.write("one.txt", "1\n")
    played.helper.write_text(json.dumps({"answer": "x", "tokens": 100}) + "\n")
    played.say(helper="h1", ref=str(played.helper))
    played.say(helper="h2", ref="")
    played.say(answer="Done.", tokens=1)
    played.hook("turn-end")
    played.commit("Add one")
    found, shown = explained(played, capsys)
    assert shown == "0 in, 1 out (1 call)"
    inner = found["parts"][0]["tokens"]["subagents"]
    assert (inner["input_tokens"], inner["output_tokens"], inner["at_least"]) == (
        None, 100, ["output_tokens", "api_call_count"],
    )  # fmt: skip


def check(played: Bared, agent: type[Bare]) -> None:
    """Assert what holds with any capabilities, and what each one that is there has added."""
    has = agent.capabilities
    slot = played.slot()
    text = played.file.read_text()
    assert ("Both done." in text) == ("transcript_preparer" in has)
    assert slot["transcript"] == text
    assert slot["files_touched"] == ["one.txt", "two.txt"]
    assert slot["prompts"] == ["Create one.txt", "Let a helper create two.txt"]
    assert slot["initial_attribution"]["agent_lines"] == 2
    usage = slot.get("token_usage") or {}
    if "token_calculator" in has and ("transcript_analyzer" in has or "line_transcript" in has):
        assert usage["output_tokens"] == (11 if "transcript_preparer" in has else 1)
    if "token_calculator" not in has:
        assert not usage.get("output_tokens")
    assert bool(usage.get("subagent_tokens")) <= ({"token_calculator", "subagent_extractor"} <= has)
    assert played.hook("session-start", response_message="hi") == ('{"say": "hi"}\n' if "hook_responder" in has else "")
    assert played.story.log_errors() == []


def test_a_message_is_shown_by_an_agent_that_can(played: Bared, monkeypatch: pytest.MonkeyPatch) -> None:
    assert played.hook("session-start", response_message="hello") == ""
    give(monkeypatch, "hook_responder")
    assert played.hook("session-start", response_message="hello") == '{"say": "hello"}\n'
    shown = json.loads(played.hook("session-start", response_message="a\x1b[2J\x9b\u202e\nb"))
    assert shown == {"say": "a^[[2J\\u009b\\u202e\nb"}
    assert played.hook("session-start") == ""


def test_hooks_are_installed_for_an_agent_that_allows_it(
    played: Bared, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert played.story.entire("enable", "--agent", "bare") == 0
    said = capsys.readouterr().out
    assert "Bare Agent: its hooks must be installed by hand" in said
    assert "let its hooks call `entire hooks bare VERB` (verbs: session-start, " in said
    assert "hooks already in" not in said
    give(monkeypatch, "hook_installer")
    assert played.story.entire("enable", "--agent", "bare") == 0
    assert (played.story.root / ".bare" / "hooks").read_text() == "entire hooks bare turn-end\n"


def test_an_unknown_hook_of_the_agent_means_nothing(played: Bared) -> None:
    assert main(["hooks", "bare", "something"]) == 0
    assert played.hook("something") == ""
    assert played.story.log_errors() == []
