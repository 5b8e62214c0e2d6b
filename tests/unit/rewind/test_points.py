"""Where turns start."""

from __future__ import annotations

from entire.rewind import points
from entire.store.turnlog import TurnNote


def test_a_turn_starts_at_its_first_prompt() -> None:
    first = TurnNote(turn="a", prompt="Do it", time=1.0, ended=3.0)
    more = TurnNote(turn="a", prompt="And that", time=2.0, ended=3.0)
    by_itself = TurnNote(turn="b", prompt="", time=4.0, ended=5.0)
    running = TurnNote(turn="c", prompt="More", time=6.0)
    assert points._first_of_turns([first, more, by_itself, running]) == [first]
