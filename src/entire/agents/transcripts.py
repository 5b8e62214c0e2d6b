"""For agents whose transcripts are JSON lines: reads from an offset, parses, searches, splits into chunks.

A source is a file, given by its path, or the content of a stored copy, which may be too long for memory. Nothing here
loads a whole file into memory but ``read``.
"""

from __future__ import annotations

import io
import os

from entire import files
from entire.agents.untrusted import loads
from entire.errors import EntireError
from entire.model.ids import is_session_id
from entire.model.transcripts import SessionFile, cut_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

    from entire.model.transcripts import Content, LongContent

    Source = str | bytes | LongContent

MAX_LINE = 1 << 20
"""Longer lines are shortened while they are read, so a huge tool result cannot fill a hook's memory."""
KEEP = 1 << 15
"""Bytes kept of each string in a shortened line."""
MAX_SPAN = 128 << 20
"""Bytes of lines that are read after a position. What follows is read from the next position on, by a later event."""
MAX_READ = 1 << 30
"""Larger transcripts are not read as a whole."""
_MAX_SHORTENED = 8 << 20
_BLOCK = 1 << 20
_SMALLEST_PART = 64
_BEGINNING = 1 << 16
_ENDING = 1 << 16


class Shortener:
    """Cuts long strings in a JSON text that arrives in pieces; the result is valid JSON if the text was."""

    def __init__(self, keep: int, most: int = _MAX_SHORTENED) -> None:
        self._keep = keep
        self._most = most
        self._out = bytearray()
        self._string_at = -1  # where the open string's content starts in the result; -1 outside strings
        self._left_out = 0
        self._carry = b""  # backslashes at the end of a piece, which belong to what follows

    def feed(self, piece: bytes) -> None:
        data = self._carry + piece
        end = len(data.rstrip(b"\\"))
        self._carry, data = data[end:], data[:end]
        at = 0
        while at < len(data) and len(self._out) <= self._most:
            if self._string_at < 0:
                quote = data.find(b'"', at)
                stop = len(data) if quote < 0 else quote + 1
                self._out += data[at:stop]
                if quote >= 0:
                    self._string_at, self._left_out = len(self._out), 0
            else:
                quote = _closing_quote(data, at)
                stop = len(data) if quote < 0 else quote + 1
                self._take(data, at, stop if quote < 0 else quote)
                if quote >= 0:
                    self._close()
            at = stop

    def result(self) -> bytes:
        """Return the shortened text; empty if it is still too big to parse."""
        self._out += self._carry
        return bytes(self._out) if len(self._out) <= self._most else b""

    def _take(self, data: bytes, start: int, stop: int) -> None:
        room = self._keep - (len(self._out) - self._string_at)
        if self._left_out or room < stop - start:
            taken = 0 if self._left_out else max(room, 0)
            self._out += data[start : start + taken]
            self._left_out += stop - start - taken
        else:
            self._out += data[start:stop]

    def _close(self) -> None:
        if self._left_out:
            del self._out[_safe_end(self._out, self._string_at) :]
            self._out += f"... [cut: {self._left_out} bytes]".encode()
        self._out += b'"'
        self._string_at = -1


def _closing_quote(data: bytes, start: int) -> int:
    """Return where the string that is open at ``start`` ends, or -1; ``start`` never follows a backslash."""
    at = data.find(b'"', start)
    while at > start and _backslashes(data, at, start) % 2:
        at = data.find(b'"', at + 1)
    return at


def _backslashes(data: bytes | bytearray, at: int, start: int) -> int:
    """Count the backslashes directly before ``at``."""
    count = 0
    while at - count > start and data[at - count - 1] == 0x5C:
        count += 1
    return count


