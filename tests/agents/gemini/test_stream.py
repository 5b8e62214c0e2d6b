"""The records that a chat yields: what hooks, and people, are told of its messages."""

from __future__ import annotations

from typing import Any

import pytest

from entire.agents.gemini import tools
from entire.agents.gemini.agent import Gemini
from entire.agents.gemini.transcript import ChatLines
from entire.conversation.messages import Reading
from entire.conversation.records import (
    AGENT,
    ASK,
    EDIT,
    FETCH,
    INTERRUPTED,
    OTHER,
    READ,
    SEARCH,
    SHELL,
    SUBAGENT,
    UNKNOWN,
    WRITE,
    Answer,
    Call,
    Mark,
    Prompt,
    Record,
    Result,
)
from entire.model.positions import START
from entire.model.transcripts import Edit
from tests.agents.gemini import oracle
from tests.agents.gemini.test_records import CONTEXT, answer, chat, figures, user


def call(name: str, status: str = "success", tool: str = "run_shell_command", second: int = 9, **more: object) -> Any:
    time = f"2026-01-01T10:00:{second:02}.500Z"
    return {"id": name, "name": tool, "args": {}, "status": status, "timestamp": time, **more}


def result(**response: object) -> list[object]:
    return [{"functionResponse": {"id": "c1", "name": "x", "response": response}}]


def records(*natives: object) -> list[Record]:
    return list(chat(*natives).stream(START, details=True))


def results(*calls: object) -> list[Result]:
    return [record for record in records(answer("a1", toolCalls=[*calls])) if isinstance(record, Result)]


CANCELLED = {"id": "i1", "timestamp": "2026-01-01T10:00:05.500Z", "type": "info", "content": "Request cancelled."}


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("run_shell_command", SHELL),
        ("write_file", WRITE),
        ("replace", EDIT),
        ("read_many_files", READ),
        ("glob", SEARCH),
        ("web_fetch", FETCH),
        ("write_todos", ASK),
        ("invoke_agent", SUBAGENT),
        ("mcp_server_tool", OTHER),
        ("", OTHER),
    ],
)
def test_what_tools_do(tool: str, kind: str) -> None:
    (found,) = [one for one in records(answer("a1", toolCalls=[call("c1", tool=tool)])) if isinstance(one, Call)]
    assert (found.tool, found.name, found.answer) == (kind, tool, "a1")


def test_what_people_are_shown_of_calls() -> None:
    written = call("c1", tool="write_file", args={"file_path": "a.txt", "content": "new\n"}, result=result(output="ok"))
    replaced = call("c2", tool="replace", args={"file_path": "a.txt", "old_string": "x", "new_string": "y"})
    shell = call("c3", args={"command": "ls", "description": "list"}, result=result(error="no shell"))
    found = records(answer("a1", "Done.", toolCalls=[written, replaced, shell]))
    told = [one for one in found if isinstance(one, Call)]
    assert [(one.subject, one.command, one.edits) for one in told] == [
        ("a.txt", "", (Edit(path="a.txt", new="new\n", is_whole=True),)),
        ("a.txt", "", (Edit(path="a.txt", old="x", new="y"),)),
        ("ls", "ls", ()),
    ]
    assert [one.output for one in found if isinstance(one, Result)] == ["ok", "", "no shell"]
    assert [one.text for one in found if isinstance(one, Answer)] == ["Done."]


@pytest.mark.parametrize(
    ("tool", "status", "output", "has_failed"),
    [
        ("run_shell_command", "success", "Output: (empty)\nExit Code: 0\nProcess Group PGID: 7", False),
        ("run_shell_command", "success", "Output: (empty)\nExit Code: 2\nProcess Group PGID: 7", True),
        ("run_shell_command", "success", "Output: Exit Code: 2\nExit Code: (none)\nSignal: (none)", False),
        ("run_shell_command", "success", "Exit Code: 2" + "\nline" * 9, False),
        ("read_file", "success", "Exit Code: 2", False),
        ("read_file", "error", "", True),
        ("read_file", "cancelled", "", True),
    ],
)
def test_what_has_failed(tool: str, status: str, output: str, has_failed: bool) -> None:
    native = call("c1", status, tool=tool, args={"command": "x"} if tool == "run_shell_command" else {},
                  result=result(output=output))  # fmt: skip
    (message,) = Reading(records(answer("a1", toolCalls=[native]))).messages()
    assert message.call is not None
    assert (message.call.has_failed, message.call.output) == (has_failed, output)


