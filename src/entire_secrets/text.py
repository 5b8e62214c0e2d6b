"""A text to search, and what is found in it."""

from __future__ import annotations

from entire_secrets import literals

LINE_END = b"\x1e\n"
"""Ends a line of JSON lines in a text; ends of lines within JSON strings are plain line feeds there."""

SHORTEST_RUN = 18
"""Length of the shortest run of what base64 consists of that is looked at."""

_RUN_STARTS = (b" " + b"a" * SHORTEST_RUN,)
_BYTES = bytes(range(256))
LETTERS_AND_DIGITS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def blanked(kept: bytes, *, beyond: bool = True) -> bytes:
    """Return a table that translates to small letters and, but for what is ``kept``, to blanks; what is ``beyond``
    ASCII stays, or is a blank as well.
    """
    others = bytes(range(128 if beyond else 256)).translate(None, kept)
    return _BYTES.lower().translate(bytes.maketrans(others, b" " * len(others)))


WORDS = blanked(LETTERS_AND_DIGITS + b"_.-")
"""Translates a text to lower-case words and blanks."""

ALNUM = blanked(LETTERS_AND_DIGITS)
"""Translates a text to lower-case runs of letters and digits, and blanks."""

_OF_VALUES = LETTERS_AND_DIGITS + b"+/-_"
_VALUES = bytes.maketrans(_BYTES.translate(None, _OF_VALUES) + _OF_VALUES, b" " * (256 - 66) + b"a" * 66)

ARROW = "→".encode()
"""Stands between the number of a line and the line in what agents read; no part of a word."""


class Finding:
    """A secret: its rule's id, start and end, and, if it was mapped back to raw bytes, its value in the plain view."""

    __slots__ = ("end", "rule", "start", "value")

    def __init__(self, rule: str, start: int, end: int, value: bytes = b"") -> None:
        self.rule = rule
        self.start = start
        self.end = end
        self.value = value

    def at(self, start: int, end: int) -> Finding:
        """Return the same secret at another place."""
        return Finding(self.rule, start, end, self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return f"Finding{self._all()!r}"

    def _all(self) -> tuple[str, int, int, bytes]:
        return self.rule, self.start, self.end, self.value


class Text:
    """A plain view to search, and what of it is made when first asked for."""

    __slots__ = ("_lowered", "_runs", "_terms", "_values", "_words", "keywords", "plain", "spread")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self.spread = _without_arrows(plain).translate(WORDS)
        """The text in lower-case words and blanks, of the same length."""
        self.keywords: dict[bytes, bytes] | None = None
        """The keywords that may stand in the text, and their kinds: of ``keyword_search``, which asks twice."""
        self._words: bytes | None = None
        self._lowered: bytes | None = None
        self._values: bytes | None = None
        self._runs: list[tuple[int, int]] | None = None
        self._terms: set[bytes] | None = None

    @property
    def terms(self) -> set[bytes]:
        """Return the distinct runs of letters and digits."""
        if self._terms is None:
            self._terms = set(self.spread.translate(ALNUM).split())
        return self._terms

    @property
    def lowered(self) -> bytes:
        """Return the whole text in lower case."""
        if self._lowered is None:
            self._lowered = self.plain.lower()
        return self._lowered

    @property
    def words(self) -> bytes:
        """Return the distinct words, each after a blank."""
        if self._words is None:
            self._words = b" " + b" ".join(set(self.spread.split()))
        return self._words

    @property
    def values(self) -> bytes:
        """Return the text, after a blank and before one, with an ``a`` for each sign of base64 and its variant for
        URLs, and a blank for every other byte.
        """
        if self._values is None:
            self._values = b" %s " % self.plain.translate(_VALUES)
        return self._values

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Return the start and end of each long run of what base64 consists of: all that is random is in one.

        Keys of JSON and UUIDs, which are most of them, are none.
        """
        if self._runs is None:
            self._runs, plain, find = [], self.plain, self.values.find
            for start in literals.places(self.values, _RUN_STARTS):
                end = find(b" ", start + 1) - 1
                is_uuid = end - start == 36 and plain[start + 8] == plain[start + 23] == 0x2D
                if not is_uuid and plain[end : end + 2] != b'":':
                    self._runs.append((start, end))
        return self._runs

    def end_of_run(self, at: int) -> int:
        """Return where the run of what base64 consists of ends that stands at ``at``."""
        return self.values.find(b" ", at + 1) - 1


def _without_arrows(text: bytes) -> bytes:
    """Return a text with blanks for its arrows; where none can be, which one byte tells, nothing is copied."""
    return text.replace(ARROW, b"   ") if ARROW[-1:] in text else text
