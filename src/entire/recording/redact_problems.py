"""Finds what is wrong with ``.entire/redact.toml``, and logs it once for each change of the file; trusts exceptions."""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.log import Log
    from entire.redact.config import Config

UNCHECKED = "its rules took too long and did not see all that is stored: run `entire audit`"


def find(place: Place) -> tuple[str, ...]:
    """Return what is wrong with a worktree's own rules and exceptions, as they are now."""
    if not os.path.lexists(place.redact_config):
        return ()
    from entire.redact import config

    unseen = (UNCHECKED,) if os.path.exists(place.unchecked_marker) else ()
    return (*config.load(place.redact_config).problems, *unseen)


def trust(place: Place) -> str:
    """Let the exceptions count that the file has now, until they change; return them in words, '' for none."""
    from entire.redact import config, config_file

    read = config.load(place.redact_config)
    if read.exceptions:
        config_file.trust(place.trusted_exceptions, read.exceptions_id)
    return read.exceptions


def note_unchecked(place: Place, log: Log, config: Config) -> None:
    """Leave a mark for ``status`` if own rules did not see all that was stored; an audit makes up for it."""
    budget = config.own.budget
    if not budget.unchecked:
        return
    try:
        if not os.path.exists(place.unchecked_marker):
            files.write(place.unchecked_marker, b"")
            log.warn(f".entire/redact.toml: {UNCHECKED}", bytes=budget.unchecked)
    except (OSError, EntireError):
        pass
    budget.unchecked = 0


def note(place: Place, log: Log, config: Config) -> None:
    """Log the problems of a configuration unless they were logged before; a repository may be read-only."""
    path = os.path.join(place.own_dir, "redact-problems")
    try:
        if not config.problems:
            files.remove(path)
        elif files.read(path) != config.digest.encode():
            files.write(path, config.digest.encode(), mode=0o600)
            for problem in config.problems:
                log.warn(f".entire/redact.toml: {problem}")
    except (OSError, EntireError):
        pass