def test_only_a_shell_makes_commits() -> None:
    printed = result(output="[main 1a2b3c4] Say hello")
    shown = call("c2", resultDisplay="[main 2b3c4d5] Cut for the model")
    found = results(call("c1", result=printed), shown, call("c3", tool="read_file", result=printed))
    assert [one.commits for one in found] == [("1a2b3c4",), ("2b3c4d5",), ()]


def test_a_call_counts_once_and_answers_when_it_is_done() -> None:
    def states(*rows: tuple[str, ...]) -> list[tuple[str, str, bool]]:
        calls = [[call(f"c{n}", status) for n, status in enumerate(row)] for row in rows]
        found = records(*[answer("a1", tokens=figures(1), toolCalls=row) for row in calls])
        return [
            (type(one).__name__, one.id if isinstance(one, Call) else one.call, getattr(one, "has_failed", False))
            for one in found
            if isinstance(one, (Call, Result))
        ]

    assert states(("executing",)) == [("Call", "c0", False)]
    assert states(("executing",), ("success",), ("success",)) == [("Call", "c0", False), ("Result", "c0", False)]
    assert states(("success",), ("error", "cancelled")) == [
        ("Call", "c0", False), ("Result", "c0", False), ("Call", "c1", False), ("Result", "c1", True),
    ]  # fmt: skip


def test_an_answer_without_calls_may_still_have_some_at_work() -> None:
    found = [one for one in records(answer("a1"), answer("a1", toolCalls=[call("c1")])) if isinstance(one, Answer)]
    assert [(one.id, one.is_open, one.is_again) for one in found] == [("a1", True, True), ("a1", False, True)]


def test_what_the_user_stopped_is_part_of_the_answer_before() -> None:
    stopped = answer("a2", second=8, toolCalls=[call("c1", "cancelled", second=8)])
    natives = [user("u1", "go"), answer("a1", second=1, tokens=figures(1)), CANCELLED, stopped]
    read = chat(*natives)
    *_, called, ended = read.stream(START, details=True)
    began = 1767261601.5
    assert isinstance(called, Call) and isinstance(ended, Result)
    assert (called.answer, called.time, ended.time, ended.has_failed) == ("a1", began, began + 7, True)
    assert read.answer_boundary(START, began).count == 5, "its answer ends with it"
    assert [read.has_answers(read.at(count)) for count in range(6)] == [True] * 3 + [False] * 3
    activity = read.activity(START)
    assert activity is not None and activity.interrupted == began + 7
    later = chat(*natives, answer("a3", second=20, tokens=figures(1))).activity(START)
    assert later is not None and later.interrupted == 0.0


def test_what_nobody_says() -> None:
    natives = ({"type": "info", "content": "Update!"}, {"type": 7}, {"type": "thought"}, {"$set": {"x": 1}}, CANCELLED)
    found = records(*natives)
    assert [(one.position, one.kind, one.text) for one in found if isinstance(one, Mark)] == [
        (1, UNKNOWN, "info"), (3, UNKNOWN, "thought"), (5, INTERRUPTED, ""),
    ]  # fmt: skip
    assert [one.kind for one in chat(*natives).stream(START) if isinstance(one, Mark)] == [INTERRUPTED], "for hooks"


def test_a_replay_says_nothing() -> None:
    replay = [user("r0", [{"text": CONTEXT}, {"text": "one"}]), answer("r1", "x", tokens=None), user("r2", "two")]
    found = records(user("u1", "one"), answer("a1", "x", tokens=figures(1)), *replay, {"$set": {"messages": replay}})
    assert [one.position for one in found] == [1, 2]


def test_a_subagent_is_prompted_by_its_agent() -> None:
    read = Gemini(env={}).transcript(str(oracle.path_of(oracle.SUBAGENT)))
    assert isinstance(read, ChatLines)
    assert [one.by for one in read.stream(START) if isinstance(one, Prompt)] == [AGENT]
    assert read.prompts(START) == []


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("write_file", "write"),
        ("replace", "edit"),
        ("invoke_agent", "subagent"),
        ("mcp_db_query", "other"),
        ("", "other"),
    ],
)
def test_what_a_tool_does(name: str, tool: str) -> None:
    assert tools.call({"name": name}, Answer(position=0, id="a"), 0.0, details=False).tool == tool
