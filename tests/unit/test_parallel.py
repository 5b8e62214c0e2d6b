"""Work is shared among copies of this process, and what they do not do is done here."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator

import pytest

from entire import parallel

GROUPS = [[1, 2, 3], [4], [5, 6], [7], [8, 9], []]


def squares(items: Iterable[int]) -> Iterator[tuple[int, int]]:
    for item in items:
        yield item * item, os.getpid()


@pytest.mark.parametrize("copies", range(6))
def test_results_come_in_the_order_of_the_groups(copies: int) -> None:
    found = list(parallel.results(GROUPS, squares, copies))
    assert [square for square, _ in found] == [n * n for n in range(1, 10)]
    by = {pid for _, pid in found}
    assert len(by) == max(1, min(copies, parallel.MOST))
    assert (os.getpid() in by) == (copies == 0)


def test_one_group_is_done_here() -> None:
    assert {pid for _, pid in parallel.results([[1, 2]], squares, 2)} == {os.getpid()}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_an_ended_copy_did_not_do_is_done_here(number: int, capfd: pytest.CaptureFixture[str]) -> None:
    mine = os.getpid()

    def dying(items: Iterable[int]) -> Iterator[int]:
        for item in items:
            if item == 2 and os.getpid() != mine:
                os.kill(os.getpid(), number)
            yield item

    assert list(parallel.results(GROUPS, dying, 2)) == list(range(1, 10))
    assert capfd.readouterr() == ("", "")


def test_an_error_is_raised_here(capfd: pytest.CaptureFixture[str]) -> None:
    def failing(items: Iterable[int]) -> Iterator[int]:
        for item in items:
            if item == 5:
                raise ValueError("five")
            yield item

    found = parallel.results(GROUPS, failing, 2)
    assert [next(found) for _ in range(4)] == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="five"):
        next(found)
    assert capfd.readouterr() == ("", "")


def test_copies_wait_and_end_when_nobody_asks_for_more() -> None:
    """A pipe holds less than one of these results."""
    done = os.pipe()

    def long(items: Iterable[int]) -> Iterator[bytes]:
        for item in items:
            os.write(done[1], bytes([item]))
            yield b"x" * (1 << 20)

    found = parallel.results([[1, 2, 3], [4, 5, 6]], long, 2)
    assert len(next(found)) == 1 << 20
    found.close()
    os.close(done[1])
    with os.fdopen(done[0], "rb") as told:
        assert set(told.read()) <= {1, 2, 4}  # none is left that holds its end, so this ends
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
