"""Transcripts as people read them: by an adapter's records, or by their form."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

from entire.agents import capabilities, readings
from entire.agents.registry import BUILTIN
from entire.conversation.messages import BY_AGENT as AGENT
from entire.conversation.messages import BY_TOOL as TOOL
from entire.conversation.messages import BY_USER as USER
from entire.directory import AgentDirectory
from entire.model.positions import START
from entire.model.tokens import TokenUsage, by_model
from entire.model.transcripts import Edit, Message, ToolCall

FIXTURES = Path(__file__).parents[2] / "fixtures"
CAPTURED = FIXTURES / "claude_code"
CONVERSATIONS = FIXTURES / "conversations"
AGENTS = {"gemini-cli": "gemini"}  # of the folders of conversations, those with an adapter


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def read(data: bytes, agent: str = "", start: int = 0) -> list[Message]:
    """Return what is said from record ``start`` on; without an agent, as the transcript's form tells."""
    found = readings.messages(AgentDirectory.without_plugins().make(agent) if agent else None, data)
    return [message for message in found if message.at >= start]


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
    assert read(CLAUDE, "claude-code") == [
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
    assert read(CLAUDE, "claude-code", 2)[0].text == "I will."


def test_the_old_short_form() -> None:
    data = lines({"type": "user", "uuid": "1", "message": {"content": "hello"}}, {"type": "assistant", "message": "hi"})
    assert [(message.who, message.text) for message in read(data, "claude-code")] == [(USER, "hello"), (AGENT, "hi")]


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
        found = read(data, "gemini")
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
    assert [(message.who, message.text) for message in read(data, "demo")] == [
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
    assert "".join(
        told(message) for message in read(path.read_bytes(), AGENTS.get(path.parent.name, ""))
    ) == oracle.read_text("utf-8")


def told(message: Message) -> str:
    who = f"tool {message.name}" if message.who == TOOL else message.who
    what = message.text.replace("\n", "\\n")
    return f"{message.at} {who}" + (f": {what}" if what else "") + "\n"


@pytest.mark.parametrize("path", sorted(CAPTURED.glob("transcripts/**/*.jsonl")), ids=lambda path: path.name)
def test_the_prompts_are_those_that_the_adapter_reads(path: Path) -> None:
    adapter = AgentDirectory.without_plugins().make("claude-code")
    analyzer = capabilities.transcript_analyzer(adapter, adapter.transcript(str(path)))
    expected = [(prompt.position, prompt.text) for prompt in analyzer.prompts(START)] if analyzer is not None else []
    shown = read(path.read_bytes(), "claude-code")
    found = [(message.at, message.text) for message in shown if message.who == USER]
    assert found == expected or path.name.startswith("agent-")


@pytest.mark.parametrize("path", sorted(CAPTURED.rglob("*.jsonl")), ids=lambda path: path.name)
def test_captured_transcripts_are_told(path: Path) -> None:
    found = read(path.read_bytes(), "claude-code")
    assert found or "agent-" in path.name


ROOTS = ("claude_code", "gemini")
FILES = sorted((name, path) for name in ROOTS for path in (FIXTURES / name).rglob("*.jsonl"))


@pytest.mark.parametrize(("agent", "path"), FILES, ids=lambda value: value.name if isinstance(value, Path) else value)
def test_an_earlier_state_is_told_from_the_whole(agent: str, path: Path) -> None:
    """As if it had been read: so one reading serves all the states of a session that are stored."""
    data, adapter = path.read_bytes(), AgentDirectory.without_plugins().make(agent.replace("_", "-"))
    whole, rows = readings.of(adapter, data), data.splitlines(keepends=True)
    for end in range(1, len(rows) + 1, 1 + len(rows) // 30):
        assert whole.messages(end) == readings.of(adapter, b"".join(rows[:end])).messages()


@pytest.mark.parametrize(("agent", "path"), FILES, ids=lambda value: value.name if isinstance(value, Path) else value)
def test_people_see_the_tokens_that_hooks_count(agent: str, path: Path) -> None:
    data, adapter = path.read_bytes(), AgentDirectory.without_plugins().make(agent.replace("_", "-"))
    told = (
        readings.of_subagent(adapter, data, "a1").responses
        if "agent-" in path.name
        else (readings.of(adapter, data).responses)
    )
    models = by_model(told.told())
    transcript = adapter.transcript(str(path), data)
    calculator = capabilities.token_calculator(adapter, transcript)
    assert calculator is not None
    assert sum(models.values(), TokenUsage()) == calculator.tokens(START)
    assert "" not in models


def test_what_is_shown_asks_one_transcript() -> None:
    """A plugin starts for each."""
    adapter, made = AgentDirectory.without_plugins().make("claude-code"), list[bytes]()

    class Counting:
        def transcript(self, session_ref: str, stored: bytes | None = None) -> object:
            made.append(stored or b"")
            return adapter.transcript(session_ref, stored)

    found = readings.States().read(Counting(), CLAUDE)  # type: ignore[arg-type]
    assert found.messages() == readings.messages(adapter, CLAUDE)
    assert (len(found.prompts()) > 0, found.is_native) == (True, True)
    assert made == [CLAUDE]


def test_what_was_read_goes_with_its_last_reference() -> None:
    """Commands that read many conversations collect no circles, and each holds a whole transcript."""
    paths = sorted(FIXTURES.glob("*/transcripts/*.jsonl")) + sorted(CONVERSATIONS.glob("*/*.jsonl"))
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for path in paths:
            data = path.read_bytes()
            for name in ("", *BUILTIN):
                agent = AgentDirectory.without_plugins().make(name) if name else None
                state = readings.States().read(agent, data)
                assert state.messages() is not None
                analyzer = capabilities.transcript_analyzer(agent, agent.transcript("", data)) if agent else None
                assert analyzer is None or analyzer.prompts(START) is not None
                del state, agent, analyzer
            assert gc.collect() == 0, path
    finally:
        if was_enabled:
            gc.enable()
    assert len(paths) > 40
