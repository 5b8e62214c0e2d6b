"""When tools were at work and when a turn was cancelled, in a captured chat."""

from __future__ import annotations

from pathlib import Path

from entire.agents.gemini.transcript import ChatLines
from entire.conversation.windows import Activity
from entire.model.times import parse_time

FIXTURES = Path(__file__).parents[2] / "fixtures"
CHAT = FIXTURES / "gemini/transcripts/03-interactive-denied-cancelled-compress-bang-shell.jsonl"


def at(clock: str) -> float:
    return parse_time(f"2026-11-21T{clock}Z")


def activity(first: int, stop: int) -> Activity:
    chat = ChatLines(str(CHAT))
    found = chat.activity(chat.at(first), chat.at(stop))
    assert found is not None
    return found


def test_a_cancelled_shell_was_at_work_until_then() -> None:
    found = activity(27, 38)
    assert found.interrupted == at("06:19:19.611"), "when what was cancelled ended"
    assert [(window.began, window.ended) for window in found.windows][:1] == [(at("06:19:15.501"), at("06:19:19.404"))]


def test_a_denied_edit_ends_the_turn_without_a_window() -> None:
    found = activity(11, 17)
    assert (found.windows, found.interrupted) == ((), at("06:19:10.849"))
    assert activity(11, 28).interrupted == 0.0, "the next prompt"


def test_until_the_calls_are_written_down_an_answer_may_have_any() -> None:
    (window,) = activity(2, 5).windows
    assert (window.began, window.ended) == (at("06:18:45.776"), 0.0)
    assert activity(2, 7).windows == (), "it only wrote"
