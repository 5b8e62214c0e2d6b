"""Knows what documentation and tests write where a secret would stand: ``changeme``, ``xxxx``, ``user:pass``."""

from __future__ import annotations

from binascii import Error, a2b_base64

from entire_secrets import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

_SIGNS = (
    b"example", b"placeholder", b"changeme", b"change-me", b"change_me", b"your_", b"your-", b"yourp", b"yours",
    b"yourt", b"youra", b"yourk", b"dummy", b"redacted", b"replace_", b"replaceme", b"replace-", b"insert_",
    b"insert-", b"goes_here", b"goes-here", b"goeshere", b"_here", b"-here", b"not-a-real", b"notreal", b"notasecret",
    b"not-a-secret", b"fakeid", b"....", b"****", b"verylong", b"characters",
)  # fmt: skip
"""What only a placeholder contains."""

_KINDS = frozenset(
    b"access api auth authentication authorization basic bearer client cookie credential credentials jwt key keys"
    b" login name oauth pass passphrase passwd password passwords passwort passwrd private pswd public pw pwd"
    b" refresh secret secrets session signing string token tokens user username value".split()
)
"""Words that say what a value is, instead of being one."""

_FILLERS = frozenset(
    b"a abc abcd abcdef admin alice an anon anoncvs anonym anonymous another any anything app arg argument asdf aws"
    b" bad bar base64 baz bla blah bob bool boolean bytes change changeit char code community config confirm content"
    b" contrasena correct current data database db debian default demo docker dummy eggs empty encoded"
    b" encrypted enter env environment example examples fake false fill first foo for fred from given goes good"
    b" guest hash hello here hex hidden id in incorrect insert int invalid is it jane joe john ldap"
    b" line long masked me mock mocked motdepasse my mysql new nil no nobody none not null number object of old"
    b" on one open opensesame optional or other our placeholder postgres prompt put quux qux qwer qwerty random"
    b" real redacted removed repeat replace required right root same sample scott second secr3t secure sesame sha"
    b" set short some something spam sk src str super test tester testing tests text that the thing this tiger to todo"
    b" top true two type undefined unknown unset valid var very wachtwoord web whatever with word world wrong x"
    b" xyz yes you your".split()
)
"""Words that stand in examples, alone or beside the kinds."""

_RUNS = (
    b"0123456789012345678901234567890", b"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
    b"abcdefghijklmnopqrstuvwxyz", b"qwertyuiop", b"asdfghjkl", b"9876543210",
)  # fmt: skip
_BEGINNINGS = frozenset(run[at : at + 4] for run in _RUNS for at in range(len(run) - 3))
"""What a part of a run begins with."""
_ODD = _BEGINNINGS | {sign[:4] for sign in (*_SIGNS, b"xxxx")}
_PARTS = frozenset(odd[at : at + 3] for odd in _ODD for at in (0, 1))
"""What of four bytes is in every value with a sign or a run, and what of three is at an even place of each of these:
most values have none, which is known from one look.
"""
_ENDS = (b"password", b"passwd", b"passphrase")
_LOWER = bytes(range(0x61, 0x7B))
_SEPARATORS = bytes(set(range(0x21, 0x7F)) - set(_LOWER) - set(b"0123456789"))
"""Signs that tests of escaping put into words: ``pa#ss``."""

_compiled: list[Pattern[bytes]] = []
_last: list[bytes | bool] = [b"", False]


def is_placeholder(value: bytes) -> bool:
    """Tell whether ``value`` is what documentation and tests write where a secret would stand.

    Several rules ask about the same value, one after another.
    """
    if _last[0] != value:
        _last[:] = value, _is_placeholder(value)
    return bool(_last[1])


def _is_placeholder(value: bytes) -> bool:
    if len(value) > 200:  # a key or a long token, in which a short word may occur
        return b"EXAMPLE" in value
    value = value.lstrip(b"+")  # a blank, in a form
    lowered = value.lower()
    if not value or _is_repeated(lowered):
        return True
    if _may_be_odd(lowered) and (_has_sign(lowered) or b"xxxx" in value or b"XXXX" in value or _is_in_order(lowered)):
        return True
    coded, words, variables, _ = _patterns()
    letters = coded.sub(b"", value) if b"%" in value else value
    plain = letters.translate(None, _SEPARATORS) if letters.islower() else lowered
    if plain.endswith(_ENDS) and not plain.strip(_LOWER):
        return True
    if words.fullmatch(lowered) or (plain != lowered and words.fullmatch(plain)):
        return True
    return variables.fullmatch(lowered) is not None or _is_encoded(value)


