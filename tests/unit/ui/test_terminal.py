"""Where a list is drawn and where it is not."""

from __future__ import annotations

import pytest

from entire.ui.console import terminal


@pytest.mark.parametrize("env", [{}, {"TERM": "xterm", "ACCESSIBLE": "1"}, {"TERM": "dumb"}, {"TERM": "xterm"}])
def test_no_terminal_is_drawn_on_here(monkeypatch: pytest.MonkeyPatch, env: dict[str, str]) -> None:
    monkeypatch.setattr("os.environ", env)
    assert not terminal.can_draw()
