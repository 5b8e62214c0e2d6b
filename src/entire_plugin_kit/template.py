"""Writes a new plugin: a folder with a program that works, fixtures and tests, to be changed for the real agent.

The templates are whole plugins of an imaginary agent, Parrot, whose name is replaced everywhere.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entire import UsageError
from entire.plugin import EntireError, host
from entire.plugin.host import protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
_NAME, _TYPE = b"parrot", b"Parrot"
"""What the imaginary agent is called, in the contents and names of the templates' files."""
_COMMON = "common"
PYTHON, SHELL = "python", "shell"
LANGUAGES = (PYTHON, SHELL)
"""What there are templates for, and their folders."""


@dataclass(frozen=True, kw_only=True)
class NewPlugin:
    """A plugin that was written: its agent's name and type, its folder, and the files there, the executable first."""

    name: str
    type: str
    folder: str
    files: tuple[str, ...]


def write(name: str, language: str, folder: str = "") -> NewPlugin:
    """Write a new plugin for the agent called ``name`` into a new folder.

    Raises UsageError, before anything is written, for a name that no plugin can have, and if the folder exists.
    """
    _check(name)
    agent_type = _type_of(name)
    folder = folder or name
    contents = dict(_contents(name, agent_type, language))
    try:
        os.mkdir(folder)
    except FileExistsError:
        hint = "choose another folder with --into, or remove it first"
        raise UsageError(f"{folder} exists already; nothing was written", hint=hint) from None
    except OSError as error:
        raise EntireError(
            f"cannot create {folder}: {error.strerror}", hint="choose another folder with --into"
        ) from None
    program = protocol.PREFIX + name
    for file, content in contents.items():
        path = os.path.join(folder, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as written:
            written.write(content)
        os.chmod(path, 0o755 if file == program else 0o644)
    names = sorted(contents, key=lambda file: (file != program, "/" in file, file))
    return NewPlugin(name=name, type=agent_type, folder=folder, files=tuple(names))


def _check(name: str) -> None:
    if not protocol.is_name(name):
        hint = "use lower-case letters, digits, `.`, `_` and `-`, and a letter or digit first"
        raise UsageError(f"{name!r} cannot be the name of a plugin", hint=hint)
    if host.is_reserved(name):
        raise UsageError(f"the name {name} is taken", hint="choose another one: built-in names cannot be replaced")


def _type_of(name: str) -> str:
    """Return the name for people, ``My Agent`` for ``my-agent``; the name itself if that is a built-in agent's."""
    words = name.replace(".", " ").replace("_", " ").replace("-", " ").split()
    spoken = " ".join(word[:1].upper() + word[1:] for word in words)
    return name if spoken in host.built_in() else spoken


def _contents(name: str, agent_type: str, language: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a template, by their paths in the new folder."""
    for part in (_COMMON, language):
        top = os.path.join(_TEMPLATES, part)
        for folder, folders, file_names in os.walk(top):
            folders[:] = [sub for sub in folders if sub != "__pycache__"]  # installers compile what ends in .py
            for file in file_names:
                path = os.path.join(folder, file)
                with open(path, "rb") as template:
                    content = template.read().replace(_NAME, name.encode()).replace(_TYPE, agent_type.encode())
                yield os.path.relpath(path, top).replace(_NAME.decode(), name), content
