"""Choosing from a list: the keys, the picture, a real terminal that is as before afterwards, and plain lines."""

from __future__ import annotations

import io
import os
import re
import signal
import termios
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.errors import EntireError
from entire.ui import picker, prompts, terminal
from tests.screen import Screen

WORDS = ["Add greeting", "fix the GREETING", "write tests", "Größe ändern"]


def pressed(*keys: str, words: list[str] = WORDS, page: int = 2) -> tuple[picker.State, str]:
    state, end = picker.State(words), ""
    for key in keys:
        assert not end
        end = state.press(key, page)
    return state, end


# ---------------------------------------------------------------- keys


@pytest.mark.parametrize(
    ("typed", "expected", "rest"),
    [
        ("j/ö", ["j", "/", "ö"], ""),
        ("\033[A\033OB\033[5~\033[6~\033[H\033[4~", ["up", "down", "page up", "page down", "home", "end"], ""),
        ("\r\n\x7f\x08\x15\x04", ["enter", "enter", "backspace", "backspace", "clear", "end of input"], ""),
        ("a\033", ["a"], "\033"),
        ("\033[", [], "\033["),
        ("\033[1;5", [], "\033[1;5"),
        ("\033[1;5Aq", ["q"], ""),  # a key that means nothing here
        ("\033q", ["escape", "q"], ""),
        ("\0\x01b", ["b"], ""),
    ],
)
def test_keys(typed: str, expected: list[str], rest: str) -> None:
    assert terminal.keys(typed) == (expected, rest)


@given(st.text(alphabet="\033[O0;~Aq\r\x7fü", max_size=12), st.integers(0, 12))
def test_keys_may_come_in_pieces(typed: str, at: int) -> None:
    """Wherever a read ends, the same keys come out."""
    first, rest = terminal.keys(typed[:at])
    second, left = terminal.keys(rest + typed[at:])
    assert (first + second, left) == terminal.keys(typed)


# ---------------------------------------------------------------- the state


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ((), 0),
        (("down",), 1),
        (("j", "j", "k"), 1),
        (("up",), 0),
        (("page down",), 2),
        (("end",), 3),
        (("G", "down"), 3),
        (("G", "g"), 0),
        (("end", "page up"), 1),
        (("x", "?"), 0),
        (("/", "t", "e", "s", "t"), 2),
        (("/", "g", "r", "e", "e", "t", "down"), 1),
        (("/", "j"), None),
        (("/", "j", "backspace"), 0),
        (("/", "j", "clear", "t", "e"), 2),
        (("/", "j", "escape", "G"), 3),
        (("/", "t", "h", "e", " ", "f", "i", "x"), 1),
        (("/", "G", "R", "Ö", "S", "S", "E"), 3),
        (("down", "/", "g", "r", "e"), 1),
        (("/", "g", "r", "e", "enter", "j"), 1),
    ],
)
def test_what_is_highlighted(keys: tuple[str, ...], expected: int | None) -> None:
    state, end = pressed(*keys)
    assert (state.current, end) == (expected, "")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("enter",), "chosen"),
        (("q",), "left"),
        (("escape",), "left"),
        (("end of input",), "left"),
        (("/", "end of input"), "left"),
        (("/", "q"), ""),
        (("/", "x", "x", "enter"), ""),
        (("/", "x", "x", "enter", "enter"), ""),  # nothing matches, nothing is chosen
        (("/", "t", "enter", "escape"), ""),  # the filter goes first
        (("/", "t", "enter", "escape", "escape"), "left"),
    ],
)
def test_when_it_ends(keys: tuple[str, ...], expected: str) -> None:
    assert pressed(*keys)[1] == expected


KEYS = [
    "up",
    "down",
    "home",
    "end",
    "page up",
    "page down",
    "enter",
    "escape",
    "backspace",
    "clear",
    "/",
    "d",
    "e",
    "x",
]


@given(st.lists(st.sampled_from(KEYS), max_size=30), st.integers(0, 5), st.integers(1, 40), st.integers(1, 12))
def test_the_highlighted_line_is_always_on_the_screen(keys: list[str], count: int, width: int, height: int) -> None:
    words = [f"line {n} {'e' * n}" for n in range(count)]
    state = picker.State(words)
    rows = [(one, "") for one in words]
    for key in keys:
        state.press(key, picker.list_height(state, height))
        lines = picker.frame("Title", state, rows, [("preview", "")] * 50, (width, height))
        assert len(lines) <= max(1, height - 1)
        marked = [line for line, _ in lines if line.startswith("> ")]
        if state.current is None:
            assert marked == []
        elif height > 3:
            assert marked == [f"> {words[state.current]}"]


