"""Times that people give to limit a list."""

from __future__ import annotations

from entire.errors import UsageError
from entire.git import history


def moment(where: str, given: str) -> float:
    """Return a time in seconds since the epoch, 0 for none; raises UsageError if the text says no time."""
    time = history.moment(where, given) if given.strip() else 0.0
    if given.strip() and not time:
        raise UsageError(
            f"not a time: {given}", hint="give an age or a time as for `git log`: 7d, 12h, 2026-05-31, yesterday"
        )
    return time
