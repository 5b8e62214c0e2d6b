"""Expands the example of a rule: no complete secret stands in a file, they are made up while the tests run.

``<class:count>`` becomes that many random letters of a class, ``<class:least-most>`` a random number of them,
``<one|two|three>`` one of the words. What stands in ``«»`` is the secret; without them it is the whole.
"""

from __future__ import annotations

import random
import re
from functools import partial
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

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
    before, opened, rest = _PLACE.sub(fill, template).partition("«")
    secret, _, after = rest.partition("»")
    return Sample(before + secret + after, secret) if opened else Sample(before, before)


def _fill(place: re.Match[str], source: random.Random, seed: int) -> str:
    name, least, most, words = place.groups()
    if words:
        options = words.split("|")
        return options[seed % len(options)]
    size = source.randint(int(least), int(most or least))
    letters = "".join(source.choices(CLASSES[name], k=size))
    return letters if name in ("digits", "letters", "lower", "upper") or size < 8 else _mixed(letters, name, source)


def _mixed(letters: str, name: str, source: random.Random) -> str:
    """A real token of eight letters or more has a digit; a made-up one that has none is no fair test."""
    if set(letters) & set(digits):
        return letters
    at = source.randrange(len(letters))
    return letters[:at] + source.choice(sorted(set(CLASSES[name]) & set(digits))) + letters[at + 1 :]
