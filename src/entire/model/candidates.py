"""Names that a shell can complete."""

from __future__ import annotations

from entire.model.value import Value


class Candidate(Value):
    """A name as it can be typed, and a few words about it."""

    name: str
    about: str = ""
