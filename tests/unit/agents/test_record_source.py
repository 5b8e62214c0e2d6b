"""The contract's questions, answered from the records that an adapter yields."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from entire.agents.record_source import RecordSource
from entire.conversation.records import SHELL, Answer, Call, Prompt, Record, Result
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage

COMMIT = "1a2b3c4d" * 5
STORY: list[Record] = [
    Prompt(position=0, text="go", time=10.0),
    Answer(position=1, end=20, id="a", time=11.0, text="I will.", model="m", usage=TokenUsage(output_tokens=1)),
    Call(position=1, end=20, id="c", answer="a", tool=SHELL, time=11.0, command="git commit"),
    Result(position=2, call="c", time=12.0, commits=("1a2b3c4d",), paths=("a.txt",)),
    Answer(position=3, end=40, id="b", time=13.0, text="Done.", model="n", usage=TokenUsage(output_tokens=2)),
]


class Stream:
    known = ""

    def __init__(self, records: list[Record], end: Position) -> None:
        self._records = records
        self.end = end

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)


class Source(RecordSource):
    def __init__(self, records: list[Record]) -> None:
        self.source = b""
        self._records = records
        self.reads = 0

    def stream(self, since: Position, *, details: bool = False) -> Stream:
        self.reads += not details
        later = [record for record in self._records if record.position >= since.count]
        return Stream(later, Position(count=4, byte=40, mark="b"))


def test_one_reading_answers_all_questions_about_a_part() -> None:
    source, until = Source(STORY), Position(count=3)
    assert [prompt.text for prompt in source.prompts(START)] == ["go"]
    assert source.summary(START) == "Done."
    assert (source.model(START, until), source.model(START)) == ("m", "n")
    assert (source.tokens(START, until).output_tokens, source.tokens(START).output_tokens) == (1, 3)
    assert [report.path for report in source.files(START)] == ["a.txt"]
    assert source.has_answers(START) and not source.has_answers(Position(count=4))
    activity = source.activity(START)
    assert activity is not None and [window.call for window in activity.windows] == ["c"]
    assert source.reads == 2, "one reading for each position"


@pytest.mark.parametrize(
    ("moment", "commit", "end"),
    [
        (12.0, "", (2, "a")),
        (20.0, "", (4, "b")),
        (20.0, COMMIT, (2, "a")),
        (10.5, "", (0, "")),
        (20.0, "f" * 40, (4, "b")),
    ],
)
def test_an_answer_ends_where_its_commit_was_made(moment: float, commit: str, end: tuple[int, str]) -> None:
    found = Source(STORY).answer_boundary(START, moment, commit)
    assert (found.count, found.mark) == end


def test_without_times_the_boundary_is_the_end() -> None:
    timeless = [Answer(position=1, end=20, id="a", text="x")]
    assert Source(list(timeless)).answer_boundary(START, 12.0) == Position(count=4, byte=40, mark="b")
    assert Source([]).answer_boundary(START, 12.0) == START


def test_who_made_a_commit() -> None:
    assert Source(STORY).makes_commit(START, 20.0, COMMIT)
    assert not Source(STORY).makes_commit(START, 20.0, "")
    assert not Source(STORY).makes_commit(Position(count=3), 20.0, COMMIT)
