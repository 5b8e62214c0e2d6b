"""Secrets out, before anything is kept.

What people and agents said (transcripts, prompts, metadata) passes through here on its way into git. The store accepts
only ``Redacted`` for it, so that the type checker proves that nothing gets past. See ``docs/explanation/redaction.md``.

Every function gives the same result for its own result (``redact(redact(x)) == redact(x)``), and a text without secrets
comes back as the bytes it was. A secret is replaced by ``[REDACTED:<rule id>]``.
"""

from __future__ import annotations

from entire.redact.documents import is_json, within_values
from entire.redact.engine import BY_ID, Finding, line_around, scan
from entire.redact.opinion import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Find = Callable[[bytes], list[Finding]]

__all__ = ["Finding", "Redacted", "find", "redact", "redact_json", "redact_jsonl", "redact_text", "trusted"]


PATIENCE = 6
"""Rounds of replacing one token after the other before whole words go."""


class Redacted(bytes):
    """Bytes without secrets, as far as we can tell.

    A marker for the type checker. Only this package makes them: ``redact``, ``redact_json`` and ``redact_jsonl`` from
    what a person, an agent or a tool wrote, ``trusted`` from what the program itself made. Never call it elsewhere.
    """

    __slots__ = ()


def redact(data: bytes) -> Redacted:
    """Replace the secrets in plain text."""
    return data if isinstance(data, Redacted) else Redacted(_settle(data, scan))


def redact_json(data: bytes) -> Redacted:
    """Replace the secrets in the string values of one JSON document, which stays valid; else in plain text."""
    return data if isinstance(data, Redacted) else Redacted(_settle(data, _find_in_document))


def redact_jsonl(data: bytes) -> Redacted:
    """Replace the secrets in JSON lines, each by itself; a line that is not JSON is plain text.

    Lines, their number, order and ends stay; lines without secrets are copied. New lines can be redacted alone: for an
    ``a`` that ends with a line, ``redact_jsonl(a + b) == redact_jsonl(a) + redact_jsonl(b)``.
    """
    if isinstance(data, Redacted):
        return data
    pieces: list[bytes] = []
    done = 0
    for finding in scan(data, by_line=True):
        if finding.start < done:
            continue  # in a line that is done
        start, end = line_around(data, finding.start)
        pieces += (data[done:start], _settle(data[start:end], _find_in_document))
        done = end
    pieces.append(data[done:])
    return Redacted(b"".join(pieces))


def redact_text(text: str) -> str:
    """Replace the secrets in a string."""
    return redact(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def trusted(data: bytes) -> Redacted:
    """Take bytes the program itself made of ids, counts and times: no word of a person, an agent or a tool."""
    return Redacted(data)


def find(data: bytes, *, lines: bool = False) -> list[Finding]:
    """List what would be replaced, in order: in plain text or one JSON document, or with ``lines`` in JSON lines."""
    if not lines:
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
    return within_values(data, findings) if findings and is_json(data) else findings


def _settle(data: bytes, find: Find) -> bytes:
    """Replace until nothing is found: a replacement can uncover the token that was glued to it.

    A hostile text may glue thousands; after a few rounds a replacement takes the rest of the word with it.
    """
    rounds = 0
    while findings := _merge(data, find(data)):
        rounds += 1
        pieces: list[bytes] = []
        done = 0
        for finding in findings:
            if finding.start >= done:
                pieces += (data[done : finding.start], MARK, finding.rule.encode(), b"]")
                done = finding.end if rounds <= PATIENCE else _word_end(data, finding.end)
        data = b"".join((*pieces, data[done:]))
    return data


def _word_end(data: bytes, at: int) -> int:
    import re

    rest = re.compile(rb"[^\s\"\\]*+").match(data, at)
    return rest.end() if rest else at


def _merge(data: bytes, findings: list[Finding]) -> list[Finding]:
    """Join findings that overlap, and let none end or start inside a UTF-8 character; a vendor's name goes first."""
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
