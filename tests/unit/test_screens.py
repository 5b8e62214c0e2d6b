"""The helper for screens notices what a terminal would show wrongly, and every change of a screen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from entire.ui.console.text import Style
from tests import screens


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(screens, "FOLDER", tmp_path / "screens")
    return tmp_path / "screens"


def hello(width: int, style: Style) -> Iterable[str]:
    yield style("hello"[:width], "green") + " 世界"


def test_a_screen_is_compared_once_it_was_accepted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match=r"no screen hello-40\.txt"):
        screens.check("hello", hello)
    monkeypatch.setenv("ENTIRE_ACCEPT", "1")
    screens.check("hello", hello)
    monkeypatch.delenv("ENTIRE_ACCEPT")
    screens.check("hello", hello)
    assert len(list(folder.iterdir())) == 2 * len(screens.WIDTHS)
    assert (folder / "hello-40-colour.txt").read_text() == "␛[32mhello␛[0m 世界\n"
    (folder / "hello-80-colour.txt").write_text("hello 世界\n")
    with pytest.raises(AssertionError, match=r"hello-80-colour\.txt differs"):
        screens.check("hello", hello)


@pytest.mark.parametrize("line", ["世界" * 21, "ends ", "a\tb"])
def test_what_a_terminal_would_show_wrongly_is_never_accepted(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTIRE_ACCEPT", "1")
    with pytest.raises(AssertionError):
        screens.check("wrong", lambda _width, _style: [line], widths=[40])


def test_colours_do_not_change_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTIRE_ACCEPT", "1")
    with pytest.raises(AssertionError):
        screens.check("other", lambda _width, style: ["in colour" if style.on else "plain"])
