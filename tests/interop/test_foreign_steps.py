"""Whose the changes of a step of the Go CLI are: pure decisions about one step."""

from __future__ import annotations

from typing import cast

from entire.go_takeover.steps import GoSession, _split
from entire.model.positions import Position
from entire.model.session import Session, Turn
from entire.recording.session_transcript import SessionTranscript

A, B, C = ("100644", "a" * 40), ("100644", "b" * 40), None


class Transcript:
    """A transcript of which only is known which line reported which path."""

    def __init__(self, reports: dict[int, list[str]], length: int) -> None:
        self.reports = reports
        self.length = length

    def end(self) -> Position:
        return Position(count=self.length)

    def files(self, since: Position, until: Position) -> list[str]:
        return [path for line, paths in self.reports.items() if since.count <= line < until.count for path in paths]


def go_session(reports: dict[int, list[str]], *turns: Turn, touched: tuple[str, ...] = ()) -> GoSession:
    return GoSession(
        session=Session("s", "claude-code", "Claude Code"),
        transcript=cast("SessionTranscript", Transcript(reports, 30)),
        turns=turns,
        prompted=frozenset(),
        touched=frozenset(touched),
        lost=False,
    )


def turn(name: str, position: int, *, over: bool = True) -> Turn:
    return Turn(id=name, prompt_position=position, started=position, ended=position + 5 if over else 0)


FIRST, SECOND, RUNNING = turn("one", 0), turn("two", 10), turn("three", 20, over=False)


def test_a_step_is_the_turns_whose_prompt_is_the_last_in_it() -> None:
    found = go_session({}, FIRST, SECOND, RUNNING)
    for lines, owner in ((1, "s/one"), (10, "s/one"), (11, "s/two"), (20, "s/two"), (25, "s/three")):
        assert _split(found, lines, {"a": A}, first=False) == [(owner, {"a": A})]


def test_a_first_step_holds_what_people_had_changed() -> None:
    found = go_session({}, FIRST, touched=("a",))
    assert _split(found, 5, {"a": A, "b": B}, first=True) == [("", {"b": B}), ("s/one", {"b": B, "a": A})]
    assert _split(found, 5, {"a": A, "b": B}, first=False) == [("s/one", {"a": A, "b": B})]


def test_what_was_carried_forward_is_the_turns_that_reported_it_last() -> None:
    found = go_session({3: ["a", "b"], 12: ["b"], 22: ["d"]}, FIRST, SECOND, RUNNING)
    parts = _split(found, 0, {"a": A, "b": B, "c": C, "d": A}, first=True)
    assert parts == [
        ("s/one", {"a": A}),
        ("s/two", {"a": A, "b": B, "c": C}),  # nobody reported c (a shell): the last turn that is over
        ("s/three", {"a": A, "b": B, "c": C, "d": A}),
    ]


def test_without_a_turn_nobody_is_named() -> None:
    assert _split(go_session({}), 5, {"a": A}, first=True) == []
