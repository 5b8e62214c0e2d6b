"""Finds secrets in texts of any size in bounded memory, without remembering them."""

from __future__ import annotations

import json
from bisect import bisect_right

from entire_secrets import documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from entire_secrets.replacing import Replacer
    from entire_secrets.text import Finding

    class Source(Protocol):
        """What is read from: up to ``size`` bytes at a time, none at the end."""

        def read(self, size: int, /) -> bytes: ...


BLOCK = 8 << 20
"""How many bytes are searched at once."""

BESIDE = 1 << 16
"""How many bytes before and after a block of plain text are looked at to judge what is in it."""

WHOLE = 64 << 20
"""A larger JSON document is searched as plain text, and a line of JSON lines in pieces of half of that, which take as
much memory.
"""

_LINES = (".jsonl", ".ndjson")


class Hit:
    """What would be replaced: the line and, if the text has records, the record it is in, counted from 1."""

    __slots__ = ("line", "record", "rule", "value")

    def __init__(self, line: int, record: int, finding: Finding) -> None:
        self.line = line
        self.record = record
        self.rule = finding.rule
        self.value = finding.value


def scan(replacer: Replacer, file: Source, name: str, progress: Callable[[int], None]) -> Iterator[Hit]:
    """Yield what would be replaced in a text. Its file's name or its beginning tells whether it is JSON lines, a JSON
    document or plain text. ``progress`` is called with how many bytes are read.
    """
    head = file.read(BLOCK)
    progress(len(head))
    if name.endswith(_LINES) or _starts_with_lines(head):
        yield from _in_lines(replacer, head, file, progress)
        return
    if head.lstrip()[:1] in (b"{", b"["):
        head += file.read(WHOLE + 1 - len(head))
        progress(len(head))
        if len(head) <= WHOLE and documents.is_json(head):
            yield from _in_document(replacer, head)
            return
    yield from _in_text(replacer, head, file, progress)


def _starts_with_lines(head: bytes) -> bool:
    """Tell whether a text begins with a JSON object or list on a line of its own, and goes on."""
    first, _, rest = head.lstrip().partition(b"\n")
    if first[:1] not in (b"{", b"[") or not rest.strip():
        return False
    try:
        return isinstance(json.loads(first.decode("utf-8", "replace"), parse_int=str), dict | list)
    except (ValueError, RecursionError):
        return False


def _in_lines(replacer: Replacer, data: bytes, file: Source, progress: Callable[[int], None]) -> Iterator[Hit]:
    line, done = 1, 0
    while data:
        rest = file.read(BLOCK)
        cut = data.rfind(b"\n") + 1 if rest else len(data)
        if not cut and len(data) < WHOLE // 2:
            data += rest
            continue
        block, data = data[: cut or len(data)], data[cut or len(data) :] + rest
        for finding, at in _numbered(replacer.find(block, by_line=True), block, line):
            yield Hit(at, at, finding)
        line += block.count(b"\n")
        done += len(block)
        progress(done)


def _in_document(replacer: Replacer, data: bytes) -> Iterator[Hit]:
    findings = replacer.find(data)
    records = documents.records(data) if findings else []
    starts = [start for start, _ in records]
    for finding, line in _numbered(findings, data, 1):
        number = bisect_right(starts, finding.start)
        is_inside = number and finding.start < records[number - 1][1]
        yield Hit(line, number if is_inside else 0, finding)


def _in_text(replacer: Replacer, data: bytes, file: Source, progress: Callable[[int], None]) -> Iterator[Hit]:
    before, line, done = b"", 1, 0
    while data:
        rest = file.read(BLOCK)
        window, low = before + data + rest[:BESIDE], len(before)
        findings = [each for each in replacer.find(window) if low <= each.start < low + len(data)]
        for finding, at in _numbered(findings, window, line - before.count(b"\n")):
            yield Hit(at, 0, finding)
        line += data.count(b"\n")
        done += len(data)
        progress(done)
        before, data = data[-BESIDE:], rest


def _numbered(findings: list[Finding], data: bytes, line: int) -> Iterator[tuple[Finding, int]]:
    """Yield findings in order with the number of their line, ``line`` being the first."""
    at = 0
    for finding in findings:
        line += data.count(b"\n", at, finding.start)
        at = finding.start
        yield finding, line
