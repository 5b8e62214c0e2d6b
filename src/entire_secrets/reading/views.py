r"""Shows bytes as a person sees them, and finds where each byte comes from.

The same secret reaches a transcript in many spellings: in JSON inside JSON, in a Python repr, coloured, escaped for
HTML. Rules are written for plain text, so bytes become a *plain view* before rules run:

* a run of backslashes and what it escapes become the character: ``\"``, ``\\\"``, ``\n``, ``\u003d``, ``\x1b``;
* a backslash at the end of a line becomes a blank with the indentation behind it, but nothing within a word, and a
  quote that is quoted becomes one, as for a shell;
* HTML's entities become their characters, CRLF and CR become LF, and so does a NUL that separates;
* escape sequences of terminals vanish, also in their 8-bit form, encoded or as single bytes of Latin-1, as do
  characters without width, and the NUL bytes of UTF-16.

Decoding does not follow the structure of the text. So it works at every depth, and where it is wrong (``C:\new``), it
only moves the border of a word. All of it are the tables ``_ESCAPES`` and ``_CONTROLS``: ``plain`` applies them to
blocks of megabytes, and ``View`` keeps what each pass changed, for the few lines in which something was found.
"""

from __future__ import annotations

from entire_secrets import literals, patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match, Pattern

    from entire_secrets.reading.layers import Layer

    Pass = tuple[tuple[bytes, ...], bytes, "bytes | Callable[[Match[bytes]], bytes]"]

INNER_QUOTE = b"\x7f"
"""Stands for a quote within a quoted value (``"pass\"word"``); no rule takes it for the value's end."""

_REPLACEMENT = b"\xef\xbf\xbd"
_NO_UTF8 = b"\xff"
_SAMPLE = 1 << 15  # bytes of a text whose escapes are counted
_LATIN = (0x9B, 0xAD)
"""Characters that a repr writes as ``\\x9b``; others from 0x80 on are bytes there as often."""

_ENTITIES = {b"quot": b'"', b"apos": b"'", b"amp": b"&", b"lt": b"<", b"gt": b">", b"nbsp": b" "}


def _collapsed(match: Match[bytes]) -> bytes:
    """Return what a run of backslashes and perhaps a line's end mean.

    Inside JSON at depth 1, 2, 3, a backslash that continues a line is 3, 6, 12 backslashes and an ``n``.
    """
    size, text = len(match.group(1)) + 2, match.string
    if (
        text.endswith((b"\\u001b", b"\\x1b", b"\\033"), 0, match.start())
        and text[match.end() : match.end() + 1] != b"u"
    ):
        # A backslash that ends a link or title, and perhaps an escape behind it.
        rest = b"n" if size in _WHOLE else b"\n"
        return b"\x07" + (rest + match.group(3) if match.group(2) else b"" if size in _WHOLE else b"\\")
    if not match.group(2):
        return b"\\"
    return _joined(match) if size in _WITH_LINE_END else b"\n" + match.group(3)


def _numbered(match: Match[bytes]) -> bytes:
    r"""Return the backslashes that mean what ``\u005c`` does: twice as many at each depth."""
    run, numbers = match.groups()
    return run * (1 << len(numbers) // len(b"u005c"))


_WHOLE = (2, 4, 8, 16)
_WITH_LINE_END = (3, 6, 12, 24)
"""How many backslashes a backslash is at each depth, and with a line's end behind it."""


def _joined(match: Match[bytes]) -> bytes:
    """Return what a backslash at a line's end becomes with the indentation of the next line: a blank, if there is none
    before; but nothing within a word, as for a shell.
    """
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1 : start]
    if match.group().endswith((b" ", b"\t")):
        return b"" if before in (b" ", b"\t") else b" "
    return b"" if _is_letter(before) and _is_letter(text[end : end + 1]) else b" "


def _is_letter(byte: bytes) -> bool:
    """Tell whether a byte is one of a word, or of base64."""
    return byte.isalnum() or byte in (b"_", b"+", b"/", b"=")


_SIGNS = {b"n": b"\n", b"r": b"\n", b"t": b"\t", b'"': b'"'}


