"""Reads the name that a value is assigned to, and what the name says about the value."""

from __future__ import annotations

from entire_secrets import patterns
from entire_secrets.judging import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

_STRONG = (
    b"secret", b"pass", b"pwd", b"key", b"credential", b"auth", b"access", b"api", b"refresh", b"bearer", b"github",
    b"salt", b"pepper", b"psk", b"wort",
)  # fmt: skip
"""Words of names whose values are hardly ever anything but secrets."""

_KINDS = (
    b"secret", b"secrets", b"token", b"tokens", b"password", b"passwords", b"passwd", b"passphrase", b"pass", b"pwd",
    b"passcode",
    b"key", b"keys", b"credential", b"credentials", b"auth", b"value", b"confirmation", b"salt", b"pepper", b"psk",
    b"pw",
    b"passwort", b"kennwort", b"seed",
)  # fmt: skip
"""Ends of words that name a secret: not those of ``secretsmanager``, ``author``, ``tokenizer``."""

_ABOUT = frozenset(
    b"accessor alg algorithm arn arns class count date dir directory dirs expires expiry field file folder format"
    b" header id ids index jid kind kinds label magic method mode name names param params path pos position preference"
    b" prefix provider region schema scheme sha source startswith status suffix text time type types uri url"
    b" version".split()
)
"""Last words of names whose values tell something about a secret: ``SecretArn``."""

_MARKERS = frozenset(
    b"cancellation change continuation export exporter import next page pagination paging scroll term update".split()
)
"""Words of names whose values mark a place in a list or a step of a protocol: ``nextToken``."""

_CACHES = frozenset((b"cache", b"cached"))
"""Words before ``key`` in names of what is looked up: ``token_cache_key``."""

# Not the number of a line, as grep prints it, a scope.
_LEFT = rb"(?::\d{1,7}:|(::|:))?([\w.-]+)[\"'`]?[ \t]*+([:=>]*)[ \t]*+[bfru]?([\"'`]?)$"
_compiled: list[Pattern[bytes]] = []


class Name:
    """A name as written, and whether a quote opens its value."""

    __slots__ = ("quoted", "text")

    def __init__(self, text: bytes, quoted: bool) -> None:
        self.text = text
        self.quoted = quoted

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Name) and (self.text, self.quoted) == (other.text, other.quoted)

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def is_strong(self) -> bool:
        """Whether little else than a secret is assigned to such a name: not for a mere ``token``."""
        lowered = self.text.lower()
        return any(word in lowered for word in _STRONG)

    @property
    def is_chosen(self) -> bool:
        """Whether people make up the value, perhaps of words: a password, a secret in an environment file."""
        lowered = self.text.lower()
        return (
            b"pass" in lowered or b"pwd" in lowered or (self.is_constant and not self.quoted and b"secret" in lowered)
        )

    @property
    def is_constant(self) -> bool:
        """Whether the name ends in capitals, as in an environment file."""
        return self.text.rstrip(b"0123456789")[-4:].isupper()

    @property
    def is_literal(self) -> bool:
        """Whether the value is written out, as behind a flag; behind other names another name often follows."""
        return self.quoted or self.is_constant or self.text.startswith(b"-")

    @property
    def is_compound(self) -> bool:
        """Whether the name has several words: ``client_secret``."""
        return sum(1 for _ in words.runs(self.text)) > 1


def read(left: bytes) -> Name | None:
    """Return the name at the end of ``left``, before an operator; None if it is not the name of a secret."""
    if not _compiled:
        _compiled.append(patterns.compile(_LEFT))
    match = _compiled[0].search(left)
    if match is None or b".svg?" in left or b"pkcs11:" in left:  # the token of a badge is public, of a card, its name
        return None
    scope, text, operator, quotes = match.groups(b"")
    if scope == b"::" or (scope == b":" and operator == b":"):  # AWS::IAM::AccessKey, arn:aws:...:1234:secret:name
        return None
    text = text.rpartition(b".env.")[2]  # import.meta.env.DB_PASSWORD
    parts = [part.lower() for part in words.runs(text)]
    if not parts or parts[-1] in _ABOUT or not _MARKERS.isdisjoint(parts):
        return None
    if parts[-1] == b"key" and not _CACHES.isdisjoint(parts):
        return None
    if text.lower().endswith((b"amz-credential", b"goog-credential")):
        return None  # the id of a key, a date and a region
    if not any(part.endswith(_KINDS) for part in parts):
        return None
    return Name(text=text, quoted=quotes[-1:] in (b'"', b"'", b"`"))
