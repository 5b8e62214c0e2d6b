"""What ``enable`` wrote into a file of the worktree."""

from __future__ import annotations

from entire.model.value import Value


class SetupLines(Value):
    """The lines of one file that ``enable`` added and removed, each as often as it did."""

    added: tuple[bytes, ...] = ()
    removed: tuple[bytes, ...] = ()
