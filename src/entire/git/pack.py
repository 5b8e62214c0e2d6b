"""Writes objects byte for byte, of any type, through ``git index-pack``: for a history that is written again.

``git.write`` makes commits of its own; this one keeps authors, dates and everything else of commits that exist.
"""

from __future__ import annotations

import zlib

from entire.git import run
from entire.model.digest import sha1, sha256

_TYPES = {"commit": 1, "tree": 2, "blob": 3}
_FLUSH = 32 << 20  # bytes of compressed objects that are kept in memory


class Pack:
    """Collects objects and writes them; ``is_dry`` only computes their ids.

    Objects are readable after ``flush``. No ref keeps them from garbage collection until one is moved.
    """

    def __init__(self, where: str, oid_size: int, *, is_dry: bool = False) -> None:
        self._where = where
        self._digest = sha1 if oid_size == 40 else sha256
        self._is_dry = is_dry
        self._parts: list[bytes] = []
        self._size = 0
        self._added: set[str] = set()

    def add(self, kind: str, data: bytes) -> str:
        """Add an object; return its id."""
        digest = self._digest(f"{kind} {len(data)}\0".encode())
        digest.update(data)
        oid = digest.hexdigest()
        if oid not in self._added and not self._is_dry:
            part = _head(_TYPES[kind], len(data)) + zlib.compress(data)
            self._parts.append(part)
            self._size += len(part)
            if self._size > _FLUSH:
                self.flush()
        self._added.add(oid)
        return oid

    def flush(self) -> None:
        """Write what was added since the last time."""
        if not self._parts:
            return
        data = b"".join((b"PACK", (2).to_bytes(4, "big"), len(self._parts).to_bytes(4, "big"), *self._parts))
        digest = self._digest(data)
        run.git(self._where, "index-pack", "--stdin", stdin=data + digest.digest(), timeout=None)
        self._parts, self._size = [], 0


def _head(number: int, size: int) -> bytes:
    """Return what precedes an object in a pack: its type and size, in groups of seven bits after the first four."""
    byte, size = number << 4 | size & 15, size >> 4
    out = bytearray()
    while size:
        out.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    out.append(byte)
    return bytes(out)
