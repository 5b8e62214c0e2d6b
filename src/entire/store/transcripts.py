"""A session's transcript in git, in parts that never change, so checkpoints share them.

A transcript that only grows is cut at fixed places. Inner parts lose their last newline, and the parts are joined with
one newline (formats.md section 2.5), so the last part would change when another follows. Therefore the last part always
holds only the last line: all parts before it stay the same blobs (decision record 0004).
"""

from __future__ import annotations

from entire import files
from entire.git.write import LargeBlobs, blob_id
from entire.model import jsontext, transcripts
from entire.model.digest import for_size, hash_of, sha1
from entire.model.positions import StoredLines
from entire.model.transcripts import FileLines
from entire.model.value import Value, replace
from entire.redact import Redacted, trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from entire.git.read import Objects
    from entire.model.session import Session
    from entire.redact import Redactor

MAX_PART = 50 * 1024 * 1024  # GitHub refuses files above 100 MB; the Go CLI cuts here too
MERGE_AT = 400  # parts; a suffix has three digits, so there must never be more than 999
HASH_LIMIT = 16 * 1024 * 1024
# Bytes of a transcript that the steps of one session may store a second time, so the Go CLI can continue them: as
# one file, and as a new base file. A transcript above the larger limit is always in parts.
ONE_FILE_LIMIT = 256 << 10
BASE_LIMIT = 1 << 20
MAX_LINE = 64 << 20
"""Of a longer line only its size is stored: no agent sends as much to a model, and it would have to fit into memory."""
MAX_NEW = 128 << 20
"""Bytes of lines that one hook stores; later ones store the rest."""
_BLOCK = 2 << 20
_COMPOSED = "composed:"  # before the mark of lines that are in no file
_CHECKED = 256  # bytes before the stored end that reveal a rewritten file


class Stored(Value):
    """A transcript as it goes into a tree: its parts in order, as object ids if already in git, else as contents."""

    parts: tuple[str | Redacted, ...]
    lines: int
    size: int = 0  # in the agent's file
    revealed: bool = False  # what was stored before has a secret that is known since


def part_names(count: int) -> list[str]:
    """Return the file names of ``count`` parts."""
    return [f"full.jsonl.{n:03d}" if n else "full.jsonl" for n in range(count)]


def size(path: str) -> int:
    """Return a file's size; 0 if it does not exist."""
    try:
        return files.size_of_named(path)
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return 0


def read_span(path: str, start: int, end: int) -> bytes:
    """Return the bytes between two offsets of a file; fewer if it ends earlier."""
    try:
        file, size = files.open_named(path)
        with file:
            file.seek(start)
            return file.read(max(0, min(end, size) - start))
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return b""


def was_rewritten(session: Session, held: FileLines | None = None) -> bool:
    """Tell whether the transcript no longer starts with what is stored; of one in no file, only ``held`` tells."""
    stored = session.storage.extent
    if stored.size == 0 or (held is None and (not session.session_ref.file or stored.mark.startswith(_COMPOSED))):
        return False
    return _mark_of(held or FileLines(path=session.session_ref, lines=0, size=0), stored.size) != stored.mark


def forget(session: Session) -> None:
    """Make the next ``store`` start at the transcript's beginning."""
    session.storage = replace(session.storage, extent=StoredLines(), parts=[], last_line=[])


def part_ids(session: Session) -> list[str]:
    """Return the blobs of the parts and of the line after them: the next ``store`` may refer to them."""
    return [*(str(oid) for oid, _ in session.storage.parts), *map(str, session.storage.last_line[2:])]


def store(
    session: Session, held: FileLines, where: str, shorten: Callable[[bytes, int], bytes], redactor: Redactor
) -> Stored:
    """Return the parts of a transcript's lines; new content is redacted and recorded in the session.

    The caller writes the new parts in the same stream as the tree that contains them, before it saves the session.
    ``shorten`` cuts a value inside a single line that exceeds the size of a part. If there is more than ``MAX_NEW``,
    the result ends with a line before that, and the next call goes on from there.
    """
    if was_rewritten(session, held) or held.size < session.storage.extent.size or not session.storage.extent.lines:
        forget(session)  # also what was stored whole: such a part has its last newline
    since = redactor.remembered_at(session.storage.redacted_with)
    if since is None and _has_same_end(session, held):
        return Stored(parts=tuple(part_ids(session)), lines=held.lines, size=held.size)
    before = session.storage
    if since is None and held.size > session.storage.extent.size:
        since = redactor.remembered()
    known = [] if since is None else [(session.storage.extent.size, since)]
    with LargeBlobs(where) as blobs:
        stored = _store_new(session, held, blobs, lambda block: _redact(block, shorten, redactor), known, redactor)
    extent = session.storage.extent
    if extent.size:
        session.storage = replace(session.storage, extent=replace(extent, mark=_mark_of(held, extent.size)))
    revealed = _first_revealed(held, known, redactor)
    if revealed is None:
        session.storage = replace(
            session.storage, redacted_with=redactor.memory_size() if known else session.storage.redacted_with
        )
        return stored
    session.storage = replace(session.storage, extent=before.extent, parts=before.parts, last_line=[])
    was_stored = revealed < session.storage.extent.size
    if was_stored:
        forget(session)
    stored = store(session, held, where, shorten, redactor)
    return replace(stored, revealed=stored.revealed or was_stored)


