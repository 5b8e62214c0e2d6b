"""What single records mean: prompts, answers, tool calls; and that nothing odd does harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents.gemini.agent import Gemini
from entire.agents.gemini.document import ChatDocument
from entire.agents.gemini.transcript import ChatLines
from entire.model.positions import START, Position
from entire.model.times import parse_time

HEADER = {"sessionId": "s1", "projectHash": "x", "kind": "main"}
CONTEXT = "<session_context>\nThis is the Gemini CLI.\n</session_context>"


def user(name: str, content: object, **more: object) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-01-01T10:00:00.000Z", "type": "user", "content": content, **more}


def answer(name: str, text: object = "", second: int = 0, **more: object) -> dict[str, Any]:
    time = f"2026-01-01T10:00:{second:02}.500Z"
    return {"id": name, "timestamp": time, "type": "gemini", "content": text, "model": "m", **more}


def figures(number: int) -> dict[str, int]:
    return {"input": number, "output": 1, "cached": 0, "thoughts": 9, "tool": 0, "total": number + 10}


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def chat(*records: object) -> ChatLines | ChatDocument:
    return Gemini(env={}).transcript("", lines(HEADER, *records))


def prompts(*records: object) -> list[str]:
    return [prompt.text for prompt in chat(*records).prompts(START)]


@pytest.mark.parametrize(
    ("content", "more", "prompt"),
    [
        ("say hi", {}, "say hi"),
        ([{"text": "say hi"}], {}, "say hi"),
        (["say ", {"text": "hi"}], {}, "say hi"),
        ([{"text": "look at "}, {"text": "a.txt"}], {}, "look at a.txt"),
        (
            [{"text": "say hi"}, {"text": "<hook_context>x</hook_context>"}],
            {"displayContent": [{"text": "hi!"}]},
            "hi!",
        ),
        ([{"text": "say hi"}, {"text": "<hook_context>x</hook_context>"}], {}, "say hi"),
        ([{"text": "<hook_context>x</hook_context>\n\nsay hi"}], {}, "say hi"),
        ([{"text": "<hook_context>x</hook_context>"}], {}, ""),
        ([{"text": "<hook_context>x"}], {}, "<hook_context>x"),
        ([{"inlineData": {"mimeType": "image/png", "data": "eA=="}}], {}, "[image]"),
        ([{"functionResponse": {"id": "c1", "name": "t", "response": {"output": "text"}}}], {}, ""),
        ([{"text": CONTEXT}], {}, ""),
        ([{"text": "<state_snapshot>x</state_snapshot>"}], {}, ""),
        ([{"text": "I ran the following shell command:\n```sh\nls\n```"}], {}, ""),
        ([{"text": "System: Potential loop detected."}], {"displayContent": [{"text": "long answer"}]}, ""),
        ([{"text": "User has manually exited Plan Mode. Switching to Default mode."}], {}, ""),
        ([{"text": "system: down"}], {}, "system: down"),
        ("half \ud83d", {}, "half ?"),
        (None, {}, ""),
        (7, {}, ""),
        ([None, 7, {"text": 7}, []], {}, ""),
    ],
)
def test_what_is_a_prompt(content: object, more: dict[str, object], prompt: str) -> None:
    assert prompts(user("u0", "first"), user("u1", content, **more)) == ["first", *([prompt] if prompt else [])]


def test_a_first_record_with_the_context_is_no_replay() -> None:
    assert prompts(user("u0", [{"text": CONTEXT}]), user("u1", "say hi"), answer("a1")) == ["say hi"]


def test_a_replay_ends_with_the_agents_list_or_the_next_real_answer() -> None:
    replay = [
        user("r0", [{"text": CONTEXT}, {"text": "one"}]),
        answer("r1", [{"text": "x"}], tokens=None),
        user("r2", "two"),
    ]
    before = [user("u1", "one"), answer("a1", tokens=figures(1)), user("u2", "two")]
    assert prompts(*before, *replay, {"$set": {"messages": replay}}, user("u3", "three")) == ["one", "two", "three"]
    assert prompts(*before, *replay, answer("a3", tokens=figures(2)), user("u3", "three")) == ["one", "two", "three"]
    assert prompts(*before, *replay, {"$set": {"lastUpdated": "x"}}, user("u3", "three")) == ["one", "two"]


def test_reading_on_inside_a_replay() -> None:
    before = [user("u1", "one"), answer("a1", tokens=figures(1)), user("u2", "two")]
    replay = [user("r0", [{"text": CONTEXT}, {"text": "one"}]), answer("r1", tokens=None), user("r2", "two")]
    read = chat(*before, *replay, {"$set": {"messages": replay}}, user("u3", "three"))
    assert [[prompt.text for prompt in read.prompts(read.at(count))] for count in range(3, 9)] == [
        ["two", "three"], *[["three"]] * 5
    ]  # fmt: skip


def test_a_rewind_in_the_agent_removes_prompts_but_not_tokens() -> None:
    records = [user("u1", "one"), answer("a1", tokens=figures(1)), user("u2", "two"), answer("a2", tokens=figures(2))]
    rewound = chat(*records, {"$rewindTo": "u2"}, user("u3", "three"))
    assert [prompt.text for prompt in rewound.prompts(START)] == ["one", "three"]
    assert [prompt.text for prompt in rewound.prompts(START, rewound.at(5))] == ["one", "two"]
    assert [prompt.text for prompt in rewound.prompts(rewound.at(3))] == ["three"]
    assert rewound.tokens(START).input_tokens == 3
    assert prompts(*records, {"$rewindTo": "nowhere"}, user("u3", "three")) == ["three"]


def test_a_rewind_to_what_a_compaction_left() -> None:
    left = [user("s0", [{"text": CONTEXT}]), user("s1", "<state_snapshot>x")]
    records = [user("u1", "one"), {"$set": {"messages": left}}, user("u2", "two"), {"$rewindTo": "s1"}]
    assert prompts(*records, user("u3", "three")) == ["one", "three"]


def test_an_answer_is_counted_where_its_figures_are() -> None:
    read = chat(
        answer("a1", tokens=None),
        answer("a1", tokens=figures(5)),
        answer("a1", toolCalls=[{"id": "c1", "name": "x"}], tokens=figures(5)),
        answer("a2", tokens={"input": -1, "output": True, "cached": "x"}),
        answer("a3"),
        answer("a1", [{"text": "again"}], tokens=None),
    )
    sums = [read.tokens(START, read.at(count)).input_tokens for count in range(8)]
    assert sums == [0, 0, 0, 5, 5, 5, 5, 5]
    assert [read.tokens(read.end(START) if count == 7 else read.at(count)).api_call_count for count in range(8)] == [
        2, 2, 2, 1, 1, 0, 0, 0,
    ]  # fmt: skip
    assert read.model(START) == "m"
    unknown = read.tokens(read.at(4), read.at(5))
    assert (unknown.input_tokens, unknown.output_tokens, unknown.api_call_count) == (None, None, 1)


def test_figures_that_come_after_the_commit_are_counted_after_it() -> None:
    read = chat(answer("a1", second=1, tokens=None), answer("a2", second=9, tokens=figures(2)),
                answer("a1", second=1, tokens=figures(5)))  # fmt: skip
    early = Gemini(env={}).transcript("", read.cut(read.at(2)))
    boundary = early.answer_boundary(START, parse_time("2026-01-01T10:00:05Z"))
    assert (boundary.count, early.tokens(START, boundary).api_call_count) == (2, 0)
    assert read.tokens(boundary).input_tokens == 7


def test_the_last_line_of_an_answer_wins() -> None:
    last = {**figures(7), "output": 0}
    read = chat(answer("a1", tokens=figures(5)), answer("a1", tokens=last, model="m2"), user("u1", "next"))
    used = read.tokens(START)
    assert (used.input_tokens, used.output_tokens, used.api_call_count) == (7, 0, 1)
    assert read.model(START) == "m2"


def test_a_file_counts_once_it_is_changed() -> None:
    def call(name: str, status: str, **more: object) -> dict[str, object]:
        return {"id": name, "name": "write_file", "args": {"file_path": "/r/a"}, "status": status, **more}

    shown = {"resultDisplay": {"filePath": "/r/b"}}
    read = chat(
        answer("a1", toolCalls=[call("c1", "executing"), call("c2", "success", **shown)]),
        answer("a1", toolCalls=[call("c1", "success"), call("c2", "success", **shown), call("c3", "error", **shown)]),
        answer("a2", toolCalls=[call("c4", "cancelled"), {**call("c5", "success"), "name": "read_file"}, 7]),
        answer("a3", toolCalls=[{**call("c6", "success"), "args": {"file_path": "/r/\0"}}, {**call("", "success")}]),
    )
    assert [(report.path, report.call) for report in read.files(START)] == [
        ("/r/b", "c2"),
        ("/r/a", "c1"),
        ("/r/a", ""),
    ]
    assert [report.path for report in read.files(read.at(3))] == ["/r/a"]


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("[main 1a2b3c4] Say hello", True),
        ("[main (root-commit) 1a2b3c4] Say hello", True),
        ("[detached HEAD 1a2b3c4] Say hello", True),
        ("[main 1a2] Say hello", False),
        ("[main 1a2b3c5] Say hello", False),
        ("see [1] and [main 1a2b3c4] Say", True),
    ],
)
def test_how_git_names_a_commit(text: str, is_own: bool) -> None:
    result = [
        {"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": f"Output: {text}\n"}}}
    ]
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}, "result": result, "status": "success"}
    read = chat(answer("a1", second=1, toolCalls=[call], tokens=figures(1)), answer("a2", second=2, tokens=figures(2)))
    found = read.answer_boundary(START, 1e12, "1a2b3c4" + "0" * 33)
    assert found.count == (2 if is_own else 3)


def test_answers_without_times() -> None:
    record = {"id": "a1", "type": "gemini", "content": "", "tokens": figures(1)}
    read = chat(record, user("u1", "x"))
    assert read.answer_boundary(START, 1.0) == read.end()


def test_a_record_that_is_still_being_written(tmp_path: Path) -> None:
    path = tmp_path / "session-x-s1.jsonl"
    whole = lines(HEADER, user("u1", "one"))
    path.write_bytes(whole + b'{"id":"u2","type":"us')
    read = Gemini(env={}).transcript(str(path))
    end = read.end()
    assert (end.count, end.byte) == (2, len(whole))
    path.write_bytes(whole + lines(user("u2", "two")))
    assert [prompt.text for prompt in read.prompts(end)] == ["two"]  # the same object sees what was added
    assert read.end(end).count == 3


def test_a_rewritten_chat_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "session-x-s1.jsonl"
    path.write_bytes(lines(HEADER, *[user(f"u{number}", "x" * 100) for number in range(9)]))
    known = Gemini(env={}).transcript(str(path)).end()
    path.write_bytes(lines(HEADER, user("u1", "one")))
    read = Gemini(env={}).transcript(str(path))
    assert not read.holds(known)
    assert read.end(known).count == 2


@pytest.mark.parametrize("ref", ["", "/nowhere/session-x-s1.jsonl", "/nowhere/x.json", "a\0b", "/"])
def test_a_chat_that_cannot_be_read_is_empty(ref: str) -> None:
    read = Gemini(env={}).transcript(ref)
    assert (read.snapshot(), read.end(), read.prompts(START), read.files(START)) == (b"", START, [], [])
    assert (read.subagents(START), read.subagent_ref("a1"), read.summary(START)) == ([], "", "")
    assert read.end(Position(count=7, byte=70, mark="x")) == START
    assert Gemini(env={}).has_conversation(ref) is False
    assert Gemini(env={}).put_back(ref or "/x", b"", {}).problem == ""


def test_a_conversation_longer_than_memory_should_hold(tmp_path: Path) -> None:
    path = tmp_path / "session-x-s1.jsonl"
    big = {
        "id": "c1",
        "name": "write_file",
        "args": {"file_path": "/r/a", "content": "x" * (3 << 20)},
        "status": "success",
    }
    path.write_bytes(lines(HEADER, answer("a1", toolCalls=[big], tokens=figures(1)), user("u1", "one")))
    read = Gemini(env={}).transcript(str(path))
    assert [report.path for report in read.files(START)] == ["/r/a"]
    assert read.end().count == 3


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("text id thought name".split()), inner),
    max_leaves=5,
)
fields = "id type content tokens toolCalls timestamp $set $rewindTo displayContent sessionId kind messages".split()
records = st.dictionaries(
    st.sampled_from(fields), odd | st.sampled_from(["user", "gemini", {"messages": [{"id": 1}, 2]}])
)


@given(st.lists(records, max_size=6), st.integers(0, 6))
def test_odd_records_do_no_harm(content: list[dict[str, Any]], cut: int) -> None:
    for data in (lines(*content), json.dumps({"messages": content}, indent=1).encode()):
        read = Gemini(env={}).transcript("/h/chats/session-x-s1.jsonl", data)
        place = read.at(cut)
        for since in (START, place, read.end()):
            assert read.prompts(since) is not None
            assert read.files(since) is not None
            assert read.subagents(since) is not None
            read.answer_boundary(since, 1e9, "a" * 40)
            read.summary(since)
        ids = [str(record["id"]) for record in content if "id" in record]
        if len(set(ids)) == len(ids):  # the records of a message follow one another
            assert read.tokens(START, place) + read.tokens(place) == read.tokens(START)


@given(st.binary(max_size=200))
def test_nonsense_does_no_harm(data: bytes) -> None:
    read = Gemini(env={}).transcript("", data)
    assert read.prompts(START) == []
    assert read.snapshot() == data
    read.end()
    read.agreement(data[: len(data) // 2])