def _safe_end(out: bytearray, start: int) -> int:
    """Return the last place to cut the string content ``out[start:]`` without splitting a character or escape."""
    end = len(out)
    for _ in range(4):  # drop the last UTF-8 character, of at most four bytes: it may be incomplete
        if end > start and out[end - 1] & 0x80:
            end -= 1
            if out[end] & 0x40:
                break
    for at in range(end - 1, max(start, end - 6) - 1, -1):
        if out[at] == 0x5C:
            if _backslashes(out, at, start) % 2 == 0:  # it starts an escape (\\n, \\u00e9)
                end = at if at + (6 if out[at + 1 : at + 2] == b"u" else 2) > end else end
            break
    first = end - 6
    if first >= start and out[first : first + 2] == b"\\u" and _backslashes(out, first, start) % 2 == 0:
        if out[first + 2] in b"dD" and out[first + 3] in b"89abAB":  # the first half of a surrogate pair
            return first
    return end


def _open(source: Source) -> tuple[BinaryIO, int]:
    if isinstance(source, str):
        return files.open_named(source)
    return (io.BytesIO(source) if isinstance(source, bytes) else source.open()), len(source)


def size(source: Source) -> int:
    """Return a source's size in bytes; 0 if it cannot be read."""
    if not isinstance(source, str):
        return len(source)
    try:
        return files.size_of_named(source)
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return 0


def version(source: Source) -> tuple[int, int, int]:
    """Return what changes when the agent writes to a file."""
    try:
        state = os.stat(source) if isinstance(source, str) else None
    except (OSError, ValueError):
        state = None
    return (state.st_ino, state.st_size, state.st_mtime_ns) if state is not None else (0, 0, 0)


def lines(source: Source, start: int = 0) -> Iterator[tuple[bytes, int]]:
    """Yield (line with its newline, offset of its end) from byte ``start`` on; the last may lack its newline.

    Lines longer than ``MAX_LINE`` are shortened. A file that cannot be read has no lines. Of a file
    with more than ``MAX_SPAN`` bytes after ``start``, only the lines that end within them are read.
    """
    try:
        file, size = _open(source)
        with file:
            file.seek(start)
            stop = min(size, start + MAX_SPAN) if isinstance(source, str) else size
            end = start
            while line := file.readline(max(0, min(MAX_LINE, stop - end))):
                end += len(line)
                if len(line) == MAX_LINE and not line.endswith(b"\n"):
                    line, more = _long_line(line, file, stop - end)
                    end += more
                if end == stop < size and not line.endswith(b"\n"):
                    return
                yield line, end
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return


def _long_line(head: bytes, file: BinaryIO, room: int) -> tuple[bytes, int]:
    """Return a long line, shortened, from its beginning and at most ``room`` bytes more; and how many were read."""
    shortener = Shortener(KEEP)
    shortener.feed(head)
    size = 0
    ended = False
    while not ended and (piece := file.readline(min(MAX_LINE, room - size))):
        size += len(piece)
        ended = piece.endswith(b"\n")
        shortener.feed(piece.rstrip(b"\n") if ended else piece)
    return shortener.result() + (b"\n" if ended else b""), size


def records(line: bytes, glue: bytes = b"") -> list[dict[str, Any]]:
    """Return the JSON objects of a line: one, or none if it is broken.

    ``glue`` is how this agent's records start; it finds a record that was appended to an incomplete line.
    """
    value = loads(line)
    if value is None and glue and line.count(glue):
        parts = line.split(glue)
        values = [loads(parts[0]), *(loads(glue + part) for part in parts[1:])]
        return [part for part in values if isinstance(part, dict)]
    return [value] if isinstance(value, dict) else []


def natives(
    source: Source, start: int = 0, *, skipped: tuple[bytes, ...] = (), glue: bytes = b""
) -> Iterator[tuple[list[dict[str, Any]], int]]:
    """Yield the JSON objects of each line from byte ``start`` on, and the offset of its end.

    A last line without a newline counts if it is complete, as in stored transcripts: another is still being written.
    ``skipped`` is how lines start that are not parsed; ``glue``: see ``records``.
    """
    for line, end in lines(source, start):
        objects = [] if line.startswith(skipped) else records(line, glue)
        if not objects and not line.endswith(b"\n") and loads(line) is None:
            return
        yield objects, end


