"""A progress bar on standard error, on a terminal only."""

from __future__ import annotations

import sys
import time

_CELLS = 24
_PATIENCE, _EVERY = 2.0, 0.1  # seconds: what is done at once needs no bar


class Bar:
    """Draws how much of a known amount is done; ``clear`` removes it before other output."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._next = time.monotonic() + _PATIENCE
        self._is_drawn = False

    def __call__(self, done: int, total: int) -> None:
        if not sys.stderr.isatty() or time.monotonic() < self._next:
            return
        self._next, self._is_drawn = time.monotonic() + _EVERY, True
        cells = _CELLS * done // max(total, 1)
        sys.stderr.write(f"\r{self._what} [{'#' * cells:<{_CELLS}}] {done:,} of {total:,}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove the bar."""
        if self._is_drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._is_drawn = False
