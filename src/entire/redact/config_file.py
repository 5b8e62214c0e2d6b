"""Reads ``.entire/redact.toml`` as bytes, and which exceptions a person trusts; loads no rule."""

from __future__ import annotations

import errno
import os

from entire import files, tree_files

LARGEST = 1 << 20
"""A larger configuration is not read: every hook that redacts something reads it."""


def read(path: str) -> bytes:
    """Return the bytes of the configuration of a worktree, whose ``.entire`` folder it is in.

    Raises OSError if there is none, if a link leads to it, or if it is not a regular file or larger than ``LARGEST``.
    """
    data = tree_files.read(tree_files.own_top(path), path)
    if data is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST:,} bytes", path)
    return data


def trusted(path: str) -> list[str]:
    """Return the hashes of the exceptions that this person trusts, '' for no file."""
    try:
        return (files.read(path) or b"").decode("ascii", "replace").split() if path else []
    except OSError:
        return []


def trust(path: str, digest: str) -> None:
    """Remember that this person trusts exceptions."""
    known = trusted(path)
    if digest not in known:
        files.write(path, "".join(f"{each}\n" for each in (*known, digest)).encode(), mode=0o600)
