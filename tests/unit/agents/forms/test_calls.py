"""What tools did, in the forms of every agent's transcripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents import readings, tool_arguments
from entire.agents.forms import calls
from entire.directory import AgentDirectory
from entire.model.transcripts import Edit, Message, ToolCall

FIXTURES = Path(__file__).parents[3] / "fixtures"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["content", "output", "error", "type", "status", "result", "call_id", "id", "edits", "path"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def read(name: str) -> list[Message]:
    agent = {"claude_code": "claude-code", "gemini": "gemini", "demo": "demo"}.get(name.partition("/")[0])
    return readings.messages(
        AgentDirectory.without_plugins().make(agent) if agent else None, (FIXTURES / name).read_bytes()
    )


def call(name: str, number: int) -> ToolCall:
    found = [message.call for message in read(name) if message.who == "tool"][number]
    assert found is not None
    return found


CLAUDE = "claude_code/transcripts/interactive-long/04b82098-8309-42a4-b860-806b2de7c76b.jsonl"
GEMINI = "gemini/transcripts/02-four-turns-resumed-within-the-same-minute.jsonl"


@pytest.mark.parametrize(
    ("name", "number", "edits"),
    [
        ("conversations/codex/two-turns.jsonl", 0, [("hello.py", "", "print('hello')\n", True),
                                                    ("notes.txt", "two\n", "TWO\n", False)]),
        ("conversations/codex/two-turns.jsonl", 3, [("notes.txt", "one\n", "ONE\n", False)]),
        ("conversations/opencode/turn2-same-session.json", 0, [("/home/dev/project/a.txt", "", "alpha\n", True)]),
        ("conversations/opencode/turn2-same-session.json", 2,
         [("/home/dev/project/a.txt", "alpha", "alpha beta", False)]),
        ("conversations/pi/01-print-then-continue.jsonl", 1, [("hello.txt", "hello", "hello world", False)]),
        ("conversations/copilot-cli/first-turn.jsonl", 2, [("/home/dev/project/notes.txt", "two", "TWO", False)]),
        ("conversations/cursor/described-shape-not-observed.jsonl", 1,
         [("/home/dev/project/notes.txt", "two", "TWO", False)]),
        (GEMINI, 1, [("hello.txt", "hello world", "hello moon", False)]),
        (CLAUDE, 0, [("/home/dev/project/hello.py", "", "print('hello')\n", True)]),
        ("claude_code/transcripts/headless-notebook-edit.jsonl", 1, [("/home/dev/project/n.ipynb", "", "x=1", False)]),
        ("demo/a-session.jsonl", 1, [("a.txt", "", "two", False)]),
    ],
)  # fmt: skip
def test_edits(name: str, number: int, edits: list[tuple[str, str, str, bool]]) -> None:
    found = [(edit.path, edit.old, edit.new, edit.is_whole) for edit in call(name, number).edits]
    assert found == edits


@pytest.mark.parametrize(
    ("name", "number", "command", "output", "has_failed"),
    [
        ("conversations/codex/two-turns.jsonl", 2, "mkdir -p sub; echo data > sub/data.txt; exit 3",
         "Chunk ID: 8da115\nWall time: 0.0000 seconds\nProcess exited with code 3\nOriginal token count: 0\nOutput:\n",
         True),
        ("conversations/opencode/turn2-same-session.json", 1, "echo hi > b.txt && cat b.txt", "hi\n", False),
        ("conversations/pi/01-print-then-continue.jsonl", 2, "cat hello.txt && echo made > bash-made.txt",
         "hello world\n", False),
        ("conversations/copilot-cli/first-turn.jsonl", 1, "python3 hello.py > out.txt; cat out.txt",
         "hello\n<shellId: 0 completed with exit code 0>", False),
        (CLAUDE, 1, "python3 hello.py", "hello", False),
        (CLAUDE, 7, "ls /nonexistent-dir",
         "Exit code 2\nls: cannot access '/nonexistent-dir': No such file or directory", True),
        (GEMINI, 2, "echo shell >> shell.txt; ls",
         "<untrusted_context>\nOutput: README.md\nhello.txt\nshell.txt\nProcess Group PGID: 29917\n"
         "</untrusted_context>", False),
        ("demo/a-session.jsonl", 5, "touch b.txt", "", False),
    ],
)  # fmt: skip
def test_commands(name: str, number: int, command: str, output: str, has_failed: bool) -> None:
    found = call(name, number)
    assert (found.command, found.output, found.has_failed) == (command, output, has_failed)


@pytest.mark.parametrize(
    ("name", "number"),
    [(CLAUDE, 0), ("gemini/transcripts/03-interactive-denied-cancelled-compress-bang-shell.jsonl", 1),
     ("demo/a-session.jsonl", 2)],
)  # fmt: skip
def test_failures_of_tools_that_run_no_command(name: str, number: int) -> None:
    assert call(name, number).has_failed


@pytest.mark.parametrize(
    ("name", "number", "task"),
    [(CLAUDE, 2, "Write a note"), (GEMINI, 5, "SUBTASK write sub.txt"),
     ("conversations/codex/subagent-v1-parent.jsonl", 0, "subjob: create sub.txt"),
     ("conversations/pi/06-subagent-example-extension.jsonl", 0, "sub task write"),
     ("demo/a-session.jsonl", 3, "create h.txt with x; say fine")],
)  # fmt: skip
def test_subagents(name: str, number: int, task: str) -> None:
    assert call(name, number).subagent == task


@pytest.mark.parametrize("name", [CLAUDE, GEMINI, "demo/a-session.jsonl", "conversations/codex/two-turns.jsonl"])
def test_times(name: str) -> None:
    times = [message.time for message in read(name)]
    assert times[0] > 1.7e9
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("code", "has_failed"), [({"exit_code": 1}, True), ({"exit_code": 0}, False), ({"exit_code": "1"}, False)]
)
def test_exit_codes_as_data(code: dict[str, object], has_failed: bool) -> None:
    result = {"type": "function_call_output", "call_id": "c", "output": "x", "metadata": code}
    (found,) = calls.results(result, 0, 0.0)
    assert found.has_failed == has_failed


def test_a_patch_of_several_hunks() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a\n@@ def f\n x\n-1\n+2\n y\n@@\n-3\n*** Delete File: b\n*** End Patch\n+z"
    )
    assert tool_arguments.edits(patch) == (Edit(path="a", old="1\n", new="2\n"), Edit(path="a", old="3\n"))


@given(record=st.dictionaries(st.sampled_from(["type", "message", "content", "call_id", "output", "role"]), JSON))
def test_nonsense_is_no_answer_and_no_error(record: dict[str, object]) -> None:
    for result in calls.results(record, 0, 0.0):
        assert result.call
        json.dumps(result.output)


@given(given=JSON)
def test_nonsense_arguments_are_no_error(given: object) -> None:
    found = calls.call({"name": "edit", "input": given, "output": given}, 0, "a", 0.0)
    assert all(edit.path for edit in found.edits)
    calls.inline_result({"output": given}, found)


def test_what_a_shell_command_says_it_changed() -> None:
    said = read("claude_code/transcripts/2.1.332/headless-bash-edit-diff.jsonl")
    calls = [message.call for message in said if message.call is not None]
    told = [
        [(edit.path.rpartition("/")[2], edit.old, edit.new, edit.is_whole) for edit in call.edits] for call in calls
    ]
    assert told[1] == [
        ("made.txt", "new\n", "newer\n", False),
        ("y.txt", "x\n", "", False),
        ("README.md", "hello\nmore\n", "", False),
        ("READ2.md", "", "hello\nmore\n", True),
    ]
    assert [len(edits) for edits in told] == [3, 4, 1]