def test_the_picture() -> None:
    state, _ = pressed("down", "d")
    rows = [(one, "dim" if n == 3 else "") for n, one in enumerate(WORDS)]
    pane = [(f"line {n}", "") for n in range(30)]
    assert picker.frame("Which?", state, rows, pane, (20, 17)) == [
        ("Which?", "bold"),
        ("  Add greeting", ""),
        ("> fix the GREETING", "bold"),
        ("  write tests", ""),
        ("  Größe ändern", "dim"),
        ("─" * 19, "dim"),
        *pane[:7],
        ("... and 23 more lines", "dim"),
        ("2/4   ↑↓ move   enter choose   d preview   / search   q leave", "dim"),
    ]
    assert ("...", "dim") in picker.frame("Which?", state, rows, None, (20, 17))
    state, _ = pressed("/", "x", "y")
    shown = picker.frame("Which?", state, rows, None, (20, 17))
    assert shown[1:] == [
        ("  (nothing matches)", "dim"),
        ("0/0   /xy_   type to search   enter keep   esc all again", "dim"),
    ]


# ---------------------------------------------------------------- a real terminal

PROGRAM = """
import sys
from entire.errors import EntireError
from entire.ui import picker

def preview(number):
    if number == 2:
        raise EntireError("no preview of this one")
    if number == 3:
        raise RuntimeError("a bug")
    yield f"<preview {number}>", ""

words = ["alpha", "beta", "gamma", "delta"]
rows = lambda width: [(word + " " + "." * max(0, width - 10), "") for word in words]
print(picker.pick("Which one?", words, rows, preview))
"""


@pytest.fixture
def screen(request: pytest.FixtureRequest) -> Iterator[Screen]:
    found = Screen(PROGRAM, getattr(request, "param", {}))
    yield found
    found.close()


def test_choosing(screen: Screen) -> None:
    screen.wait_for("Which one.*> alpha.*1/4")
    screen.type("\033[B\033[B")
    assert screen.wait_for("> gamma.*3/4").count("alpha") == 1
    screen.type("k\r")
    assert screen.end() == "1"
    assert screen.is_as_before()
    assert screen.shown.strip() == ""  # the list is gone
    assert "\033[1mWhich one?\033[0m" in screen.seen


@pytest.mark.parametrize("keys", ["q", "\033"])
def test_leaving(screen: Screen, keys: str) -> None:
    screen.wait_for("1/4")
    screen.type(keys)
    assert screen.end() == "None"
    assert screen.is_as_before()


def test_interrupting(screen: Screen) -> None:
    screen.wait_for("1/4")
    screen.type("\x03")
    assert screen.end() == ""
    assert screen.process.returncode in (-signal.SIGINT, 1, 130)
    assert screen.is_as_before()


def test_keys_that_would_leave_a_broken_terminal_do_nothing(screen: Screen) -> None:
    screen.wait_for("1/4")
    screen.type("\x1a\x1c\x13j\r")  # Ctrl-Z, Ctrl-\, Ctrl-S
    assert screen.end() == "1"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_ended(screen: Screen, number: signal.Signals) -> None:
    screen.wait_for("1/4")
    os.kill(screen.process.pid, number)
    screen.end()
    assert screen.process.returncode == -number
    assert screen.is_as_before(), (screen.seen[-60:], termios.tcgetattr(screen.slave) == screen.before)


def test_filtering_and_previewing(screen: Screen) -> None:
    screen.wait_for("1/4")
    screen.type("/et")
    screen.wait_for("> beta.*1/1   /et_")
    screen.type("\rd")
    screen.wait_for("<preview 1>")
    screen.type("d\033")
    screen.wait_for("> beta.*2/4")
    screen.type("jd")
    screen.wait_for("no preview of this one")
    screen.type("\r")
    assert screen.end() == "2"


def test_a_bug_in_a_preview_leaves_a_whole_terminal(screen: Screen) -> None:
    screen.wait_for("1/4")
    screen.type("Gd")
    assert screen.end() == ""
    assert screen.process.returncode == 1
    assert "RuntimeError: a bug" in screen.shown
    assert screen.is_as_before()