def _escaped(match: Match[bytes]) -> bytes:
    """Return what a backslash and the rest of ``match`` mean."""
    sign, wide, narrow = match.groups()
    if sign is not None:
        return _SIGNS.get(sign[:1]) or (sign if sign in b"'`/|" else _joined(match))
    if wide is None and narrow is None:
        return b"\x1b"
    code = int(wide or narrow, 16)
    if code == 0x5C or (narrow and code >= 0x80 and code not in _LATIN):
        return match.group()
    if code == 0x1E:  # would look like the end of a record
        return b" "
    return _REPLACEMENT if 0xD800 <= code <= 0xDFFF else chr(code).encode()


def _entity(match: Match[bytes]) -> bytes:
    name = match.group(1)
    if not name.startswith(b"#"):
        return _ENTITIES[name]
    code = int(name[2:], 16) if name[1] in b"xX" else int(name[1:])
    return bytes((code,)) if 0x20 <= code < 0x7F else b" "


def _is_utf8(data: bytes) -> bool:
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _single(match: Match[bytes]) -> bytes:
    """Return a control byte of Latin-1 in UTF-8; of a character that is valid in UTF-8, nothing changes."""
    return b"\xc2" + match.group() if len(match.group()) == 1 else match.group()


_SEVEN_BIT = {0x85: b"\n", 0x9B: b"\x1b[", 0x9C: b"\x1b\\", 0x9D: b"\x1b]"}
"""What the controls of the upper half stand for that do more than vanish."""


def _seven_bit(match: Match[bytes]) -> bytes:
    return _SEVEN_BIT.get(match.group()[1], b"")


_LINE_FEED = b"\\n"
_ESCAPES: tuple[Pass, ...] = (
    ((b"\\u005c", b"\\u005C"), rb"(?<!\\)(\\{1,16}+)((?:u005[cC]){1,4}+)", _numbered),
    ((b"\x1b",), rb"\x1b\\", b"\x1b\x07"),  # before its backslash is taken for an escape
    ((b"\\\\",), rb"\\\\(\\{0,62})(?:(?:r\\{1,63})?(n)([ \t]{0,80}+))?", _collapsed),
    (
        (b'\\"',),
        rb"\\\"(?=[A-Za-z0-9])(?<=[A-Za-z0-9!-]..)(?<![^A-Za-z0-9][BFRUbfru]..)(?<!u00....)(?<![x%=]....)"
        rb"(?<![ ]-[A-Za-z]..)(?<!\\[nrt]..)",
        INNER_QUOTE,
    ),  # but not b"..." and f"...", and not behind an encoded sign, a flag (-p"...") or a blank
    ((b'\\"',), b"", b'"'),
    ((_LINE_FEED,), b"", b"\n"),
    ((b"\\t",), b"", b"\t"),
    (
        (b"\\",),
        rb"\\(?:(r(?:\n|\\n)?|[nt\"'`/|bf]|\r?\n[ \t]{0,80}+)|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(?:033|e)(?=\[))",
        _escaped,
    ),
)
_CONTROLS: tuple[Pass, ...] = (
    # How a shell's quoted word has a quote: '\'' and '"'"', also twice.
    ((b"''",), rb"'(?:''|\"'\"')+", b"'"),
    ((b"'\"'",), rb"'(?:\"'\"')+", b"'"),
    ((b"\r",), rb"\r\n?+", b"\n"),
    (
        (b"&quot;", b"&apos;", b"&amp;", b"&lt;", b"&gt;", b"&nbsp;", b"&#"),
        rb"&(quot|apos|amp|lt|gt|nbsp|#[0-9]{2,3}|#[xX][0-9A-Fa-f]{2});",
        _entity,
    ),
    ((b"^[[",), rb"\^\[\[", b"\x1b["),  # as cat -v shows it
    # Text in UTF-16, as what expects UTF-8 shows it; elsewhere a NUL ends a word.
    (
        (b"\0",),
        rb"\0(?:(?=(?:[^\0]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2})\0)"
        rb"|(?<=\0[^\0]\0)|(?<=\0[\xc2-\xdf][\x80-\xbf]\0)|(?<=\0[\xe0-\xef][\x80-\xbf]{2}\0))",
        b"",
    ),
    ((b"\0",), b"", b"\n"),
    # What has no width. Soft hyphen, zero-width space and (non-)joiners, byte order mark.
    (
        (b"\xc2\xad", b"\xe2\x80\x8b", b"\xe2\x80\x8c", b"\xe2\x80\x8d", b"\xe2\x81\xa0", b"\xef\xbb\xbf"),
        rb"\xc2\xad|\xe2\x80[\x8b-\x8d]|\xe2\x81\xa0|\xef\xbb\xbf",
        b"",
    ),
    (
        (),
        rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\x9f]",
        _single,
    ),
    ((b"\xc2",), rb"\xc2[\x80-\x9f]", _seven_bit),
    ((b"\xef\xbf\xbd",), rb"\xef\xbf\xbd[0-9;]{1,11}m", b""),  # how a program that expects UTF-8 shows such a byte
    # The codes of ECMA-48: parameters, intermediates, a final byte. Of a title or link only the frame goes, and what is
    # linked stays apart from what is shown.
    # A link to a file without a query goes as a whole.
    ((b"\x1b",), rb"\x1b\]8;[a-z=0-9:]{0,40};(?:file:[^\s\x1b\x07?=@#]{0,400})?(?:\x1b?\x07|\x1b\\)", b""),
    ((b"\x1b",), rb"\x1b[\x07\\]", b" "),
    ((b"\x07",), b"", b" "),
    ((b"\x1b",), rb"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][0-9]{1,4};(?:[a-z=0-9:]{0,40};)?|[()*+#%][0-9@A-Z]|[78=>])?", b""),
)
"""The passes, in order: literals of which one occurs where something changes, a pattern or nothing for the literal
itself, the replacement. A pass without literals is for what is no UTF-8. Those of ``_CONTROLS`` find little in most
texts, and look at no byte beyond a line.
"""
_PASSES = (*_ESCAPES, *_CONTROLS)
_COMMON = bytes(set(range(0x80)) - {each[0] for occurring, _, _ in _CONTROLS for each in occurring})
"""What no pass of ``_CONTROLS`` begins with: of most lines, all bytes."""
_CONTROL_LITERALS = tuple(dict.fromkeys(each for occurring, _, _ in _CONTROLS for each in occurring))


