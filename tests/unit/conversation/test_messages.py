"""A conversation as people read it, from its records."""

from __future__ import annotations

from entire.conversation.messages import Reading
from entire.conversation.records import (
    AGENT,
    LOCAL,
    REWOUND,
    SHELL,
    SUBAGENT,
    UNKNOWN,
    Answer,
    Call,
    Mark,
    Prompt,
    Record,
    Result,
)
from entire.model.transcripts import Edit, Subagent


def said(*records: Record, stop: int | None = None) -> list[tuple[str, str]]:
    return [(message.who, message.text) for message in Reading(records).messages(stop)]


def run(output: str, command: str = "make") -> bool:
    call = Call(position=0, id="c", tool=SHELL, command=command)
    (message,) = Reading([call, Result(position=1, call="c", output=output)]).messages()
    assert message.call is not None and message.call.output == output
    return message.call.has_failed


def test_only_a_commands_output_names_an_exit_code() -> None:
    assert run("x\nExit code: 1") and run("Process exited with code 3\nOutput:\n") and not run("Exit code: 0")
    assert not run("x\nExit code: 1", command="")
    assert not run("\n".join(["a"] * 20 + ["Exit code: 1"] + ["b"] * 20))


def test_who_says_what() -> None:
    assert said(
        Prompt(position=0, text=" go \n"), Prompt(position=1, text="/compact", by=LOCAL),
        Prompt(position=2, text="a task", by=AGENT), Answer(position=3, id="a", text="Done."),
        Answer(position=4, id="b"), Mark(position=5, kind=UNKNOWN, text="later"),
    ) == [("user", "go"), ("user", "a task"), ("agent", "Done.")]  # fmt: skip
    assert Reading([Mark(position=5, kind=UNKNOWN, text="later")]).unknown == [(5, "later")]


def test_a_repetition_stands_for_what_came_before_it() -> None:
    draft = Answer(position=1, id="a", text="I will", is_again=True)
    whole = Answer(position=2, id="a", text="I will do it.", is_again=True)
    assert said(draft, whole) == [("agent", "I will do it.")]
    assert said(draft, whole, stop=2) == [("agent", "I will")]
    assert said(Answer(position=1, id="a", text="one"), Answer(position=2, id="a", text="two")) == [
        ("agent", "one"),
        ("agent", "two"),
    ]


def test_what_was_taken_back_is_not_shown() -> None:
    records: list[Record] = [
        Prompt(position=0, text="one"),
        Answer(position=1, id="a", text="x"),
        Answer(position=2, id="b", text="y"),
        Mark(position=3, kind=REWOUND, first=2),
    ]
    assert said(*records) == [("user", "one"), ("agent", "x")]
    assert said(*records, stop=3) == [("user", "one"), ("agent", "x"), ("agent", "y")]


def test_a_call_has_its_result_once_it_is_there() -> None:
    call = Call(position=0, id="c", tool=SUBAGENT, name="Agent", subject="look",
                task=Subagent(id="s", description="Look around"))  # fmt: skip
    result = Result(position=2, call="c", output="seen", edits=(Edit(path="a", new="x"),))
    notice, empty = Result(position=3, call="c", is_notice=True), Result(position=4, call="c")
    (message,) = Reading([call, result, notice, empty]).messages()
    assert message.call is not None
    assert (message.name, message.text, message.call.subagent) == ("Agent", "look", "Look around")
    assert (message.call.output, [edit.path for edit in message.call.edits]) == ("seen", ["a"])
    (before,) = Reading([call, result]).messages(2)
    assert before.call is not None and (before.call.output, before.call.edits) == ("", ())
