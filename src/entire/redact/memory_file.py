"""The file of the secrets that a repository remembers: in its git directory, which they never leave."""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire_secrets.memory import Memory


class MemoryFile(Memory):
    """The secrets of one repository, kept in ``path``, or only until the next ``save`` if that is ''."""

    def __init__(self, path: str) -> None:
        self._path = path
        content = self._read()
        super().__init__(content)
        self.seen = len(content)  # bytes of ``path`` whose secrets are known here

    def _read(self) -> bytes:
        try:
            return (files.read(self._path) if self._path else None) or b""
        except OSError:
            return b""

    def save(self) -> None:
        """Write what was learned; where that fails, this process alone knows it."""
        if not self._path:
            super().save()
        elif self._unsaved:
            try:
                if self.is_new:
                    self._begin()
                lines = self.added
                files.append(self._path, lines)
                if self.seen + len(lines) == os.stat(self._path).st_size:  # else another process has written, too
                    self.seen += len(lines)
            except (OSError, EntireError):
                pass
        self._unsaved = []

    def count_at(self, size: int) -> int:
        """Return how many secrets were known when the file had ``size`` bytes, or fewer."""
        data = (self._path and files.read(self._path)) or b""
        return max(0, self.count - data.count(b"\n", size)) if 0 <= size <= len(data) else 0

    def is_in(self, data: bytes) -> bool:
        """Tell whether a text contains a secret that is known, as a person sees the text or encoded in it."""
        from entire_secrets.replacing import has_any

        return has_any(data, self)

    def content(self) -> bytes:
        """Return what the file holds when everything is saved."""
        before = self.head if self.is_new else files.read(self._path) or self.head
        return before + self.added

    def _begin(self) -> None:
        """Write the key. If another process has just written one, hash with that."""
        self.seen = len(self.head)
        if not files.create(self._path, self.head):
            content = self._read()
            self.replace(content)
            self.seen = len(content)
            if self.is_new:  # what is there is no memory
                files.put_aside(self._path)
                files.create(self._path, self.head)
                self.seen = len(self.head)
        self.is_new = False
