"""Remembers the secrets that were found, so they are found wherever they appear again.

A rule often knows a secret only by the words around it; later it stands alone. Only keyed hashes are kept, with the
sizes that say where to look. A text is searched by its distinct words: the hash of a secret's *core* leads to the
place, the hash of the whole decides. The core is the longest word of letters and digits; of a password that is mostly
signs, the longest word of these with signs.
"""

from __future__ import annotations

import os

from entire_secrets import patterns
from entire_secrets.text import ALNUM, LETTERS_AND_DIGITS, Finding, blanked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from hashlib import sha256 as sha256

    from entire_secrets.text import Text
else:  # without ``hashlib``, which takes 3 ms to load
    try:
        from _sha256 import sha256  # Python 3.11
    except ImportError:
        try:
            from _sha2 import sha256  # since 3.12
        except ImportError:
            from hashlib import sha256

MOST = 20_000
"""Secrets remembered: each costs 100 bytes; a repository with more has other problems."""

_HASHES = 2 * MOST  # are kept: of secrets, and of words of texts

LONGEST = 512
"""Longer ones are remembered by their lines and words."""

MANY = 200
"""Secrets from which on every word of a text is looked at, instead of words of some sizes."""

SHORTEST = 8
_CORE = 4  # letters and digits; with signs, as many as ``SHORTEST``
_RARE = 10  # letters of a word that is rare in code
_SEVERAL = 2  # ends of lines
_VERSION = b"1"
_BETWEEN = rb"\s+|\"\s{0,80}[,+.]?\s{0,80}\"\s*"
"""Between words; also between strings, each a line of a key."""
_LATIN = bytes(range(256)).decode("latin-1")
_LETTERS = "".join(filter(str.isalpha, _LATIN)).encode("latin-1")
_DIGITS = "".join(filter(str.isdigit, _LATIN)).encode("latin-1")
_RUNS = ALNUM.translate(b"a" * 0x20 + b" " + b"a" * 0xDF)
_SIGNS = b"!#$%&*+-?@^_~"
"""What a word of signs has beside letters and digits: what makers of passwords choose from, and no text encloses."""

_SIGNED = blanked(LETTERS_AND_DIGITS + _SIGNS, beyond=False)
_SIGNED_RUNS = _SIGNED.translate(bytes.maketrans(LETTERS_AND_DIGITS + _SIGNS, b"a" * 62 + b"s" * len(_SIGNS)))
_ODD = b"!#$?@^~"
_FEWEST = 3  # distinct signs, an odd one with them: versions, dates and terms of code have fewer
_IS_SIGNED = "s"
"""Precedes the size of a core with signs in the file."""


if TYPE_CHECKING:
    _Place = tuple[bool, int, str]
    """Of a core: whether it has signs, its size, its hash."""


class Known:
    """One secret: how many were known before, its rule, where its core begins, its size, the hash of the whole."""

    __slots__ = ("number", "offset", "rule", "size", "whole")

    def __init__(self, number: int, rule: str, offset: int, size: int, whole: str) -> None:
        self.number = number
        self.rule = rule
        self.offset = offset
        self.size = size
        self.whole = whole


