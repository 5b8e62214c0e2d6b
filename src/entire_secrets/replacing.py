"""Finds and replaces secrets in raw bytes: loaded only when there is something to redact.

Blocks of many lines are scanned as they are seen by a person; only lines in which something is found are taken apart,
to know which of their bytes to replace.
"""

from __future__ import annotations

from entire_secrets import MARK, patterns
from entire_secrets.engine import search
from entire_secrets.reading import encoded, views
from entire_secrets.text import LINE_END, Finding, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from entire_secrets.memory import Memory
    from entire_secrets.own_rules import OwnRules

    Find = Callable[[bytes], list[Finding]]
    Search = Callable[[Text], list[Finding]]

BLOCK = 1 << 20
"""How many bytes of lines are scanned at once: larger blocks do not fit into a cache of the processor."""

PIECE = 1 << 22
"""How many bytes of a document are searched at once, or more, up to the end of an object."""

KEPT = 1 << 23
"""How many of the first bytes are kept as they read: they are searched again for what a later line reveals."""

TOKEN_ROUNDS = 6
"""Rounds that replace single tokens before complete words are replaced."""


class Replacer:
    """Finds and replaces what the built-in rules and a team's own find, what is remembered, and what is given."""

    def __init__(
        self,
        memory: Memory,
        own: OwnRules | None = None,
        given: Collection[bytes] = (),
        sealed: Callable[[bytes], frozenset[int]] = lambda _: frozenset(),
    ) -> None:
        """``given``: values that are secrets. ``sealed`` returns where the strings of a document start that no rule may
        touch.
        """
        self.memory = memory
        self._own = own
        self._given = given
        self._sealed = sealed

    def text(self, data: bytes) -> bytes:
        """Replace the secrets in plain text."""
        return self._replaced(data, _by_place)

    def document(self, data: bytes) -> bytes:
        """Replace the secrets in the string values of a JSON document, else in plain text."""
        return self._replaced(data, self._in_document)

    def lines(self, data: bytes) -> bytes:
        """Replace the secrets in JSON lines, each separately.

        A block is searched once, however many secrets it has; its lines are taken apart only to map what was found.
        """
        memory = self.memory
        known = memory.count
        by_line: dict[tuple[int, int], list[Finding]] = {}
        spans: dict[tuple[int, int], frozenset[tuple[int, int]]] = {}
        revealed = 0  # up to here, lines may contain what later ones revealed
        kept: dict[int, Text] = {}
        for start, end in _blocks(data):
            before = memory.count
            text = _text(data[start:end])
            if end <= KEPT:
                kept[start] = text
            for place, seen in _lines_of_block(data, start, text, self._search):
                by_line[place] = self._mapped(data[slice(*place)], seen)
                spans[place] = seen.spans() if seen is not None else frozenset()
                self._learn(by_line[place])
            if memory.count > before:
                revealed = end
        for start, end in _blocks(data[:revealed]):
            text = kept.get(start) or _text(data[start:end])
            for place, seen in _lines_of_block(data, start, text, lambda seen: self._remembered(seen, known)):
                if seen is None or not seen.spans() <= spans.get(place, frozenset()):  # else it is known already
                    by_line[place] = [*by_line.get(place, ()), *self._mapped(data[slice(*place)], seen)]
        redacted = self._without(data, by_line)
        memory.save()
        return redacted

    def _without(self, data: bytes, by_line: dict[tuple[int, int], list[Finding]]) -> bytes:
        """Replace what was found in lines, then what that uncovers there."""
        places = sorted(by_line)
        changed = [_replace(data[slice(*place)], by_line[place], _finding_end) for place in places]
        joined = b"\n".join(changed)
        for start, end in list(_lines_to_redact(joined, self._search)):
            number = joined.count(b"\n", 0, start)
            changed[number] = _replace_all(joined[start:end], self._find_in_document, rounds=1)
        pieces: list[bytes] = []
        done = 0
        for (start, end), line in zip(places, changed, strict=True):
            pieces += (data[done:start], line)
            done = end
        return b"".join((*pieces, data[done:]))

    def _mapped(self, line: bytes, seen: Seen | None) -> list[Finding]:
        """Return where in a line is what was found in its plain view; None: part of it is encoded, so it is taken
        apart.
        """
        if seen is None:
            return self._find_in_document(line)
        view = views.View(line.replace(b"\x1e", b" "), is_traced=True)
        if view.text != seen.text:
            return self._find_in_document(line)
        mapped = []
        for finding in seen.findings:
            low, high = finding.start - seen.start, min(finding.end - seen.start, len(seen.text))
            start, end = view.origin(low, high)
            mapped.append(Finding(finding.rule, start, end, seen.text[low:high]))
        return self._in_document(line, mapped)

    def reveals(self, data: bytes, since: int) -> bool:
        """Tell whether JSON lines contain a remembered secret, but for the first ``since`` of them."""
        return any(_lines_to_redact(data, lambda text: list(self.memory.find(text, since))))

    def find(self, data: bytes, *, by_line: bool = False) -> list[Finding]:
        """List what would be replaced, in order: in plain text or a document, or with ``by_line`` in JSON lines."""
        if not by_line:
            return _merge(data, self._find_in_document(data))
        return [
            finding
            for start, end in _lines_to_redact(data, self._search)
            for finding in _moved(_merge(data[start:end], self._find_in_document(data[start:end])), start)
        ]

    def _replaced(self, data: bytes, chosen: Callable[[bytes, list[Finding]], list[Finding]]) -> bytes:
        memory = self.memory
        known = memory.count
        unfiltered = self._find(data)
        findings = chosen(data, unfiltered)
        if not findings:
            return data
        self._learn(findings)
        if memory.count > known:  # what the end reveals may stand at the beginning, too
            findings = chosen(data, [*unfiltered, *_search_blocks(data, lambda text: self._remembered(text, known))])
        once = _replace(data, findings, _finding_end)
        redacted = _replace_all(once, lambda left: chosen(left, self._find(left)), rounds=1)
        memory.save()
        return redacted

    def _learn(self, findings: list[Finding]) -> None:
        from entire_secrets.rules.rule import is_lasting

        memory = self.memory
        for finding in findings:
            if is_lasting(finding.rule):
                memory.learn(finding.rule, finding.value)

    def _search(self, text: Text) -> list[Finding]:
        """Find in a plain view what is known to be secret, but for what is allowed."""
        findings = [*search(text), *self.memory.find(text), *_given(text, self._given)]
        if self._own is not None:
            findings += self._own.find(text.plain)
        return self._without_allowed(text, findings)

    def _remembered(self, text: Text, since: int) -> list[Finding]:
        """Find in a plain view what was learned since ``since`` secrets were known."""
        return self._without_allowed(text, list(self.memory.find(text, since)))

    def _without_allowed(self, text: Text, findings: list[Finding]) -> list[Finding]:
        if self._own is None:
            return findings
        allowed = self._own.allowed
        return [each for each in findings if not allowed.has(each.rule, text.plain[each.start : each.end])]

    def _find(self, data: bytes) -> list[Finding]:
        """Find the secrets in ``data`` and in what is encoded there, with their values as a person sees them."""
        return _search_blocks(data, self._search)

    def _find_in_document(self, data: bytes) -> list[Finding]:
        return self._in_document(data, self._find(data))

    def _in_document(self, data: bytes, findings: list[Finding]) -> list[Finding]:
        """Return findings, sorted, as far as they are in values of a JSON document, and no exceptions; else all of
        them.
        """
        findings = _by_place(data, findings)
        if not findings:
            return findings
        from entire_secrets import documents

        if not documents.is_json(data):
            return findings
        places = self._own.allowed.places(data) if self._own is not None else []
        allowed = documents.around(data, places) if places else []
        if allowed:
            findings = [each for each in findings if not any(start <= each.start < end for start, end in allowed)]
        return documents.within_values(data, findings, self._sealed(data))


