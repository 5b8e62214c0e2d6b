"""Every captured hook payload gives exactly the event it means; hostile ones give none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents.claude_code import payloads
from entire.agents.claude_code.agent import ClaudeCode
from entire.model.events import Event, EventType
from tests.agents.claude_code import oracle

PAYLOADS = oracle.FIXTURES / "payloads"
CASES: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "payloads.json").read_text())
SESSION = "04b82098-8309-42a4-b860-806b2de7c76b"


def agent() -> ClaudeCode:
    return ClaudeCode(now=lambda: 1234.5)


def encoded(**payload: object) -> bytes:
    return json.dumps({"session_id": "s1", "transcript_path": "/h/s1.jsonl", **payload}).encode()


def test_every_captured_payload_has_a_case() -> None:
    assert sorted(CASES) == sorted(
        str(path.relative_to(PAYLOADS)).removesuffix(".json") for path in PAYLOADS.rglob("*.json")
    )


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_captured_payload(name: str) -> None:
    data = (PAYLOADS / f"{name}.json").read_bytes()
    found, wanted = agent().parse_hook(CASES[name]["hook"], data), CASES[name]["event"]
    if wanted is None:
        assert found is None
        return
    payload = json.loads(data)
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in wanted.items()}
    assert found == Event(
        **{
            "session_id": payload["session_id"],
            "session_ref": payload["transcript_path"],
            "timestamp": 1234.5,
            "cwd": payload["cwd"],
            "turn_ref": payload.get("prompt_id", ""),
            **fields,
            "type": EventType[wanted["type"]],
        }
    )


def test_every_hook_verb_is_installed_and_understood() -> None:
    from entire.agents.claude_code.settings import ENTRIES

    assert sorted({entry.command.split()[3] for entry in ENTRIES}) == sorted(payloads.hook_names)


@pytest.mark.parametrize("hook", sorted(set(payloads.hook_names) - {"post-todo", "subagent-stop"}))
def test_the_least_payload_is_enough(hook: str) -> None:
    found = agent().parse_hook(hook, encoded())
    assert found is not None
    assert (found.session_id, found.session_ref, found.prompt) == ("s1", "/h/s1.jsonl", "")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        b"[]",
        b"{}",
        b'"x"',
        b"\xff\xfe{}",
        b'{"session_id": 7}',
        b'{"session_id": ""}',
        b'{"session_id": "../../etc/passwd"}',
        b'{"session_id": "a\\\\b"}',
        b'{"session_id": "a\\u0000b"}',
        b'{"session_id": "\\ud800"}',
        b'{"session_id": ".."}',
        b"[" * 100_000,
        json.dumps({"session_id": "x" * 201}).encode(),
    ],
)
def test_a_payload_without_a_usable_session_is_ignored(data: bytes) -> None:
    for hook in ("stop", "post-todo"):
        assert agent().parse_hook(hook, data) is None


@pytest.mark.parametrize("hook", payloads.hook_names)
@pytest.mark.parametrize("mark", ["cursor_version", "conversation_id"])
def test_a_payload_of_cursor_is_no_event(hook: str, mark: str) -> None:
    assert agent().parse_hook(hook, encoded(tool_name="Task", **{mark: "2026.09.26"})) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
keys = [
    "transcript_path cwd prompt_id prompt model source reason trigger tool_name tool_input tool_response tool_use_id",
    "agent_id agent_type agent_transcript_path last_assistant_message background_tasks",
]


@given(
    hook=st.sampled_from(payloads.hook_names),
    payload=st.dictionaries(
        st.sampled_from(" ".join(keys).split()), json_values | st.dictionaries(st.text(), json_values)
    ),
)
def test_odd_values_do_no_harm(hook: str, payload: dict[str, Any]) -> None:
    data = json.dumps({**payload, "session_id": "s1"}).encode()
    found = agent().parse_hook(hook, data)
    assert found is None or all(
        isinstance(found.__dict__[key], str) for key in ("session_ref", "prompt", "cwd", "tool_input")
    )


def test_ids_that_are_not_fit_for_a_path_are_dropped() -> None:
    data = encoded(tool_name="Agent", tool_use_id="../x", tool_input={}, tool_response={"agentId": "a/b"})
    found = agent().parse_hook("post-task", data)
    assert found is not None
    assert (found.tool_use_id, found.subagent_id) == ("", "")


def test_a_long_tool_input_is_shortened_and_stays_json() -> None:
    data = encoded(tool_name="Task", tool_use_id="t1", tool_input={"prompt": 'é"\\' * 100_000, "description": "d"})
    found = agent().parse_hook("pre-task", data)
    assert found is not None
    assert len(found.tool_input.encode()) <= 64 * 1024
    kept = json.loads(found.tool_input)
    assert kept["description"] == "d"
    assert kept["prompt"].startswith('é"\\é"')
    assert "[cut: " in kept["prompt"]


def test_the_subagent_tool_under_both_its_names() -> None:
    for name in ("Agent", "Task"):
        found = agent().parse_hook("pre-task", encoded(tool_name=name, tool_use_id="t1", tool_input={}))
        assert found is not None
        assert found.type is EventType.SUBAGENT_START


# background subagents


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The captured long session with its subagents."""
    path = tmp_path / f"{SESSION}.jsonl"
    shutil.copy(oracle.path_of(oracle.LONG), path)
    shutil.copytree(oracle.path_of(oracle.LONG).removesuffix(".jsonl"), tmp_path / SESSION)
    return path


