"""Remembers the secrets that were found in a repository, so that they are found wherever they appear again.

A rule often knows a secret only by the words around it; later it stands alone. Only keyed hashes are kept, with the
sizes that say where to look: the key and the hashes never leave the repository's git directory. A text is searched by
its distinct words: the hash of a secret's longest word leads to the place, the hash of the whole decides.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.model.digest import sha256
from entire.model.value import Value
from entire.redact.engine import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.redact.engine import Text

MOST = 20_000
"""Secrets remembered: each costs 100 bytes; a repository with more has other problems."""

LONGEST = 512
"""Longer ones are remembered by their lines and words."""

SHORTEST = 8
_CORE = 4
_RARE = 10  # letters of a word that is rare in code
_VERSION = b"1"
_BETWEEN = rb"\s+|\"\s{0,80}[,+.]?\s{0,80}\"\s*"
"""Between words; also between strings, each a line of a key."""
_ALNUM = bytes(
    byte + 32 if 0x41 <= byte <= 0x5A else byte if byte >= 0x80 or chr(byte).isalnum() else 0x20 for byte in range(256)
)


_RUNS = bytes(0x20 if byte == 0x20 else 0x61 for byte in _ALNUM)


class Known(Value):
    """One secret: how many were known before, its rule, where its longest word begins in it, its size, the hash of the
    whole.
    """

    number: int
    rule: str
    offset: int
    size: int
    whole: str


class Memory:
    """The secrets of one repository; kept in ``path``, or only until the next ``save`` if that is ''."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[tuple[int, str], list[Known]] = {}
        self._sizes: set[int] = set()  # of the longest words
        self._unsaved: list[tuple[bytes, str, bytes]] = []  # lines, with the rules and values they are of
        self.count = 0
        self._is_new = False  # nothing of ``path`` can be read
        self._key = self._load()

    def learn(self, rule: str, value: bytes) -> None:
        """Remember a secret and its base64, each line and word by itself, if no ordinary word is like it."""
        import re
        from binascii import b2a_base64

        words = re.split(_BETWEEN, value)
        for word in words if len(value) > LONGEST or len(words) > 1 else [value]:
            if is_memorable(word):
                self._remember(rule, word)
                if len(word) <= LONGEST:
                    for encoded in (b2a_base64(word), b2a_base64(word + b"\n")):  # as base64 and echo write it
                        self._remember(rule, encoded.rstrip(b"=\n"))

    def _remember(self, rule: str, value: bytes) -> None:
        offset, core = _core(value)
        if len(core) < _CORE or self.count >= MOST:
            return
        index, whole = (len(core), self._hash(core)[:16]), self._hash(value)[:32]
        if any(known.whole == whole for known in self._known.get(index, ())):
            return
        self._add(index, Known(number=self.count, rule=rule, offset=offset, size=len(value), whole=whole))
        line = f"{index[0]} {index[1]} {offset} {len(value)} {whole} {rule}\n"
        self._unsaved.append((line.encode(), rule, value))

    def _add(self, index: tuple[int, str], known: Known) -> None:
        self._known.setdefault(index, []).append(known)
        self._sizes.add(index[0])
        self.count += 1

    def find(self, text: Text, since: int = 0) -> Iterator[Finding]:
        """Yield where remembered secrets are, but for the first ``since`` of them."""
        seen: dict[bytes, list[Known]] = {}
        for low, high in _of_sizes(text.spread, self._sizes):
            word = text.spread[low:high]
            if word not in seen:
                seen[word] = self._of_core(word, since)
            for known in seen[word]:
                start = low - known.offset
                if start >= 0 and self._hash(text.plain[start : start + known.size])[:32] == known.whole:
                    yield Finding(rule=known.rule, start=start, end=start + known.size)

    def _of_core(self, word: bytes, since: int) -> list[Known]:
        """Return the secrets whose longest word this is, but for the first ``since`` of all."""
        known = self._known.get((len(word), self._hash(word)[:16]), ())
        return [each for each in known if each.number >= since]

    def save(self) -> None:
        """Write what was learned; where that fails, this process alone knows it."""
        if not self._path:
            self._known, self._sizes, self.count = {}, set(), 0
        elif self._unsaved:
            try:
                if self._is_new:
                    self._begin()
                files.append(self._path, b"".join(line for line, _, _ in self._unsaved))
            except (OSError, EntireError):
                pass
        self._unsaved = []

    def content(self) -> bytes:
        """Return what the file holds when everything is saved."""
        head = _VERSION + b" " + self._key.hex().encode() + b"\n"
        before = head if self._is_new else files.read(self._path) or head
        return before + b"".join(line for line, _, _ in self._unsaved)

    def _begin(self) -> None:
        """Write the key. If another process has just written one, hash with that."""
        head = _VERSION + b" " + self._key.hex().encode() + b"\n"
        if not files.create(self._path, head):
            learned, self._unsaved = self._unsaved, []
            self._key = self._load()
            for _, rule, value in learned:
                self._remember(rule, value)
            if self._is_new:  # what is there is no memory
                files.put_aside(self._path)
                files.create(self._path, _VERSION + b" " + self._key.hex().encode() + b"\n")
        self._is_new = False

    def _hash(self, value: bytes) -> str:
        return sha256(self._key + sha256(self._key + value).digest()).hexdigest()

    def _load(self) -> bytes:
        """Read what is remembered, and return the key; a new one if there is none that can be read."""
        self._known, self._sizes, self.count, self._is_new = {}, set(), 0, False
        try:
            data = files.read(self._path) if self._path else None
        except OSError:
            data = None
        head, _, rest = (data or b"").partition(b"\n")
        version, _, key = head.partition(b" ")
        if version != _VERSION or len(key) != 64 or not _is_hex(key):
            self._is_new = True
            return os.urandom(32)
        for line in rest.splitlines():
            try:
                size, core, offset, whole_size, whole, rule = line.decode().split(" ")
                known = Known(number=self.count, rule=rule, offset=int(offset), size=int(whole_size), whole=whole)
                self._add((int(size), core), known)
            except ValueError:
                continue  # a line that a crash cut off
        return bytes.fromhex(key.decode())