def _store_new(
    session: Session,
    held: FileLines,
    blobs: LargeBlobs,
    redact: Callable[[bytes], Redacted],
    known: list[tuple[int, int]],
    redactor: Redactor,
) -> Stored:
    """Store what is new, and add to ``known`` how many secrets were remembered when the bytes up to a place had been
    redacted.
    """
    since = session.storage.extent.size
    session.storage = replace(session.storage, last_line=[])
    parts: list[str | Redacted] = [str(oid) for oid, _ in session.storage.parts]
    settled = _settled(held)
    for block, size, is_last in _blocks(held, since, held.size if settled is None else settled):
        last = b""
        if session.storage.extent.size + size > since + MAX_NEW and session.storage.parts:
            return Stored(parts=tuple(parts), lines=session.storage.extent.lines, size=session.storage.extent.size)
        if is_last and settled is None:
            whole = block.rfind(b"\n", 0, len(block) - 1) + 1
            block, last = block[:whole], block[whole:]
        if block:
            part = redact(block)
            if part.endswith(b"\n"):
                part = trusted(part[:-1])  # joining the parts restores it
            oid = _part_id(session, part)
            parts.append(blobs.put(part, oid) if _is_large(part) else part)
            _remember(session, size - len(last), [oid, block.count(b"\n")])
            known.append((session.storage.extent.size, redactor.remembered()))
        if last:
            parts.append(_store_last(session, last, redact(last)))
            known.append((session.storage.extent.size + len(last), redactor.remembered()))
    if settled is not None and (rest := _span(held, session.storage.extent.size, held.size)):
        parts.append(_store_last(session, rest, redact(rest)))
        known.append((held.size, redactor.remembered()))
    return Stored(parts=tuple(parts), lines=held.lines, size=held.size)


def _store_last(session: Session, last: bytes, part: Redacted) -> Redacted:
    """Return the part after those that never change, and remember it."""
    session.storage = replace(session.storage, last_line=[len(last), hash_of(last), _part_id(session, part)])
    return part


def _settled(held: FileLines) -> int | None:
    """Return where that begins which may still change; None if it is the last line, or too much for one part."""
    if held.settled is None or held.size - held.settled > MAX_PART:
        return None
    return held.content.rfind(b"\n", 0, min(held.settled, held.size - 1)) + 1


def _has_same_end(session: Session, held: FileLines) -> bool:
    """Tell whether nothing follows the parts but the last line, as it was stored."""
    size, digest, _ = session.storage.last_line or (0, "", "")
    start = session.storage.extent.size
    return bool(size) and start + size == held.size and hash_of(_span(held, start, held.size)) == digest


def _first_revealed(held: FileLines, known: Sequence[tuple[int, int]], redactor: Redactor) -> int | None:
    """Return where a span begins that has a secret which nothing told when it was redacted, but what follows it does.

    ``known``: the end of each span, and how many secrets were remembered when it had been redacted.
    """
    start = 0
    for end, count in known:
        if count < redactor.remembered():
            if any(redactor.reveals(block, count) for block, _, _ in _blocks(held, start, end)):
                return start
        start = end
    return None


def step_files(session: Session, whole: Stored, objects: Objects, *, is_counted: bool) -> dict[str, str | Redacted]:
    """Return a transcript's files in a step, by name, so the Go CLI can continue the step.

    It counts only the base file's lines, which must be more than the checkpoints have counted, and numbered files stay
    behind when it writes the next step. So a small transcript is one file; its parts are beside it, which keeps them
    from garbage collection until a checkpoint needs them. ``is_counted``: checkpoints count all lines, so the last
    one must be in the base file.
    """
    files = dict(zip(part_names(len(whole.parts)), whole.parts, strict=True))
    if len(files) == 1 or not whole.lines or whole.size > BASE_LIMIT:
        return files
    copied, before = session.storage.copied + whole.size, session.storage.extent.lines
    if is_counted or copied <= ONE_FILE_LIMIT:
        data = _joined(whole.parts, objects)
        if data is not None:
            session.storage = replace(session.storage, copied=session.storage.copied + len(data))
            return {part_names(1)[0]: data, **{f"parts/{name}": part for name, part in files.items()}}
    elif copied <= BASE_LIMIT and session.storage.parts[0][1] <= session.covered.position.count < before:
        data = _joined(whole.parts[:-1], objects)
        if data is not None:
            part = [blob_id(data, len(session.storage.parts[0][0])), before]
            session.storage = replace(session.storage, copied=session.storage.copied + len(data), parts=[part])
            return dict(zip(part_names(2), (data, whole.parts[-1]), strict=True))
    return files


