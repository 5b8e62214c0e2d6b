"""Any agent's transcript as a conversation."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents import capabilities, conversation
from entire.agents.conversation import AGENT, TOOL, USER, Message
from entire.agents.directory import AgentDirectory
from entire.model.transcripts import START, Edit, ToolCall

FIXTURES = Path(__file__).parents[2] / "fixtures"
CAPTURED = FIXTURES / "claude_code"
CONVERSATIONS = FIXTURES / "conversations"


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
        Message(
            who=TOOL,
            text="/r/a.py",
            at=4,
            name="Write",
            call=ToolCall(edits=(Edit(path="/r/a.py", new="x", is_whole=True),)),
        ),
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
        found = conversation.read(data)
        assert [(message.who, message.text, message.at) for message in found] == [
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


@pytest.mark.parametrize(
    "oracle", sorted(CONVERSATIONS.rglob("*.said")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_captured(oracle: Path) -> None:
    """The oracles were reviewed against the transcripts: a line for each text and call, with its record and who."""
    (path,) = (found for found in oracle.parent.glob(f"{oracle.stem}.json*"))
    assert "".join(told(message) for message in conversation.read(path.read_bytes())) == oracle.read_text("utf-8")


def told(message: Message) -> str:
    who = f"tool {message.name}" if message.who == TOOL else message.who
    what = message.text.replace("\n", "\\n")
    return f"{message.at} {who}" + (f": {what}" if what else "") + "\n"


@pytest.mark.parametrize("path", sorted(CAPTURED.glob("transcripts/**/*.jsonl")), ids=lambda path: path.name)
def test_the_prompts_are_those_that_the_adapter_reads(path: Path) -> None:
    adapter = AgentDirectory.without_plugins().make("claude-code")
    assert adapter is not None
    analyzer = capabilities.transcript_analyzer(adapter, adapter.transcript(str(path)))
    found = analyzer.prompts(START) if analyzer is not None else []
    expected = [prompt.text for prompt in found if not prompt.text.startswith("/")]  # a slash command is no text
    assert conversation.prompts(path.read_bytes()) == ([] if path.name.startswith("agent-") else expected)


def said(*records: object) -> list[str]:
    return [message.text for message in conversation.read(lines(*records))]


def test_a_part_of_a_rewound_conversation() -> None:
    """A later record decides about earlier ones, also when only what follows is shown."""
    tree = [
        {"id": "a", "parentId": None, "role": "user", "content": "first"},
        {"id": "b", "parentId": "a", "role": "assistant", "content": "one"},
        {"id": "c", "parentId": "b", "role": "user", "content": "left"},
        {"id": "d", "parentId": "c", "role": "assistant", "content": "two"},
        {"id": "e", "parentId": "b", "role": "user", "content": "taken"},
    ]
    assert said(*tree) == ["first", "one", "taken"]
    assert said(*tree[:4]) == ["first", "one", "left", "two"]
    assert [message.at for message in conversation.read(lines(*tree), 2)] == [4]
    from_the_start = {"id": "f", "parentId": None, "role": "user", "content": "again"}
    assert said(*tree, from_the_start) == ["again"]


def test_tools_that_ran_at_the_same_time_are_no_abandoned_branches() -> None:
    call = {"type": "tool_use", "name": "Read"}
    assert len(said(
        {"uuid": "a", "parentUuid": None, "role": "user", "content": "go"},
        {"uuid": "b", "parentUuid": "a", "role": "assistant", "content": [call]},
        {"uuid": "c", "parentUuid": "b", "role": "assistant", "content": [call]},
        {"uuid": "d", "parentUuid": "b", "role": "user", "content": [{"type": "tool_result"}]},
        {"uuid": "e", "parentUuid": "d", "role": "assistant", "content": "done"},
    )) == 4  # fmt: skip


def test_a_tree_with_a_circle() -> None:
    assert said(
        {"id": "a", "parentId": "b", "role": "user", "content": "x"},
        {"id": "b", "parentId": "a", "role": "user", "content": "y"},
    ) == ["x", "y"]  # fmt: skip


def test_an_id_that_all_records_share() -> None:
    """It may be the session's: only a record that repeats the one before and continues it replaces it."""
    answer = {"id": "s", "role": "assistant"}
    assert said({"id": "s", "role": "user", "content": "go"}, {**answer, "content": "I will."},
                {**answer, "content": "I will.", "toolCalls": [{"name": "run", "args": {"command": "ls"}}]},
                {**answer, "content": "Done."}) == ["go", "I will.", "ls", "Done."]  # fmt: skip


@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    conversation.read(data)


names = st.sampled_from([
    "$rewindTo", "$set", "agentId", "args", "arguments", "content", "data", "displayContent", "function",
    "functionCall", "id", "info", "input", "item", "message", "messageID", "messages", "name", "parentId", "parts",
    "payload", "revert",
    "role", "state", "text", "tool", "toolCalls", "type", "uuid", "parentUuid",
])  # fmt: skip
values = st.sampled_from([
    "a", "b", "user", "assistant", "tool_use", "call", "tool", "event_msg", "response_item", "user_message",
    "<session_context>", "<hook_context>x</hook_context>", "*** Begin Patch", "[REDACTED]", '{"cmd": "x"}', "\ud800",
])  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | values,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | names, inner),
)


@given(st.lists(json_values), st.integers(0, 3))
def test_any_records(records: list[object], start: int) -> None:
    whole = conversation.read(lines(*records))
    for message in whole:
        assert message.who in (USER, AGENT, TOOL)
        assert message.text.encode() or message.who == TOOL
        assert message.name.encode() or message.who != TOOL
    assert conversation.read(lines(*records), start) == [message for message in whole if message.at >= start]


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b'{"role":"user","content":' * 100_000,
        b'{"messages":' * 100_000,
        lines({"role": "user", "content": "<hook_context>x</hook_context>" * 50_000}),
        lines({"role": "user", "content": ["<user_query>"] * 50_000}),
        lines(*({"$rewindTo": str(n - 1), "id": str(n), "role": "user", "content": "x"} for n in range(50_000))),
        lines(*({"id": str(n), "parentId": str(n + 1), "role": "user", "content": "x"} for n in range(50_000))),
        lines({"role": "assistant", "content": "x" * 10_000_000}),
    ],
    ids=["lists", "records", "documents", "context", "queries", "rewinds", "tree", "huge"],
)
def test_hostile_transcripts_cost_what_their_size_does(data: bytes) -> None:
    started = time.process_time()
    conversation.read(data)
    assert time.process_time() - started < 10


@pytest.mark.parametrize("path", sorted(CAPTURED.rglob("*.jsonl")), ids=lambda path: path.name)
def test_captured_transcripts_are_told(path: Path) -> None:
    found = conversation.read(path.read_bytes())
    assert found or "agent-" in path.name
