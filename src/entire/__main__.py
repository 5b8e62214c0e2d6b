"""``python -m entire``: runs the command where its launcher is not installed."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys

from entire.cli import main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_FEW_COLLECTIONS = 100_000  # new objects: loading modules and reading lists leave no cycles that matter


def _end(status: int) -> NoReturn:
    """End without the interpreter's shutdown, which takes 5 ms to free what ends with the process."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed by its reader, or never open
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    gc.set_threshold(_FEW_COLLECTIONS)
    _end(main(sys.argv[1:]))