def _joined(parts: Sequence[str | Redacted], objects: Objects) -> Redacted | None:
    """Return the parts as one file; None if one is missing in git."""
    contents = [part if isinstance(part, Redacted) else objects.blob(part) for part in parts]
    return None if None in contents else trusted(b"\n".join(part for part in contents if part is not None))


def _part_id(session: Session, part: Redacted) -> str:
    return blob_id(part, len(session.storage.parts[0][0]) if session.storage.parts else session.oid_size)


def _remember(session: Session, size: int, part: list[Any]) -> None:
    """Record a part of complete lines, which no longer changes; ``size``: theirs in the agent's transcript."""
    storage = session.storage
    extent = StoredLines(lines=storage.extent.lines + part[1], size=storage.extent.size + size)
    session.storage = replace(storage, extent=extent, parts=[*storage.parts, part])


def _redact(block: bytes, shorten: Callable[[bytes, int], bytes], redactor: Redactor) -> Redacted:
    redacted = redactor.redact_jsonl(block)
    if len(redacted) <= MAX_PART:
        return redacted
    return trusted(b"".join(shorten(line, MAX_PART) for line in redacted.splitlines(keepends=True)))


def _span(held: FileLines, start: int, end: int) -> bytes:
    """Return the bytes between two offsets of a transcript's lines; fewer if they end earlier."""
    return read_span(held.path, start, end) if held.path else held.content[start:end]


def _blocks(held: FileLines, start: int, end: int) -> Iterator[tuple[bytes, int, bool]]:
    """Yield a span in blocks of complete lines, each with its size in the transcript, and whether it is the last."""
    while start < end:
        wanted = _BLOCK
        block = _span(held, start, min(end, start + wanted))
        while start + len(block) < end and b"\n" not in block and len(block) == wanted < MAX_LINE:
            wanted = min(wanted * 2, MAX_LINE)
            block = b""  # not both at once
            block = _span(held, start, min(end, start + wanted))
        if not block:
            return
        if len(block) >= MAX_LINE and b"\n" not in block and start + len(block) < end:
            size = _line_size(held, start, end)
            start += size
            yield transcripts.cut_record(size) + b"\n", size, start >= end
            continue
        if wanted > _BLOCK:  # a line longer than a block gets its own part, which later lines do not change
            block = block[: block.find(b"\n") + 1] or block
        elif start + len(block) < end:
            block = block[: block.rfind(b"\n") + 1] or block
        if len(block) > MAX_PART:  # isolate a huge line, so only it is cut
            block = block[: block.rfind(b"\n", 0, MAX_PART) + 1 or block.find(b"\n") + 1] or block
        start += len(block)
        yield block, len(block), start >= end


def _line_size(held: FileLines, start: int, end: int) -> int:
    """Return the size of the line that starts at ``start``, with its newline."""
    at = start
    while at < end and (block := _span(held, at, min(end, at + _BLOCK))):
        newline = block.find(b"\n") + 1
        if newline:
            return at + newline - start
        at += len(block)
    return at - start


def merge(session: Session, objects: Objects, where: str) -> None:
    """Join old parts when there are many: a part's suffix has three digits."""
    if len(session.storage.parts) < MERGE_AT:
        return
    merged: list[list[Any]] = []
    data: list[bytes] = []
    lines = size = 0
    with LargeBlobs(where) as blobs:
        for oid, count in session.storage.parts:
            blob = objects.blob(oid)
            if blob is None:
                forget(session)  # our objects were deleted: store everything again
                return
            if data and size + len(blob) > MAX_PART // 4:
                merged.append([_put_joined(session, data, blobs), lines])
                data, lines, size = [], 0, 0
            data.append(blob)
            lines += count
            size += len(blob) + 1
        merged.append([_put_joined(session, data, blobs), lines])
    session.storage = replace(session.storage, parts=merged)


def _put_joined(session: Session, parts: list[bytes], blobs: LargeBlobs) -> str:
    joined = trusted(b"\n".join(parts))
    return blobs.put(joined, _part_id(session, joined))


