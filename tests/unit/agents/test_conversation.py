"""Any agent's transcript as a conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents import conversation
from entire.agents.conversation import AGENT, TOOL, USER, Message

CAPTURED = Path(__file__).parents[2] / "fixtures" / "claude_code"


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


CLAUDE = lines(
    {"type": "queue-operation"},
    {"type": "user", "message": {"role": "user", "content": "make a file"}},
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "a note to itself"}},
    {"type": "user", "message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "text": "hm"},
                {"type": "text", "text": "I will."},
                {"type": "tool_use", "name": "Write", "input": {"content": "x", "file_path": "/r/a.py"}},
                {"type": "text", "text": "Done."},
            ],
        },
    },
    {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]}},
    {"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": "from a helper"}},
)


def test_claude_code() -> None:
    assert conversation.read(CLAUDE) == [
        Message(who=USER, text="make a file", at=1),
        Message(who=AGENT, text="I will.", at=4),
        Message(who=TOOL, text="/r/a.py", at=4, name="Write"),
        Message(who=AGENT, text="Done.", at=4),
    ]
    assert conversation.read(CLAUDE, 2)[0].text == "I will."
    assert conversation.prompts(CLAUDE) == ["make a file"]
    assert conversation.prompts(CLAUDE, 2) == []


def test_the_old_short_form() -> None:
    data = lines({"type": "user", "uuid": "1", "message": {"content": "hello"}}, {"type": "assistant", "message": "hi"})
    assert [(message.who, message.text) for message in conversation.read(data)] == [(USER, "hello"), (AGENT, "hi")]


def test_one_document() -> None:
    document = {
        "sessionId": "x",
        "messages": [
            {"type": "user", "content": "go"},
            {"type": "gemini", "content": "", "toolCalls": [{"name": "run", "args": {"command": "ls"}}]},
            {"type": "gemini", "content": [{"text": "gone"}]},
        ],
    }
    for data in (json.dumps(document, indent=2).encode(), json.dumps(document).encode() + b"\n\n"):
        said = conversation.read(data)
        assert [(message.who, message.text, message.at) for message in said] == [
            (USER, "go", 0),
            (TOOL, "ls", 1),
            (AGENT, "gone", 2),
        ]


def test_the_demo_agent() -> None:
    data = lines(
        {"type": "session", "session_id": "s"},
        {"type": "prompt", "text": "create a file"},
        {"type": "call", "tool": "create", "input": {"path": "a.txt", "text": "x"}},
        {"type": "result", "tool": "create", "output": "ok"},
        {"type": "answer", "text": "Created."},
    )
    assert [(message.who, message.text) for message in conversation.read(data)] == [
        (USER, "create a file"),
        (TOOL, "a.txt"),
        (AGENT, "Created."),
    ]


@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    conversation.read(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.text()
            | st.sampled_from(["type", "role", "message", "content", "text", "input", "messages", "toolCalls"]),
            inner,
        )
        | st.sampled_from(["user", "assistant", "tool_use", "call"])
    ),
)


@given(st.lists(json_values))
def test_any_records(records: list[object]) -> None:
    for message in conversation.read(lines(*records)):
        assert message.who in (USER, AGENT, TOOL)
        assert isinstance(message.text, str)


@pytest.mark.parametrize("path", sorted(CAPTURED.rglob("*.jsonl")), ids=lambda path: path.name)
def test_captured_transcripts_are_told(path: Path) -> None:
    said = conversation.read(path.read_bytes())
    assert said or "agent-" in path.name
