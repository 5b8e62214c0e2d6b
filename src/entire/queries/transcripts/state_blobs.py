"""Reads the transcripts of one session in several checkpoints: they share most of their bytes."""

from __future__ import annotations

from entire.git import bulk, read, write
from entire.store import checkpoints, transcript_ends
from entire.store.transcript_ends import TranscriptEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.store.checkpoints import Join, Slot


_KEPT = 24 << 20
"""Bytes of blobs that are kept for later states, beside the longest one."""


class StateBlobs(read.Objects):
    """Reads each blob once, if they are not very large, and no beginning of another: the checkpoints of a session share
    most of its transcript.
    """

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self._top = where
        self._kept: dict[str, bytes | None] = {}
        self._longest = b""
        self._beginnings: dict[str, int] = {}  # names of blobs that the longest begins with -> their sizes
        self._last = TranscriptEnd(data=b"")
        self._sizes: dict[str, int] = {}

    def expect(self, names: Iterable[str]) -> None:
        """Note the sizes of blobs that may be the beginnings of others."""
        new = [name for name in dict.fromkeys(names) if name not in self._sizes]
        self._sizes.update(bulk.sizes(self._top, new) if new else {})

    def sizes(self, names: Iterable[str]) -> int:
        """Return the size of these blobs together, of those that were expected."""
        return sum(self._sizes.get(name, 0) for name in names)

    def end(self, slot: Slot, join: Join | None) -> TranscriptEnd:
        """Return the end of a session's transcript. Raises MissingObjectError if git lacks a part of it."""
        if self.sizes(checkpoints.transcript_files(slot.files).values()) > transcript_ends.BYTES:
            return transcript_ends.read(self, slot, join)
        data = checkpoints.transcript(self, slot, join)
        if self._last.left_out or not self._last.data.startswith(data):  # else its records are not counted again
            self._last = transcript_ends.cut(data)
            return self._last
        return TranscriptEnd(data=data)

    def blob(self, name: str) -> bytes | None:
        if name in self._kept:
            return self._kept[name]
        size = self._beginnings.get(name) or self._beginning(name)
        if size:
            return self._longest[:size]
        data = self._kept[name] = super().blob(name)
        if data is not None and len(data) >= len(self._longest):
            self._longest, self._beginnings = data, {}
        while sum(len(kept or b"") for kept in self._kept.values()) > _KEPT and len(self._kept) > 1:
            del self._kept[next(iter(self._kept))]
        return data

    def _beginning(self, name: str) -> int:
        """Return the size of a blob that is the beginning of the longest one so far, as its id says; 0 if it is not."""
        size = self._sizes.get(name, 0)
        if not 0 < size <= len(self._longest) or write.blob_id(self._longest[:size], len(name)) != name:
            return 0
        self._beginnings[name] = size
        return size

    def forget(self) -> None:
        """Forget a session's blobs."""
        self._kept.clear()
        self._longest, self._beginnings = b"", {}
        self._last = TranscriptEnd(data=b"")
