"""The adapter for plugins: events, hooks, a turn's end; a failure of the plugin never raises."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from entire.model.events import EventType
from entire.model.health import HookStatus
from entire.model.positions import START
from entire.plugin_host.agent import ExternalAgent
from entire.plugin_host.language.protocol import CALL_SECONDS, PluginError
from entire.plugin_host.programs.program import Program
from tests import plugins
from tests.unit.plugin_host.world import World, shell

# ---------------------------------------------------------------- events


def test_the_adapter_says_what_the_plugin_can(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin))
    assert (agent.name, agent.type, agent.is_external) == ("one", "Version One", True)
    assert agent.hook_names == ("session-start", "prompt", "stop", "compact", "session-end")
    assert agent.capabilities == {
        "hook_installer", "hook_responder", "session_resumer", "token_calculator", "transcript_analyzer",
        "transcript_preparer",
    }  # fmt: skip


def test_an_event_has_what_the_plugin_told(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin))
    told = world.payload(
        prompt="fix it",
        timestamp="2026-01-13T12:00:00+01:00",
        metadata={"key": "text", "number": 1, "none": None},
        tool_input={"path": "/a"},
        unknown=[1],
        entire={"turn_ref": "t1", "pid": 7, "background": ["a"], "nonsense": 1},
    )
    event = agent.parse_hook("prompt", told)
    assert event is not None
    assert (event.type, event.session_id, event.session_ref) == (EventType.TURN_START, "s1", world.ref())
    assert (event.prompt, event.timestamp) == ("fix it", 1768302000.0)
    assert (event.metadata, event.tool_input) == ({"key": "text"}, '{"path": "/a"}')
    assert (event.turn_ref, event.pid, event.background) == ("t1", 7, ("a",))
    assert world.notes == []


@pytest.mark.parametrize("output", ["null", "", "  \n", '{"type": 99, "session_id": "s"}'])
def test_no_event(world: World, output: str) -> None:
    agent = shell(world, "", f"parse-hook) printf %s {shlex.quote(output)} ;;")
    assert agent.parse_hook("stop", b"{}") is None
    assert world.notes == []


@pytest.mark.parametrize(
    "output",
    [
        "nonsense",
        "[]",
        "3",
        '{"type": true}',
        '{"type": "3"}',
        '{"type": 9, "session_id": "s"}x',
        "\\377\\000",
        "[" * 500,
    ],
)
def test_an_answer_that_makes_no_sense_is_noted_once(world: World, output: str) -> None:
    agent = shell(world, "", f"parse-hook) printf {shlex.quote(output)} ;;")
    assert agent.parse_hook("stop", b"{}") is None
    assert agent.parse_hook("stop", b"{}") is None
    assert len(world.notes) == 1


def test_a_hook_that_the_plugin_does_not_name_starts_nothing(world: World) -> None:
    plugin = plugins.version_one(world.bin)
    assert world.adapter(plugin).parse_hook("no-such", world.payload()) is None
    assert plugins.asked(plugin) == []


def test_an_event_of_git_cannot_come_from_a_plugin(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin))
    assert agent.parse_hook("stop", world.payload(type=10)) is None


def test_an_id_that_the_event_lacks_is_asked_for(world: World) -> None:
    plugin = plugins.version_one(world.bin)
    agent = world.adapter(plugin)
    event = agent.parse_hook("stop", b'{"conversation": "c7"}')
    assert event is not None
    assert (event.session_id, agent.find_transcript(event)) == ("c7", world.ref("c7"))
    assert plugins.asked(plugin)[:2] == ["parse-hook", "get-session-id"]


def test_no_event_without_an_id(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin, fails=["get-session-id"]))
    assert agent.parse_hook("stop", b"{}") is None
    assert any("get-session-id" in note for note in world.notes)


# ---------------------------------------------------------------- hooks


def test_hooks_are_installed_and_removed(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin), in_hook=False)
    root = str(world.root)
    assert agent.hooks_health(root, "project").status is HookStatus.MISSING
    assert agent.install_hooks(root, "project", force=False) == 5
    assert agent.hooks_health(root, "project").status is HookStatus.INSTALLED
    assert agent.install_hooks(root, "project", force=False) == 0
    assert agent.install_hooks(root, "project", force=True) == 5
    assert agent.uninstall_hooks(root, "project") == 1
    assert agent.uninstall_hooks(root, "project") == 0
    assert agent.hooks_health(root, "user").status is HookStatus.MISSING
    assert agent.install_hooks(root, "user", force=False) == 0


def test_a_failed_installation_says_what_the_plugin_said(world: World) -> None:
    failing = ["install-hooks", "uninstall-hooks", "are-hooks-installed"]
    agent = world.adapter(plugins.version_one(world.bin, fails=failing), in_hook=False)
    health = agent.hooks_health(str(world.root), "project")
    assert health.status is HookStatus.UNKNOWN
    assert "are-hooks-installed does not work today" in health.detail
    with pytest.raises(PluginError, match="install-hooks does not work today"):
        agent.install_hooks(str(world.root), "project", force=False)
    with pytest.raises(PluginError, match="uninstall-hooks does not work today"):
        agent.uninstall_hooks(str(world.root), "project")


def test_an_unclear_answer_about_hooks_is_unknown(world: World) -> None:
    plugin = plugins.version_one(world.bin, answers={"are-hooks-installed": {"installed": "yes"}})
    assert world.adapter(plugin).hooks_health(str(world.root), "project").status is HookStatus.UNKNOWN


def test_a_response_is_passed_on_unchanged(world: World) -> None:
    agent = shell(world, "hook_response_writer", 'write-hook-response) printf "<%s>\\n\\n" "$3" ;;')
    assert agent.write_hook_response('a "message"\nin two lines') == b'<a "message"\nin two lines>\n\n'
    assert agent.write_hook_response("-x") == b"<-x>\n\n"


def test_text_is_generated_from_standard_input(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin, capabilities=["hooks", "text_generator"]), in_hook=False)
    assert agent.generate_text("a prompt", "small") == "A PROMPT"


def test_a_plugin_that_generates_no_text_says_why(world: World) -> None:
    """A user waits for it, so nothing is remembered, and nothing noted for later."""
    script = "generate-text) cat >/dev/null; echo no key >&2; exit 3 ;;"
    agent = shell(world, "text_generator", script, in_hook=False)
    with pytest.raises(PluginError, match="`entire-agent-sh generate-text` failed with status 3: no key"):
        agent.generate_text("x", "")
    assert world.notes == []
    for answer in ('{"text": null}', '{"text": 3}', "{}"):
        silent = shell(world, "text_generator", f"generate-text) cat >/dev/null; echo '{answer}' ;;", in_hook=False)
        assert silent.generate_text("x", "") == ""


def test_a_model_may_take_longer_than_other_calls(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = shell(world, "text_generator", "", in_hook=False)
    limits: list[float] = []

    def call(self: Program, *words: str, stdin: bytes, seconds: float) -> dict[str, str]:
        limits.append(seconds)
        return {"text": "late"}

    monkeypatch.setattr(Program, "call", call)
    assert agent.generate_text("x", "") == "late"
    assert limits[0] > CALL_SECONDS


def test_detection(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin), in_hook=False)
    assert not agent.detect(str(world.root))
    (world.root / ".one").mkdir()
    assert world.adapter(world.bin / "entire-agent-one").detect(str(world.root))


@pytest.mark.parametrize("given", ["", " \n", "a\0b", None, 7])
def test_no_resume_command(world: World, given: object) -> None:
    plugin = plugins.version_one(world.bin, answers={"format-resume-command": {"command": given}})
    assert world.adapter(plugin).format_resume_command("s1") == ""


# ---------------------------------------------------------------- a turn's end

FULL = (
    "hooks", "transcript_analyzer", "transcript_preparer", "token_calculator", "hook_response_writer",
    "subagent_aware_extractor",
)  # fmt: skip


def ask_what_a_turn_asks(agent: ExternalAgent, ref: str) -> None:
    """Ask what the lifecycle asks at the end of a turn."""
    told = agent.transcript(ref)
    end = told.end()
    told.files(START, end)
    told.prompts(START, end)
    told.prompts(START, START)
    told.summary(START)
    told.has_answers(START, end)
    told.tokens(START, end)
    told.tokens(START, START)
    told.holds(end)
    told.file_lines(end)
    told.snapshot()


def test_a_turns_end_asks_each_question_once_and_starts_at_most_eight_processes(world: World) -> None:
    Path(world.ref()).write_text('{"prompt": "p"}\n{"file": "a"}\n{"answer": "b", "in": 1, "out": 2}\n')
    plugin = plugins.version_one(world.bin, capabilities=FULL)
    agent = world.adapter(plugin, folders=lambda *_, **__: str(world.sessions))
    event = agent.parse_hook("stop", world.payload())
    assert event is not None
    agent.prepare_transcript(event, START)
    agent.ask_ahead(event, START, is_first=False)
    expected = [
        "parse-hook", "prepare-transcript", "get-transcript-position", "extract-all-modified-files",
        "extract-prompts", "extract-summary", "calculate-total-tokens", "read-transcript",
    ]  # fmt: skip
    assert sorted(plugins.asked(plugin)) == sorted(expected)
    for _ in range(2):
        ask_what_a_turn_asks(agent.for_session({"a": "b"}), world.ref())
    assert plugins.asked(plugin) == []
    assert world.notes == []


def test_the_files_tell_the_position_too(world: World) -> None:
    Path(world.ref()).write_text('{"prompt": "p"}\n{"file": "a"}\n')
    plugin = plugins.version_one(world.bin)
    agent = world.adapter(plugin, folders=lambda *_, **__: str(world.sessions))
    event = agent.parse_hook("stop", world.payload())
    assert event is not None
    agent.prepare_transcript(event, START)
    agent.ask_ahead(event, START, is_first=False)
    ask_what_a_turn_asks(agent, world.ref())
    expected = ["parse-hook", "extract-modified-files", "extract-prompts", "extract-summary", "calculate-tokens"]
    assert plugins.asked(plugin) == expected


def test_failures_are_asked_and_noted_once(world: World) -> None:
    Path(world.ref()).write_text('{"prompt": "p"}\n')
    failing = ["prepare-transcript", "get-transcript-position", "extract-modified-files", "extract-prompts",
               "extract-summary", "calculate-tokens", "read-transcript", "read-session"]  # fmt: skip
    capabilities = [name for name in FULL if name != "subagent_aware_extractor"]
    plugin = plugins.version_one(world.bin, capabilities=capabilities, fails=failing)
    agent = world.adapter(plugin, folders=lambda *_, **__: str(world.sessions))
    event = agent.parse_hook("stop", world.payload())
    assert event is not None
    agent.prepare_transcript(event, START)
    agent.ask_ahead(event, START, is_first=False)
    for _ in range(2):
        ask_what_a_turn_asks(agent, world.ref())
    assert len(plugins.asked(plugin)) <= 8
    assert len(world.notes) == len(set(world.notes)) > 3


def test_nothing_raises_whatever_the_plugin_answers(world: World) -> None:
    Path(world.ref()).write_text("{}\n")
    for output in ("[]", '{"position": -1, "files": 3, "prompts": [1, null], "summary": 7}', "\\377", "null", ""):
        agent = shell(world, "transcript_analyzer token_calculator transcript_preparer",
                      f"*) printf {shlex.quote(output)} ;;", in_hook=False)  # fmt: skip
        ask_what_a_turn_asks(agent, world.ref())
        agent.put_back(world.ref(), b"x", {})
        agent.session_dir("/")
        agent.detect("/")
        agent.chunk_transcript(b"x" * 999, 100)
        agent.transcript(world.ref()).messages()
