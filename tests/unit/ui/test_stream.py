"""Long output is written while it is being found."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator

import pytest

from entire.model.views.checkpoints import TargetView
from entire.ui.console import stream


class Counted(io.StringIO):
    """Standard output that remembers what was there at each flush."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed: list[str] = []

    def flush(self) -> None:
        self.flushed.append(self.getvalue())


def test_the_first_values_are_written_before_the_next_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", out := Counted())

    def values() -> Iterator[TargetView]:
        yield TargetView(kind="commit", id="1")
        assert out.flushed[-1] == '[\n{"kind": "commit", "id": "1"}'
        yield TargetView(kind="commit", id="2\n\udcff")

    stream.json_list(values())
    assert json.loads(out.getvalue()) == [{"kind": "commit", "id": "1"}, {"kind": "commit", "id": "2\n�"}]
    assert len(out.getvalue().splitlines()) == 4


def test_an_empty_list_is_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", out := Counted())
    stream.json_list([])
    assert json.loads(out.getvalue()) == []
