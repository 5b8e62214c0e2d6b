"""The demo agent's adapter: hooks, settings, sessions."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from entire.agents.demo.agent import Demo
from entire.agents.demo.payloads import HOOKS, VERBS
from entire.directory import AgentDirectory
from entire.errors import EntireError
from entire.model.effects import Delete, Write
from entire.model.events import EventType
from entire.model.health import HookStatus
from entire.model.positions import START
from entire_demo_agent import hooks, places, program
from tests.unit.entire_demo_agent.conftest import Bench

FOREIGN = {"hooks": {"TurnEnd": [{"command": "make lint", "timeout": 5}], "Else": []}, "colour": "é"}


def test_it_is_in_the_registry() -> None:
    assert isinstance(AgentDirectory.without_plugins().make("demo"), Demo)
    assert isinstance(AgentDirectory.without_plugins().make_by_type("Demo Agent"), Demo)


def test_the_adapter_knows_the_program() -> None:
    assert set(VERBS) == set(hooks.EVENTS)
    assert AgentDirectory.without_plugins().find("demo").session_variable == program.SESSION_VARIABLE


def test_every_hook_becomes_its_event(bench: Bench) -> None:
    bench.write_hooks(bench.folder, lambda event: f"cat >> {bench.log}; echo >> {bench.log}")
    bench.ask('ask a helper to "create h.txt with x"', "--session-id", "s")
    payloads = bench.fired()
    events = [
        Demo().parse_hook(VERBS[payload["hook_event_name"]], json.dumps(payload).encode()) for payload in payloads
    ]
    assert [event and event.type for event in events] == [
        EventType.SESSION_START,
        EventType.TURN_START,
        EventType.SUBAGENT_START,
        EventType.SUBAGENT_END,
        EventType.TURN_END,
        EventType.SESSION_END,
    ]
    start, turn, helper, helper_end, end, over = [event for event in events if event]
    path = str(bench.transcript("s"))
    assert {(event.session_id, event.session_ref, event.cwd) for event in events if event} == {
        ("s", path, str(bench.folder))
    }
    assert [event.timestamp for event in events if event] == sorted(event.timestamp for event in events if event)
    assert (start.source, over.source, turn.model) == ("startup", "done", "obedient-1")
    assert turn.prompt == 'ask a helper to "create h.txt with x"'
    assert turn.turn_ref == end.turn_ref == Demo().transcript(path).prompts(START)[0].id
    assert end.final_text == "Done."
    assert (helper.subagent_type, helper.task_description) == ("helper", "create h.txt with x")
    assert (helper.subagent_id, helper.tool_use_id) == (helper_end.subagent_id, helper_end.tool_use_id)
    assert json.loads(helper.tool_input) == {"task": "create h.txt with x"}


def test_a_payload_may_hold_no_more_than_the_session() -> None:
    event = Demo().parse_hook("turn-end", b'{"session_id": "s", "transcript_path": 7, "prompt": null}')
    assert event is not None
    assert (event.type, event.session_id, event.session_ref, event.prompt) == (EventType.TURN_END, "s", "", "")
    assert event.timestamp > 0


@pytest.mark.parametrize(
    ("hook", "payload"),
    [
        ("turn-end", b""),
        ("turn-end", b"{"),
        ("turn-end", b"\xff\xfe"),
        ("turn-end", b"[" * 100_000),
        ("turn-end", b"[]"),
        ("turn-end", b"{}"),
        ("turn-end", b'{"session_id": 3}'),
        ("turn-end", b'{"session_id": "../x"}'),
        ("no-such-hook", b'{"session_id": "s"}'),
    ],
)
def test_what_means_nothing_is_no_event(hook: str, payload: bytes) -> None:
    assert Demo().parse_hook(hook, payload) is None


def test_detect(bench: Bench) -> None:
    assert not Demo().detect(str(bench.folder))
    (bench.folder / ".demo-agent").mkdir()
    assert Demo().detect(str(bench.folder))


@pytest.mark.parametrize("scope", ["project", "user"])
def test_install_and_uninstall_leave_no_trace(bench: Bench, scope: str) -> None:
    agent, root = Demo(), str(bench.folder)
    assert agent.hooks_health(root, scope).status is not HookStatus.INSTALLED
    assert agent.install_hooks(root, scope, force=False) == len(HOOKS)
    assert agent.hooks_health(root, scope).status is HookStatus.INSTALLED
    path = Path(agent.hook_config_paths(root, scope)[0])
    before = path.read_bytes()
    assert agent.install_hooks(root, scope, force=False) == 0
    assert agent.install_hooks(root, scope, force=True) == len(HOOKS)
    assert path.read_bytes() == before
    assert hooks.read_commands(path, "TurnEnd") == [("entire hooks demo turn-end 2>/dev/null || true", hooks.TIMEOUT)]
    assert agent.uninstall_hooks(root, scope) == len(HOOKS)
    assert not path.parent.exists()
    assert agent.uninstall_hooks(root, scope) == 0


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(FOREIGN),
        json.dumps(FOREIGN, indent=4, ensure_ascii=False) + "\n",
        json.dumps(FOREIGN, indent="\t").replace("\n", "\r\n"),
    ],
)
def test_foreign_settings_stay_as_they_are(bench: Bench, text: str) -> None:
    agent, root = Demo(), str(bench.folder)
    path = Path(agent.hook_config_paths(root, "project")[0])
    path.parent.mkdir()
    path.write_bytes(foreign := text.encode())
    agent.install_hooks(root, "project", force=False)
    installed = json.loads(path.read_bytes())
    assert installed["hooks"]["TurnEnd"][0] == FOREIGN["hooks"]["TurnEnd"][0]  # type: ignore[index]
    assert len(installed["hooks"]["TurnEnd"]) == 2
    assert agent.uninstall_hooks(root, "project") == len(HOOKS)
    assert path.read_bytes() == foreign


def test_old_and_doubled_entries_are_replaced(bench: Bench) -> None:
    agent, root = Demo(), str(bench.folder)
    agent.install_hooks(root, "project", force=False)
    path = Path(agent.hook_config_paths(root, "project")[0])
    settings = json.loads(path.read_bytes())
    settings["hooks"]["TurnEnd"] = [{"command": "entire hooks demo turn-end"}, *settings["hooks"]["TurnEnd"]]
    path.write_text(json.dumps(settings))
    assert agent.install_hooks(root, "project", force=False) == 1
    assert len(json.loads(path.read_bytes())["hooks"]["TurnEnd"]) == 1


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"hooks": []}', b'{"hooks": {"TurnEnd": {}}}', b"\xff"])
def test_settings_that_cannot_be_understood_are_not_touched(bench: Bench, content: bytes) -> None:
    agent, root = Demo(), str(bench.folder)
    path = Path(agent.hook_config_paths(root, "project")[0])
    path.parent.mkdir()
    path.write_bytes(content)
    assert agent.hooks_health(root, "project").status is not HookStatus.INSTALLED
    with pytest.raises(EntireError):
        agent.install_hooks(root, "project", force=True)
    try:
        assert agent.uninstall_hooks(root, "project") == 0
    except EntireError:
        assert b"hooks" not in content
    assert path.read_bytes() == content


def test_a_hook_answer_is_shown_by_the_agent(bench: Bench) -> None:
    answer = bench.home / "answer"
    answer.write_bytes(Demo().write_hook_response("é: two\nlines"))
    bench.write_hooks(bench.folder, lambda event: f"cat {answer}" if event == "SessionStart" else "true")
    assert bench.ask("say x") == "é: two\nlines\nx\n"


def test_sessions_are_where_the_agent_looks(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Demo()
    assert agent.session_dir(str(bench.folder)) == str(places.session_folder(bench.folder))
    monkeypatch.setenv("ENTIRE_DEMO_HOME", str(bench.home / "else é"))
    assert agent.session_dir(str(bench.folder)) == str(places.session_folder(bench.folder))
    assert str(bench.home / "else é") in agent.session_dir(str(bench.folder))


def test_a_stored_session_goes_on_elsewhere(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Demo()
    bench.ask("remember tea is hot", "--session-id", "s")
    stored = agent.transcript(str(bench.transcript("s"))).snapshot()
    os.unlink(bench.transcript("s"))
    other = bench.folder.parent / "other"
    other.mkdir()
    path = agent.resolve_session_file(agent.session_dir(str(other)), "s")
    (effect,) = agent.put_back(path, stored, {}).effects
    assert effect == Write(path=path, data=stored)
    Path(path).parent.mkdir(parents=True)
    Path(path).write_bytes(stored)
    monkeypatch.chdir(other)
    words = agent.format_resume_command("s").split()
    assert words[:4] == [sys.executable, "-P", "-m", "entire_demo_agent"]
    assert "I remember: tea is hot. This is turn 2" in bench.ask("what do you remember", *words[4:])
    assert agent.put_back(path, b"", {}).effects == (Delete(path=path),)


def test_ids_lead_nowhere_else() -> None:
    assert Demo().resolve_session_file("/home/dev/sessions", "../../x") == ""
    assert Demo().format_resume_command("a; b").endswith(" -m entire_demo_agent --resume 'a; b'")
