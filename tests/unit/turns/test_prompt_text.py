"""What is kept of a prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entire.model.events import Event, EventType
from entire.redact import Redactor
from entire.turns import prompt_text


@given(st.text(alphabet="ab \n", max_size=60), st.integers(0, 40))
def test_a_cut_text_ends_with_a_whole_word(text: str, size: int) -> None:
    kept = prompt_text.cut(text, size)
    assert text.startswith(kept)
    assert kept == text or len(kept) <= size
    assert kept in ("", text) or text[len(kept)] in " \n"


def test_a_line_goes_before_a_word() -> None:
    assert prompt_text.cut("first line\nsecond line", 18) == "first line"
    assert prompt_text.cut("one single line", 12) == "one single"


def test_an_automatic_turn_has_no_prompt() -> None:
    event = Event(type=EventType.TURN_START, session_id="s", prompt="Say hi")
    assert prompt_text.of_event(event, Redactor()) == "Say hi"
    automatic = Event(type=EventType.TURN_START, session_id="s", prompt="Say hi", is_automatic=True)
    assert prompt_text.of_event(automatic, Redactor()) == ""


def test_the_first_words_are_one_line() -> None:
    assert prompt_text.first_words("Say\n  hi " + "x" * 200) == "Say hi " + "x" * 93