def stop_payload(session: Path, agent_id: str, **more: object) -> bytes:
    payload = json.loads((PAYLOADS / "32-SubagentStop.json").read_text())
    return json.dumps({**payload, "transcript_path": str(session), "agent_id": agent_id, **more}).encode()


def test_the_note_beside_a_background_subagent_names_its_call(session: Path) -> None:
    tasks = [{"id": "a28cdada78e2a825c", "type": "subagent", "status": "running"}]
    found = agent().parse_hook("subagent-stop", stop_payload(session, "a28cdada78e2a825c", background_tasks=tasks))
    assert found is not None
    assert (found.type, found.source, found.subagent_id) == (EventType.SUBAGENT_END, "background", "a28cdada78e2a825c")
    assert (found.tool_use_id, found.task_description) == ("toolu_1a1fca8f29f001b00x", "Bg")
    assert (found.subagent_type, found.session_ref) == ("general-purpose", str(session))


def test_a_subagent_that_is_not_among_the_background_tasks_counts_only_if_it_is_known(tmp_path: Path) -> None:
    tasks = [{"id": "b1", "type": "subagent"}, {"id": "c1", "type": "shell"}, 7]
    for agent_id, is_conditional in (("b1", False), ("c1", True), ("d1", True)):
        found = agent().parse_hook(
            "subagent-stop", stop_payload(tmp_path / "x.jsonl", agent_id, background_tasks=tasks)
        )
        assert found is not None
        assert found.only_in_background is is_conditional
    for agent_id in ("", "../b1"):
        assert agent().parse_hook("subagent-stop", stop_payload(tmp_path / "x.jsonl", agent_id)) is None


# notes


def test_a_todo_list_inside_a_subagent_is_a_note(session: Path) -> None:
    payload = json.loads((PAYLOADS / "27-PostToolUse-TodoWrite.json").read_text())
    payload |= {"session_id": SESSION, "transcript_path": str(session), "agent_id": "a1c6d93a27d2dd0d0"}
    found = agent().parse_hook("post-todo", json.dumps(payload).encode())
    assert found is not None
    assert (found.type, found.session_id, found.session_ref) == (EventType.SUBAGENT_NOTE, SESSION, str(session))
    assert (found.tool_name, found.tool_use_id) == ("TodoWrite", "toolu_1a1fca7e44a000800x")
    assert found.subagent_id == "a1c6d93a27d2dd0d0"
    assert found.tool_input == '{"todos":[{"content":"A","status":"pending","activeForm":"Doing A"}]}'


@pytest.mark.parametrize("name", ["25-PostToolUse-TaskCreate", "26-PostToolUse-TaskUpdate", "27-PostToolUse-TodoWrite"])
def test_the_main_agents_own_list_is_none(name: str) -> None:
    assert agent().parse_hook("post-todo", (PAYLOADS / f"{name}.json").read_bytes()) is None


def test_an_older_agent_does_not_say_who_wrote_the_list() -> None:
    found = agent().parse_hook("post-todo", encoded(tool_name="TodoWrite", tool_input={"todos": []}))
    assert found is not None
    assert (found.subagent_id, found.tool_use_id, found.tool_input) == ("", "", '{"todos":[]}')


def test_a_message_for_the_user_is_json_on_one_line() -> None:
    said = agent().write_hook_response('two\nlines "quoted" é')
    assert json.loads(said) == {"systemMessage": 'two\nlines "quoted" é'}
    assert said.startswith(b"{")
    assert said.count(b"\n") == 1
