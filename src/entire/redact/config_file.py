"""Reads ``.entire/redact.toml`` as bytes; loads no rule."""

from __future__ import annotations

import errno
import os

from entire import tree_files

LARGEST = 1 << 20
"""A larger configuration is not read: every hook that redacts something reads it."""


def read(path: str) -> bytes:
    """Return the bytes of the configuration of a worktree, whose ``.entire`` folder it is in.

    Raises OSError if there is none, if a link leads to it, or if it is no regular file or larger than ``LARGEST``.
    """
    data = tree_files.read(tree_files.own_top(path), path)
    if data is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST:,} bytes", path)
    return data
