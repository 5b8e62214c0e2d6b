"""Bytes of transcripts: in memory, or if they are many, in spans of open files, which are read block by block.

Nobody need know which: whoever puts a conversation back or compares two of them holds a few MB, however long they are.
"""

from __future__ import annotations

import io
import os

from entire import files
from entire.errors import EntireError
from entire.model.digest import for_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from entire.model.transcripts import Content

    Span = tuple[bytes | "OpenFile", int, int]

MOST = 4 << 20
"""Bytes that stay in memory."""
_BLOCK = 1 << 20
_FOLDERS = ("/var/tmp", "/tmp", ".")  # noqa: S108  # the first is on a disk, where /tmp may be memory


class OpenFile:
    """A file that stays readable if its name goes to another one, or if it never had one."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __del__(self) -> None:
        os.close(self.fd)

    def read(self, start: int, stop: int) -> bytes:
        data = os.pread(self.fd, stop - start, start)
        if not data:
            raise EntireError("a transcript became shorter while it was read", hint="try again")
        return data


class Spans:
    """Content in spans of files, and of bytes between them."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = tuple(span for span in spans if span[1] < span[2])
        self._size = sum(stop - start for _, start, stop in self._spans)

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (bytes, Spans)):
            return NotImplemented
        return len(self) == len(other) and same(self, 0, other, 0, len(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._size} bytes>"

    def __bytes__(self) -> bytes:
        return b"".join(self.blocks())

    def spans(self, start: int, stop: int) -> Iterator[Span]:
        at = 0
        for held, first, last in self._spans:
            low, high = max(start - at, 0), min(stop - at, last - first)
            if low < high:
                yield held, first + low, first + high
            at += last - first

    def part(self, start: int, stop: int) -> Content:
        return _content(self.spans(start, stop))

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        for held, first, last in self.spans(start, self._size if stop is None else stop):
            at = first
            while at < last:
                end = min(at + _BLOCK, last)
                data = held[at:end] if isinstance(held, bytes) else held.read(at, end)
                yield data
                at += len(data)

    def open(self) -> BinaryIO:
        return io.BufferedReader(_SpansFile(self), _BLOCK)


class _SpansFile(io.RawIOBase):
    """Reads spans like a file."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + (0, self._at, len(self._spans))[whence]
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = next(self._spans.blocks(self._at, min(self._at + len(buffer), len(self._spans))), b"")
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class BlockReader:
    """Reads blocks like a file."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._rest = b""

    def read(self, size: int) -> bytes:
        parts = [self._rest]
        while (size := size - len(parts[-1])) > 0 and (block := next(self._blocks, b"")):
            parts.append(block)
        data = b"".join(parts)
        end = len(data) + min(size, 0)
        self._rest = data[end:]
        return data[:end]


class Scratch:
    """A file without a name, for what is too much for memory: it goes with the process, however that ends."""

    def __init__(self) -> None:
        self._file: OpenFile | None = None
        self._end = 0

    def keep(self, blocks: Iterable[bytes]) -> Content:
        """Return what these blocks are together."""
        start, size = self._end, 0
        few: list[bytes] = []
        for block in blocks:
            size += len(block)
            few.append(block)
            if size > MOST:
                self._write(few)
                few = []
        if size <= MOST:
            return b"".join(few)
        self._write(few)
        assert self._file is not None
        return Spans([(self._file, start, self._end)])

    def _write(self, blocks: Iterable[bytes]) -> None:
        try:
            if self._file is None:
                self._file = OpenFile(_unnamed())
            for block in blocks:
                rest = memoryview(block)
                while rest:
                    written = os.pwrite(self._file.fd, rest, self._end)
                    self._end += written
                    rest = rest[written:]
        except OSError as error:
            raise EntireError(
                f"cannot put a long transcript aside: {error.strerror}; nothing was changed",
                hint="free some disk space, or set TMPDIR to a folder that has some",
            ) from error


def _unnamed() -> int:
    """Return the descriptor of a new private file, in the folder that TMPDIR names or on a disk."""
    folder = os.environ.get("TMPDIR") or next(filter(os.path.isdir, _FOLDERS))
    path = os.path.join(folder, f"entire-{os.getpid()}-{os.urandom(8).hex()}")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    os.unlink(path)
    return fd


def of_file(path: str) -> Content:
    """Return what a file holds now, empty if it is missing or must not be read (``files.open_named``)."""
    try:
        file, size = files.open_named(path)
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return b""
    with file:
        return file.read(size) if size <= MOST else Spans([(OpenFile(os.dup(file.fileno())), 0, size)])


def _content(spans: Iterable[Span]) -> Content:
    kept = Spans(spans)
    return bytes(kept) if len(kept) <= MOST else kept


def part(content: Content, start: int, stop: int | None = None) -> Content:
    """Return what is between two offsets."""
    if isinstance(content, bytes):
        return content[start:stop]
    return content.part(start, len(content) if stop is None else stop)


def read(content: Content, start: int, stop: int) -> bytes:
    """Return the bytes between two offsets."""
    return content[start:stop] if isinstance(content, bytes) else b"".join(content.blocks(start, stop))


def blocks(content: Content, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
    """Yield the bytes between two offsets, block by block."""
    return iter([content[start:stop]]) if isinstance(content, bytes) else content.blocks(start, stop)


def joined(*contents: Content) -> Content:
    """Return contents as one."""
    return _content(span for content in contents for span in _spans(content))


def _spans(content: Content) -> Iterator[Span]:
    if isinstance(content, bytes):
        yield content, 0, len(content)
    elif isinstance(content, Spans):
        yield from content.spans(0, len(content))


def same(left: Content, at: int, right: Content, to: int, size: int) -> bool:
    """Tell whether ``size`` bytes are the same from an offset in each; False if one ends before."""
    if at + size > len(left) or to + size > len(right):
        return False
    end = at + size
    while at < end:
        step = min(_BLOCK, end - at)
        if read(left, at, at + step) != read(right, to, to + step):
            return False
        at, to = at + step, to + step
    return True


def digest(content: Content) -> str:
    """Return the SHA-256 in hex digits."""
    sha = for_size("sha256", len(content))
    for block in blocks(content):
        sha.update(block)
    return sha.hexdigest()


def line_end(content: Content, start: int) -> int:
    """Return the offset after the newline of the line at an offset, or the end."""
    if isinstance(content, bytes):
        return content.find(b"\n", start) + 1 or len(content)
    for block in content.blocks(start):
        if end := block.find(b"\n") + 1:
            return start + end
        start += len(block)
    return len(content)


def count_lines(content: Content) -> int:
    """Return how many newlines there are."""
    return sum(block.count(b"\n") for block in blocks(content))


def lines_in_blocks(content: Content) -> Iterator[tuple[int, Content]]:
    """Yield whole lines, as many at once as a block has, with their offset; a line that is longer, as content."""
    at = 0
    while at < len(content):
        block: Content = read(content, at, at + _BLOCK)
        end = bytes(block).rfind(b"\n") + 1
        block = part(block, 0, end) if end else part(content, at, line_end(content, at))
        yield at, block
        at += len(block)


def overlapping(content: Content, overlap: int) -> Iterator[bytes]:
    """Yield blocks that each begin with the end of the one before: what is no longer than that is whole in one."""
    before = b""
    for block in blocks(content):
        yield before + block
        before = block[-overlap:]
