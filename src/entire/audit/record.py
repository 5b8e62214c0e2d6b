"""When the last audit of a repository was, and by which rules: ``status`` says when they have changed since."""

from __future__ import annotations

import os

from entire import files
from entire.errors import CorruptError, EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.redact import Redactor


def _path(place: Place) -> str:
    return os.path.join(place.common_own_dir, "audit", "last.json")


def note(place: Place, rules: str, *, now: float) -> None:
    """Record a complete audit. A repository may be read-only."""
    try:
        files.write_json(_path(place), {"rules": rules, "time": now})
        files.remove(place.revealed_marker)
        files.remove(place.unchecked_marker)
    except (OSError, EntireError):
        pass


def is_due(place: Place, redactor: Redactor) -> bool:
    """Tell whether the rules have changed since the last audit. False if there never was one; nothing is scanned."""
    try:
        value = files.read_json(_path(place))
    except (CorruptError, OSError):
        return False
    if value is None:
        return False
    return value.get("rules") != redactor.rules_version()


def is_revealed(place: Place) -> bool:
    """Tell whether a secret was found that checkpoints may hold, and no audit has told where since."""
    return os.path.exists(place.revealed_marker)
