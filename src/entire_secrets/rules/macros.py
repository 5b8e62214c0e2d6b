"""What patterns abbreviate, and what examples of secrets are made of."""

from __future__ import annotations

MACROS: tuple[tuple[bytes, bytes], ...] = (
    # The rest of a name that says that a secret follows, and what stands between them; or only this, where a random
    # value follows. Behind capitals a blank does: ``ENV`` of Docker, ``set`` of fish. First: it uses others.
    (
        b"%N",
        rb"(?:(?i:[\w .-]{0,40}?(?:token|secret|key|pass|pat|auth|login|credential|cert|sk(?![a-z]))[\w.-]{0,24})"
        rb"(?:%=|[ ]is:?[ ]%Q|(?-i:(?<=[A-Z]{3}))[ ]%Q)|%=%X)",
    ),
    # Looks ahead whether a value is as random as no name, id or hash: capitals, small letters and digits.
    (
        b"%X",
        rb"(?-i:(?=[\w+/=~.-]{20})(?=[\w+/=~.-]{0,40}[A-Z])(?=[\w+/=~.-]{0,40}[a-z])(?=(?:[\w+/=~.-]{0,40}?\d){2}))",
    ),
    # An argument, in quotes or bare; the group ``s``, so a pattern has at most one.
    (
        b"%A",
        rb"(?P<q>[\"'`])?(?!-)(?P<s>(?(q)(?!(?P=q))[^\s`<>\x7f]|[^\s\"'`\[\]<>;|&()\x7f]){3,300})",
    ),
    # Start of a token: no letter or digit before it.
    (b"%B", rb"(?<![A-Za-z0-9])"),
    # The same, and not inside base64, base64url or a longer name: for prefixes that are too common. A plus or minus at
    # the start of a word is the sign of a diff.
    (b"%b", rb"(?:(?<![A-Za-z0-9_+/-])|(?<=[^A-Za-z0-9_+/=-][+-])|(?<=\A[+-]))"),
    (b"%E", rb"(?![A-Za-z0-9])"),
    (b"%6", rb"[A-Za-z0-9+/]"),
    # A UUID.
    (b"%U", rb"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
    (b"%Q", rb"[\"'`]?"),
    # Name and value: an optional closing quote, a subscript's end, an operator, an optional opening quote.
    # In a table, they are cells; in YAML, the value may stand on the next line.
    (
        b"%=",
        rb"[\"'`]?\]?(?:[ \t]{0,8}(?::=|=>|={1,3}|:|,)[ \t]{0,8}(?:[|>][+-]?[ ]{0,4}\n[ \t]{1,80})?"
        rb"|\*{0,2}[ \t]{1,60}\|[ \t]{1,60}\*{0,2})[\"'`]?",
    ),
    # One byte of a password.
    (b"%p", rb"[^\s\"'`<>\[\]\x7f]"),
    # A line's end, indentation, and what stands before a line: a sign of a diff or a comment, a number, a file's name,
    # a log's time, level and source, a container's name, what Markdown has around code. Or two blanks: a line's end
    # with a backslash. Or the end of a string where each line is one, in an array or joined by an operator.
    (
        b"%L",
        rb"(?:[ ]{2}(?=[^ ])|"
        rb"(?:`?[ \t|]{0,80}\n|\n?[\"'`][ \t]{0,8}[,+.]?[ \t]{0,8}(?:\n[ \t]{0,80})?[\"'`])[ \t|]{0,80}"
        rb"(?:(?:[\w./@-]{1,200}[:-])?\d{1,7}[ ]?(?:[:\t|-]|\xe2\x86\x92)[ \t]{0,80}"
        rb"|\d{4}-\d\d-\d\d[T ][\d:.,+]{8,24}Z?[ ](?:[A-Z]{4,8}[ ]{1,2})?(?:\[[\w.-]{1,40}\][ ])?"
        rb"|[\w.-]{1,60}[ ]{1,20}\|[ ])?(?:[+>|#*;-]|//)?[ \t]{0,80}`?)",
    ),
)
"""Abbreviations, expanded when a pattern is compiled. A pattern runs over a plain view: see ``reading.views``."""

JUMBLED = rb"(?-i:(?=[A-Za-z]{14})(?:[A-Za-z]{0,30}?(?:[A-Z][a-z]{1,2}(?=[A-Z])|[a-z][A-Z]{2,20}(?=[a-z]))){3})"
"""Letters whose capitals stand in no order that names have: one in two hundred identifiers does, random ones mostly."""

LIKELY = rb"(?=[\"'`]?(?:[^\s\"'`<>|]{0,100}[\d!#$%*+=?@^~]|" + JUMBLED + rb"))"
"""Looks ahead whether a value is more than a word: a digit or sign is in it, or it is jumbled."""

NO_SENTENCE = rb"(?![a-z]{2,20}(?:[ ][a-z]|[.](?:\s|$)))"
"""Looks ahead that no words follow, as in a sentence about a command."""


def expand(pattern: bytes) -> bytes:
    """Replace the abbreviations in ``pattern``."""
    for piece, meaning in MACROS:
        pattern = pattern.replace(piece, meaning)
    return pattern


TYPE_CHECKING = False
if TYPE_CHECKING:
    BareRow = tuple[str, tuple[bytes, ...], bytes, float]
    Row = tuple[str, tuple[bytes, ...], bytes, float, str, str]
    """A rule: id, keywords, pattern, minimum entropy, source, example. See ``rules.table``."""
    RegionRow = tuple[str, tuple[bytes, ...], bytes, bytes, float, str, str]
    """A rule with two patterns: of a region, and of each secret in it."""
