"""Faults at the border to the system: the n-th call that changes something kills the process, or fails.

Counted are all calls by which files and folders change, and every program that is started.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

KILLED = 9
T = TypeVar("T")
_CALLS = ("rename", "replace", "unlink", "symlink", "link", "mkdir", "rmdir", "open", "write", "chmod", "fchmod",
          "posix_spawnp")  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR


@contextmanager
def at_call(count: int, act: Callable[[], None], *, and_later: bool = False) -> Iterator[list[int]]:
    """Do ``act`` before call number ``count`` (from 0), with ``and_later`` before all that follow too.

    Yields a list whose only number is how many calls there were.
    """
    seen = [0]

    def watched(call: Callable[..., Any], is_meant: Callable[..., bool]) -> Callable[..., Any]:
        def wrapped(*args: Any, **named: Any) -> Any:
            if is_meant(*args):
                number, seen[0] = seen[0], seen[0] + 1
                if number == count or (and_later and number > count):
                    act()
            return call(*args, **named)

        return wrapped

    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            patch.setattr(os, name, watched(getattr(os, name), _writes if name == "open" else _always))
        yield seen


def fail(number: int) -> Callable[[], None]:
    """Return an act that fails as the system does: ``errno.ENOSPC`` and the like."""

    def act() -> None:
        raise OSError(number, os.strerror(number), "injected")

    return act


def killed(count: int, work: Callable[[T], object], prepare: Callable[[], T]) -> bool:
    """Do ``work`` with what ``prepare`` returns, in a child that is gone before call number ``count`` of the work; tell
    whether that came.
    """
    pid = os.fork()
    if not pid:
        try:
            prepared = prepare()
            with at_call(count, lambda: os._exit(KILLED)):
                work(prepared)
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, KILLED)
    return status == KILLED


def _writes(path: object, flags: int, *args: object) -> bool:
    return bool(flags & _WRITING)


def _always(*args: object) -> bool:
    return True


def fail_any(number: int) -> Callable[..., Any]:
    """Return a call that always fails so, whatever it gets."""

    def call(*args: object, **named: object) -> Any:
        fail(number)()

    return call