def _of_sizes(spread: bytes, sizes: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word of letters and digits that is so long; short words are many, so each of
    their sizes is sought by itself.
    """
    if not sizes:
        return
    runs = b" " + spread.translate(_RUNS) + b" "
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


def _core(value: bytes) -> tuple[int, bytes]:
    """Return the longest word of letters and digits in ``value``, lower-case, and where it begins."""
    best, at, spread = (0, b""), 0, value.translate(_ALNUM)
    for word in spread.split(b" "):
        if len(word) > len(best[1]):
            best = at, word
        at += len(word) + 1
    return best


def is_memorable(value: bytes) -> bool:
    """Tell whether a value is so unlike an ordinary word that it is a secret wherever it stands."""
    if len(value) < SHORTEST:
        return False
    from entire.redact.heuristics import entropy

    letters = sum(1 for byte in value if chr(byte).isalpha())
    digits = sum(1 for byte in value if chr(byte).isdigit())
    if _is_name(value, digits):
        return False
    if not digits:
        return letters < len(value) and len(value) >= 16 and entropy(value) >= 3.3
    return bool(letters) and entropy(value) >= 2.5


def _is_name(value: bytes, digits: int) -> bool:
    """Tell whether a value may be a name of code or a host, as one taken for a secret by mistake is: ``base64.decode``,
    ``localhost:22``. A passphrase has several words with hyphens.
    """
    from entire.redact import words

    letters = value.translate(None, b"0123456789_.:/@-")
    return digits <= 2 and value.count(b"-") < 2 and letters.isalpha() and all(map(words.is_word, words.runs(value)))
