r"""What an agent's service has signed or encrypted: signatures of thinking blocks, and thoughts that only it can read.

The service refuses a conversation in which one of them was changed. So no rule touches them, and a restored
conversation leaves out the thinking blocks in which redaction once changed something.

They are known by their place: ``{"type":"thinking","signature":...}``, ``{"type":"redacted_thinking","data":...}``, and
the names that agents use for nothing else, if the value is of base64. A value of another object that is called
``signature`` is redacted like any value, and so is text that quotes a transcript: quotes are escaped there.
"""

from __future__ import annotations

from entire_secrets import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.transcripts import Content

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_MEMBER = _STRING + rb"\s*+:\s*+(?:" + _STRING + rb'|[^\s{}\[\]",]++)\s*+'
_FLAT = rb"\{\s*+" + _MEMBER + rb"(?:,\s*+" + _MEMBER + rb")*+\}"  # an object without lists and objects in it
_TYPE = rb'(?<!\\)"type"\s*+:\s*+"(thinking|redacted_thinking)"'
_SEAL = {
    b"thinking": rb'(?<!\\)"signature"\s*+:\s*+"([^"]*+)"',
    b"redacted_thinking": rb'(?<!\\)"data"\s*+:\s*+"([^"]*+)"',
}
_NAMED = (
    rb'(?<!\\)"(?:encrypted_content|encryptedContent|reasoningOpaque|reasoning_opaque|reasoningEncryptedContent|'
    rb'textSignature|thinkingSignature|thoughtSignature)"\s*+:\s*+"([A-Za-z0-9+/=_-]*+)"'
)

_HINTS = (b"thinking", b"ncrypted", b"paque", b"Signature")
_BROKEN = rb'(?<!\\)"thoughtSignature"\s*+:\s*+"[^"]*?REDACTED[^"]*+"'
_LONGEST = 64 << 20  # bytes of a line: nobody sends more to a service, and we store none
_BLANK = b" \t\r\n"
_MARK = b"REDACTED"  # of our redaction, and of the Go CLI's


def values(data: bytes) -> frozenset[int]:
    """Return where the sealed strings of a JSON document start, behind their quotes."""
    if not any(hint in data for hint in _HINTS):
        return frozenset()
    named = [starts.start(1) for starts in patterns.compile(_NAMED).finditer(data)]
    return frozenset((*named, *(start for _, _, start in _thoughts(data))))


def without_broken(data: Content) -> Content:
    """Return a transcript without the thinking blocks that contain a mark of redaction, and without signatures of other
    blocks that do. All other bytes stay: a record whose only block goes has an empty list. The same object, if nothing
    goes.
    """
    return _lines_without_broken(data) if isinstance(data, bytes) else _long_without_broken(data)


def _long_without_broken(data: Content) -> Content:
    """Do so for a transcript that is too long for memory: its lines are records."""
    from entire import contents

    pieces: list[Content] = []
    done = 0
    for at, lines in contents.lines_in_blocks(data):
        whole = _lines_without_broken(lines) if isinstance(lines, bytes) else _line_without_broken(lines)
        if whole is not lines:
            pieces += (contents.part(data, done, at), whole)
            done = at + len(lines)
    return contents.joined(*pieces, contents.part(data, done)) if pieces else data


def _line_without_broken(line: Content) -> Content:
    from entire import contents

    if len(line) > _LONGEST or not any(_MARK in block for block in contents.overlapping(line, len(_MARK))):
        return line
    data = bytes(line)
    whole = _lines_without_broken(data)
    return line if whole is data else whole


def _lines_without_broken(data: bytes) -> bytes:
    pieces, done = list[bytes](), 0
    at = -1
    while (at := data.find(_MARK, at + 1)) >= 0:
        start = data.rfind(b"\n", done, at) + 1 or done
        if data[start : start + 1] != b"{":  # not a record: a document of many lines
            start, end = done, len(data)
        else:
            end = data.find(b"\n", at) + 1 or len(data)
        if broken := _broken(data, start, end):
            pieces += (data[done:start], *_mended(data, start, end, broken))
            done = end
        at = end - 1
    return b"".join((*pieces, data[done:])) if pieces else data


def _broken(data: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of a record, or document, that are to go."""
    record = data if (start, end) == (0, len(data)) else data[start:end]
    spans = [(first, last) for first, last, _ in _thoughts(record) if _MARK in record[first:last]]
    spans += [match.span() for match in patterns.compile(_BROKEN).finditer(record)]
    return sorted((start + first, start + last) for first, last in spans)


def _mended(data: bytes, start: int, end: int, broken: list[tuple[int, int]]) -> list[bytes]:
    kept, done = list[bytes](), start
    for first, last in broken:
        kept.append(data[done:first])
        comma = patterns.compile(rb"\s*+,\s*+").match(data, last, end)
        done = comma.end() if comma is not None else last
        if comma is None:
            _drop_comma(kept)
    return [*kept, data[done:end]]


def _drop_comma(pieces: list[bytes]) -> None:
    """Remove the comma before the last of a list or object, if there is one."""
    last = next((at for at in reversed(range(len(pieces))) if pieces[at].strip(_BLANK)), 0)
    if (piece := pieces[last].rstrip(_BLANK)).endswith(b","):
        pieces[last:] = [piece[:-1]]


def _thoughts(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the start and end of each thinking block, and where its sealed string starts."""
    for block in patterns.compile(_FLAT).finditer(data):
        kind = patterns.compile(_TYPE).search(block.group())
        seal = patterns.compile(_SEAL[kind.group(1)]).search(block.group()) if kind is not None else None
        if seal is not None:
            yield block.start(), block.end(), block.start() + seal.start(1)
