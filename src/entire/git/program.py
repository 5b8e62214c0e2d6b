"""The installed git program."""

from __future__ import annotations

from entire.git import run

OLDEST = (2, 29)
"""For ``git fetch --no-write-fetch-head``, the newest option we use."""


def version(where: str) -> tuple[int, ...]:
    """Return git's version as numbers, () if it cannot be parsed. Raises EntireError if git is not on the PATH."""
    output = run.git(where, "--version").stdout.decode("utf-8", "replace")
    for word in output.split():
        numbers = []
        for part in word.split("."):
            if not part.isdigit():
                break
            numbers.append(int(part))
        if len(numbers) > 1:
            return tuple(numbers)
    return ()