def _may_be_odd(lowered: bytes) -> bool:
    """Tell whether something of ``_ODD`` is in a value."""
    if _PARTS.isdisjoint([lowered[at : at + 3] for at in range(0, len(lowered) - 2, 2)]):
        return False
    return not _ODD.isdisjoint([lowered[at : at + 4] for at in range(len(lowered) - 3)])


def _has_sign(lowered: bytes) -> bool:
    for sign in _SIGNS:  # noqa: SIM110 (a generator takes twice as long)
        if sign in lowered:
            return True
    return False


def _is_encoded(value: bytes) -> bool:
    """Tell whether ``value`` is base64 of a placeholder, or of one behind a user's name."""
    digits = value.rstrip(b"=")
    if len(value) < 12 or len(digits) % 4 == 1 or not digits.isalnum():
        return False
    try:
        decoded = a2b_base64(value + b"=" * (-len(value) % 4)).rstrip(b"\n")
    except Error:
        return False
    if not decoded.isascii():
        return False
    if b" " in decoded:
        from entire_secrets.judging import words

        return words.share(decoded.replace(b" ", b"")) > 0.8
    user, colon, password = decoded.partition(b":")
    if not decoded.decode().isprintable():
        return False
    return is_login(password) if colon else is_placeholder(user)


def is_kind(word: bytes) -> bool:
    """Tell whether a lower-case word says what a value is: ``password``, ``key``."""
    return word in _KINDS


def is_login(value: bytes) -> bool:
    """Tell whether a password behind a user's name is one of documentation: also ``p``, ``bar``, ``xyz``."""
    if (len(value) <= 3 and value.isalnum()) or is_placeholder(value):
        return True
    first, *others = _patterns()[3].split(value)  # of several hosts
    return bool(others) and all(map(is_login, (first, *others)))


def _patterns() -> list[Pattern[bytes]]:
    """Return the patterns of what is percent-encoded, of whole values (words with a final number, references to
    variables), and of what stands between the passwords of several hosts.
    """
    if not _compiled:
        _compiled.append(patterns.compile(rb"%[0-9a-fA-F]{2}"))
        word = b"|".join(sorted(_KINDS | _FILLERS, reverse=True))
        _compiled.append(
            patterns.compile(rb"[_.:/-]?(?:(?:" + word + rb")\d{0,2}(?:[ _.,:/=!?@-]|%20){0,2}){1,8}\d{0,4}[a-f]?|123")
        )
        _compiled.append(
            patterns.compile(
                rb"\$\{?\w+\}?|%\w+%|\{\{?[\w .]+\}?\}|<[^>]*>|\[[^\]]*\]|%[sdvq]|\*+"
                rb"|.*\{[a-z_.]+(?:[:!][^{}]{1,8}|\([^{}]*\))?\}.*"
            )
        )
        _compiled.append(patterns.compile(rb"@[\w.-]{1,80}(?::\d{1,5})?[,;]+(?:[^\s:,;]{0,40}:)?"))
    return _compiled


def _is_repeated(value: bytes) -> bool:
    """Tell whether most of ``value`` is one character, or each stands twice."""
    size = len(value)
    if size < 4:
        return False
    if (size - len(set(value)) + 1) * 2 > size:  # else no byte occurs so often
        middle = sorted(value)[size // 2]  # what fills more than half of the value is there
        if value.count(middle) * 2 > size:
            return True
    return _is_doubled(value.removeprefix(b"0x"))


def _is_in_order(value: bytes) -> bool:
    """Tell whether most of ``value`` is a run such as ``12345678``."""
    covered = at = 0
    while at < len(value) - 3:
        if value[at : at + 4] in _BEGINNINGS:
            size = _run(value, at)
            covered += size
            at += size
        else:
            at += 1
    return covered * 5 >= len(value) * 3


def _is_doubled(value: bytes) -> bool:
    """Tell whether each character stands twice: ``aabbccdd``."""
    return value[::2] == value[1::2]


def _run(value: bytes, at: int) -> int:
    """Return the length of the run of neighbours on the keyboard or in the alphabet that starts at ``at``, or 0."""
    for run in _RUNS:
        start = run.find(value[at : at + 4])
        if start >= 0:
            size = 4
            while value[at + size : at + size + 1] and value[at + size] == run[min(start + size, len(run) - 1)]:
                size += 1
            return size
    return 0
