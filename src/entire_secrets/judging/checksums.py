"""Checksums that providers put into their tokens.

A token whose checksum holds is one wherever it stands: within base64, behind a letter, before another token. So the
rules named here look for tokens without regard to what is around them. They are additional: a token whose checksum does
not hold, of an older format or mistyped, is found by its provider's other rule, which wants it to stand alone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DIGITS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}


def crc32_base62(token: bytes) -> bool:
    """Check the last six characters: the CRC-32 of the others behind the prefix (GitHub, npm, Vercel)."""
    from zlib import crc32

    body = token.partition(b"_")[2]
    number = 0
    for digit in body[-6:]:
        number = number * 62 + _VALUES[digit]
    return crc32(body[:-6]) == number


def crc32_base36(token: bytes) -> bool:
    """Check the last seven characters: the CRC-32 of all others (GitLab's routable tokens)."""
    return _crc32(token[:-7], base=36, width=7) == token[-7:].upper()


def crc32_hex(token: bytes) -> bool:
    """Check the last eight characters: the CRC-32 of all others, in hex (Atlassian)."""
    return _crc32(token[:-8], base=16, width=8) == token[-8:]


def crc32_hex_body(token: bytes) -> bool:
    """Check what follows the second underscore: the CRC-32 of what is between the two, in hex (Zuplo)."""
    _prefix, body, checksum = token.split(b"_")
    return _crc32(body, base=16, width=8).lower() == checksum


def crc32_hex_swapped(token: bytes) -> bool:
    """Check what follows the last underscore: the CRC-32 of what precedes it, its lowest byte first (Grafana)."""
    from zlib import crc32

    body, _, checksum = token.rpartition(b"_")
    return crc32(body).to_bytes(4, "little").hex().encode() == checksum


def sha256_base32(token: bytes) -> bool:
    """Check eight characters before the last eight: the SHA-256 of all before them (GitHub's fine-grained tokens)."""
    from base64 import b32encode
    from hashlib import sha256

    return b32encode(sha256(token[:-16]).digest())[:8] == token[-16:-8]


def _crc32(data: bytes, *, base: int, width: int) -> bytes:
    from zlib import crc32

    number, digits = crc32(data), b""
    while number:
        number, digit = divmod(number, base)
        digits = _DIGITS[digit : digit + 1] + digits
    return digits.rjust(width, b"0")


BY_RULE: dict[str, Callable[[bytes], bool]] = {
    "atlassian-token-in-text": crc32_hex,
    "bitbucket-token-in-text": crc32_hex,
    "github-fine-grained-token-in-text": sha256_base32,
    "github-token-in-text": crc32_base62,
    "gitlab-token-in-text": crc32_base36,
    "grafana-token-in-text": crc32_hex_swapped,
    "npm-token-in-text": crc32_base62,
    "vercel-token-in-text": crc32_base62,
    "zuplo-key-in-text": crc32_hex_body,
}
"""The rules whose matches are secrets only if a checksum holds."""
