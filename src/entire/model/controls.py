"""Shows control characters and invisible characters as escapes.

Stored and foreign text may hold control sequences, characters that turn the direction of a text, and invisible ones
that hide words in it. Ordinary text is left as it is, in every script.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LATIN = "\u024f"  # the last letter of the scripts that are written without joiners
_JOINERS = "\u200c\u200d"
_FLAG, _FLAG_END = "\U0001f3f4", "\U000e007f"  # invisible tags between them say which, as of Scotland
_TAGS = ("\U000e0020", "\U000e007e")
_MOST_TAGS = 30
_KEYS = "#*0123456789©®"  # have a form as an emoji
_BLANKS = frozenset("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
_VARIANTS = frozenset(map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_INVISIBLE = _VARIANTS | frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")  # although they are printable


def plain(text: str) -> str:
    """Make control and invisible characters and invalid bytes visible, so text cannot command the terminal.

    Blanks of other widths become spaces.
    """
    return text if _is_plain(text) else "".join(characters(text))


def characters(text: str) -> Iterator[str]:
    """Yield what ``plain`` shows of each character."""
    flag_end = -1
    for at, char in enumerate(text):
        if char == _FLAG:
            flag_end = _end_of_flag(text, at)
        yield char if at <= flag_end or _is_shown(text, at) else _visible(char)


def in_json(document: str) -> str:
    """Escape them in a JSON document, which keeps its value."""
    if document.isascii() and "\x7f" not in document:
        return document
    return "\n".join(line if _is_plain(line) else _escaped(line) for line in document.split("\n"))


def _is_plain(text: str) -> bool:
    return text.isprintable() and (text.isascii() or _INVISIBLE.isdisjoint(text))


def _is_shown(text: str, at: int) -> bool:
    char = text[at]
    if char in _VARIANTS:
        return at > 0 and _has_forms(text[at - 1])
    if char in _JOINERS:  # between two characters, as in an emoji of a family, it commands and hides nothing
        return 0 < at < len(text) - 1 and all(map(_can_be_joined, (text[at - 1], text[at + 1])))
    return (char.isprintable() and char not in _INVISIBLE) or char in "\n\t"


def _has_forms(char: str) -> bool:
    """Tell whether the character after this one may choose its form."""
    return char in _KEYS or (char > _LATIN and char.isprintable() and char not in _INVISIBLE)


def _can_be_joined(char: str) -> bool:
    return char > _LATIN and char.isprintable()


def _end_of_flag(text: str, start: int) -> int:
    """Return where the flag that starts here ends; -1 if there is none."""
    end = text.find(_FLAG_END, start, start + _MOST_TAGS + 2)
    tags = text[start + 1 : end]
    return end if end > start + 1 and all(_TAGS[0] <= tag <= _TAGS[1] for tag in tags) else -1


def _visible(char: str) -> str:
    code = ord(char)
    if char == "\r":
        return ""
    if char in _BLANKS:
        return " "
    if code < 0x20:
        return "^" + chr(code + 0x40)
    return "\N{REPLACEMENT CHARACTER}" if 0xD800 <= code <= 0xDFFF or code == 0x7F else f"\\u{code:04x}"


def _escaped(line: str) -> str:
    pairs = zip(line, characters(line), strict=True)
    return "".join(char if char == shown else _json_escape(char) for char, shown in pairs)


def _json_escape(char: str) -> str:
    code = ord(char)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
