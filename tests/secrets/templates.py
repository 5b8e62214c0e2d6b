"""Expands the example of a rule: no complete secret stands in a file, they are made up while the tests run.

``<class:count>`` becomes that many random letters of a class, ``<class:least-most>`` a random number of them,
``<one|two|three>`` one of the words, and ``<crc32-base62>``, ``<crc32-base36>`` or ``<sha256-base32>`` the checksum
that a provider puts into its tokens, of what precedes it. ``«»`` encloses the secret, if it is not the whole.
"""

from __future__ import annotations

import random
import re
from base64 import b32encode
from functools import partial
from hashlib import sha256
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple
from zlib import crc32

CLASSES = {
    "alnum": ascii_letters + digits,
    "b64": ascii_letters + digits + "+/",
    "b64url": ascii_letters + digits + "-_",
    "base32": ascii_uppercase + "234567",
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "digits": digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "letters": ascii_letters,
    "lower": ascii_lowercase,
    "lowernum": ascii_lowercase + digits,
    "upper": ascii_uppercase,
    "uppernum": ascii_uppercase + digits,
}
_PLACE = re.compile(r"<(\w+):(\d+)(?:-(\d+))?>|<([^<>|]*(?:\|[^<>|]*)+)>")


class Sample(NamedTuple):
    """An example that was expanded: a text, and the secret in it."""

    text: str
    secret: str

    def replaced(self, by: str) -> str:
        """Return the text with something else in the place of the secret."""
        before, _, after = self.text.partition(self.secret)
        return before + by + after


def expand(template: str, seed: int) -> Sample:
    """Make up a secret: the same one for the same template and seed; a number of seeds tries all alternatives."""
    fill = partial(_fill, source=random.Random(f"{template} {seed}"), seed=seed)
    before, opened, rest = _with_checksum(_PLACE.sub(fill, template)).partition("«")
    secret, _, after = rest.partition("»")
    return Sample(before + secret + after, secret) if opened else Sample(before, before)


def _with_checksum(text: str) -> str:
    place = re.search("<(crc32-base62|crc32-base36|crc32-hex|crc32-hex-body|crc32-hex-swapped|sha256-base32)>", text)
    if not place:
        return text
    token = text[: place.start()].rpartition("«")[2]
    if place[1] == "sha256-base32":
        checksum = b32encode(sha256(token.encode()).digest())[:8].decode()
    elif place[1] == "crc32-hex":
        checksum = f"{crc32(token.encode()):08X}"
    elif place[1] == "crc32-hex-body":
        checksum = f"{crc32(token.split('_')[1].encode()):08x}"
    elif place[1] == "crc32-hex-swapped":
        checksum = crc32(token.rstrip("_").encode()).to_bytes(4, "little").hex()
    elif place[1] == "crc32-base36":
        checksum = _digits(crc32(token.encode()), 36, 7).lower()
    else:
        checksum = _digits(crc32(token.partition("_")[2].encode()), 62, 6)
    return text.replace(place[0], checksum)


def _digits(number: int, base: int, width: int) -> str:
    """Return ``number`` in a base of up to 62, in ``width`` digits."""
    return "".join((digits + ascii_uppercase + ascii_lowercase)[number // base**n % base] for n in range(width))[::-1]


def _fill(place: re.Match[str], source: random.Random, seed: int) -> str:
    name, least, most, words = place.groups()
    if words:
        options = words.split("|")
        return options[seed % len(options)]
    size = source.randint(int(least), int(most or least))
    letters = "".join(source.choices(CLASSES[name], k=size))
    return letters if name in ("digits", "letters", "lower", "upper") or size < 8 else _mixed(letters, name, source)


def _mixed(letters: str, name: str, source: random.Random) -> str:
    """A real token of eight letters or more has a digit; a made-up one that has none is not a fair test."""
    if set(letters) & set(digits):
        return letters
    at = source.randrange(len(letters))
    return letters[:at] + source.choice(sorted(set(CLASSES[name]) & set(digits))) + letters[at + 1 :]
