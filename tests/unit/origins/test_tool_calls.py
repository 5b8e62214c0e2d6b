"""Which tool call of a turn wrote a line: the right one, or none."""

from __future__ import annotations

import pytest

from entire.model.transcripts import Edit, ToolCall
from entire.model.value import replace
from entire.model.views.checkpoints import MessageView
from entire.origins import tool_calls
from entire.origins.tool_calls import FileTexts, ToolCalls


def write(name: str, text: str, path: str = "a.txt") -> ToolCall:
    return ToolCall(id=name, edits=(Edit(path=path, new=text, is_whole=True),))


def edit(name: str, old: str, new: str, path: str = "a.txt") -> ToolCall:
    return ToolCall(id=name, edits=(Edit(path=path, old=old, new=new),))


def run(name: str, command: str) -> ToolCall:
    return ToolCall(id=name, command=command)


def found(calls: list[ToolCall], after: str, before: str = "", path: str = "a.txt") -> list[str]:
    """Return, for each line, the call's id or the reason."""
    lines = range(1, after.count("\n") + (not after.endswith("\n")) + 1)
    messages = [MessageView(who="tool", text="", at=at, name=call.id, call=call) for at, call in enumerate(calls)]
    answers = ToolCalls(messages, lambda name: name).find(FileTexts(names=(path,), before=before, after=after), lines)
    return [answer.call.name if answer.call is not None else answer.reason for answer in answers.values()]


UNSEEN = "no tool call of the turn shows who wrote it"


def test_a_whole_file_and_an_edit_of_it() -> None:
    calls = [write("w", "one\ntwo\nthree\n"), edit("e", "two\n", "2\n2b\n")]
    assert found(calls, "one\n2\n2b\nthree\n") == ["w", "e", "e", "w"]


def test_the_last_write_counts() -> None:
    assert found([write("w", "one\n"), write("x", "one\ntwo\n")], "one\ntwo\n") == ["x", "x"]


def test_part_of_a_line() -> None:
    calls = [edit("e", "foo", "bar")]
    assert found(calls, "a\nx bar y\n", before="a\nx foo y\n") == [UNSEEN, "e"]


def test_each_of_several_places() -> None:
    assert found([edit("e", "foo", "bar")], "bar 1\n-\nbar 2\n", before="foo 1\n-\nfoo 2\n") == ["e", UNSEEN, "e"]


def test_repeated_lines_are_told_apart_by_their_places() -> None:
    before = "def a():\n    pass\n\ndef b():\n    pass\n"
    calls = [edit("e", "def a():\n    pass\n", "def a():\n    return\n"),
             edit("f", "def b():\n    pass\n", "def b():\n    return\n")]  # fmt: skip
    after = "def a():\n    return\n\ndef b():\n    return\n"
    assert found(calls, after, before=before) == [UNSEEN, "e", UNSEEN, UNSEEN, "f"]


def test_repeated_lines_of_an_unknown_text_are_told_apart_by_their_neighbours() -> None:
    calls = [edit("e", "x", "first\n}\n"), edit("f", "y", "second\n}\n")]
    assert found(calls, "first\n}\nsecond\n}\n") == ["e", "e", "f", "f"]
    alone = [edit("e", "x", "}"), edit("f", "y", "}")]
    assert found(alone, "a\n}\nb\n}\n")[1] == "2 tool calls of the turn wrote such a line"


def test_a_line_in_another_layout() -> None:
    calls = [write("w", "x = {'a':1}\n")]
    assert found(calls, 'x = {"a": 1}\n') == ["w"]


def test_a_failed_call_wrote_nothing() -> None:
    failed = replace(edit("e", "one", "two"), has_failed=True)
    assert found([failed], "two\n") == ["no tool call of the turn is stored"]


@pytest.mark.parametrize("command", ["sed -i s/a/b/ a.txt", "make generate", "echo b > a.txt", "cat <<E > a.txt\nb\nE"])
def test_the_only_command_that_can_have_written_a_line(command: str) -> None:
    assert found([run("ls", "ls -l"), run("c", command), run("s", "git status && git diff")], "b\n") == ["c"]


def test_none_of_several_commands() -> None:
    calls = [run("c", "make a"), run("d", "make b")]
    assert found(calls, "b\n") == ["2 commands of the turn may have written it"]


def test_no_command_if_an_edit_changed_the_file_or_has_the_line() -> None:
    assert found([write("w", "a\n"), run("c", "npm test")], "b\n") == [UNSEEN]
    assert found([write("w", "a\n"), run("c", "sed -i s/a/b/ a.txt")], "b\n") == ["c"]
    assert found([write("w", "b\n", "other.txt"), run("c", "cp other.txt a.txt")], "b\n") == [
        "a tool call of the turn wrote such a line into another file"
    ]


def test_an_edit_of_another_file_says_nothing() -> None:
    assert found([write("w", "b\n", "other.txt")], "b\n") == [
        "a tool call of the turn wrote such a line into another file"
    ]
    assert found([write("w", "c\n", "other.txt")], "b\n") == [UNSEEN]


def test_line_ends_of_an_agent_do_not_matter() -> None:
    assert found([write("w", "one\r\ntwo\r\n"), edit("e", "one\r\n", "1\r\n")], "1\ntwo\n") == ["e", "w"]


@pytest.mark.parametrize(
    ("command", "writes"),
    [("", False), ("ls; cat a | head", False), ("git log", False), ("git checkout a", True), ("ls > a", True),
     ("echo $(touch a)", True), ("find . -delete", True), ("python x.py", True)],
)  # fmt: skip
def test_commands_that_may_write(command: str, writes: bool) -> None:
    assert tool_calls.may_write(command) is writes
