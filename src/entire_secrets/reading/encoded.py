"""Decodes the parts of a text that hide words: percent-encoding, forms, quoted-printable, dumps, and base64 of text."""

from __future__ import annotations

from entire_secrets import literals, patterns
from entire_secrets.reading import views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern

    from entire_secrets.text import Text

SHORTEST = 20
"""Length of the shortest base64 that is decoded; a shorter one is judged as it stands, by its name."""

DEPTH = 3
"""How often a decoded text is searched for encoded parts itself."""

UNPACKED = 1 << 22, 24
"""How much of what is compressed is looked at: bytes, and times its size. Text is rarely compressed further."""

UNPACKED_MEMORY = 1 << 26
"""How many bytes of memory the format that asks for most may take."""

_NARROWEST = 40  # a line of base64 that continues on the next

_PACKED = (
    *(b"H4sI", b"Qlpo", b"/Td6WFoA", b"_Td6WFoA", b"XQAA", b"KLUv/", b"KLUv_"),
    *(b"eA" + third for third in (b"E", b"F", b"G", b"H")),
    *(b"eF" + third for third in (b"4", b"5", b"6", b"7")),
    *(b"eJ" + third for third in (b"w", b"x", b"y", b"z")),
    *(b"eN" + third for third in (b"o", b"p", b"q", b"r")),
)
"""How what is compressed starts in base64: gzip, bzip2, xz, lzma, Zstandard, and zlib at its four levels."""

_SIGNS = (
    (tuple(b"%" + digit for digit in (b"0", b"2", b"3", b"4", b"5", b"6", b"7")), rb"%(?:[2-7][0-9A-Fa-f]|0[9AaDd])"),
    ((b"&",), rb"&[\w.-]{1,40}="),
)
"""What encoded words contain: literals that tell quickly where, and a pattern."""

_OFFSET = b"000"
"""How the offset of a line of a dump starts."""

_BEFORE_OFFSET = b"-\n \t\"'`>|:+x([=\x7f,;{*#\x92\x82"
"""What may stand before it: a hyphen only at the start of a line; the last two bytes end an arrow and a frame."""

_NOT_TEXT = bytes(range(0x20)).translate(None, b"\t\n\r\x1b") + b"\x7f\xc0\xc1" + bytes(range(0xF5, 0x100))


def parts(text: bytes) -> Iterator[tuple[int, int, views.View]]:
    """Yield the parts in which single characters are encoded: start, end, and how they read."""
    for start, end in percent(text):
        part = text[start:end]
        if b"%" in part:
            yield start, end, views.View(part, views.PERCENT)
        if b"+" in part:
            yield start, end, views.View(part, views.FORM)
    for start, end in printable(text):
        yield start, end, views.View(text[start:end], views.PRINTABLE)
    offsets = [at for at in literals.places(text, (_OFFSET,)) if not at or text[at - 1] in _BEFORE_OFFSET]
    if offsets := [at for at in offsets if text[at - 1 : at] != b"-" or text[max(at - 2, 0) : at] in (b"-", b"\n-")]:
        from entire_secrets.reading import dumps

        yield from dumps.find(text, offsets)


def percent(text: bytes) -> list[tuple[int, int]]:
    """List where words with percent-encoded ASCII or several fields of a form are, by start and end."""
    signs = [(literals.places(text, each), pattern) for each, pattern in _SIGNS if each[0][:1] in text]
    if not any(places for places, _ in signs):
        return []
    rest = patterns.compile(rb"[^\s\"'`<>\x1e]{1,65536}+")
    before = patterns.compile(rb"[^\s\"'`<>\x1e]{0,2048}+\Z")
    spans: list[tuple[int, int]] = []
    for places, pattern in signs:
        done = 0
        for at in places:
            if at < done or not (sign := patterns.compile(pattern).match(text, at)):
                continue
            low = max(done, at - 2048)
            word = before.search(text[low:at])
            end = rest.match(text, at)
            start, done = low + (word.start() if word else at - low), end.end() if end else sign.end()
            spans.append((start, done))
    return list(dict.fromkeys(spans))


