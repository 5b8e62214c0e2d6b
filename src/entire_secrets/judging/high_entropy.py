"""The second opinion: random values that no rule knows, beside a word that tells that they are secret.

Most text is never looked at: only words that are long, have digits and do not read like words are, and each is
judged once. Then the text beside a value decides. Behind a telling name (``plumworks-key: ...``) hex digits
are a secret too; in a sentence (``send it with the key ...``) only what has capitals, small letters and digits is, for
ids and hashes stand in sentences. A value without context, such as a path, a hash or a signature, stays.
"""

from __future__ import annotations

from entire_secrets import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern

    from entire_secrets.text import Text

RULE = "high-entropy"

SHORTEST_WORD = 12
"""Length of the shortest word that is looked at; base64 consists of several words."""

SHORTEST = 20
LONGEST = 200
"""Lengths of values: shorter ones are judged behind the names of rules only, longer ones are data."""

_BLANK = 0x20
_PADDING = 2  # of base64
_DIGITS = b"0123456789"
_HEX = b"0123456789abcdefABCDEF"
_SMALL = b"abcdefghijklmnopqrstuvwxyz"
_LETTERS = _SMALL.upper() + _SMALL
_LETTERS_ONLY = bytes.maketrans(bytes(range(256)).translate(None, _SMALL), b" " * 230)
_NAME = _LETTERS + _DIGITS + b"_.-"
_NO_DIGITS = _LETTERS + b"+/_-"
_BORDERS = (b"", b" ", b"\t", b'"', b"'", b"`", b"(", b")", b"|", b".", b",", b";", b"!", b"<", b">", b"\x7f", b"\x1e")
_SEPARATORS = (b"|", b";", b"\t", b",")
_ROWS = 50  # of a table are looked at, to find its top
_HEADER = 40
_NAMED = 64  # bytes before a value in which its name stands
_BEFORE, _BEHIND = 280, 60  # bytes around a value in which something tells of it
_QUOTES = (b'"', b"'", b"`")
_HASHES = (32, 40, 48, 64, 96, 128)
"""Numbers of hex digits in keys and hashes."""

_TELLING = (
    rb"(?:api|secret|private|signing|encryption|access|auth|master|session|shared|data|webhook|hmac|licen[cs]e)?"
    rb"(?:keys?|secrets?|tokens?|passwords?|passwd|passphrase|passcode|pwd|(?<=[a-z][ _-])pass|credentials?|creds?|auth"
    rb"|bearer|cookies?|session|sess|licen[cs]e|salt|signature|sig|webhook|seed|hmac|plaintext)"
)
"""Words that tell that a value is secret."""

_WEAK = (b"key", b"keys", b"token", b"tokens", b"signature", b"sig")
"""Names whose hex digits are mostly those of a hash."""

_STEMS = rb"key|secret|token|pass|pwd|cred|auth|bearer|cook|sess|licen|salt|sig|webhook|seed|hmac|plaintext"
"""One of these is near every value that is secret: a quick check. None begins as another does."""

_LONGEST_STEM = 9

_IDS = (
    rb"ids?|sha\d*|md5|hash(?:es)?|checksum|digest|integrity|etag|commit|rev|revision|uuid|guid|ksuid|ulid|nanoid"
    rb"|fingerprint|thumbprint|public|pub|pubkey|cached?|idempotency|trace|span|kid|encrypted"
)
"""Words in a sentence that say that a value is not a secret."""

_PLACES = (
    rb"version|page|next|cursor|sort|partition|index|request|foreign|primary|object|bucket|file|path|url|uri"
    rb"|continuation|pagination|term|export|import|thinking|thought|verify|badge|source|map|websocket"
)
"""Words that tell so in a name only."""

_IDENTIFIED = (b"id", b"hash", b"signature")
"""Ends of names whose values stay, and are not looked at."""

_AROUND = b" \"':="
"""What stands between such a name and its value."""