def test_another_size(screen: Screen) -> None:
    screen.wait_for("1/4")
    screen.type("d")
    screen.wait_for("<preview 0>")
    termios.tcsetwinsize(screen.slave, (24, 60))
    screen.wait_for("> alpha " + r"\." * 47 + "\n")
    screen.type("j\r")
    assert screen.end() == "1"
    assert screen.is_as_before()


@pytest.mark.parametrize("screen", [{"NO_COLOR": "1"}], indirect=True)
def test_without_colours(screen: Screen) -> None:
    screen.wait_for("> alpha.*1/4")
    screen.type("j\r")
    assert screen.end() == "1"
    assert re.search(r"\033\[[0-9;]*m", screen.seen) is None


@pytest.mark.parametrize("screen", [{"TERM": "dumb"}, {"ACCESSIBLE": "1"}], indirect=True)
def test_plain_lines_on_a_terminal(screen: Screen) -> None:
    screen.wait_for("1\\) alpha.*4\\) delta.*Number")
    assert "\033" not in screen.seen
    assert termios.tcgetattr(screen.slave) == screen.before
    screen.type("2\r")
    assert screen.end() == "1"


def test_a_terminal_that_goes_away() -> None:
    screen = Screen(PROGRAM, {})
    screen.wait_for("1/4")
    os.close(screen.master)
    assert screen.process.communicate(timeout=20)[0] in ("None\n", "")  # left, or ended by SIGHUP
    os.close(screen.slave)


# ---------------------------------------------------------------- plain lines


def plain(monkeypatch: pytest.MonkeyPatch, said: str, words: list[str] = WORDS) -> int | None:
    def preview(number: int) -> Iterator[tuple[str, str]]:
        if number == 1:
            raise EntireError("no preview")
        yield f"<preview {number}>", "bold"

    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    return picker.pick("Which?", words, lambda _: [(word, "dim") for word in words], preview)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("1\n", 0),
        ("4", 3),
        ("\n", None),
        ("q\n", None),
        ("", None),
        ("0\n5\n99999999999999999999\nd\n3\n", 2),
        ("d 1\nd2\nD9\n2\n", 1),
        ("greeting\n2\n", 1),
    ],
)
def test_plain_answers(monkeypatch: pytest.MonkeyPatch, said: str, expected: int | None) -> None:
    assert plain(monkeypatch, said) == expected


def test_plain_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert plain(monkeypatch, "d 1\nd 2\nGREET\nnone\n\n") is None
    said = capsys.readouterr()
    assert said.out == ""
    question = "Number; d and a number for a preview; words to search; empty to leave: "
    assert said.err.split("\n") == [
        "Which?",
        "   1) Add greeting",
        "   2) fix the GREETING",
        "   3) write tests",
        "   4) Größe ändern",
        question + "<preview 0>",
        question + "no preview",
        question + "Which? (GREET)",
        "   1) Add greeting",
        "   2) fix the GREETING",
        question + "Which? (none)",
        "  (nothing matches)",
        question,
    ]


def test_nothing_to_choose_from(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert plain(monkeypatch, "1\n", []) is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("env", [{}, {"TERM": "xterm", "ACCESSIBLE": "1"}, {"TERM": "dumb"}, {"TERM": "xterm"}])
def test_no_terminal_is_drawn_on_here(env: dict[str, Any]) -> None:
    assert not terminal.can_draw(env)


# ---------------------------------------------------------------- questions


@pytest.mark.parametrize(("said", "expected"), [("\n", "a"), ("2\n", "b"), ("b\n", "b"), ("9\nx\n1\n", "a")])
def test_select(monkeypatch: pytest.MonkeyPatch, said: str, expected: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    assert prompts.select("Which?", [("a", "first"), ("b", "second")]) == expected


@pytest.mark.parametrize(
    ("said", "expected"), [("\n", "n"), ("y\n", "y"), ("Yes\n", "y"), ("what\nd\n", "d"), ("ye\nNO\n", "n")]
)
def test_letter(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str, expected: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    assert prompts.letter("Go?", {"y": "yes", "n": "no", "d": "diff"}, "n") == expected
    assert capsys.readouterr().err.startswith("Go? [y]es, [N]o, [d]iff: ")