def content_hash(parts: Sequence[bytes]) -> str:
    """Return ``sha256:...`` of the joined parts."""
    digest = for_size("sha256", sum(map(len, parts)))
    for number, part in enumerate(parts):
        digest.update(b"\n" + part if number else part)
    return "sha256:" + digest.hexdigest()


def store_whole(session: Session, chunks: Sequence[bytes], objects: Objects, redactor: Redactor) -> Stored:
    """Return the chunks of a transcript that is stored in one piece: usually one, a document or JSON lines.

    Of lines, only those after what is stored already are redacted, and nothing is written if there are none.
    """
    size = sum(map(len, chunks))
    if len(chunks) != 1 or not is_lines(chunks[0]):
        forget(session)
        parts = _document(session, chunks, objects, redactor)
        session.storage = replace(session.storage, redacted_with=redactor.memory_size())
        return Stored(parts=parts, lines=0, size=size)
    data, stored = chunks[0], session.storage.extent
    before = _stored_beginning(session, data, objects)
    known = before if redactor.remembered_at(session.storage.redacted_with) is None else b""
    if known and stored.size == size:
        return Stored(parts=(str(session.storage.parts[0][0]),), lines=0, size=size)
    secrets = redactor.remembered()
    redacted = redactor.redact_jsonl(data[stored.size if known else 0 :])
    redacted = trusted(known + redacted) if known else redacted
    if known and redactor.remembered() > secrets:
        redacted = redactor.redact_jsonl(bytes(redacted))  # what was found just now may stand in the rest, too
    _remember_whole(session, data, redacted)
    session.storage = replace(session.storage, redacted_with=redactor.memory_size())
    return Stored(parts=(redacted,), lines=0, size=size, revealed=not redacted.startswith(before))


def _stored_beginning(session: Session, data: bytes, objects: Objects) -> bytes:
    """Return what is stored of a transcript in one piece, if ``data`` goes on from there."""
    stored = session.storage.extent
    if not stored.size or stored.lines or len(session.storage.parts) != 1 or _mark(data, stored.size) != stored.mark:
        return b""
    return objects.blob(str(session.storage.parts[0][0])) or b""


def _document(
    session: Session, chunks: Sequence[bytes], objects: Objects, redactor: Redactor
) -> tuple[str | Redacted, ...]:
    """Return a document's chunks; one that is in one piece shares its redacted beginning with the last one."""
    if len(chunks) != 1:
        return tuple(redact(chunk, redactor) for chunk in chunks)
    from entire.store import documents

    redacted = documents.redact(session, chunks[0], objects, redactor)
    if isinstance(redacted, Redacted):
        documents.remember(session, chunks[0], redacted, blob_id(redacted, session.oid_size))
    return (redacted,)


def redact(content: bytes, redactor: Redactor) -> Redacted:
    """Redact a transcript of either form: JSON lines each for itself, a document as a whole."""
    return redactor.redact_jsonl(content) if is_lines(content) else redactor.redact_json(content)


def is_lines(data: bytes) -> bool:
    """Tell whether the first of several lines is a complete JSON value."""
    end = data.find(b"\n") + 1
    if not (data[end : end + _CHECKED].strip() or data[end:].strip()) or not end:
        return bool(end)
    try:
        jsontext.loads(data[:end])
    except (ValueError, RecursionError):
        return False
    return True


def put_large(stored: Stored, session: Session, where: str) -> Stored:
    """Put large parts into git at once, and return them by their ids."""
    with LargeBlobs(where) as blobs:
        parts = [
            blobs.put(part, _part_id(session, part)) if isinstance(part, Redacted) and _is_large(part) else part
            for part in stored.parts
        ]
    return replace(stored, parts=tuple(parts))


def _is_large(part: Redacted) -> bool:
    """Tell whether a part is put into git at once: no more than a few of them are kept in memory."""
    return len(part) > _BLOCK // 2


def _remember_whole(session: Session, data: bytes, redacted: Redacted) -> None:
    """Record a transcript that ends with a line: what follows can be redacted alone."""
    forget(session)
    if data.endswith(b"\n"):
        lines = data.count(b"\n")
        session.storage = replace(session.storage, parts=[[blob_id(redacted, session.oid_size), lines]])
        session.storage = replace(session.storage, extent=StoredLines(size=len(data), mark=_mark(data, len(data))))


def _mark(data: bytes, end: int) -> str:
    return sha1(data[max(0, end - _CHECKED) : end]).hexdigest()


def _mark_of(held: FileLines, end: int) -> str:
    """Return what tells whether lines still begin as they did: a file only grows, what is composed may change."""
    if not held.path:
        return _COMPOSED + sha1(held.content[:end]).hexdigest()
    return sha1(read_span(held.path, max(0, end - _CHECKED), end)).hexdigest()