_SOURCES = {
    "operator": rb"[\"'`]?\]?[ \t]*+(?:=>|:=|[:=(|]|is)[ \t]*+[bfru]?[\"'`]?(?:(?i:bearer) )?\Z",
    "stem": _STEMS,
    "telling": rb"(?i)(?<![a-z])" + _TELLING + rb"(?![a-z])",
    "harmless in a sentence": rb"(?i)(?<![a-z])(?:" + _IDS + rb")(?![a-z])",
    "harmless in a name": rb"(?i)(?<![a-z])(?:" + _IDS + rb"|" + _PLACES + rb")(?![a-z])",
    # The number of a line, as grep prints it, or what agents read; and what goes on as a sentence.
    "line": rb"(?:\A|[\w./-]+:|[ \t])\d{1,7}(?::|\xe2\x86\x92)\Z",
    "goes on": rb" (?:is|was|as) ",
    # Not of an argument of a call, which stands in lines with as many commas.
    "header": rb"[\s\"'`*_]*[\w .-]*[\s\"'`*_]*\Z",
    "comment": rb"[\"'`),;]{0,4}[ \t]*(?:#|//|--)",
    # Camel case: ``plumworksKey``.
    "parts": rb"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_",
    "uuid": rb"[\da-fA-F]{8}-[\da-fA-F]{4}-",
}
_compiled: dict[str, Pattern[bytes]] = {}


def find(searched: Text) -> Iterator[tuple[int, int]]:
    """Yield the start and end of values that look secret."""
    known: dict[bytes, bool] = {}
    identified: dict[bytes, bool] = {}
    text, spread = searched.plain, searched.spread
    stems = _Stems(spread)
    for low, high in searched.runs:
        if high - low > LONGEST or not text[low:high].translate(None, _NO_DIGITS):
            continue
        if _is_identified(text, low, identified):
            continue
        if _has_odd_word(spread, low, high, known, stems):
            end = high + len(text[high : high + _PADDING]) - len(text[high : high + _PADDING].lstrip(b"="))
            is_hex = not text[low:end].translate(None, _HEX)  # then only its name counts
            near = (low - _NAMED, low) if is_hex else (low - _BEFORE, end + _BEHIND)
            if SHORTEST <= end - low <= LONGEST and stems.are_in(*near) and _is_secret(text, low, end):
                yield low, end


class _Stems:
    """Where telling words may stand in a text: each byte is searched once, however many values it has."""

    __slots__ = ("_end", "_low", "_next", "_spread")

    def __init__(self, spread: bytes) -> None:
        self._spread = spread
        self._low = self._next = 0  # no stem starts between these two
        self._end = 0  # of the stem that starts at the second; 0 if it is not known whether one does

    def are_in(self, low: int, high: int) -> bool:
        """Tell whether there is one between two places, which are mostly behind those of the question before."""
        low = max(low, 0)
        if not self._low <= low <= self._next:
            self._low = self._next = low
            self._end = 0
        if not self._end:
            match = _pattern("stem").search(self._spread, self._next, high)
            if not match:
                self._next = max(self._next, high - _LONGEST_STEM + 1)  # one may start there and go on
                return False
            self._next, self._end = match.span()
        return self._end <= high


def _has_odd_word(spread: bytes, low: int, high: int, known: dict[bytes, bool], stems: _Stems) -> bool:
    """Tell whether a word that starts between ``low`` and ``high`` is odd; ``known`` keeps verdicts. No word is judged
    that nothing near it tells of.
    """
    at = low if not low or spread[low - 1] == _BLANK else _end(spread, low)
    while at < high:
        end = _end(spread, at)
        if end - at >= SHORTEST_WORD:
            word = spread[at:end]
            odd = known.get(word)
            if odd is None:
                if not stems.are_in(low - _BEFORE, high + _PADDING + _BEHIND):
                    return False
                odd = known[word] = is_odd(word)
            if odd:
                return True
        at = end + 1
    return False


def _end(spread: bytes, at: int) -> int:
    end = spread.find(b" ", at)
    return len(spread) if end < 0 else end