def _compile(pattern: bytes) -> Pattern[bytes]:
    return patterns.compile(pattern)


def _coded(match: Match[bytes]) -> bytes:
    return bytes.fromhex(match.group(1).decode())


# On demand only: in text, a percent sign, a plus and an equals sign are mostly just that.
_FIELDS: Pass = ((b"&",), b"", b"\n&")
PERCENT: tuple[Pass, ...] = (_FIELDS, ((b"%",), rb"%(0[9AaDd]|[2-9A-Fa-f][0-9A-Fa-f])", _coded))
"""Percent-encoding, as in a URL; a field of its query is a line."""
FORM: tuple[Pass, ...] = (((b"+",), b"", b" "), *PERCENT)
"""Percent-encoding as in a form, where a plus is a blank."""
PRINTABLE: tuple[Pass, ...] = (((b"=",), rb"=\r?\n", b""), ((b"=",), rb"=(0[9AD]|[2-9A-F][0-9A-F])", _coded))
"""Quoted-printable, as in a mail."""


def plain(data: bytes, first: tuple[Pass, ...] = ()) -> bytes:
    """Return the plain view of ``data``; the passes ``first`` undo another encoding before."""
    data = _applied((*first, *_ESCAPES), data)
    if len(data) < literals.COMPILED_FROM and _has_no_controls(data):
        return data
    is_wide = b"\0" in data and (b"\0\n" in data or b"\n\0" in data)  # perhaps UTF-16, over several lines
    if len(data) < literals.COMPILED_FROM or is_wide or not _is_utf8(data):
        return _applied(_CONTROLS, data)
    return _by_line(data)


def _has_no_controls(data: bytes) -> bool:
    """Tell whether no pass of ``_CONTROLS`` changes anything; an apostrophe or two are not worth a pass."""
    rare = data.translate(None, _COMMON)
    return not rare or (not rare.strip(b"'") and b"''" not in data and b"'\"'" not in data)


