"""Questions: plain lines, on standard error, only where somebody answers."""

from __future__ import annotations

import io

import click
import pytest

from entire.ui import prompts

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
    assert not prompts.can_ask({})
    assert not prompts.can_ask({"ACCESSIBLE": "0"})
    assert prompts.can_ask({"ACCESSIBLE": "1"})
