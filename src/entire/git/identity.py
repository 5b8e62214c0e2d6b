"""The author of our commits: git's configured user, or a placeholder, so that a missing identity stops nothing."""

from __future__ import annotations

import time

from entire.git import run

_FORBIDDEN = dict.fromkeys(map(ord, "<>\n\0"))


def identity(where: str) -> str:
    """Return ``Name <mail>`` from git's configuration (the repository's first, then the global one)."""
    query = ("config", "-z", "--get-regexp", r"^user\.(name|email)$")
    found: dict[str, str] = {}
    for entry in run.git(where, *query, ok=(0, 1)).stdout.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = entry.partition("\n")
        found[key] = value.translate(_FORBIDDEN).strip()
    return f"{found.get('user.name') or 'Unknown'} <{found.get('user.email') or 'unknown@local'}>"


def author(name_and_mail: str, seconds: float) -> str:
    """Return a commit's author line: identity, seconds since the epoch, local offset."""
    offset = time.localtime(seconds).tm_gmtoff
    minutes = abs(offset) // 60
    return f"{name_and_mail} {int(seconds)} {'-' if offset < 0 else '+'}{minutes // 60:02}{minutes % 60:02}"