def _applied(passes: tuple[Pass, ...], data: bytes) -> bytes:
    for occurring, pattern, replacement in passes:
        if pattern and (literals.occur(data, occurring) if occurring else not _is_utf8(data)):
            data = _compile(pattern).sub(replacement, data)
        elif isinstance(replacement, bytes) and not pattern and _is_frequent(occurring[0], data):
            data = replacement.join(data.split(occurring[0]))  # ``replace`` counts before, which takes as long again
    return data


def _by_line(data: bytes) -> bytes:
    """Apply the passes of ``_CONTROLS``, to UTF-8 without a NUL at a line's end: only to lines that have any."""
    places = literals.places(data, _CONTROL_LITERALS)
    if len(places) > len(data) >> 9:
        return _applied(_CONTROLS, data)
    lines: list[tuple[int, int]] = []
    end = 0
    for at in places:
        if at >= end:
            start, end = max(data.rfind(b"\n", end, at) + 1, end), data.find(b"\n", at) + 1 or len(data)
            lines.append((start, end))
    changed = _applied(_CONTROLS, _NO_UTF8.join(data[start:end] for start, end in lines)).split(_NO_UTF8)
    pieces: list[bytes] = []
    done = 0
    for (start, end), line in zip(lines, changed, strict=False):
        pieces += data[done:start], line
        done = end
    return b"".join((*pieces, data[done:]))


def _is_frequent(literal: bytes, data: bytes) -> bool:
    """Tell whether it pays to replace these bytes by themselves; rare escapes are left to ``_escaped``."""
    if literal[0] == 0x5C and len(data) >= _SAMPLE:
        return data.count(literal, 0, _SAMPLE) > _SAMPLE >> 11
    return literal[-1:] in data  # the quickest check


class View:
    """The plain view of some bytes; ``origin`` tells where a part of its ``text`` comes from."""

    __slots__ = ("_data", "_first_control", "_layers", "_passes", "text")

    def __init__(self, data: bytes, first: tuple[Pass, ...] = (), *, is_traced: bool = False) -> None:
        """``is_traced``: origins will be asked for, so the passes are applied once."""
        self._data = data
        self._passes = (*first, *_PASSES) if first else _PASSES
        self._first_control = len(first) + len(_ESCAPES)
        self._layers: list[Layer] | None = None  # made when the first origin is asked for
        if is_traced:
            self._layers, self.text = self._traced()
        else:
            self.text = plain(data, first)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end, in the original bytes, of what became ``text[start:end]``, in whole escapes."""
        if self._layers is None:
            self._layers, _ = self._traced()
        for layer in self._layers:
            start, end = layer.before(start, end)
        return start, end

    def _traced(self) -> tuple[list[Layer], bytes]:
        """Apply the passes, keeping what each one changes; return the last one first, and the plain view."""
        from entire_secrets.reading.layers import Matches, Replaced

        layers: list[Layer] = []
        data = self._data
        first = 0
        if self._passes is _PASSES and b"\x1b" not in data:
            lines = data.split(_LINE_FEED)
            if len(lines) == data.count(b"\\") + 1:  # most lines of JSON have no other escapes
                layers.append(Replaced(lines, len(_LINE_FEED), b"\n"))
                data, first = b"\n".join(lines), self._first_control
        for number, (occurring, pattern, replacement) in enumerate(self._passes[first:], first):
            if number == self._first_control and _has_no_controls(data):
                break
            if not _occurs(occurring, data) if occurring else _is_utf8(data):
                continue
            if not pattern and isinstance(replacement, bytes):
                parts = data.split(occurring[0])
                layers.append(Replaced(parts, len(occurring[0]), replacement))
                data = replacement.join(parts)
            elif matches := list(_compile(pattern).finditer(data)):
                layers.append(Matches(matches, replacement))
                data = _compile(pattern).sub(replacement, data)
        return layers[::-1], data


def _occurs(literals: tuple[bytes, ...], data: bytes) -> bool:
    for each in literals:  # noqa: SIM110 (a generator takes longer than most of these searches)
        if each in data:
            return True
    return False
