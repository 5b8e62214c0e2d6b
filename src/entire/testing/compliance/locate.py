"""Finds the plugin that is to be checked: a path is the user's choice, a name is that of a plugin the user allowed."""

from __future__ import annotations

import os

from entire import layout
from entire.errors import UsageError
from entire.recording import directories


def find(name_or_path: str) -> str:
    """Return the absolute path of a plugin. Raises UsageError if there is none, or it may not run."""
    if os.sep not in name_or_path:
        return _of_name(name_or_path)
    path = os.path.abspath(name_or_path)
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder", hint="name the executable in it")
    if not os.path.isfile(path):
        raise UsageError(f"there is no file {path}", hint="name the executable, or an allowed plugin")
    return path


def _of_name(name: str) -> str:
    with directories.make(layout.find(os.getcwd())) as agents:
        executable = agents.plugins.find(name)
        if executable is None:
            raise UsageError(f"there is no plugin {name!r} on PATH", hint="name the path of one, with a slash in it")
        agents.plugins.check(executable)
        return executable.path
