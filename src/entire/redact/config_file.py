"""Reads ``.entire/redact.toml`` as bytes; loads no rule."""

from __future__ import annotations

import errno

from entire import files

LARGEST = 1 << 20
"""A larger configuration is not read: every hook that redacts something reads it."""


def read(path: str) -> bytes:
    """Return the configuration's bytes; raises OSError if it is no regular file, or larger than ``LARGEST``."""
    with files.open_regular(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST:,} bytes", path)
    return data