def is_odd(word: bytes) -> bool:
    """Tell whether a lower-case word has letters and digits, and does not read like words or an id."""
    if not word.translate(None, _HEX):
        return len(word) in _HASHES
    letters = len(word.translate(None, _DIGITS + b"_.-"))
    digits = len(word) - len(word.translate(None, _DIGITS))
    if len(word) > LONGEST or digits < 1 or letters < 3 or (len(word) == 36 and word.count(b"-") == 4):
        return False
    head, _, tail = word.rpartition(b"_")
    if head.isalpha() and len(tail) <= 24 and not tail.translate(None, _HEX):
        return False  # an id that says what it is of: prompt_a0ea705ea1daa23c
    from entire_secrets.judging.words import have

    return not have(word.translate(_LETTERS_ONLY).split(), len(word) * 0.4)


def _is_identified(text: bytes, start: int, known: dict[bytes, bool]) -> bool:
    """Tell without a pattern whether the name before a value is that of an id, hash or seal: most random values' is.

    Few bytes nearly always tell, and they repeat: ``known`` keeps their verdicts.
    """
    near = text[max(start - 16, 0) : start]
    verdict = known.get(near)
    if verdict is None:
        name = text[max(start - 40, 0) : start].rstrip(_AROUND)
        verdict = name.lower().endswith(_IDENTIFIED)
        if len(near.rstrip(_AROUND)) >= max(map(len, _IDENTIFIED)):
            known[near] = verdict
    return verdict


def _is_secret(text: bytes, start: int, end: int) -> bool:
    """Judge a value by the text around it first: most have no telling word there."""
    value = text[start:end]
    hexed = not value.translate(None, _HEX)
    if (len(value) not in _HASHES if hexed else not _has_digits(value)) or _goes_on(text, start, end):
        return False
    if text.startswith(b" (good)", end):
        return False  # a cookie of DNS, as dig prints it
    low = max(start - 160, text.rfind(b"\n", 0, start) + 1)
    left, right = text[low:start], text[end : end + 60].partition(b"\n")[0]
    name = _name(left)
    if name is not None and _tells(name, "harmless in a name"):
        if hexed:
            return name.split()[-1].lower() not in _WEAK and not _is_example(text, start, end)
        return _is_random(value) and not _is_example(text, start, end)
    if hexed or not _is_mixed(value):
        return False
    is_quoted = left[-1:] in _QUOTES and right[:1] == b" "
    if name is None or is_quoted or _pattern("goes on").match(right):  # a name in front of a whole sentence
        told = _is_announced(text, low, left, right)
    else:
        told = bool(_pattern("comment").match(right)) and _tells(right, "harmless in a sentence")
    from entire_secrets.judging import heuristics

    told = told or _tells(_header(text, start), "harmless in a name")
    return told and heuristics.is_varied(value, 4) and _is_random(value) and not _is_example(text, start, end)


def _is_example(text: bytes, start: int, end: int) -> bool:
    """Tell whether a value is one of documentation: a placeholder, or cut short."""
    from entire_secrets.judging import placeholders

    rest = text[end : end + 1000].partition(b'"')[0].partition(b"\x1e")[0]
    return (
        placeholders.is_placeholder(text[start:end]) or b"EXAMPLE" in rest or rest.startswith((b"...", b"\xe2\x80\xa6"))
    )


def _goes_on(text: bytes, start: int, end: int) -> bool:
    """Tell whether a value is a part of a longer word: a file with its extension, a JWT, an e-mail address, an ARN."""
    after = text[end : end + 2]
    before = text[max(start - 100, 0) : start]
    if b"arn:" in before.replace(b'"', b" ").replace(b"'", b" ").rpartition(b" ")[2]:
        return True
    return text[start - 1 : start] == b"." or (after[:1] in (b".", b"@", b"[") and after[1:].isalnum())


def _has_digits(value: bytes) -> bool:
    """Tell whether a value has as many digits as a random one."""
    letters = value.translate(None, _DIGITS)
    digits = len(value) - len(letters)
    from entire_secrets.judging import heuristics

    if digits == 1 and heuristics.is_jumbled(letters.translate(None, b"+/_-=")):
        return True
    return 2 <= digits <= len(value) * 0.6


