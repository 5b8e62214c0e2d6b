"""Finds lines from the middle of a private key, without its first and last line.

Such lines have no name and no marker: they are several, as wide as in a key file, and random throughout. Lines that
begin or end like something else in that form (a certificate, a public key, a signature, a file, an image) are left.
"""

from __future__ import annotations

from entire_secrets import patterns
from entire_secrets.text import LETTERS_AND_DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern

    from entire_secrets.text import Text

RULE = "private-key-body"

WIDTHS = (64, 70)
"""Of the lines in the file of a key."""

FEWEST, MOST = 4, 110
"""Lines in a part of a key: fewer may be anything, more are a file; the longest keys in use have a hundred."""

_BETWEEN = bytes(range(256)).translate(None, LETTERS_AND_DIGITS + b"+/")
_WORDS = bytes.maketrans(_BETWEEN, b" " * len(_BETWEEN))
_STARTS = (
    b"MI", b"AAAA", b"LS0t", b"iVBOR", b"R0lGOD", b"/9j/", b"UklGR", b"JVBER", b"H4sI", b"UEsDB", b"T2dnUw", b"d09G",
    b"AAEAAA", b"Qk0", b"f0VM", b"QlpoO", b"/Td6", b"PD94", b"hQ", b"iQ", b"mQ", b"wsB", b"xsB",
)  # fmt: skip
"""How DER, SSH's public keys, files of known formats and messages of PGP start in base64."""

_OF_CERTIFICATES = (b"\x06\x03\x55\x04", b"\x06\x03\x55\x1d", b"\x06\x08\x2b\x06\x01\x05\x05\x07")
"""Names and extensions of certificates in DER."""

_compiled: list[Pattern[bytes]] = []


def find(searched: Text) -> Iterator[tuple[int, int]]:
    """Yield the start and end of lines that look like those of a private key."""
    text, done = searched.plain, 0
    for start, end in searched.runs:
        if start < done or end - start < WIDTHS[0]:
            continue
        start = max(start, text.rfind(b"-", start, end) + 1, text.rfind(b"_", start, end) + 1)
        if end - start - text.startswith(b"+", start) not in WIDTHS and end - start not in WIDTHS:
            continue  # most runs: no pattern is needed to tell
        lines = _lines(text, start)
        if lines:
            done = lines[1]
            if _is_key(text, *lines):
                yield lines


def _lines(text: bytes, at: int) -> tuple[int, int] | None:
    if not _compiled:
        from entire_secrets.rules.macros import expand

        full = rb"(?:%%6{%d}(?!%%6))"
        # Possessive: there are many ways to match the indentation of a line, and those of the next lines multiply.
        several = rb"%s(?:%%L%s){%d,}+(?:%%L(?:%%6{16,69}={0,2}|%%6{2,15}={1,2})(?![\w+/=-]))?"
        widths = [several % (line, line, FEWEST - 1) for line in (full % width for width in WIDTHS)]
        _compiled.append(patterns.compile(expand(rb"\+?(?P<s>" + rb"|".join(widths) + rb")")))
    match = _compiled[0].match(text, at)
    return match.span("s") if match else None


def _is_key(text: bytes, start: int, end: int) -> bool:
    """Tell whether nothing in or around the lines says that they are something else."""
    before, after = text[max(start - 240, 0) : start], text[end : end + 120]
    if text.startswith(_STARTS, start) or b"BEGIN " in before or b"base64" in before:
        return False
    if b"---END " in after and b"PRIVATE" not in after:
        return False
    from binascii import Error, a2b_base64

    lines = _runs(text[start:end])
    if len(lines) > MOST:
        return False
    letters = b"".join(lines)
    if not letters.upper().translate(None, b"0123456789ABCDEF"):
        return False  # hex digits, as of a font
    try:
        data = a2b_base64(letters[: len(letters) // 4 * 4])
    except Error:
        return False
    high = sum(byte >= 0x80 for byte in data)
    return len(data) * 0.4 < high < len(data) * 0.6 and not any(sign in data for sign in _OF_CERTIFICATES)


def _runs(lines: bytes) -> list[bytes]:
    """Return the base64 in lines, without what tools print before it."""
    words = lines.translate(_WORDS).split()
    return [word[len(word) % 2 :] for word in words if len(word) > 63]  # without the sign of a diff
