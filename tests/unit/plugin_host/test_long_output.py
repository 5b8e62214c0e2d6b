"""Output that may be too long for memory is the same as any other."""

from __future__ import annotations

import pytest

from entire import contents
from entire.plugin_host.programs.long_output import LongOutput
from entire.plugin_host.programs.running import TooMuchError


@pytest.mark.parametrize("sizes", [[], [1], [10], [11], [4, 4, 4, 4], [30, 1, 30]])
def test_what_was_put_aside_comes_back_in_its_order(monkeypatch: pytest.MonkeyPatch, sizes: list[int]) -> None:
    monkeypatch.setattr(contents, "MOST", 10)
    output = LongOutput(limit=100)
    given = [bytes([65 + number]) * size for number, size in enumerate(sizes)]
    for data in given:
        output.add(data)
        assert len(output.data) <= contents.MOST
    assert b"".join(contents.blocks(output.content())) == b"".join(given)


def test_what_was_put_aside_counts_towards_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MOST", 10)
    output = LongOutput(limit=20)
    output.add(b"x" * 20)
    with pytest.raises(TooMuchError):
        output.add(b"x")
