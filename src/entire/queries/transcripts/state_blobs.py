"""Reads the transcripts of one session in several checkpoints: they share most of their bytes."""

from __future__ import annotations

from entire.git import bulk, read, write
from entire.store import checkpoints, transcript_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.store.checkpoints import Join, Slot
    from entire.store.transcript_ends import TranscriptEnd


class StateBlobs(read.Objects):
    """Reads each blob once, and no beginning of another: the checkpoints of a session share most of its transcript."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self._top = where
        self._known: dict[str, bytes | None] = {}
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
        return transcript_ends.cut(checkpoints.transcript(self, slot, join))

    def blob(self, name: str) -> bytes | None:
        if name not in self._known:
            self._known[name] = self._beginning(name) or super().blob(name)
        return self._known[name]

    def _beginning(self, name: str) -> bytes:
        """Return a blob that is the beginning of the longest one so far, as its id says; b'' if it is not."""
        longest = max((data for data in self._known.values() if data), key=len, default=b"")
        part = longest[: self._sizes.get(name, 0)]
        return part if write.blob_id(part, len(name)) == name else b""

    def forget(self) -> None:
        self._known.clear()
