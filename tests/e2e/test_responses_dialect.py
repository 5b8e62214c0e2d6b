"""The model server speaks OpenAI's Responses API, too; no agent is needed here."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from modelserver import ModelServer
from script import Script, Usage, answer, fault, text, thought, tool, turn

TOOLS = [
    {"type": "function", "name": "exec_command"},
    {"type": "custom", "name": "apply_patch"},
    {"type": "web_search"},
]
USAGE = Usage(input=10, output=5, cache_read=4, cache_creation=2, reasoning=3)
COUNTED = {
    "input_tokens": 16,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 21,
}
PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Script()) as made:
        yield made


def post(server: ModelServer, *items: dict[str, Any], **more: Any) -> tuple[int, str]:
    body = {"model": "gpt-9", "prompt_cache_key": "session", "tools": TOOLS, "input": items, **more}
    data = json.dumps(body).encode()
    url = f"{server.url}/v1/responses"
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def said(role: str, words: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}


def events(stream: str) -> list[dict[str, Any]]:
    pairs = [part.split("\n") for part in stream.split("\n\n") if part]
    found = [json.loads(data.removeprefix("data: ")) for _, data in pairs]
    assert [f"event: {event['type']}" for event in found] == [name for name, _ in pairs]
    return found


def test_a_turn_is_played_to_its_end(server: ModelServer) -> None:
    calls = tool("apply_patch", input=PATCH), tool("exec_command", cmd="ls")
    first = answer(thought("a needs an x"), text("I write"), *calls, usage=USAGE)
    server.script.add(turn("make a", first, answer(text("done"))))
    history = [said("developer", "make b"), said("user", "<environment_context>\nmake b\n</environment_context>")]
    history.append(said("user", "make a"))
    status, stream = post(server, *history, stream=True)
    found = events(stream)
    assert (status, found[0]["type"], found[-1]["type"]) == (200, "response.created", "response.completed")
    assert [e["delta"] for e in found if e["type"] == "response.output_text.delta"] == ["I w", "rite"]
    items = [e["item"] for e in found if e["type"] == "response.output_item.done"]
    assert (found[-1]["response"]["output"], found[-1]["response"]["usage"]) == (items, COUNTED)
    reasoning, message, patch, shell = items
    assert reasoning["summary"] == [{"type": "summary_text", "text": "a needs an x"}]
    assert (message["role"], message["content"][0]["text"]) == ("assistant", "I write")
    assert (patch["type"], patch["name"], patch["input"]) == ("custom_tool_call", "apply_patch", PATCH)
    assert (shell["type"], shell["name"], json.loads(shell["arguments"])) == (
        "function_call",
        "exec_command",
        {"cmd": "ls"},
    )
    assert patch["call_id"] != shell["call_id"]

    outputs = [
        {"type": "custom_tool_call_output", "call_id": patch["call_id"], "output": "Success"},
        {"type": "function_call_output", "call_id": shell["call_id"], "output": [{"type": "text", "text": "a"}]},
    ]
    document = json.loads(post(server, *history, *items, *outputs)[1])
    assert document["output"][0]["content"][0]["text"] == "done"
    request = server.last("make a")
    assert (request.model, request.session, request.stream) == ("gpt-9", "session", False)
    assert request.tools == ("exec_command", "apply_patch", "web_search")
    assert [m.role for m in request.conversation] == ["developer", "user", "user", "assistant", "tool", "tool"]
    assert [m.texts for m in request.conversation] == [(), (), ("make a",), ("I write",), (), ()]
    assert request.conversation[3].calls == calls
    assert [m.results for m in request.conversation[4:]] == [
        ((patch["call_id"], "Success"),),
        ((shell["call_id"], "a"),),
    ]


def test_a_tool_in_a_namespace_is_called_and_read_by_its_whole_name(server: ModelServer) -> None:
    call = tool("multi_agent_v1.spawn_agent", message="help")
    server.script.add(turn("delegate", answer(call), answer(text("done"))))
    (item,) = json.loads(post(server, said("user", "delegate"))[1])["output"]
    assert (item["namespace"], item["name"]) == ("multi_agent_v1", "spawn_agent")
    output = {"type": "function_call_output", "call_id": item["call_id"], "output": "{}"}
    post(server, said("user", "delegate"), item, output)
    assert server.last("delegate").conversation[1].calls == (call,)


def test_tools_and_tasks_may_come_with_the_conversation(server: ModelServer) -> None:
    """Newer models get their tools as an item, and what one agent hands to another as a message between them."""
    server.script.add(turn("write the note", answer(text("written"))))
    task = [
        {"type": "input_text", "text": "Message Type: NEW_TASK\nPayload:\n"},
        {"type": "encrypted_content", "encrypted_content": "write the note"},
    ]
    told = [{"type": "input_text", "text": "Message Type: FINAL_ANSWER\nPayload:\nwrite the note"}]
    items = [
        {"type": "additional_tools", "role": "developer", "tools": [{"type": "namespace", "name": "functions"}]},
        {"type": "agent_message", "content": task},
        {"type": "agent_message", "content": told},
    ]
    document = json.loads(post(server, *items, tools=None)[1])
    assert document["output"][0]["content"][0]["text"] == "written"
    request = server.last("write the note")
    assert request.tools == ("functions",)
    assert [m.texts for m in request.conversation] == [(), ("write the note",), ()]


def test_a_summary_and_a_title_are_no_turns(server: ModelServer) -> None:
    server.script.add(
        turn("talk", answer(text("talked"))),
        turn(re.compile("summarise"), answer(text("in short"), usage=USAGE)),
    )
    summary = json.loads(post(server, said("user", "talk"), said("user", "now summarise it"), tools=[])[1])
    assert (summary["output"][0]["content"][0]["text"], summary["usage"]) == ("in short", COUNTED)
    title = "Generate a concise, single-line task title of at most 36 characters.\n\nUser prompt:\ntalk"
    document = json.loads(post(server, said("user", title))[1])
    assert document["output"][0]["content"][0]["text"] == "ok"
    assert [e.turn is None for e in server.exchanges] == [False, True]
    assert server.problems == []


def test_faults_and_unscripted_requests_are_errors(server: ModelServer) -> None:
    server.script.add(turn("fail", fault(429, "rate_limit_exceeded", "later", times=1), answer(text("now"))))
    status, document = post(server, said("user", "fail"), stream=True)
    error = json.loads(document)["error"]
    assert (status, error["type"], error["message"]) == (429, "rate_limit_exceeded", "later")
    assert post(server, said("user", "fail"), stream=True)[0] == 200
    assert server.problems == []
    assert post(server, said("user", "what?"), stream=True)[0] == 400
    assert server.problems == ["UNSCRIPTED REQUEST: no turn fits ('what?',)"]
