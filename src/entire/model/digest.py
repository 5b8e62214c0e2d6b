"""SHA-1 and SHA-256 without ``hashlib``, which loads OpenSSL and costs a hook 3 ms."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash, sha1, sha256
else:
    try:
        from _sha1 import sha1

        try:
            from _sha256 import sha256  # Python 3.11
        except ImportError:
            from _sha2 import sha256  # since 3.12
    except ImportError:
        from hashlib import sha1, sha256

__all__ = ["for_size", "hash_of", "sha1", "sha256"]

_LARGE = 1 << 18
"""Bytes from which OpenSSL, which is several times faster, pays for its import."""


def for_size(name: str, size: int) -> _Hash:
    """Return a new ``sha1`` or ``sha256``: the faster one for so many bytes."""
    if size < _LARGE:
        return sha1() if name == "sha1" else sha256()
    import hashlib

    return hashlib.new(name)


def hash_of(data: bytes) -> str:
    """Return the SHA-256 of ``data`` in hex digits."""
    digest = for_size("sha256", len(data))
    digest.update(data)
    return digest.hexdigest()
