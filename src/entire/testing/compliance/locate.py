"""Finds the plugin that is to be checked: a path is the user's choice, a name is that of a plugin the user allowed."""

from __future__ import annotations

import os

from entire.agents.external import discovery
from entire.agents.external.trust import USABLE, Decisions
from entire.errors import UsageError


def find(name_or_path: str) -> str:
    """Return the absolute path of a plugin. Raises UsageError if there is none, or it may not run."""
    if os.sep in name_or_path:
        path = os.path.abspath(name_or_path)
        if not os.path.isfile(path):
            raise UsageError(f"there is no file {path}", hint="name the executable, or an allowed plugin")
        return path
    executable = discovery.find(name_or_path, os.environ)
    if executable is None:
        raise UsageError(
            f"there is no plugin called {name_or_path!r} on PATH", hint="name its path, with a slash in it"
        )
    if Decisions(os.environ).decide(executable, lambda: False) not in USABLE:
        raise UsageError(
            f"the plugin {name_or_path} is not allowed to run ({executable.path})",
            hint=f"`entire plugin allow {name_or_path}` lets it run; so does naming its path here",
        )
    return executable.path
