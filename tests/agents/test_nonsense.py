"""Nonsense from outside gives nothing: no adapter raises, and a hook says in the log what it did not understand."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.agents import capabilities, registry
from entire.commands import hooks
from entire.directory import AgentDirectory
from entire.model.events import Event
from tests.integration.story import Story, story

__all__ = ["story"]

AGENTS = AgentDirectory.without_plugins()
VERBS = [(name, verb) for name in registry.BUILTIN for verb in (*AGENTS.make(name).hook_names, "no-such-verb", "")]
KEYS = """
    agent_id agent_transcript_path agent_type background_tasks conversation_id cursor_version cwd generation_id
    hook_event_name last_assistant_message model parent_conversation_id prompt prompt_id reason session_id source task
    timestamp tool_input tool_name tool_response tool_use_id transcript_path trigger workspace_roots
""".split()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["s", "Task", "/"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from(KEYS), VALUES).map(lambda value: json.dumps(value).encode())
WITH_SESSION = st.dictionaries(st.sampled_from(KEYS), VALUES).map(
    lambda value: json.dumps({"tool_name": "Task", **value, "session_id": "s"}).encode()
)


@settings(max_examples=150)  # the promises ask each agent, too
@given(call=st.sampled_from(VERBS), payload=st.binary() | VALUES.map(lambda v: json.dumps(v).encode()) | OBJECTS)
def test_no_payload_raises(call: tuple[str, str], payload: bytes) -> None:
    found = AGENTS.make(call[0]).parse_hook(call[1], payload)
    assert found is None or isinstance(found, Event)


@settings(max_examples=150)  # the promises ask each agent, too
@given(call=st.sampled_from(VERBS), payload=WITH_SESSION)
def test_no_payload_of_a_session_raises(call: tuple[str, str], payload: bytes) -> None:
    found = AGENTS.make(call[0]).parse_hook(call[1], payload)
    assert found is None or isinstance(found, Event)


@pytest.mark.parametrize("call", VERBS)
def test_no_payload_is_nested_too_deep(call: tuple[str, str]) -> None:
    for depth in (*range(900, 1010, 3), 100_000):
        for key in ("tool_input", "tool_response", "prompt", "background_tasks"):
            nested = b"[" * depth + b"]" * depth
            payload = b'{"session_id": "s", "tool_name": "Task", "%s": %s}' % (key.encode(), nested)
            AGENTS.make(call[0]).parse_hook(call[1], payload)


@pytest.mark.parametrize("name", registry.BUILTIN)
@pytest.mark.parametrize("hostile", ["", ".", "..", "../x", "a/b", "a\\b", "a\0", "a\n", "x" * 201])
def test_no_session_id_leads_out_of_the_agents_folder(name: str, hostile: str) -> None:
    resumer = capabilities.session_resumer(AGENTS.make(name))
    assert resumer is None or resumer.resolve_session_file("/sessions", hostile) == ""


def call(story: Story, monkeypatch: pytest.MonkeyPatch, name: str, verb: str, payload: bytes) -> list[dict[str, Any]]:
    """Call a hook; return what it logged."""
    monkeypatch.chdir(story.root)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(payload)))
    assert hooks.run([name, verb]) == 0
    log = story.path(".git/entire/logs/entire.log")
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


@pytest.mark.parametrize("payload", [b"", b"nonsense", b"[1]", b'"x"', b"\xff\xfe{}", b"[" * 100_000])
@pytest.mark.parametrize("name", registry.BUILTIN)
def test_a_payload_that_is_no_object_is_logged_once(
    story: Story, monkeypatch: pytest.MonkeyPatch, name: str, payload: bytes
) -> None:
    (line,) = call(story, monkeypatch, name, "session-start", payload)
    assert (line["level"], line["component"], line["hook"]) == ("WARN", "hooks", f"{name} session-start")
    assert line["msg"] == "the hook's payload was not understood: it is not a JSON object"
    assert call(story, monkeypatch, name, "no-such-verb", payload) == []
    assert call(story, monkeypatch, name, "session-start", b"{}") == []
