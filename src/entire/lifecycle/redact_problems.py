"""Finds what is wrong with ``.entire/redact.toml``, and logs it once for each change of the file."""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.lifecycle.context import Context
    from entire.redact.own_rules import Config


def find(place: Place) -> tuple[str, ...]:
    """Return what is wrong with a worktree's own rules and exceptions, as they are now."""
    if not os.path.lexists(place.redact_config):
        return ()
    from entire.redact import own_rules

    return own_rules.load(place.redact_config).problems


def log(context: Context, config: Config) -> None:
    """Log the problems of a configuration unless they were logged before; a repository may be read-only."""
    path = os.path.join(context.place.own_dir, "redact-problems")
    try:
        if not config.problems:
            files.remove(path)
        elif files.read(path) != config.digest.encode():
            files.write(path, config.digest.encode(), mode=0o600)
            for problem in config.problems:
                context.log.warn(f".entire/redact.toml: {problem}")
    except (OSError, EntireError):
        pass
