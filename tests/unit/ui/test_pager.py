"""Output through a pager on a terminal, and line by line elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from entire.ui.console import pager


def test_lines_are_written_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    def lines() -> Iterator[str]:
        yield "first"
        assert capsys.readouterr().out == "first\n"
        yield "second"

    pager.write(lines(), lambda: pytest.fail("no pager is asked for"))
    assert capsys.readouterr().out == "second\n"


def test_the_width_of_what_is_no_terminal() -> None:
    assert pager.width() == 0
