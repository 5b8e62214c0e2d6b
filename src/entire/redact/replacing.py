"""Finds and replaces secrets in raw bytes: loaded only when there is something to redact.

Blocks of many lines are scanned as they are seen by a person; only lines in which something is found are taken apart,
to know which of their bytes to replace.
"""

from __future__ import annotations

from entire.redact import encoded, views
from entire.redact.engine import LINE_END, Finding, scan
from entire.redact.heuristics import MARK
from entire.redact.rules.table import BY_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Find = Callable[[bytes], list[Finding]]

BLOCK = 1 << 22
"""How many bytes of lines are scanned at once: limits memory."""

TOKEN_ROUNDS = 6
"""Rounds that replace single tokens before complete words are replaced."""


def text(data: bytes) -> bytes:
    """Replace the secrets in plain text."""
    return _replace_all(data, _find)


def document(data: bytes) -> bytes:
    """Replace the secrets in the string values of a JSON document, else in plain text."""
    return _replace_all(data, _find_in_document)


def lines(data: bytes) -> bytes:
    """Replace the secrets in JSON lines, each separately."""
    pieces: list[bytes] = []
    done = 0
    for start, end in _lines_to_redact(data):
        pieces += (data[done:start], _replace_all(data[start:end], _find_in_document))
        done = end
    pieces.append(data[done:])
    return b"".join(pieces)


def find(data: bytes, *, by_line: bool = False) -> list[Finding]:
    """List what would be replaced, in order: in plain text or a JSON document, or with ``by_line`` in JSON lines."""
    if not by_line:
        return _merge(data, _find_in_document(data))
    return [
        Finding(rule=found.rule, start=start + found.start, end=start + found.end)
        for start, end in _lines_to_redact(data)
        for found in _merge(data[start:end], _find_in_document(data[start:end]))
    ]


def _find(data: bytes) -> list[Finding]:
    """Find the secrets in ``data`` and in what is encoded there."""
    found = _find_seen(views.View(data.replace(b"\x1e", b" ")))
    return sorted(found, key=lambda finding: (finding.start, finding.end))


def _find_seen(view: views.View, depth: int = 0) -> list[Finding]:
    """Find the secrets in a view; one in base64 takes the whole base64 with it."""
    found = scan(view.text)
    if depth < encoded.DEPTH:
        for start, end in encoded.percent(view.text):
            for inner in _find_seen(views.View(view.text[start:end], percent=True), depth + 1):
                found.append(Finding(rule=inner.rule, start=start + inner.start, end=start + inner.end))
        for start, end, decoded in encoded.base64(view.text):
            for rule in {inner.rule for inner in _find_seen(views.View(decoded), depth + 1)}:
                found.append(Finding(rule=rule, start=start, end=end))
    return [
        Finding(rule=finding.rule, start=start, end=end)
        for finding in found
        for start, end in (view.origin(finding.start, finding.end),)
    ]


def _hidden(text: bytes) -> Iterator[int]:
    """Yield where a plain view has an encoded part with a secret."""
    for start, end in encoded.percent(text):
        if _find_seen(views.View(text[start:end], percent=True), 1):
            yield start
    for start, _, decoded in encoded.base64(text):
        if _find_seen(views.View(decoded), 1):
            yield start


def _find_in_document(data: bytes) -> list[Finding]:
    findings = _find(data)
    if not findings:
        return findings
    from entire.redact.documents import is_json, within_values

    return within_values(data, findings) if is_json(data) else findings


def _lines_to_redact(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line with a secret, without its line feed."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + BLOCK) + 1 or len(data)
        yield from _lines_of_block(data, start, end)
        start = end


def _lines_of_block(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    block = data[start:end]
    text = views.plain(block.replace(b"\x1e", b" ").replace(b"\n", LINE_END))
    places = {finding.start for finding in scan(text)}
    places.update(_hidden(text))
    seen = raw = 0
    done = -1
    for place in sorted(places):
        for _ in range(text.count(LINE_END, seen, place)):
            raw = block.index(b"\n", raw) + 1
        seen = place
        if raw > done:
            done = raw
            line_end = block.find(b"\n", raw)
            yield start + raw, end if line_end < 0 else start + line_end


def _replace_all(data: bytes, find: Find) -> bytes:
    """Replace until nothing is found: a replacement can uncover a token that was adjacent to it.

    Hostile text may contain thousands of adjacent tokens; after some rounds a replacement takes the rest of the word.
    """
    rounds = 0
    while findings := _merge(data, find(data)):
        rounds += 1
        pieces: list[bytes] = []
        done = 0
        for finding in findings:
            if finding.start >= done:
                pieces += (data[done : finding.start], MARK, finding.rule.encode(), b"]")
                done = finding.end if rounds <= TOKEN_ROUNDS else _word_end(data, finding.end)
        data = b"".join((*pieces, data[done:]))
    return data


def _word_end(data: bytes, at: int) -> int:
    import re

    rest = re.compile(rb"[^\s\"\\]*+").match(data, at)
    return rest.end() if rest else at


def _merge(data: bytes, findings: list[Finding]) -> list[Finding]:
    """Join overlapping findings, never splitting UTF-8 characters; a vendor's rule name wins over a generic one."""
    merged: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: (finding.start, BY_ID[finding.rule].generic, -finding.end)):
        start, end = finding.start, finding.end
        while start > 0 and data[start] & 0xC0 == 0x80 and finding.start - start < 3:
            start -= 1
        while end < len(data) and data[end] & 0xC0 == 0x80 and end - finding.end < 3:
            end += 1
        if merged and start < merged[-1].end:
            last = merged.pop()
            rule = finding.rule if BY_ID[last.rule].generic else last.rule
            merged.append(Finding(rule=rule, start=last.start, end=max(last.end, end)))
        else:
            merged.append(Finding(rule=finding.rule, start=start, end=end))
    return merged
