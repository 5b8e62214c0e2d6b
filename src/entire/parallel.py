"""Shares work among copies of this process, so that several processors read what is long."""

from __future__ import annotations

import itertools
import os
import pickle
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from typing import BinaryIO, TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")
    Work = Callable[[Iterable[Item]], Iterator[Result]]

LONG = 32 << 20
"""Bytes of transcripts from which on copies are worth their start."""
MOST = 4
"""Copies: each holds a conversation."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results(groups: Sequence[Sequence[Item]], work: Work[Item, Result], copies: int) -> Generator[Result]:
    """Yield a result for each item, group after group; of ``copies`` each works on every n-th group.

    ``work`` yields one result per item, which a pickle can hold. It opens what it reads for itself, and changes nothing
    but what it yields. A copy works no further ahead than a pipe holds. What a copy cannot do is done here, so that an
    error is raised here, too. Close the generator to end the copies.
    """
    copies = min(copies, len(groups), MOST)
    if copies < 1 or len(groups) < 2:
        yield from work(itertools.chain.from_iterable(groups))
        return
    shares = [groups[number::copies] for number in range(copies)]
    running = [_Copy(list(itertools.chain.from_iterable(share)), work) for share in shares]
    try:
        for number, group in enumerate(groups):
            yield from itertools.islice(running[number % copies].results, len(group))
    finally:
        for copy in running:
            copy.end()


class _Copy:
    """A copy of this process that works on items."""

    def __init__(self, items: Sequence[Item], work: Work[Item, Result]) -> None:
        reading, writing = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            _work(items, work, writing)
        os.close(writing)
        self._output = os.fdopen(reading, "rb")
        self.results = _all(items, work, self._output)

    def end(self) -> None:
        self._output.close()
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _work(items: Iterable[Item], work: Work[Item, Result], output: int) -> None:
    """Write the results; never returns, because what the process that it was copied from has open is not its own."""
    status = 1
    try:
        with os.fdopen(output, "wb") as file:
            for result in work(items):
                pickle.dump(result, file)
                file.flush()
        status = 0
    finally:
        os._exit(status)


def _all(items: Sequence[Item], work: Work[Item, Result], output: BinaryIO) -> Iterator[Result]:
    """Yield the results of a copy; those that it does not give are found here."""
    rest = list(reversed(items))
    try:
        while rest:
            result = pickle.load(output)  # noqa: S301 - it comes from a copy of this process
            rest.pop()
            yield result
    except (EOFError, pickle.UnpicklingError):
        yield from work(reversed(rest))
