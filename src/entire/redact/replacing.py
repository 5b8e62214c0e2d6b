"""Finds and replaces secrets: loaded only when there is something to redact."""

from __future__ import annotations

from entire.redact.engine import BY_ID, Finding, line_around, scan
from entire.redact.heuristics import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Find = Callable[[bytes], list[Finding]]

TOKEN_ROUNDS = 6
"""Rounds that replace single tokens before complete words are replaced."""


def text(data: bytes) -> bytes:
    return _replace_all(data, scan)


def document(data: bytes) -> bytes:
    """Replace the secrets in the string values of a JSON document, else in plain text."""
    return _replace_all(data, _find_in_document)


def lines(data: bytes) -> bytes:
    """Replace the secrets in JSON lines, each separately."""
    pieces: list[bytes] = []
    done = 0
    for finding in scan(data, by_line=True):
        if finding.start < done:
            continue  # this line is already replaced
        start, end = line_around(data, finding.start)
        pieces += (data[done:start], _replace_all(data[start:end], _find_in_document))
        done = end
    pieces.append(data[done:])
    return b"".join(pieces)


def find(data: bytes, *, by_line: bool = False) -> list[Finding]:
    """List what would be replaced, in order: in plain text or a JSON document, or with ``by_line`` in JSON lines."""
    if not by_line:
        return _merge(data, _find_in_document(data))
    found: list[Finding] = []
    done = 0
    for finding in scan(data, by_line=True):
        if finding.start >= done:
            start, done = line_around(data, finding.start)
            line = data[start:done]
            for item in _merge(line, _find_in_document(line)):
                found.append(Finding(rule=item.rule, start=start + item.start, end=start + item.end))
    return found


def _find_in_document(data: bytes) -> list[Finding]:
    findings = scan(data)
    if not findings:
        return findings
    from entire.redact.documents import is_json, within_values

    return within_values(data, findings) if is_json(data) else findings


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
