"""Decodes the parts of a text that hide words: percent-encoding and base64 of text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SHORTEST = 20
"""Length of the shortest base64 that is decoded; a shorter one is judged as it stands, by its name."""

DEPTH = 3
"""How often a decoded text is searched for encoded parts itself."""

_BASE64 = bytes(0x61 if byte < 0x80 and (chr(byte).isalnum() or byte in b"+/-_") else 0x20 for byte in range(256))
_NOT_TEXT = bytes(
    byte
    for byte in range(256)
    if (byte < 0x20 and byte not in b"\t\n\r\x1b") or byte in (0x7F, 0xC0, 0xC1) or byte >= 0xF5
)


def percent(text: bytes) -> list[tuple[int, int]]:
    """List where words with percent-encoded ASCII are, by start and end."""
    if b"%" not in text:
        return []
    import re

    rest = re.compile(rb"[^\s\"'`<>\x1e]{1,65536}+")
    before = re.compile(rb"[^\s\"'`<>\x1e]{0,2048}+\Z")
    found: list[tuple[int, int]] = []
    done = 0
    for match in re.finditer(rb"%[2-7][0-9A-Fa-f]", text):
        at = match.start()
        if at < done:
            continue
        low = max(done, at - 2048)
        word = before.search(text[low:at])
        end = rest.match(text, at)
        start, done = low + (word.start() if word else at - low), end.end() if end else match.end()
        found.append((start, done))
    return found


def base64(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the base64 of texts: start, end, and the text."""
    run = b"a" * SHORTEST
    mask = text.translate(_BASE64)
    at = mask.find(run)
    if at < 0:
        return
    from binascii import Error, a2b_base64

    while at >= 0:
        end = mask.find(b" ", at)
        end = len(text) if end < 0 else end
        padded = end + len(text[end : end + 2]) - len(text[end : end + 2].lstrip(b"="))
        digits = text[at:end].translate(_STANDARD)
        if _is_text(a2b_base64(digits[:SHORTEST])):
            try:
                decoded = a2b_base64(digits[: len(digits) // 4 * 4] + _tail(digits))
            except Error:
                decoded = b""
            if _is_text(decoded):
                yield at, padded, decoded
        at = mask.find(run, end)


_STANDARD = bytes.maketrans(b"-_", b"+/")


def _tail(encoded: bytes) -> bytes:
    rest = encoded[len(encoded) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def _is_text(data: bytes) -> bool:
    """Tell whether ``data`` looks like text: no control characters, and UTF-8 but for a character cut at its end."""
    if len(data.translate(None, _NOT_TEXT)) != len(data) or not data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3
    return True
