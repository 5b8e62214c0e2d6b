"""A progress bar on standard error, on a terminal only."""

from __future__ import annotations

import sys
import time

_CELLS = 24
_EVERY = 0.1  # seconds


class Bar:
    """Draws how much of a known amount is done; ``clear`` removes it before other output."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._drawn = 0.0

    def __call__(self, done: int, total: int) -> None:
        if not sys.stderr.isatty() or time.monotonic() - self._drawn < _EVERY:
            return
        self._drawn = time.monotonic()
        cells = _CELLS * done // max(total, 1)
        sys.stderr.write(f"\r{self._what} [{'#' * cells:<{_CELLS}}] {done:,} of {total:,}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove the bar."""
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._drawn = 0.0