def _is_random(value: bytes) -> bool:
    from entire_secrets.judging import heuristics, words

    if not _has_digits(value) or value.count(b"/") > 1 + len(value) // 20:
        return False
    if (value.islower() or value.isupper()) and not value.isalnum():
        return False  # ld-x86-64, ISO_9797_3
    pieces = value.split(b"_")
    if len(pieces) > 3 and all(piece.islower() or piece.isupper() or piece.isdigit() for piece in pieces):
        return False  # NID_X9_62_prime256v1
    if value[:4] == b"AAAA" or value[:3].lower() in (b"sha", b"md5") or _pattern("uuid").search(value):
        return False
    return heuristics.is_varied(value, 3.5) and words.share(value) < 0.35


def _is_mixed(value: bytes) -> bool:
    """Tell whether a value has capitals, small letters and digits throughout."""
    return len(value) >= 24 and not value.isupper() and not value.islower()


def _name(left: bytes) -> bytes | None:
    """Return the name, or two words, before the operator before a value, its parts apart; None if there is none.

    As in ``PLUM_KEY=``, ``"plumKey": "``, ``env["PLUM_KEY"] = "``, ``data key: ``, ``?sig=``, ``setKey("``,
    ``hmac.new(b'``.
    """
    operator = _pattern("operator").search(left, max(len(left) - 20, 0))
    if operator is None:
        return None
    left = left[: operator.start()]
    before = left.rstrip(_NAME)
    if not left[len(before) :].strip(_DIGITS + b"_.-"):
        return None
    if before.endswith(b" ") and not before.endswith(b"export "):  # which a shell sets a variable with
        before = before[:-1].rstrip(_LETTERS)
    return _pattern("parts").sub(b"_", left[len(before) :])


def _header(text: bytes, start: int) -> bytes:
    """Return what stands at the top of the column of a table that a value is in; nothing if it is in none."""
    low, end = text.rfind(b"\n", 0, start) + 1, text.find(b"\n", start)
    line = text[low : end if end >= 0 else len(text)].lstrip(b"\t")  # without indentation
    separator = next((sign for sign in _SEPARATORS if sign in line), b"")
    if not separator:
        return b""
    columns, before, top = line.count(separator), text[low:start].lstrip(b"\t").count(separator), b""
    for _ in range(_ROWS):
        above = text[text.rfind(b"\n", 0, max(low - 1, 0)) + 1 : max(low - 1, 0)].lstrip(b"\t")
        is_border = bool(above) and not above.strip(b"-+|: ")
        if above.count(separator) == columns and not is_border and above[-1:] != b"\x1e":
            top = above
        elif not is_border:  # also the end of another record
            break
        low -= 1 + len(above)
    header = top.split(separator)[before][:_HEADER] if top else b""
    return header if _pattern("header").match(header) else b""


def _is_announced(text: bytes, low: int, left: bytes, right: bytes) -> bool:
    """Tell whether the sentence around a value, or the line before it, tells that it is secret."""
    if right[:1] not in _BORDERS or not (
        left[-1:] in _BORDERS or _pattern("goes on").match(right) or _pattern("line").search(left)
    ):
        return False
    sentence = left.rstrip(b"\"'`").rpartition(b'"')[2][-50:]
    if _tells(sentence + b" " + right.lstrip(b"\"'`").partition(b'"')[0][:40], "harmless in a sentence"):
        return True
    if left.strip(b" \t\"'`|>*-"):
        return False
    if text[max(low - 2, 0) : low] == b"\x1e\n":
        return False  # the line before is another record
    before = text[max(low - 120, 0) : max(low - 1, 0)].rpartition(b"\n")[2].rstrip()
    return before.endswith(b":") and _tells(before, "harmless in a sentence")


def _tells(text: bytes, harmless: str) -> bool:
    return bool(_pattern("telling").search(text)) and not _pattern(harmless).search(text)


def _pattern(name: str) -> Pattern[bytes]:
    if name not in _compiled:
        _compiled[name] = patterns.compile(_SOURCES[name])
    return _compiled[name]
