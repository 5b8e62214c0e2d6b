"""One record of a transcript, in any of the forms that agents use."""

from __future__ import annotations

import pytest

from entire.agents.forms import messages
from entire.conversation.messages import BY_AGENT as AGENT
from entire.conversation.messages import BY_TOOL as TOOL
from entire.conversation.messages import BY_USER as USER
from entire.conversation.messages import Reading
from entire.model.transcripts import Message


def read(record: dict[str, object]) -> list[Message]:
    return Reading(messages.said(record, 7, "a")).messages()


@pytest.mark.parametrize(
    "record",
    [
        {"role": "user", "content": "go"},
        {"type": "user", "message": {"content": "go"}},
        {"role": "user", "message": {"content": [{"type": "text", "text": "go"}]}},
        {"type": "user", "content": [{"text": "go"}]},
        {"type": "user", "content": [{"text": "go, with notes"}], "displayContent": [{"text": "go"}]},
        {"type": "user.message", "data": {"content": "go", "transformedContent": "<now/>go"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"text": "go"}]}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "go"}},
        {"type": "event_msg", "payload": {"item": {"type": "UserMessage", "content": [{"text": "go"}]},
                                          "type": "item_completed"}},
        {"info": {"role": "user"}, "parts": [{"type": "text", "text": "go"}, {"type": "compaction", "text": "x"}]},
        {"type": "message", "id": "a", "parentId": "b", "message": {"role": "user", "content": [{"text": "go"}]}},
    ],
)  # fmt: skip
def test_forms_of_a_prompt(record: dict[str, object]) -> None:
    assert read(record) == [Message(who=USER, text="go", at=7)]


@pytest.mark.parametrize(
    "mark",
    [
        {"isMeta": True},
        {"isSidechain": True},
        {"promptSource": "system"},
        {"agentId": "helper"},
        {"info": {"role": "assistant", "summary": True}},
    ],
)
def test_what_is_set_aside(mark: dict[str, object]) -> None:
    assert read({"role": "assistant", "content": "x", **mark}) == []


def test_a_summary_that_is_a_text_is_no_mark() -> None:
    answer = {"role": "assistant", "content": "x", "summary": {"diffs": []}, "isMeta": 1, "agentId": None}
    assert read(answer) == [Message(who=AGENT, text="x", at=7)]


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("<environment_context>\n<cwd>/r</cwd>\n</environment_context>", []),
        ("<hook_context>be quick</hook_context>\n\nwrite it", ["write it"]),
        ("<system-reminder>a</system-reminder> <system-reminder>b</system-reminder>\nwrite it", ["write it"]),
        ("<timestamp>now</timestamp>\n<user_query>\nwrite <b>it</b>\n</user_query>", ["write <b>it</b>"]),
        ("<user_query>cut", ["cut"]),
        ("<hook_context>cut", []),
        ("<session_context>\nwho and where", []),
        ("write <environment_context> into the page", ["write <environment_context> into the page"]),
        ("<div>why is this not centred?</div>", ["<div>why is this not centred?</div>"]),
    ],
)
def test_prompts_without_what_the_agent_added(text: str, prompt: list[str]) -> None:
    for content in (text, [{"type": "text", "text": text}], [{"text": text}]):
        assert [message.text for message in read({"role": "user", "content": content})] == prompt


def test_thoughts_and_results_are_not_said() -> None:
    blocks = [
        {"type": "thinking", "text": "hm", "thinking": "hm"},
        {"type": "reasoning", "text": "hm"},
        {"text": "hm", "thought": True},
        {"type": "text", "text": "told by nobody", "synthetic": True},
        {"type": "tool_result", "text": "a result"},
        {"type": "text", "text": "Done.\n\n[REDACTED]"},
    ]
    assert [message.text for message in read({"role": "assistant", "content": blocks})] == ["Done."]
    assert read({"role": "toolResult", "content": "r"}) == []


@pytest.mark.parametrize(
    ("call", "name", "subject"),
    [
        ({"type": "tool_use", "name": "Write", "input": {"content": "x", "file_path": "/r/a"}}, "Write", "/r/a"),
        ({"type": "toolCall", "name": "bash", "arguments": {"command": "ls"}}, "bash", "ls"),
        ({"type": "function_call", "name": "run", "arguments": '{"cmd": ["ls", "-l", 3]}'}, "run", "ls -l"),
        ({"type": "function_call", "name": "run", "arguments": '{"cmd": '}, "run", '{"cmd": '),
        ({"type": "custom_tool_call", "name": "p", "input": "*** Begin Patch\n*** Delete File: a\n"}, "p", "a"),
        ({"type": "tool", "tool": "edit", "state": {"input": {"filePath": "/r/b"}}}, "edit", "/r/b"),
        ({"type": "tool_call", "function": {"name": "f", "arguments": '{"path": "c"}'}}, "f", "c"),
        ({"functionCall": {"name": "g", "args": {"query": "q"}}}, "g", "q"),
        ({"type": "tool_use", "name": 3, "input": [1]}, "tool", ""),
    ],
)
def test_calls(call: dict[str, object], name: str, subject: str) -> None:
    (found,) = read({"role": "assistant", "content": [call]})
    assert (found.who, found.text, found.at, found.name) == (TOOL, subject, 7, name)
