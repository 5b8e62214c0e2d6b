r"""Replaces secrets in JSON and leaves all other bytes unchanged.

A document is never parsed and printed again. Replacements happen inside the string literals they touch, on complete
escapes, so the document stays valid JSON with the same structure, keys, numbers and order. If a pattern extends beyond
a literal (``"password": "..."``), only the part inside string values is replaced.
"""

from __future__ import annotations

from entire_secrets import patterns
from entire_secrets.judging.heuristics import STRUCTURAL_KEYS
from entire_secrets.rules.rule import rank
from entire_secrets.text import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

_TOKEN = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]'
_LITERAL = rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"(\s*+:\s*+)?'


def is_json(data: bytes) -> bool:
    """Tell whether ``data`` is a JSON document; bytes that are not UTF-8 inside its strings do not matter."""
    import json

    if data.lstrip(b" \t\r\n")[:1] not in (b"{", b"[", b'"'):
        return False
    try:
        # Numbers stay text: Python refuses to convert those of more than 4,300 digits, and JSON does not. Objects are
        # not kept, and each byte is a character: a large document takes no more than its size.
        json.loads(data.decode("latin-1"), parse_int=str, parse_float=str, object_pairs_hook=len)
    except ValueError:
        return False
    except RecursionError:
        return True  # nested too deep to tell; replacing within literals is safe for JSON and for text
    return True


def within_values(data: bytes, findings: list[Finding], sealed: frozenset[int] = frozenset()) -> list[Finding]:
    """Cut findings in a JSON document, sorted by start, to the string values they touch, at the borders of escapes.

    ``sealed``: where the strings start that stay as they are.
    """
    inside: list[Finding] = []
    pending, reaching = findings[::-1], list[Finding]()
    key: Match[bytes] | None = None
    for literal in patterns.compile(_LITERAL, patterns.DOTALL).finditer(data):
        while pending and pending[-1].start < literal.end():
            reaching.append(pending.pop())
        reaching = [finding for finding in reaching if finding.end > literal.start()]
        if literal.group(2):
            key = literal
        elif literal.start(1) not in sealed:
            structural = key is not None and key.end() == literal.start() and key.group(1) in STRUCTURAL_KEYS
            for finding in reaching:
                # Only a form that says enough by itself is a secret also in an id, path or signature.
                if not structural or rank(finding.rule) == 0:
                    _cut(data, finding, literal, inside)
        if not pending and not reaching:
            break
    return inside


def _cut(data: bytes, finding: Finding, literal: Match[bytes], inside: list[Finding]) -> None:
    low, high = literal.span(1)
    start, end = max(finding.start, low), min(finding.end, high)
    if start < end:
        start, end = _escape(data, start, low)[0], _escape(data, end, low)[1]
        is_whole = (start, end) == (finding.start, finding.end)
        inside.append(finding if is_whole else finding.at(start, end))


def _escape(data: bytes, at: int, low: int) -> tuple[int, int]:
    r"""Return the borders of the escape (``\n``, ``\u0026``) that a cut at ``at`` would split; ``at`` twice if none."""
    slash = data.rfind(b"\\", max(low, at - 5), at)
    if slash < 0:
        return at, at
    run = slash
    while run > low and data[run - 1] == 0x5C:
        run -= 1
    if (slash - run) % 2:  # the second half of an escaped backslash
        return at, at
    end = slash + (6 if data[slash + 1 : slash + 2] == b"u" else 2)
    return (slash, end) if at < end else (at, at)


def records(data: bytes) -> list[tuple[int, int]]:
    """Return the start and end of each element of the longest list that is in no other list: a transcript's records."""
    lists: dict[int, list[tuple[int, int]]] = {0: []}
    for depth, first, start, end in _elements(data):
        if depth == 1:
            lists.setdefault(first, []).append((start, end))
    return max(lists.values(), key=len)


def around(data: bytes, places: list[int]) -> list[tuple[int, int]]:
    """Return the start and end of the innermost element of a list around each place; of all of ``data`` if there is
    none.
    """
    elements, left = [], places
    for _, _, start, end in _elements(data):
        if any(start <= place < end for place in left):
            elements.append((start, end))
            left = [place for place in left if not start <= place < end]
    return [*elements, (0, len(data))] if left else elements


def _elements(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield the elements of all lists of a JSON document, inner ones first: the depth of the list, where it begins,
    and the element's start and end.
    """
    first = [0]  # where each open list begins
    starts: list[int] = []  # of the element that each open bracket is in, -1 in an object
    for token in patterns.compile(_TOKEN, patterns.DOTALL).finditer(data):
        sign = token.group()
        if sign in (b"[", b"{"):
            starts.append(token.end() if sign == b"[" else -1)
            if sign == b"[":
                first.append(token.start())
        elif sign in (b"]", b"}", b",") and starts:
            if starts[-1] >= 0:
                yield len(first) - 1, first[-1], starts[-1], token.start()
                starts[-1] = token.end()
            if sign != b"," and starts.pop() >= 0:
                first.pop()