def is_document(source: Source) -> bool:
    """Tell whether a transcript is one JSON document with a list of messages, and not lines."""
    first = next(lines(source), (b"", 0))[0]
    if first.strip() == b"{":
        return True
    record = loads(first) if b'"messages"' in first else None
    return isinstance(record, dict) and isinstance(record.get("messages"), list)


def offset_of(source: Source, count: int) -> tuple[int, int]:
    """Return (byte, lines before it) after ``count`` lines, or after the last line if the file has fewer."""
    seen = offset = 0
    for block in _blocks(source, 0, -1):
        here = block.count(b"\n")
        if seen + here >= count:
            at = -1
            for _ in range(count - seen):
                at = block.find(b"\n", at + 1)
            return offset + at + 1, count
        seen += here
        offset += len(block)
    if offset and seen < count and byte_before(source, offset) != b"\n":  # the last line has no newline yet
        return offset, seen + 1
    return offset, seen


def count_lines(source: Source, stop: int) -> int:
    """Return how many lines end in the first ``stop`` bytes."""
    return sum(block.count(b"\n") for block in _blocks(source, 0, stop))


def starts_with(source: Source, data: bytes) -> bool:
    """Tell whether a source begins with these bytes."""
    at, view = 0, memoryview(data)
    for block in _blocks(source, 0, len(data)):
        if view[at : at + len(block)] != block:
            return False
        at += len(block)
    return at == len(data)


def byte_before(source: Source, offset: int) -> bytes:
    """Return the byte before ``offset``; empty at the start of the file or beyond its end."""
    try:
        file, _ = _open(source)
        with file:
            file.seek(offset - 1)
            return file.read(1)
    except (OSError, ValueError):
        return b""


def contains(source: Source, needles: tuple[bytes, ...], stop: int) -> bool:
    """Tell whether any of ``needles`` occurs in the first ``stop`` bytes."""
    overlap = max(len(needle) for needle in needles) - 1
    rest = b""
    for block in _blocks(source, 0, stop):
        data = rest + block
        if any(needle in data for needle in needles):
            return True
        rest = data[-overlap:] if overlap else b""
    return False


def last_lines(source: Source, stop: int, most: int) -> Iterator[bytes]:
    """Yield the lines before byte ``stop``, last first, as long as they are entirely within ``most`` bytes."""
    try:
        file, _ = _open(source)
        with file:
            size = 1 << 16
            done = 0
            while True:
                start = max(0, stop - size)
                file.seek(start)
                parts = file.read(stop - start).split(b"\n")
                whole = parts if start == 0 else parts[1:]
                yield from reversed(whole[: len(whole) - done])
                done = len(whole)
                if start == 0 or size >= most:
                    return
                size *= 8
    except (OSError, ValueError):
        return


def _blocks(source: Source, start: int, stop: int) -> Iterator[bytes]:
    try:
        file, size = _open(source)
        with file:
            file.seek(start)
            stop = size if stop < 0 else min(stop, size)
            while start < stop:
                block = file.read(min(_BLOCK, stop - start))
                if not block:
                    return
                start += len(block)
                yield block
    except (OSError, ValueError):
        return


def read(source: Source) -> bytes:
    """Return a whole transcript; b'' if it is missing or cannot be read. Raises EntireError if it is larger than
    ``MAX_READ``: taken for an empty one, it would be overwritten.
    """
    if not isinstance(source, str):
        return bytes(source)
    try:
        file, size = _open(source)
        with file:
            _check_size(source, size)
            return file.read(size)
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return b""


def content(source: Source) -> Content:
    """Return what ``read`` does; a long transcript is not read, but stays as it is now also if another replaces it."""
    if not isinstance(source, str):
        return source
    from entire import contents

    _check_size(source, size(source))
    return contents.of_file(source)