class Memory:
    """Secrets that are known. This class knows them until the next ``save``; one that keeps them overrides that."""

    def __init__(self, content: bytes = b"") -> None:
        """``content``: what was kept, a line with a key and then one for each secret."""
        self._known: dict[_Place, list[Known]] = {}
        self._sizes: dict[bool, set[int]] = {}  # of the cores, by whether they have signs
        self._unsaved: list[tuple[bytes, str, bytes]] = []  # lines, with the rules and values they are of
        self._hashes: dict[bytes, str] = {}  # of the last values, for a text is searched several times
        self.count = 0
        self.is_new = False  # nothing of the content can be read
        self._key = self._load(content)

    @property
    def head(self) -> bytes:
        """The line with the key."""
        return _VERSION + b" " + self._key.hex().encode() + b"\n"

    @property
    def added(self) -> bytes:
        """The lines of what was learned since the last ``save``."""
        return b"".join(line for line, _, _ in self._unsaved)

    def save(self) -> None:
        """Keep what was learned; here: forget it."""
        self._known, self._sizes, self.count = {}, {}, 0
        self._unsaved = []

    def replace(self, content: bytes) -> None:
        """Know what another content has, with its key, and what was learned since the last ``save``."""
        learned, self._unsaved = self._unsaved, []
        self._hashes.clear()
        self._key = self._load(content)
        for _, rule, value in learned:
            self._remember(rule, value, self._new_hash)

    def learn(self, rule: str, value: bytes) -> None:
        """Remember a secret, its base64 and its hex digits, each line and word by itself, if no ordinary word is like
        it.
        """
        if self.count >= MOST:
            return
        words = _words(value)
        for word in words if len(value) > LONGEST or len(words) > 1 else [value]:
            if is_memorable(word):
                self._remember(rule, word, self._hash)
                if len(word) <= LONGEST:
                    from binascii import b2a_base64

                    for encoded in (b2a_base64(word), b2a_base64(word + b"\n")):  # as base64 and echo write it
                        self._remember(rule, encoded.rstrip(b"=\n"), self._new_hash)
                    self._remember(rule, word.hex().encode(), self._new_hash)

    def _remember(self, rule: str, value: bytes, hash_of: Callable[[bytes], str]) -> None:
        if self.count >= MOST:
            return
        signed, offset, core = _core(value)
        if not core:
            return
        hashed = hash_of(core)
        index, whole = (signed, len(core), hashed[:16]), (hashed if core == value else hash_of(value))[:32]
        known = self._known.get(index)
        if known and any(each.whole == whole for each in known):
            return
        self._add(index, Known(self.count, rule, offset, len(value), whole))
        line = f"{_IS_SIGNED * signed}{len(core)} {index[2]} {offset} {len(value)} {whole} {rule}\n"
        self._unsaved.append((line.encode(), rule, value))

    def _add(self, index: _Place, new: Known) -> None:
        known = self._known.get(index)
        if known:
            known.append(new)
        else:
            self._known[index] = [new]
            self._sizes.setdefault(index[0], set()).add(index[1])
        self.count += 1

    def find(self, text: Text, since: int = 0) -> Iterator[Finding]:
        """Yield where remembered secrets are, but for the first ``since`` of them."""
        for signed, sizes in self._sizes.items():
            if not signed and self.count > MANY:
                yield from self._find_among_all(text, sizes, since)
                continue
            runs = _signed_runs(text.plain) if signed else text.spread.translate(_RUNS)
            seen: dict[bytes, list[Known]] = {}
            for low, high in _of_sizes(runs, sizes):
                word = text.plain[low:high].translate(_SIGNED if signed else ALNUM)
                if word not in seen:
                    seen[word] = self._of_core(signed, word, since)
                for known in seen[word]:
                    yield from self._at(text, low, known)

    def _find_among_all(self, text: Text, sizes: set[int], since: int) -> Iterator[Finding]:
        """Yield what ``find`` does, of cores without signs: of many secrets, most sizes of words are one's."""
        by_core, hash_of = self._known, self._hash
        cores: dict[bytes, list[Known]] = {}
        for term in text.terms:
            size = len(term)
            if size in sizes and (of_core := by_core.get((False, size, hash_of(term)[:16]))):
                if of_core[-1].number >= since:
                    cores[term] = [each for each in of_core if each.number >= since]
        if cores:
            spread = text.spread.translate(ALNUM)
            for word in patterns.compile(rb"[^ ]{%d,}+" % min(map(len, cores))).finditer(spread):
                for known in cores.get(word.group(), ()):
                    yield from self._at(text, word.start(), known)

    def _at(self, text: Text, core: int, known: Known) -> Iterator[Finding]:
        start = core - known.offset
        if start >= 0 and self._hash(text.plain[start : start + known.size])[:32] == known.whole:
            yield Finding(rule=known.rule, start=start, end=start + known.size)

    def _of_core(self, signed: bool, word: bytes, since: int) -> list[Known]:
        """Return the secrets whose core this is, but for the first ``since`` of all."""
        known = self._known.get((signed, len(word), self._hash(word)[:16]), ())
        return [each for each in known if each.number >= since]

    def _hash(self, value: bytes) -> str:
        hashed = self._hashes.get(value)
        if hashed is None:
            if len(self._hashes) >= _HASHES:
                self._hashes.clear()
            hashed = self._hashes[value] = self._new_hash(value)
        return hashed

    def _new_hash(self, value: bytes) -> str:
        return sha256(self._key + sha256(self._key + value).digest()).hexdigest()

    def _load(self, content: bytes) -> bytes:
        """Take over what is remembered, and return the key; a new one if there is none that can be read."""
        self._known, self._sizes, self.count, self.is_new = {}, {}, 0, False
        head, _, rest = content.partition(b"\n")
        version, _, key = head.partition(b" ")
        if version != _VERSION or len(key) != 64 or not _is_hex(key):
            self.is_new = True
            return os.urandom(32)
        for line in rest.splitlines():
            try:
                size, core, offset, whole_size, whole, rule = line.decode().split(" ")
                known = Known(self.count, rule, int(offset), int(whole_size), whole)
                self._add((size.startswith(_IS_SIGNED), int(size.removeprefix(_IS_SIGNED)), core), known)
            except ValueError:
                continue  # a line that a crash cut off
        return bytes.fromhex(key.decode())