def has_any(data: bytes, memory: Memory) -> bool:
    """Tell whether a text contains a secret that ``memory`` knows, as a person sees the text or encoded in it."""
    return any(_lines_to_redact(data, lambda text: list(memory.find(text))))


def _by_place(_data: bytes, findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (finding.start, finding.end))


def _given(text: Text, values: Collection[bytes]) -> Iterator[Finding]:
    for value in values:
        at = text.plain.find(value)
        while at >= 0:
            yield Finding("session-token", at, at + len(value))
            at = text.plain.find(value, at + len(value))


def _search_blocks(data: bytes, search: Search) -> list[Finding]:
    findings: list[Finding] = []
    for start, end in _pieces(data):
        seen = _find_seen(views.View(data[start:end].replace(b"\x1e", b" ")), search)
        findings += seen if not start else _moved(seen, start)
    return findings


def _moved(findings: list[Finding], by: int) -> list[Finding]:
    return [finding.at(finding.start + by, finding.end + by) for finding in findings]


def _pieces(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each piece of a text: a large document is searched in pieces of some megabytes, each
    up to the end of an object in a list, so its views need no more memory than theirs.
    """
    start = 0
    if len(data) > PIECE and data.lstrip(b" \t\r\n")[:1] in (b"{", b"["):
        between = patterns.compile(rb"\},\s*+(?=\{\s*+\")")  # within a string, it ends there
        while len(data) - start > PIECE and (cut := between.search(data, start + PIECE)):
            yield start, cut.end()
            start = cut.end()
    yield start, len(data)


def _find_seen(view: views.View, search: Search, depth: int = 0) -> list[Finding]:
    """Find the secrets in a view; one in base64 takes the whole base64 with it."""
    text = Text(view.text)
    findings = [Finding(each.rule, each.start, each.end, view.text[each.start : each.end]) for each in search(text)]
    if depth < encoded.DEPTH:
        for start, _, part in encoded.parts(view.text):
            for inner in _find_seen(part, search, depth + 1):
                findings.append(inner.at(start + inner.start, start + inner.end))
        for start, end, decoded in encoded.base64(text, packed=depth < 2):
            for inner in _find_seen(views.View(decoded), search, depth + 1):
                findings.append(inner.at(start, end))
    return _located(view, findings)


def _located(view: views.View, findings: list[Finding]) -> list[Finding]:
    """Return findings of a view with their places in the bytes that it shows."""
    return [finding.at(*view.origin(finding.start, finding.end)) for finding in findings]


def _hidden(text: Text, search: Search) -> Iterator[int]:
    """Yield where a plain view has an encoded part with a secret."""
    for start, _, part in encoded.parts(text.plain):
        for finding in _find_seen(part, search, 1):
            yield start + finding.start
    for start, _, decoded in encoded.base64(text):
        if _find_seen(views.View(decoded), search, 1):
            yield start


def _lines_to_redact(data: bytes, search: Search) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line with a secret, without its line feed."""
    for start, end in _blocks(data):
        for place, _ in _lines_of_block(data, start, _text(data[start:end]), search):
            yield place


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each block of whole lines."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + BLOCK) + 1 or len(data)
        yield start, end
        start = end


def _text(block: bytes) -> Text:
    return Text(views.plain(block.replace(b"\x1e", b" ").replace(b"\n", LINE_END)))


class Seen:
    """What was found in a line of a plain view, which starts at ``start`` there."""

    __slots__ = ("findings", "start", "text")

    def __init__(self, text: bytes, start: int, findings: list[Finding]) -> None:
        self.text = text
        self.start = start
        self.findings = findings

    def spans(self) -> frozenset[tuple[int, int]]:
        """Where in the line something was found."""
        return frozenset((finding.start - self.start, finding.end - self.start) for finding in self.findings)


def _lines_of_block(
    data: bytes, start: int, text: Text, search: Search
) -> Iterator[tuple[tuple[int, int], Seen | None]]:
    """Yield the start and end of each line with a secret, without its line feed, and what was found there; None if
    something was found in what is encoded there.
    """
    findings = sorted(search(text), key=lambda finding: finding.start)
    hidden = sorted(_hidden(text, search), reverse=True)
    plain, number = text.plain, 0
    low, raw = 0, start
    while number < len(findings) or hidden:
        at = min([finding.start for finding in findings[number : number + 1]] + hidden[-1:])
        for _ in range(plain.count(LINE_END, low, at)):
            raw = data.index(b"\n", raw) + 1
        low = max(plain.rfind(LINE_END, low, at) + len(LINE_END), low) if LINE_END in plain[low:at] else low
        high = plain.find(LINE_END, at)
        high = len(plain) if high < 0 else high
        first = number
        while number < len(findings) and findings[number].start < high:
            number += 1
        is_hidden = bool(hidden) and hidden[-1] < high
        while hidden and hidden[-1] < high:
            hidden.pop()
        line_end = data.find(b"\n", raw)
        place = (raw, len(data) if line_end < 0 else line_end)
        yield place, None if is_hidden else Seen(plain[low:high], low, findings[first:number])


def _replace_all(data: bytes, find: Find, *, rounds: int = 0) -> bytes:
    """Replace until nothing is found: a replacement can uncover a token that was adjacent to it.

    Hostile text may contain thousands of adjacent tokens; after some rounds a replacement takes the rest of the word.
    """
    while (findings := find(data)) and (changed := _replace(data, findings, _end_in(rounds))) != data:
        rounds += 1
        data = changed
    return data


def _end_in(rounds: int) -> Callable[[bytes, int], int]:
    return _finding_end if rounds < TOKEN_ROUNDS else _word_end


def _replace(data: bytes, findings: list[Finding], end_of: Callable[[bytes, int], int]) -> bytes:
    """Replace findings once; ``end_of`` says where what is replaced ends, by the end of a finding."""
    pieces: list[bytes] = []
    done = 0
    for finding in _merge(data, findings):
        if finding.start >= done:
            pieces += (data[done : finding.start], MARK, finding.rule.encode(), b"]")
            done = end_of(data, finding.end)
    return b"".join((*pieces, data[done:]))


def _finding_end(_data: bytes, at: int) -> int:
    return at


def _word_end(data: bytes, at: int) -> int:
    rest = patterns.compile(rb"[^\s\"\\]*+").match(data, at)
    return rest.end() if rest else at


def _merge(data: bytes, findings: list[Finding]) -> list[Finding]:
    """Join overlapping findings, never splitting UTF-8 characters; a provider's rule names it, else a place's."""
    from entire_secrets.rules.rule import rank

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
            merged.append(Finding(rule, last.start, max(last.end, end), last.value))
        elif (start, end) == (finding.start, finding.end):
            merged.append(finding)
        else:
            merged.append(finding.at(start, end))
    return merged