def _check_size(path: str, size: int) -> None:
    if size > MAX_READ:
        raise EntireError(f"the transcript {path} is larger than {MAX_READ >> 20} MB",
                          hint="it was left as it is; move it away if its agent does not need it")  # fmt: skip


def head(source: Source, most: int) -> bytes:
    """Return at most the first ``most`` bytes of a source; b'' if it cannot be read."""
    return next(_blocks(source, 0, min(most, _BLOCK)), b"")


def ending(source: Source) -> bytes:
    """Return the last bytes of a source; b'' if it cannot be read."""
    end = size(source)
    return next(_blocks(source, max(end - _ENDING, 0), end), b"")


def session_files(folder: str, id_of: Callable[[str], str] | None = None) -> list[SessionFile]:
    """Return the sessions of a folder; empty if it cannot be read. ``id_of`` returns the id of the session in a file,
    '' if there is none; without it, the file is ``<id>.jsonl``.
    """
    id_of = id_of or _id_in_name
    listed = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                session = id_of(entry.path) if entry.is_file() else ""
                if session:
                    changed = entry.stat().st_mtime
                    listed.append(SessionFile(session_id=session, session_ref=entry.path, changed=changed))
    except OSError:
        pass
    return listed


def session_folders(folder: str, name: str) -> list[SessionFile]:
    """Return the sessions of a folder that has one for each, ``<id>/<name>``; empty if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            ids = [entry.name for entry in entries if is_session_id(entry.name)]
    except OSError:
        return []
    paths = {session: os.path.join(folder, session, name) for session in ids}
    return [SessionFile(session_id=session, session_ref=path, changed=os.stat(path).st_mtime)
            for session, path in paths.items() if os.path.isfile(path)]  # fmt: skip


def _id_in_name(path: str) -> str:
    name, end = os.path.splitext(os.path.basename(path))
    return name if end == ".jsonl" and is_session_id(name) else ""


def beginning(path: str) -> tuple[bytes, bool]:
    """Return a file that is short, and whether it is longer; b'' then, or if there is none."""
    data = head(path, _BEGINNING + 1)
    return (b"", True) if len(data) > _BEGINNING else (data, False)


def chunk(transcript: bytes, max_size: int) -> list[bytes]:
    """Split JSON lines into parts (formats.md 2.5): only between lines, no part above ``max_size`` with its newline.

    The newline between two parts is in neither; the last part keeps its own. A line longer than the limit is shortened
    and stays valid JSON.
    """
    limit = max(max_size, _SMALLEST_PART)
    if len(transcript) <= limit:
        return [transcript]
    parts: list[bytes] = []
    start = 0
    while len(transcript) - start > limit:
        cut = transcript.rfind(b"\n", start, start + limit) + 1
        if cut:
            parts.append(transcript[start : cut - 1])
        else:
            newline = transcript.find(b"\n", start)
            cut = len(transcript) if newline < 0 else newline + 1
            parts.append(shorten(transcript[start:cut].rstrip(b"\n"), limit - 1))
            if newline == len(transcript) - 1:
                parts[-1] += b"\n"
        start = cut
    if start < len(transcript):
        parts.append(transcript[start:])
    return parts


def join(parts: list[bytes]) -> bytes:
    """Join parts with exactly one newline between them."""
    return b"\n".join(parts)


def shorten(line: bytes, limit: int) -> bytes:
    """Return a JSON record in at most ``limit`` bytes, still valid: its longest strings are cut and marked."""
    if len(line) <= limit:
        return line
    keep = limit
    while keep > 8:
        keep //= 2
        shortener = Shortener(keep, limit)
        shortener.feed(line)
        short = shortener.result()
        if 0 < len(short) <= limit and loads(short) is not None:
            return short
    return cut_record(len(line))
