"""Every captured hook payload gives exactly the event it means; hostile ones give none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents.gemini import payloads
from entire.agents.gemini.agent import Gemini
from entire.model.events import Event, EventType
from entire.model.positions import START
from tests.agents.gemini import oracle

PAYLOADS = oracle.FIXTURES / "payloads"
CASES: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "payloads.json").read_text())


def agent() -> Gemini:
    return Gemini(now=lambda: 1234.5, env={})


def encoded(**payload: object) -> bytes:
    return json.dumps({"session_id": "s1", "transcript_path": "/h/chats/session-x-s1.jsonl", **payload}).encode()


def test_every_captured_payload_has_a_case() -> None:
    assert sorted(CASES) == sorted(path.stem for path in PAYLOADS.iterdir())


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_captured_payload(name: str) -> None:
    data = (PAYLOADS / f"{name}.json").read_bytes()
    found, wanted = agent().parse_hook(CASES[name]["hook"], data), CASES[name]["event"]
    if wanted is None:
        assert found is None
        return
    payload = json.loads(data)
    common = {
        "session_id": payload["session_id"],
        "session_ref": payload["transcript_path"],
        "timestamp": 1234.5,
        "cwd": payload["cwd"],
    }
    assert found == Event(**{**common, **wanted, "type": EventType[wanted["type"]]})


@pytest.mark.parametrize("hook", ["session-start", "session-end", "before-agent", "after-agent", "pre-compress"])
def test_the_least_payload_is_enough(hook: str) -> None:
    found = agent().parse_hook(hook, encoded())
    assert found is not None
    assert (found.session_id, found.session_ref, found.prompt) == ("s1", "/h/chats/session-x-s1.jsonl", "")


def test_an_unknown_hook_means_nothing() -> None:
    assert agent().parse_hook("stop", encoded()) is None


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
def test_a_payload_without_a_usable_session_means_nothing(data: bytes) -> None:
    for hook in payloads.hook_names:
        assert agent().parse_hook(hook, data) is None


def test_a_tool_input_nested_too_deep_is_left_out() -> None:
    for depth in (200, 900, 990, 5_000):
        deep = '{"a":' * depth + "1" + "}" * depth
        data = f'{{"session_id":"s1","tool_name":"invoke_agent","tool_input":{deep}}}'.encode()
        found = agent().parse_hook("before-tool", data)
        assert found is None or found.type is EventType.SUBAGENT_START


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
KEYS = "transcript_path cwd prompt prompt_response source reason trigger tool_name tool_input tool_response".split()


@given(
    hook=st.sampled_from(payloads.hook_names),
    tool=st.sampled_from(["invoke_agent", "run_shell_command", "write_file"]),
    payload=st.dictionaries(st.sampled_from(KEYS), json_values | st.dictionaries(st.text(), json_values)),
)
def test_odd_values_do_no_harm(hook: str, tool: str, payload: dict[str, Any]) -> None:
    found = agent().parse_hook(hook, json.dumps({"tool_name": tool, **payload, "session_id": "s1"}).encode())
    assert found is None or all(
        isinstance(found.__dict__[key], str) for key in ("session_ref", "subagent_ref", "prompt", "cwd", "tool_input")
    )


@pytest.mark.parametrize(
    ("activity", "subagent"),
    [
        ([{"id": "a1#0-0"}, {"id": "b2#0-1"}], "a1"),
        ([{"id": 7}, {}, "x", {"id": "a1#1-0"}], "a1"),
        ([{"id": "../a1#0-0"}, {"id": "a/b#0"}], ""),
        ([], ""),
        (None, ""),
        ("a1#0-0", ""),
    ],
)
def test_which_subagent_ended(activity: object, subagent: str) -> None:
    response = {"returnDisplay": {"isSubagentProgress": True, "recentActivity": activity}}
    found = agent().parse_hook("after-tool", encoded(tool_name="invoke_agent", tool_response=response))
    assert found is not None
    assert (found.subagent_id, found.session_ref) == (subagent, "/h/chats/session-x-s1.jsonl")
    assert found.subagent_ref == (f"/h/chats/s1/{subagent}.jsonl" if subagent else "")


@pytest.mark.parametrize(
    "content", ["[main 1a2b3c4] A\n[main 5d6e7f8] B", [{"text": "[main 1a2b3c4] A [x 5d6e7f8] B"}]]
)
def test_the_commits_of_a_shell_command_are_remembered(content: object) -> None:
    data = encoded(tool_name="run_shell_command", tool_response={"llmContent": content, "returnDisplay": 7})
    found = agent().parse_hook("after-tool", data)
    assert found is not None
    assert found.metadata == {"committed": "1a2b3c4 5d6e7f8"}
    chat = Gemini(env={}, metadata=found.metadata).transcript("")
    assert chat.makes_commit(START, 1.0, "5d6e7f8" + "0" * 33)
    assert not chat.makes_commit(START, 1.0, "5d6e7f9" + "0" * 33)


def test_a_prompt_without_what_other_hooks_put_before_it() -> None:
    said = "<hook_context>use tabs</hook_context>\n\ncreate hello"
    found = agent().parse_hook("before-agent", encoded(prompt=said))
    assert found is not None
    assert found.prompt == "create hello"


def test_a_long_tool_input_is_shortened_and_stays_json() -> None:
    given_input = {"prompt": 'é"\\' * 100_000, "agent_name": "g"}
    found = agent().parse_hook("before-tool", encoded(tool_name="invoke_agent", tool_input=given_input))
    assert found is not None
    assert len(found.tool_input.encode()) <= 64 * 1024
    assert json.loads(found.tool_input)["agent_name"] == "g"


def test_a_message_for_the_user_is_json_on_one_line() -> None:
    said = agent().write_hook_response('two\nlines "quoted" é')
    assert json.loads(said) == {"systemMessage": 'two\nlines "quoted" é'}
    assert said.startswith(b"{")
    assert said.count(b"\n") == 1
