"""Questions: plain lines, on standard error, only where somebody answers."""

from __future__ import annotations

import io
from collections.abc import Iterator

import click
import pytest

from entire.errors import EntireError
from entire.ui.console import prompts

WORDS = ["Add greeting", "fix the GREETING", "write tests", "Größe ändern"]
OPTIONS = [("claude-code", "Claude Code"), ("demo", "Demo")]


def say(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(words))


@pytest.mark.parametrize(
    ("words", "default", "expected"),
    [
        ("y\n", False, True),
        ("No\n", True, False),
        ("\n", True, True),
        ("", False, False),
        ("what\nyes\n", False, True),
        ("y", False, True),
    ],
)
def test_confirm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, default: bool, expected: bool
) -> None:
    say(monkeypatch, words)
    assert prompts.confirm("Go on?", default=default) is expected
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Go on? [Y/n] " if default else "Go on? [y/N] ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("1\n", ["claude-code"]),
        ("2 1\n", ["demo", "claude-code"]),
        ("demo, claude-code\n", ["demo", "claude-code"]),
        ("1 1\n", ["claude-code"]),
        ("\n", ["demo"]),
        ("3\n0\nnone\n2\n", ["demo"]),
        ("", ["demo"]),
    ],
)
def test_choose(monkeypatch: pytest.MonkeyPatch, words: str, expected: list[str]) -> None:
    say(monkeypatch, words)
    assert prompts.choose("Which?", OPTIONS, preset=["demo"]) == expected


def test_without_an_answer_and_a_preset_there_is_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "9\n")
    with pytest.raises(click.Abort):
        prompts.choose("Which?", OPTIONS)


def test_who_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "")
    monkeypatch.delenv("ACCESSIBLE", raising=False)
    assert not prompts.can_ask()
    monkeypatch.setenv("ACCESSIBLE", "0")
    assert not prompts.can_ask()
    monkeypatch.setenv("ACCESSIBLE", "1")
    assert prompts.can_ask()


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


# ---------------------------------------------------------------- a list by numbers


def plain(monkeypatch: pytest.MonkeyPatch, said: str, words: list[str] = WORDS) -> int | None:
    def preview(number: int) -> Iterator[tuple[str, str]]:
        if number == 1:
            raise EntireError("no preview")
        yield f"<preview {number}>", "bold"

    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    return prompts.pick("Which?", words, lambda _: [(word, "dim") for word in words], preview)


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
    question = "Number to choose, d NUMBER to preview, words to search, empty to quit: "
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
