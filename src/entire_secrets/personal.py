"""Personal data, which is a secret only for those who say so."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Find = Callable[[bytes], Iterator[tuple[int, int]]]

_EMAIL = re.compile(rb"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
# An international number (E.164: up to 15 digits), or a North American one with its usual signs.
_PHONE = re.compile(
    rb"(?<![\w.+/-])(?:\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,5}\)[ .-]?)?(?:\d{1,5}[ .-]?){1,5}\d{2,5}"
    rb"|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])"
)
_IBAN = re.compile(rb"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_CARD = re.compile(
    rb"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\w-])|(?<![\w.-])3[47]\d{2}[ -]?\d{6}[ -]?\d{5}(?![\w-])"
)
_EXAMPLES = (b"@example.", b"@users.noreply.", b"noreply@", b"git@")


def emails(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield addresses; not those of examples and of machines."""
    for match in _EMAIL.finditer(text):
        if not any(part in match.group().lower() for part in _EXAMPLES):
            yield match.span()


def phones(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield telephone numbers of 8 to 15 digits that begin with a ``+`` or have the usual signs."""
    for match in _PHONE.finditer(text):
        if 8 <= sum(chr(byte).isdigit() for byte in match.group()) <= 15:
            yield match.span()


def ibans(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield account numbers whose check digits are right (ISO 13616: the number modulo 97 is 1)."""
    for match in _IBAN.finditer(text):
        number = match.group().replace(b" ", b"").decode()
        if 15 <= len(number) <= 34 and int("".join(str(int(sign, 36)) for sign in number[4:] + number[:4])) % 97 == 1:
            yield match.span()


def cards(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield card numbers of 13 to 19 digits whose check digit is right (ISO/IEC 7812: Luhn)."""
    for match in _CARD.finditer(text):
        digits = [int(chr(byte)) for byte in match.group() if chr(byte).isdigit()]
        doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
        if 13 <= len(digits) <= 19 and len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0:
            yield match.span()


KINDS: Mapping[str, Find] = {"email": emails, "phone": phones, "iban": ibans, "card-number": cards}
"""By the ids of their rules."""
