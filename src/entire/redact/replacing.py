"""Finds and replaces secrets in raw bytes: loaded only when there is something to redact.

Blocks of many lines are scanned as they are seen by a person; only lines in which something is found are taken apart,
to know which of their bytes to replace.
"""

from __future__ import annotations

from entire.model.value import replace
from entire.redact import policy
from entire.redact.engine import LINE_END, Finding, Text, search
from entire.redact.judging.heuristics import MARK
from entire.redact.reading import encoded, views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from entire.redact.memory import Memory

    Find = Callable[[bytes], list[Finding]]
    Search = Callable[[Text], list[Finding]]

BLOCK = 1 << 20
"""How many bytes of lines are scanned at once: larger blocks do not fit into a cache of the processor."""

KEPT = 1 << 23
"""How many of the first bytes are kept as they read: what a later line reveals is sought in them again."""

TOKEN_ROUNDS = 6
"""Rounds that replace single tokens before complete words are replaced."""


def text(data: bytes) -> bytes:
    """Replace the secrets in plain text."""
    return _replaced(data, _find)


def document(data: bytes) -> bytes:
    """Replace the secrets in the string values of a JSON document, else in plain text."""
    return _replaced(data, _find_in_document)


def lines(data: bytes) -> bytes:
    """Replace the secrets in JSON lines, each separately."""
    memory = policy.current().memory
    known = memory.count
    places: set[tuple[int, int]] = set()
    revealed = 0  # up to here, lines may contain what later ones revealed
    kept: dict[int, Text] = {}
    for start, end in _blocks(data):
        before = memory.count
        text = _text(data[start:end])
        if end <= KEPT:
            kept[start] = text
        for place in _lines_of_block(data, start, text, _search):
            places.add(place)
            _learn(_find_in_document(data[slice(*place)]))
        if memory.count > before:
            revealed = end
    for start, end in _blocks(data[:revealed]):
        text = kept.get(start) or _text(data[start:end])
        places.update(_lines_of_block(data, start, text, lambda seen: list(memory.find(seen, known))))
    pieces: list[bytes] = []
    done = 0
    for start, end in sorted(places):
        pieces += (data[done:start], _replace_all(data[start:end], _find_in_document))
        done = end
    memory.save()
    return b"".join((*pieces, data[done:]))


def reveals(data: bytes, since: int) -> bool:
    """Tell whether JSON lines contain a secret that the repository remembers, but for the first ``since`` of them."""
    memory = policy.current().memory
    return any(_lines_to_redact(data, lambda text: list(memory.find(text, since))))


def has_any(data: bytes, memory: Memory) -> bool:
    """Tell whether a text contains a secret that ``memory`` knows, as a person sees the text or encoded in it."""
    return any(_lines_to_redact(data, lambda text: list(memory.find(text))))


def find(data: bytes, *, by_line: bool = False) -> list[Finding]:
    """List what would be replaced, in order: in plain text or a JSON document, or with ``by_line`` in JSON lines."""
    if not by_line:
        return _merge(data, _find_in_document(data))
    return [
        replace(found, start=start + found.start, end=start + found.end)
        for start, end in _lines_to_redact(data, _search)
        for found in _merge(data[start:end], _find_in_document(data[start:end]))
    ]


def _replaced(data: bytes, find: Find) -> bytes:
    memory = policy.current().memory
    findings = find(data)
    if not findings:
        return data
    _learn(findings)
    redacted = _replace_all(data, find)
    memory.save()
    return redacted


def _learn(findings: list[Finding]) -> None:
    from entire.redact.rules.table import is_lasting

    memory = policy.current().memory
    for finding in findings:
        if is_lasting(finding.rule):
            memory.learn(finding.rule, finding.value)


def _search(text: Text) -> list[Finding]:
    """Find what the rules, the repository's own rules and its memory know in a plain view."""
    chosen = policy.current()
    found = [*search(text), *chosen.memory.find(text), *_given(text)]
    if chosen.config is None:
        return found
    found += chosen.config.find(text.plain, chosen.budget)
    return [each for each in found if not chosen.config.allows(each.rule, text.plain[each.start : each.end])]


