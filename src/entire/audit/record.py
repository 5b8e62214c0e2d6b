"""When the last audit of a repository was, and by which rules: ``status`` says when they have changed since."""

from __future__ import annotations

import os

from entire import files, redact
from entire.errors import CorruptError
from entire.redact import policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place


def _path(place: Place) -> str:
    return os.path.join(place.common_own_dir, "audit", "last.json")


def note(place: Place, rules: str, *, now: float) -> None:
    """Record a complete audit. A repository may be read-only."""
    try:
        files.write_json(_path(place), {"rules": rules, "time": now})
    except OSError:
        pass


def is_due(place: Place) -> bool:
    """Tell whether the rules have changed since the last audit. False if there never was one; nothing is scanned."""
    try:
        value = files.read_json(_path(place))
    except (CorruptError, OSError):
        return False
    if value is None:
        return False
    adopt_rules(place)
    return value.get("rules") != redact.rules_version()


def adopt_rules(place: Place, *, forgotten: str = "") -> None:
    """Let the repository's own rules and exceptions apply, but not the secrets that it remembers: these grow with each
    session, and a verdict is to last as long as the rules. ``forgotten``: the file of those that a person named.
    """
    policy.adopt(policy.Sources(config=place.redact_config, memory=forgotten))
