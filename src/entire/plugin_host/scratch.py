"""A private folder for a moment: plugins read stored transcripts from files, and may write large answers to files."""

from __future__ import annotations

import os

from entire import contents
from entire.plugin_host.language.protocol import PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from entire.model.transcripts import Content

    T = TypeVar("T")

_LONGEST_NAME = 255


def folder() -> str:
    """Create a private folder and return its path; raises PluginError if that fails."""
    base = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108
    path = os.path.join(os.path.abspath(base), f"entire-{os.urandom(8).hex()}")
    try:
        os.mkdir(path, 0o700)
    except OSError as error:
        raise PluginError(f"no file can be written for a plugin in {base}: {error.strerror}") from error
    return path


def write(folder: str, session_ref: str, data: Content) -> str:
    """Write a stored transcript under its own file's name; return the path."""
    path = os.path.join(folder, _name(session_ref))
    try:
        with open(path, "xb") as file:
            for block in contents.blocks(data):
                file.write(block)
    except OSError as error:
        raise PluginError(f"no file can be written for a plugin: {error}") from error
    return path


def _name(session_ref: str) -> str:
    name = os.path.basename(session_ref)
    try:
        is_possible = "\0" not in name and 0 < len(os.fsencode(name)) <= _LONGEST_NAME and name not in (".", "..")
    except UnicodeEncodeError:
        is_possible = False
    return name if is_possible else "transcript"


def remove(folder: str) -> None:
    """Remove a folder and the files in it, as far as possible."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                os.unlink(entry.path)
        os.rmdir(folder)
    except OSError:
        pass


def with_file(session_ref: str, data: Content, use: Callable[[str], T]) -> T:
    """Return what ``use`` returns for the path of a file with a stored transcript, which is then removed."""
    private = folder()
    try:
        return use(write(private, session_ref, data))
    finally:
        remove(private)
