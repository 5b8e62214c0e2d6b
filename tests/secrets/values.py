"""Expands templates into made-up values: ``ghp_<alnum:36>`` and the like, always the same for the same seed.

A template is text with elements ``<class:count>``: ``count`` letters of a class (``<hex:8-12>``: of a size between), or
``<maker:argument>`` for what needs more than an alphabet (passwords, keys, checksums). What is the secret stands in
``«»``. No complete secret is written in any file, so that no scanner of any forge trips over this folder.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import uuid
import zlib
from collections.abc import Callable
from typing import Any

HEX = "0123456789abcdef"
DASHES = "-" * 5
CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "digits": string.digits,
    "hex": HEX,
    "HEX": HEX.upper(),
    "lower": string.ascii_lowercase,
    "upper": string.ascii_uppercase,
    "letters": string.ascii_letters,
    "lowernum": string.ascii_lowercase + string.digits,
    "uppernum": string.ascii_uppercase + string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "b64url": string.ascii_letters + string.digits + "-_",
    "base32": string.ascii_uppercase + "234567",
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "crypt": "./" + string.digits + string.ascii_letters,
}
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
NAMES = ("maria", "deploy", "jens.k", "ci_bot", "app", "svc-billing", "olga", "root2", "reporting", "tariq")
DOMAINS = ("orchard.dev", "northwind.io", "kestrel-labs.com", "harbor.internal", "plumtree.net")
WORDS = (
    "Winter Falcon Copper Meadow Granite Orbit Saffron Lantern Velvet Thunder Walnut Harbor Marble Cactus Pepper "
    "Bramble Quartz Juniper Tundra Sparrow Comet Barley Timber Anchor Violet Magnet Pebble Ribbon Candle Walrus"
).split()
BIP39 = (
    "abandon ability absorb abstract acoustic adapt agree airport album anchor antique april arena artist asset "
    "autumn balance bamboo barrel beauty bicycle blanket bonus bracket bridge bubble buffalo cabin cactus canyon"
).split()
LEET = str.maketrans({"a": "4", "e": "3", "o": "0", "i": "1", "s": "5"})
# Symbols that need no quoting where a password stands; quotes, backslashes and blanks are never in one.
SYMBOLS = {
    "any": "!#$%&*+-=?@^_~",
    "shell": "@%+=^_.,:-",
    "url": "-_.~",
    "plain": "!#%*+=?^_~-",
    "xml": "!#$%*+-=?@^_~",
    "quoted": "!#$%&*+-=?@^_~[](){}",
}
_ELEMENT = re.compile(r"<([a-zA-Z0-9_]+)(?::([^<>]*))?>")

Source = random.Random


def letters(source: Source, alphabet: str, size: int) -> str:
    """Return ``size`` letters of an alphabet."""
    return "".join(source.choices(alphabet, k=size))


def expand(template: str, source: Source) -> str:
    """Return the template with made-up values; the marks of the secret stay."""
    return _ELEMENT.sub(lambda found: _element(found[1], found[2] or "", source, found[0]), template)


def split(marked: str) -> tuple[str, tuple[str, ...]]:
    """Return a marked text without its marks, and the secrets in it; without marks all of it is the secret."""
    if "«" not in marked:
        return marked, (marked,)
    return marked.replace("«", "").replace("»", ""), tuple(re.findall(r"«([^»]*)»", marked))


def _element(name: str, argument: str, source: Source, whole: str) -> str:
    if name in CLASSES and argument:
        low, _, high = argument.partition("-")
        return letters(source, CLASSES[name], source.randint(int(low), int(high or low)))
    if name in MAKERS:
        return MAKERS[name](source, argument)
    return whole


def _raw_base64(source: Source, argument: str) -> str:
    return base64.b64encode(source.randbytes(int(argument))).decode()


def _raw_base64_url(source: Source, argument: str) -> str:
    return base64.urlsafe_b64encode(source.randbytes(int(argument))).rstrip(b"=").decode()


def _uuid(source: Source, argument: str) -> str:
    made = str(uuid.UUID(int=source.getrandbits(128), version=4))
    return made.upper() if argument == "upper" else made


def _base62(number: int, size: int) -> str:
    made = ""
    while number:
        number, digit = divmod(number, 62)
        made = BASE62[digit] + made
    return made.rjust(size, "0")


def _checked(source: Source, argument: str) -> str:
    """Return a token of GitHub or npm: prefix, 30 letters and the CRC-32 of these letters in base 62."""
    body = letters(source, CLASSES["alnum"], 30)
    return argument + body + _base62(zlib.crc32(body.encode()), 6)


def _encoded(value: object) -> str:
    data = json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _jwt(source: Source, algorithm: str) -> str:
    head: dict[str, Any] = {"alg": algorithm or "HS256", "typ": "JWT"}
    claims = {
        "sub": str(source.randrange(10**9)),
        "name": source.choice(NAMES),
        "iat": source.randrange(16 * 10**8, 18 * 10**8),
    }
    return f"{_encoded(head)}.{_encoded(claims)}.{letters(source, CLASSES['b64url'], 43)}"


def _b64_of(source: Source, template: str) -> str:
    """Return the base64 of an expanded template, whose elements are written with ``[]``."""
    text, _ = split(expand(template.replace("[", "<").replace("]", ">"), source))
    return base64.b64encode(text.encode()).decode()


def _strong(source: Source, symbols: str) -> str:
    size = source.randint(12, 22)
    made = [source.choice(kind) for kind in (string.ascii_lowercase, string.ascii_uppercase, string.digits, symbols)]
    made += source.choices(CLASSES["alnum"] + symbols, k=size - len(made))
    source.shuffle(made)
    # A symbol at an end is read as punctuation even by people.
    return source.choice(string.ascii_letters) + "".join(made) + source.choice(CLASSES["alnum"])


def _word_like(source: Source, symbols: str) -> str:
    word = source.choice(WORDS).translate(LEET)
    return f"{word}{source.choice(symbols)}{source.choice(WORDS).lower()}{source.randrange(10, 2000)}"


def _password(source: Source, where: str) -> str:
    """Return a password: strong, like words, hex, or letters and digits; with symbols that fit where it stands."""
    symbols = SYMBOLS[where or "any"]
    makers: tuple[Callable[[], str], ...] = (
        lambda: _strong(source, symbols),
        lambda: _word_like(source, symbols),
        lambda: _strong(source, symbols),
        lambda: letters(source, HEX, 32),
        lambda: letters(source, CLASSES["alnum"], source.randint(16, 28)),
    )
    return source.choice(makers)()


def _passphrase(source: Source, separator: str) -> str:
    return (separator or "-").join(word.lower() for word in source.sample(WORDS, 4)) + str(source.randrange(10, 99))


def _key_lines(source: Source, argument: str) -> str:
    """Return lines of base64 as in a PEM file: ``count,start``; the last line is shorter."""
    count, _, start = argument.partition(",")
    width = 70 if start.startswith("b3Blbn") else 64
    body = start + letters(source, CLASSES["b64"], width * int(count) - len(start) - source.randint(5, 40))
    body += "=" * (-len(body) % 4 % 3)
    return "\n".join(body[at : at + width] for at in range(0, len(body), width))


def _pem(source: Source, argument: str) -> str:
    """Return a whole private key: ``label,lines,start``, each of its lines a secret."""
    label, lines, *start = argument.split(",")
    body = _secret_lines(_key_lines(source, ",".join((lines, *start))))
    return f"{DASHES}BEGIN {label}{DASHES}\n{body}\n{DASHES}END {label}{DASHES}"


def _pem_end(source: Source, argument: str) -> str:
    label, lines = argument.split(",")
    return _secret_lines(_key_lines(source, lines)) + f"\n{DASHES}END {label}{DASHES}"


def _pem_middle(source: Source, argument: str) -> str:
    return _secret_lines("\n".join(letters(source, CLASSES["b64"], 64) for _ in range(int(argument))))


def _secret_lines(body: str) -> str:
    return "\n".join(f"«{line}»" for line in body.split("\n"))


MAKERS: dict[str, Callable[[Source, str], str]] = {
    "begin": lambda _, label: f"{DASHES}BEGIN {label}{DASHES}",
    "end": lambda _, label: f"{DASHES}END {label}{DASHES}",
    "repeat": lambda _, argument: argument[0] * int(argument[2:]),
    "lit": lambda _, argument: argument,
    "angle": lambda _, argument: f"<{argument}>",
    "raw64": _raw_base64,
    "raw64url": _raw_base64_url,
    "uuid": _uuid,
    "checked": _checked,
    "jwt": _jwt,
    "b64of": _b64_of,
    "password": _password,
    "passphrase": _passphrase,
    "pem": _pem,
    "pem_end": _pem_end,
    "pem_middle": _pem_middle,
    "key_lines": lambda source, argument: _secret_lines(_key_lines(source, argument)),
    "user": lambda source, _: source.choice(NAMES),
    "host": lambda source, argument: f"{argument or 'db'}.{source.choice(DOMAINS)}",
    "mail": lambda source, _: f"{source.choice(NAMES)}@{source.choice(DOMAINS)}",
    "bip39": lambda source, argument: " ".join(source.choices(BIP39, k=int(argument))),
    "word": lambda source, _: source.choice(WORDS).lower(),
    "pick": lambda source, argument: source.choice(argument.split(",")),
}