def _given(text: Text) -> Iterator[Finding]:
    for value in policy.withheld:
        at = text.plain.find(value)
        while at >= 0:
            yield Finding(rule="session-token", start=at, end=at + len(value))
            at = text.plain.find(value, at + len(value))


def _find(data: bytes) -> list[Finding]:
    """Find the secrets in ``data`` and in what is encoded there, with their values as a person sees them."""
    found = _find_seen(views.View(data.replace(b"\x1e", b" ")), _search)
    return sorted(found, key=lambda finding: (finding.start, finding.end))


def _find_seen(view: views.View, search: Search, depth: int = 0) -> list[Finding]:
    """Find the secrets in a view; one in base64 takes the whole base64 with it."""
    text = Text(view.text)
    found = [replace(finding, value=view.text[finding.start : finding.end]) for finding in search(text)]
    if depth < encoded.DEPTH:
        for start, _, part in encoded.parts(view.text):
            for inner in _find_seen(part, search, depth + 1):
                found.append(replace(inner, start=start + inner.start, end=start + inner.end))
        for start, end, decoded in encoded.base64(text, packed=depth < 2):
            for inner in _find_seen(views.View(decoded), search, depth + 1):
                found.append(replace(inner, start=start, end=end))
    places = [view.origin(finding.start, finding.end) for finding in found]
    return [replace(finding, start=start, end=end) for finding, (start, end) in zip(found, places, strict=True)]


def _hidden(text: Text, search: Search) -> Iterator[int]:
    """Yield where a plain view has an encoded part with a secret."""
    for start, _, part in encoded.parts(text.plain):
        for found in _find_seen(part, search, 1):
            yield start + found.start
    for start, _, decoded in encoded.base64(text):
        if _find_seen(views.View(decoded), search, 1):
            yield start


def _find_in_document(data: bytes) -> list[Finding]:
    findings = _find(data)
    if not findings:
        return findings
    from entire.redact import documents

    if not documents.is_json(data):
        return findings
    config = policy.current().config
    places = config.allowed_places(data) if config is not None else []
    allowed = documents.around(data, places) if places else []
    if allowed:
        findings = [each for each in findings if not any(start <= each.start < end for start, end in allowed)]
    return documents.within_values(data, findings)


def _lines_to_redact(data: bytes, search: Search) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line with a secret, without its line feed."""
    for start, end in _blocks(data):
        yield from _lines_of_block(data, start, _text(data[start:end]), search)


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each block of whole lines."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + BLOCK) + 1 or len(data)
        yield start, end
        start = end


def _text(block: bytes) -> Text:
    return Text(views.plain(block.replace(b"\x1e", b" ").replace(b"\n", LINE_END)))


def _lines_of_block(data: bytes, start: int, text: Text, search: Search) -> Iterator[tuple[int, int]]:
    places = {finding.start for finding in search(text)}
    places.update(_hidden(text, search))
    seen, raw = 0, start
    done = -1
    for place in sorted(places):
        for _ in range(text.plain.count(LINE_END, seen, place)):
            raw = data.index(b"\n", raw) + 1
        seen = place
        if raw > done:
            done = raw
            line_end = data.find(b"\n", raw)
            yield raw, len(data) if line_end < 0 else line_end


def _replace_all(data: bytes, find: Find) -> bytes:
    """Replace until nothing is found: a replacement can uncover a token that was adjacent to it.

    Hostile text may contain thousands of adjacent tokens; after some rounds a replacement takes the rest of the word.
    """
    rounds = 0
    while (found := find(data)) and (findings := _merge(data, found)):
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
    """Join overlapping findings, never splitting UTF-8 characters; a provider's rule names it, else a place's."""
    from entire.redact.rules.table import rank

    merged: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: (finding.start, rank(finding.rule), -finding.end)):
        start, end = finding.start, finding.end
        while start > 0 and data[start] & 0xC0 == 0x80 and finding.start - start < 3:
            start -= 1
        while end < len(data) and data[end] & 0xC0 == 0x80 and end - finding.end < 3:
            end += 1
        if merged and start < merged[-1].end:
            last = merged.pop()
            rule = min(last.rule, finding.rule, key=rank)
            merged.append(replace(last, rule=rule, end=max(last.end, end)))
        else:
            merged.append(replace(finding, start=start, end=end))
    return merged
