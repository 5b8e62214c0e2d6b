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
_MARK = b"REDACTED"  # of our redaction, and of the Go CLI's


def values(data: bytes) -> frozenset[int]:
    """Return where the sealed strings of a JSON document start, behind their quotes."""
    if not any(hint in data for hint in _HINTS):
        return frozenset()
    named = [starts.start(1) for starts in patterns.compile(_NAMED).finditer(data)]
    return frozenset((*named, *(start for _, _, start in _thoughts(data))))


def without_broken(data: bytes) -> bytes:
    """Return a transcript without the thinking blocks that contain a mark of redaction, and without signatures of other
    blocks that do. All other bytes stay: a record whose only block goes has an empty list.
    """
    pieces, done = list[bytes](), 0
    while (at := data.find(_MARK, done)) >= 0:
        start = data.rfind(b"\n", done, at) + 1 or done
        if data[start : start + 1] != b"{":  # not a record: a document of many lines
            start, end = done, len(data)
        else:
            end = data.find(b"\n", at) + 1 or len(data)
        pieces += (data[done:start], _mended(data[start:end]))
        done = end
    return b"".join((*pieces, data[done:])) if pieces else data


def _mended(record: bytes) -> bytes:
    broken = [(start, end) for start, end, _ in _thoughts(record) if _MARK in record[start:end]]
    broken += [match.span() for match in patterns.compile(_BROKEN).finditer(record)]
    kept, done = bytearray(), 0
    for start, end in sorted(broken):
        kept += record[done:start]
        comma = patterns.compile(rb"\s*+,\s*+").match(record, end)
        done = comma.end() if comma is not None else end
        if comma is None:  # the last of its list or object: the comma before it goes
            last = next((at for at in range(len(kept), 0, -1) if kept[at - 1] not in b" \t\r\n"), 0)
            if kept[last - 1 : last] == b",":
                del kept[last - 1 :]
    return bytes(kept + record[done:])


def _thoughts(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the start and end of each thinking block, and where its sealed string starts."""
    for block in patterns.compile(_FLAT).finditer(data):
        kind = patterns.compile(_TYPE).search(block.group())
        seal = patterns.compile(_SEAL[kind.group(1)]).search(block.group()) if kind is not None else None
        if seal is not None:
            yield block.start(), block.end(), block.start() + seal.start(1)
