"""The model server speaks Gemini's dialect, too; no agent is needed here."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from modelserver import ModelServer
from script import Script, Usage, answer, fault, text, tool, turn

TOOLS = [{"functionDeclarations": [{"name": "write_file"}, {"name": "run_shell_command"}]}]
USAGE = Usage(input=10, output=3, cache_read=4)
COUNTED = {"promptTokenCount": 14, "cachedContentTokenCount": 4, "candidatesTokenCount": 3, "totalTokenCount": 17}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Script()) as made:
        yield made


def post(server: ModelServer, method: str, body: dict[str, Any]) -> tuple[int, str]:
    url = f"{server.url}/v1beta/models/gemini-9:{method}"
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def content(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def documents(stream: str) -> list[dict[str, Any]]:
    return [json.loads(part.removeprefix("data: ")) for part in stream.split("\r\n\r\n") if part]


def parts(*found: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for document in found for part in document["candidates"][0]["content"]["parts"]]


def test_a_turn_is_played_to_its_end(server: ModelServer) -> None:
    call = tool("write_file", file_path="a", content="x")
    server.script.add(turn("make a", answer(text("I write"), call, usage=USAGE), answer(text("done"))))
    history = [content("user", "<session_context>\nmake b\n</session_context>"), content("user", "make a")]
    status, stream = post(server, "streamGenerateContent?alt=sse", {"contents": history, "tools": TOOLS})
    found = documents(stream)
    said = [{"text": "I w"}, {"text": "rite"}]
    asked = {"functionCall": {"name": "write_file", "args": {"file_path": "a", "content": "x"}}}
    assert (status, parts(*found)) == (200, [*said, asked])
    assert [d.get("usageMetadata") for d in found] == [None, None, COUNTED]
    assert [d["candidates"][0].get("finishReason") for d in found] == [None, None, "STOP"]
    result = {"functionResponse": {"id": "1", "name": "write_file", "response": {"output": "ok"}}}
    history += [content("model", "I write", asked), content("user", result)]
    _, document = post(server, "generateContent", {"contents": history, "tools": TOOLS})
    assert parts(json.loads(document)) == [{"text": "done"}]
    request = server.last("make a")
    assert (request.model, request.tools) == ("gemini-9", ("write_file", "run_shell_command"))
    assert [m.role for m in request.conversation] == ["user", "user", "assistant", "user"]
    assert [m.texts for m in request.conversation] == [(), ("make a",), ("I write",), ()]
    assert request.conversation[2].calls == (call,)
    assert request.conversation[3].results == (("1", '{"output": "ok"}'),)


def test_a_summary_is_asked_for_without_tools(server: ModelServer) -> None:
    server.script.add(
        turn("talk", answer(text("talked"))),
        turn(re.compile("summarise"), answer(text("in short"), usage=USAGE)),
    )
    history = [content("user", "talk"), content("model", "talked"), content("user", "now summarise it")]
    found = json.loads(post(server, "generateContent", {"contents": history})[1])
    assert (parts(found), found["usageMetadata"]) == ([{"text": "in short"}], COUNTED)
    title = json.loads(post(server, "generateContent", {"contents": [content("user", "talk")]})[1])
    assert parts(title) == [{"text": "ok"}]
    assert server.problems == []


def test_tokens_are_counted(server: ModelServer) -> None:
    status, document = post(server, "countTokens", {"contents": [content("user", "x" * 400)]})
    assert (status, json.loads(document)["totalTokens"] >= 100) == (200, True)
    assert server.exchanges == []


def test_faults_and_unscripted_requests_are_errors(server: ModelServer) -> None:
    server.script.add(turn("fail", fault(429, "resource_exhausted", "later", times=1), answer(text("now"))))
    body = {"contents": [content("user", "fail")], "tools": TOOLS}
    status, document = post(server, "streamGenerateContent?alt=sse", body)
    assert (status, json.loads(document)["error"]["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert post(server, "streamGenerateContent?alt=sse", body)[0] == 200
    assert server.problems == []
    status, _ = post(server, "streamGenerateContent?alt=sse", {**body, "contents": [content("user", "what?")]})
    assert status == 400
    assert server.problems == ["UNSCRIPTED REQUEST: no turn fits ('what?',)"]