def _words(value: bytes) -> list[bytes]:
    """Return the words of a value. Of several lines, as a key has, only what ends one: what tools print before a line
    (a pod, a host, a time) is no part of the key.
    """
    if b'"' not in value and value.split() == [value]:
        return [value]
    parts = patterns.compile(b"(" + _BETWEEN + b")").split(value)
    words, gaps = parts[::2], [*parts[1::2], b"\n"]
    if value.count(b"\n") < _SEVERAL:
        return words
    before = {word for word, gap in zip(words, gaps, strict=True) if b"\n" not in gap}
    return [word for word in words if word not in before and b":" not in word]


def _signed_runs(plain: bytes) -> bytes:
    """Return a text with an ``a`` for each letter, digit and sign, but for long words of letters and digits: what is
    left are few runs.
    """
    return plain.translate(_SIGNED_RUNS).replace(b"a" * _CORE, b" " * _CORE).replace(b"s", b"a")


def _of_sizes(runs: bytes, sizes: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of ``a`` with one of these sizes. Short runs are many, so each short size is
    searched for separately.
    """
    runs = b" " + runs + b" "
    for size in [size for size in sizes if size < _RARE]:
        word = b" " + b"a" * size + b" "
        at = runs.find(word)
        while at >= 0:
            yield at, at + size
            at = runs.find(word, at + size)
    long = [size for size in sizes if size >= _RARE]
    shortest = b"a" * min(long, default=len(runs))
    at = runs.find(shortest)
    while at >= 0:
        end = runs.find(b" ", at)
        if end - at in sizes:
            yield at - 1, end - 1
        at = runs.find(shortest, end)


def _is_hex(key: bytes) -> bool:
    return not key.strip(b"0123456789abcdef")


def _core(value: bytes) -> tuple[bool, int, bytes]:
    """Return whether the core of ``value`` has signs, where it begins, and the core in lower case; it is empty if
    nothing in ``value`` is long and odd enough to look for.
    """
    if value.isalnum() and len(value) >= _CORE:
        return False, 0, value.lower()
    offset, core = _longest(value.translate(ALNUM))
    if len(core) >= _CORE:
        return False, offset, core
    offset, core = _longest(value.translate(_SIGNED))
    signs = set(core) & set(_SIGNS)
    is_odd = len(core) >= SHORTEST and len(signs) >= _FEWEST and bool(signs & set(_ODD))
    return True, offset, core if is_odd else b""


def _longest(spread: bytes) -> tuple[int, bytes]:
    """Return where the longest word begins, and the word."""
    word = max(spread.split(b" "), key=len)
    return spread.find(word), word


def is_memorable(value: bytes) -> bool:
    """Tell whether a value is so unlike an ordinary word that it is a secret wherever it stands."""
    if len(value) < SHORTEST:
        return False
    from entire_secrets.judging.heuristics import is_varied

    letters = len(value) - len(value.translate(None, _LETTERS))
    digits = len(value) - len(value.translate(None, _DIGITS))
    if _is_name(value, digits):
        return False
    if not digits:
        return letters < len(value) and len(value) >= 16 and is_varied(value, 3.3)
    return bool(letters) and is_varied(value, 2.5)


def _is_name(value: bytes, digits: int) -> bool:
    """Tell whether a value may be a name of code or a host, as one taken for a secret by mistake is: ``base64.decode``,
    ``localhost:22``. A passphrase has several words with hyphens.
    """
    if digits > 2 or value.count(b"-") > 1 or not value.translate(None, b"0123456789_.:/@-").isalpha():
        return False
    from entire_secrets.judging import words

    return all(map(words.is_word, words.runs(value)))
