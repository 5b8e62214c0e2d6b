"""The model server answers what its script says; no agent is needed here."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from modelserver import DIALECTS, ModelServer
from script import Answer, Message, Request, Script, Text, ToolCall, Usage, answer, fault, text, thought, tool, turn

TOOLS = [{"name": "Write"}, {"name": "Bash"}]
SESSION = "0b87b7f5-3c52-4bd8-a6ef-0c3a3fd1f0f1"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Script()) as made:
        yield made


def post(server: ModelServer, body: object, path: str = "/v1/messages?beta=true") -> tuple[int, str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(server.url + path, data=data, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def ask(server: ModelServer, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    status, words = post(server, {"model": "m", "tools": TOOLS, "messages": list(messages), **more})
    assert status == 200, words
    return dict(json.loads(words))


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]}


def result(call: dict[str, Any], words: str = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": words}


def events(stream: str) -> list[dict[str, Any]]:
    found = []
    for part in stream.strip().split("\n\n"):
        name, data = part.split("\n")
        document = json.loads(data.removeprefix("data: "))
        assert name == f"event: {document['type']}"
        found.append(document)
    return found


def test_a_turn_is_played_to_its_end(server: ModelServer) -> None:
    first = answer(text("I write"), tool("Write", file_path="/a", content="x"), tool("Bash", command="ls"))
    server.script.add(turn("make a", first, answer(text("done"))))
    opening = ask(server, user("make a"))
    assert [b["type"] for b in opening["content"]] == ["text", "tool_use", "tool_use"]
    assert opening["stop_reason"] == "tool_use"
    calls = [b for b in opening["content"] if b["type"] == "tool_use"]
    assert [(c["name"], c["input"]) for c in calls] == [
        ("Write", {"file_path": "/a", "content": "x"}),
        ("Bash", {"command": "ls"}),
    ]
    history = [user("make a"), {"role": "assistant", "content": opening["content"]}, user(*map(result, calls))]
    two = ask(server, *history)
    assert (two["content"], two["stop_reason"]) == ([{"type": "text", "text": "done"}], "end_turn")
    assert len({opening["id"], two["id"], *(c["id"] for c in calls)}) == 4


def test_results_in_several_messages_are_one_round(server: ModelServer) -> None:
    server.script.add(turn("go", answer(tool("A"), tool("B")), answer(text("done"))))
    calls = ask(server, user("go"))["content"]
    said = {"role": "assistant", "content": calls}
    assert ask(server, user("go"), said, user(result(calls[0])), user(result(calls[1])))["content"][0]["text"] == "done"


def test_the_newest_known_prompt_decides(server: ModelServer) -> None:
    server.script.add(turn("one", answer(text("1"))), turn("two", answer(text("2"))))
    said = {"role": "assistant", "content": [{"type": "text", "text": "1"}]}
    assert ask(server, user("one"), said, user("two"))["content"][0]["text"] == "2"
    interrupted = user("[Request interrupted by user]", "two")
    assert ask(server, user("one"), interrupted)["content"][0]["text"] == "2"
    reminded = user("two", "<system-reminder>\none\n</system-reminder>")
    assert ask(server, reminded, {"role": "system", "content": "one"})["content"][0]["text"] == "2"


def test_a_prompt_may_be_a_pattern_and_a_string_content(server: ModelServer) -> None:
    server.script.add(turn(re.compile(r"^<task-notification>"), answer(text("noted"))))
    message = {"role": "user", "content": "<task-notification>7</task-notification>"}
    assert ask(server, message)["content"][0]["text"] == "noted"


def test_a_later_turn_replaces_an_earlier_one(server: ModelServer) -> None:
    server.script.add(turn("go", answer(text("old"))))
    server.script.add(turn("go", answer(text("new"))))
    assert ask(server, user("go"))["content"][0]["text"] == "new"


def test_a_stream_says_the_same_as_a_document(server: ModelServer) -> None:
    usage = Usage(input=11, output=22, cache_read=33, cache_creation=44)
    server.script.add(turn("go", answer(text("héllo\nyou"), tool("Write", content="ü\n"), usage=usage)))
    whole = ask(server, user("go"))
    status, words = post(server, {"model": "m", "tools": TOOLS, "messages": [user("go")], "stream": True})
    assert status == 200
    seen = events(words)
    assert [e["type"] for e in seen if e["type"] != "content_block_delta"] == [
        "message_start",
        *["content_block_start", "content_block_stop"] * 2,
        "message_delta",
        "message_stop",
    ]
    pieces = [e["delta"] for e in seen if e["type"] == "content_block_delta"]
    assert "".join(p.get("text", "") for p in pieces) == "héllo\nyou"
    assert json.loads("".join(p.get("partial_json", "") for p in pieces)) == {"content": "ü\n"}
    assert seen[0]["message"]["usage"]["output_tokens"] == 1
    ended = next(e for e in seen if e["type"] == "message_delta")
    assert ended["usage"] == whole["usage"]
    assert ended["usage"] == {
        "input_tokens": 11,
        "output_tokens": 22,
        "cache_read_input_tokens": 33,
        "cache_creation_input_tokens": 44,
    }
    assert ended["delta"]["stop_reason"] == "tool_use"


def test_side_requests_are_answered_apart(server: ModelServer) -> None:
    server.script.add(turn("go", answer(text("never"))))
    status, words = post(server, {"messages": [user("go")], "output_config": {"format": {"type": "json_schema"}}})
    assert (status, json.loads(json.loads(words)["content"][0]["text"])) == (200, {"title": "Scripted session"})
    assert json.loads(post(server, {"messages": [user("go")]})[1])["content"][0]["text"] == "ok"
    status, words = post(server, {"messages": [user("go")]}, "/v1/messages/count_tokens?beta=true")
    assert (status, list(json.loads(words))) == (200, ["input_tokens"])
    assert [e.turn for e in server.exchanges] == [None, None]
    assert server.scripted() == []
    assert server.problems == []


def test_what_no_script_foresaw_is_an_error_and_is_kept(server: ModelServer) -> None:
    server.script.add(turn("go", answer(text("done"))))
    status, words = post(server, {"tools": TOOLS, "messages": [user("other")]})
    assert (status, "UNSCRIPTED" in words) == (400, True)
    said = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}
    status, words = post(server, {"tools": TOOLS, "messages": [user("go"), said, user(result({"id": "t"}))]})
    assert (status, "no answer number 1" in words) == (400, True)
    assert post(server, {}, "/v2/other")[0] == 400
    assert len(server.problems) == 3
    with pytest.raises(AssertionError, match="no request came for 'go'"):
        server.last("go")


def test_broken_requests_do_not_stop_the_server(server: ModelServer) -> None:
    for body in (b"", b"{", b"[]", b"\xff\xfe", {"messages": [], "tools": TOOLS}, {"messages": [{}], "tools": TOOLS}):
        assert post(server, body)[0] in (200, 400)
    server.script.add(turn("go", answer(text("done"))))
    assert ask(server, user("go"))["content"][0]["text"] == "done"


def test_a_fault_is_sent_as_often_as_the_script_says(server: ModelServer) -> None:
    server.script.add(turn("go", fault(529, "overloaded_error", "try later", times=2), answer(text("done"))))
    for _ in range(2):
        status, words = post(server, {"tools": TOOLS, "messages": [user("go")]})
        assert status == 529
        assert json.loads(words)["error"] == {"type": "overloaded_error", "message": "try later"}
    assert ask(server, user("go"))["content"][0]["text"] == "done"


def test_a_delay_is_kept_and_other_sessions_do_not_wait(server: ModelServer) -> None:
    server.script.add(turn("slow", answer(text("late"), delay=1.0)), turn("quick", answer(text("soon"))))
    order: list[str] = []

    def run(prompt: str) -> None:
        order.append(ask(server, user(prompt))["content"][0]["text"])

    slow = threading.Thread(target=run, args=("slow",))
    begun = time.monotonic()
    slow.start()
    run("quick")
    slow.join()
    assert order == ["soon", "late"]
    assert time.monotonic() - begun >= 1.0


def test_closing_does_not_wait_for_a_delay() -> None:
    with ModelServer(Script(turn("slow", answer(text("late"), delay=60)))) as server:
        waiting = threading.Thread(target=post, args=(server, {"tools": TOOLS, "messages": [user("slow")]}))
        waiting.start()
        while not server.exchanges:
            time.sleep(0.01)
        begun = time.monotonic()
    waiting.join(timeout=20)
    assert time.monotonic() - begun < 20


def test_exchanges_tell_what_the_agent_sent(server: ModelServer) -> None:
    server.script.add(turn("go", answer(tool("Bash", command="ls"), usage=Usage(output=3)), answer(text("done"))))
    identity = {"metadata": {"user_id": json.dumps({"device_id": "0" * 64, "session_id": SESSION})}}
    call = ask(server, user("go"), **identity)["content"][0]
    ask(server, user("go"), {"role": "assistant", "content": [call]}, user(result(call, "a.txt")), **identity)
    assert [e.request.session for e in server.scripted(SESSION)] == [SESSION, SESSION]
    assert server.scripted("another") == []
    newest = server.last("go")
    assert newest.tools == ("Write", "Bash")
    assert newest.conversation == (
        Message(role="user", texts=("go",)),
        Message(role="assistant", calls=(ToolCall(name="Bash", input={"command": "ls"}),)),
        Message(role="user", results=((call["id"], "a.txt"),)),
    )
    assert sum((e.answer.usage for e in server.scripted()), Usage()) == Usage(output=3)


def test_a_thought_is_taken_back_only_as_it_was_signed(server: ModelServer) -> None:
    server.script.add(turn("think", answer(thought("hm"), tool("Write", file_path="a")), answer(text("done"))))
    given = ask(server, user("think"))["content"]
    assert (given[0]["type"], given[0]["thinking"], given[0]["signature"][:4]) == ("thinking", "hm", "CAIS")
    streamed = events(post(server, {"tools": TOOLS, "stream": True, "messages": [user("think")]})[1])
    deltas = [e["delta"] for e in streamed if e["type"] == "content_block_delta" and e["index"] == 0]
    assert "".join(d.get("thinking", "") for d in deltas) == "hm"
    assert deltas[-1] == {"type": "signature_delta", "signature": given[0]["signature"]}
    said = {"role": "assistant", "content": given}
    assert ask(server, user("think"), said, user(result(given[1])))["content"][0]["text"] == "done"
    changed = {**said, "content": [{**given[0], "signature": "[REDACTED:x]"}, given[1]]}
    status, words = post(server, {"tools": TOOLS, "messages": [user("think"), changed, user(result(given[1]))]})
    assert (status, "Invalid `signature`" in words) == (400, True)


class _Plain:
    """Another provider, as small as can be: another path, another form."""

    def serves(self, method: str, path: str) -> bool:
        return path.startswith("/plain/")

    def aside(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        return {"models": ["m"]} if path == "/plain/models" else None

    def parse(self, path: str, body: dict[str, Any]) -> Request:
        conversation = (Message(role="user", texts=(str(body["say"]),)),)
        return Request(conversation=conversation, tools=("t",), stream=path.endswith(":stream"))

    def problem(self, body: dict[str, Any]) -> str:
        return ""

    def render(self, request: Request, answer: Answer, mark: str) -> Iterator[bytes]:
        said = [part.text for part in answer.parts if isinstance(part, Text)]
        yield from (json.dumps({"id": mark, "text": words}).encode() for words in said)

    def refuse(self, status: int, kind: str, message: str) -> dict[str, Any]:
        return {"wrong": message}


def test_another_provider_plugs_in_beside_the_first() -> None:
    script = Script(turn("hello", answer(text("hi"))))
    with ModelServer(script, dialects=(*DIALECTS, _Plain())) as server:
        for path in ("/plain/ask", "/plain/ask:stream"):
            assert json.loads(post(server, {"say": "hello"}, path)[1])["text"] == "hi"
        assert json.loads(post(server, {}, "/plain/models")[1]) == {"models": ["m"]}
        assert "UNSCRIPTED" in json.loads(post(server, {"say": "what"}, "/plain/ask")[1])["wrong"]
        assert ask(server, user("hello"))["content"][0]["text"] == "hi"
        assert len({e.path for e in server.scripted()}) == 3
