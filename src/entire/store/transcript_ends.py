"""The end of a stored transcript, as much of it as people are shown: a repository of others may hold any size."""

from __future__ import annotations

from entire import contents
from entire.model.value import Value, replace
from entire.store import checkpoints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Objects
    from entire.model.transcripts import Content
    from entire.store.checkpoints import Join, Slot

BYTES, RECORDS = 48 << 20, 40_000  # as conversations, they take less than 300 MB of memory
_DOCUMENT_LINES = 1_000_000  # a document is printed on many lines, and has no end that can be read alone


class TranscriptEnd(Value):
    """The last part of a transcript; ``first`` is the number of its first record, ``left_out`` the bytes before it."""

    data: bytes
    first: int = 0
    left_out: int = 0

    @property
    def note(self) -> str:
        """What is left out, '' if nothing is."""
        if not self.left_out:
            return ""
        return (
            f"only the end of its transcript is shown, at most {BYTES >> 20} MB and {RECORDS:,} records: "
            f"{self.left_out:,} bytes are left out, with {self.first:,} records"
        )


def read(objects: Objects, slot: Slot, join: Join | None = None) -> TranscriptEnd:
    """Return the end of a session's transcript. Raises MissingObjectError if git lacks a part of it."""
    parts: list[bytes] = []
    room, size, breaks, is_whole = BYTES, -1, -1, True
    for name, oid in reversed(checkpoints.transcript_files(slot.files).items()):
        part = objects.end_of_blob(oid, room if is_whole else 0)
        if part is None:
            raise checkpoints.missing_part(slot, name, oid)
        if is_whole and (part.data or not part.left_out):
            parts.insert(0, part.data)
        is_whole = is_whole and not part.left_out
        room = max(room - len(part.data) - 1, 0)
        size += part.left_out + len(part.data) + 1  # a part's last line break is not stored
        breaks += part.lines + part.data.count(b"\n") + 1
    if is_whole:
        return cut(checkpoints.join_parts(objects, slot, parts, join))
    joined = b"\n".join(parts)
    parts.clear()  # they are many MB
    data = cut(joined).data
    return TranscriptEnd(data=data, first=breaks - data.count(b"\n"), left_out=size - len(data))


def of_blob(objects: Objects, oid: str) -> TranscriptEnd:
    """Return the end of a transcript in one blob, nothing if git lacks it."""
    blob = objects.end_of_blob(oid, BYTES)
    if blob is None:
        return TranscriptEnd(data=b"")
    end = cut(blob.data)
    return replace(end, first=blob.lines + end.first, left_out=blob.left_out + end.left_out)


def of(content: Content) -> TranscriptEnd:
    """Return the end of a transcript that may be too long for memory."""
    if isinstance(content, bytes):
        return cut(content)
    start = max(len(content) - BYTES, 0)
    start = start and contents.line_end(content, start)
    end = cut(contents.read(content, start, len(content)))
    before = contents.count_lines(contents.part(content, 0, start))
    return TranscriptEnd(data=end.data, first=before + end.first, left_out=start + end.left_out)


def cut(data: bytes) -> TranscriptEnd:
    """Return the last records of a transcript, or nothing of a document that is too large."""
    ended = data.endswith(b"\n")
    breaks = data.count(b"\n")
    is_document = data[:64].partition(b"\n")[0].strip() == b"{"
    if breaks + (not ended) <= (_DOCUMENT_LINES if is_document else RECORDS):
        return TranscriptEnd(data=data)
    if is_document:
        return TranscriptEnd(data=b"", left_out=len(data))
    at = len(data) - ended
    for _ in range(RECORDS):
        at = data.rfind(b"\n", 0, at)
    end = data[at + 1 :]
    return TranscriptEnd(data=end, first=breaks - end.count(b"\n"), left_out=len(data) - len(end))
