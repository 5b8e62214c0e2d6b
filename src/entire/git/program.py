"""The git program itself."""

from __future__ import annotations

from entire.git import run

OLDEST = (2, 29)
"""``git fetch --no-write-fetch-head`` is the newest that we use."""


def version(where: str) -> tuple[int, ...]:
    """Return git's version as numbers, () if it cannot be told; raises EntireError if there is no git on the PATH."""
    said = run.git(where, "--version").stdout.decode("utf-8", "replace")
    for word in said.split():
        numbers = []
        for part in word.split("."):
            if not part.isdigit():
                break
            numbers.append(int(part))
        if len(numbers) > 1:
            return tuple(numbers)
    return ()