def printable(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield where quoted-printable is: behind a header that says so, and in lines with ``=3D``."""
    encoded_until = part_until = 0
    for at in literals.places(text, (b"quoted-printable", b"=3D")):
        if text[at : at + 1] == b"q" and at >= encoded_until:
            end = text.find(b"\x1e", at)
            encoded_until = end if end >= 0 else len(text)
            yield at, encoded_until
        elif text[at : at + 1] == b"=" and at >= part_until:
            start, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at)
            while text[start - 2 : start] == b"=\n":
                start = text.rfind(b"\n", 0, start - 2) + 1
            while end > 0 and text[end - 1 : end] == b"=":
                end = text.find(b"\n", end + 1)
            part_until = end if end >= 0 else len(text)
            yield start, part_until


def base64(searched: Text, *, packed: bool = True) -> Iterator[tuple[int, int, bytes]]:
    """Yield the base64 of texts: start, end, and the text; with ``packed``, also of compressed ones."""
    text, done = searched.plain, 0
    alone = 0  # up to here, lines do not belong together
    for at, end in searched.runs:
        if at < done or end - at < SHORTEST:
            continue
        signed = 0
        promising = _is_promising(text, at, packed=packed)
        if not promising and text[at : at + 1] in (b"+", b"-") and end - at > SHORTEST:  # perhaps the sign of a diff
            signed = 1
            promising = _is_promising(text, at + 1, packed=packed)
        if promising:
            lines = [(at + signed, end)]
            if end > alone and end - at >= _NARROWEST:
                lines = _lines(searched, lines[0], signed=bool(signed))
            for tried in dict.fromkeys((len(lines), len(lines) - 1 or 1, 1)):
                decoded = _text_of([text[start:stop] for start, stop in lines[:tried]], packed=packed)
                if decoded:
                    done = lines[tried - 1][1]
                    yield lines[0][0], done + _padding(text, done), decoded
                    break
                alone = lines[-1][1]


def _is_promising(text: bytes, at: int, *, packed: bool) -> bool:
    """Tell whether the base64 at ``at`` begins as that of a text does. Names and paths repeat: verdicts are kept."""
    if text[at] not in _FIRST[packed] and text[at + 2] not in _WIDE:
        return False
    start = text[at : at + SHORTEST]
    verdicts = _promising[packed]
    verdict = verdicts.get(start)
    if verdict is None:
        if len(verdicts) >= _VERDICTS:
            verdicts.clear()
        is_packed = packed and start.startswith(_PACKED)
        verdict = verdicts[start] = is_packed or bool(_text_of([start], packed=False))
    return verdict


_OF_TEXT = frozenset(b"-_CDGIJKLMNOPQRSTUVWXYZabcdefwxyz0123456789")
_FIRST = (_OF_TEXT, _OF_TEXT.union([packed[0] for packed in _PACKED]))
"""What base64 of text in UTF-8 may begin with, without and with what is compressed: two random words of three do."""
_WIDE = b"ABCD"
"""What stands third where the second byte is 0, as in UTF-16."""

_VERDICTS = 4096
_promising: tuple[dict[bytes, bool], dict[bytes, bool]] = ({}, {})
"""Verdicts, without and with what is compressed."""


def _lines(searched: Text, first: tuple[int, int], *, signed: bool) -> list[tuple[int, int]]:
    """Return the first line of base64 and those that continue it: as long as it is, the last one perhaps shorter."""
    lines, width = [first], first[1] - first[0]
    line_end = _line_end(signed=signed)
    while lines[-1][1] - lines[-1][0] == width and (match := line_end.match(searched.plain, lines[-1][1])):
        start = match.end()
        end = searched.end_of_run(start)
        if not 0 < end - start <= width:
            break
        lines.append((start, end))
    return lines


def _line_end(*, signed: bool) -> Pattern[bytes]:
    """Return the pattern of the end of a line of base64 and of what tools print before the next one."""
    return patterns.compile(
        rb"[ \t]{0,80}\n[ \t>|]{0,80}(?:(?:[\w./@-]{1,200}[:-])?\d{1,7}(?:[:\t|-]|\xe2\x86\x92)[ \t]{0,80})?"
        + (rb"[+-][ \t]{0,80}" if signed else b"")
    )


def _padding(text: bytes, end: int) -> int:
    return len(text[end : end + 2]) - len(text[end : end + 2].lstrip(b"="))


_STANDARD = bytes.maketrans(b"-_", b"+/")


def _text_of(lines: list[bytes], *, packed: bool) -> bytes:
    """Return the text that these lines of base64 are, b"" if none."""
    from binascii import Error, a2b_base64

    digits = b"".join(lines).translate(_STANDARD)
    try:
        data = a2b_base64(digits[: len(digits) // 4 * 4] + _tail(digits))
    except Error:
        return b""
    if packed and digits.startswith(_PACKED):
        data = _unpacked(data) or data
    if data[1:2] == b"\0" or data.startswith(b"\xff\xfe"):
        data = data[: len(data) // 2 * 2].decode("utf-16-le", "replace").encode().removeprefix(b"\xef\xbb\xbf")
    return data if _is_text(data) else b""


def _unpacked(data: bytes) -> bytes:
    """Return what ``data`` compresses, as much of it as ``UNPACKED`` allows and as is there; nothing if it is broken,
    or this Python cannot unpack it.
    """
    most = min(UNPACKED[0], UNPACKED[1] * len(data))
    try:
        if data.startswith((b"\x1f\x8b", b"x")):
            import zlib

            return zlib.decompressobj(47).decompress(data, most)  # either of the two
        if data.startswith(b"BZh"):
            import bz2

            return bz2.BZ2Decompressor().decompress(data, most)
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            from compression import zstd  # type: ignore[import-not-found, unused-ignore] # since Python 3.14

            return bytes(zstd.ZstdDecompressor().decompress(data, most))
        import lzma

        return lzma.LZMADecompressor(memlimit=UNPACKED_MEMORY).decompress(data, most)
    except Exception:  # each library has an error of its own, and may be missing
        return b""


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
