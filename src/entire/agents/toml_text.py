"""Reads an agent's configuration in TOML, and edits tables in its text: all else stays as its user wrote it."""

from __future__ import annotations

import json
import re
import tomllib

from entire.agents import configfile
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Name = tuple[str, ...]  # of a table; its last key may be any text


def values(path: str) -> dict[str, Any]:
    """Return what a file holds, {} if it cannot be read."""
    try:
        return tomllib.loads(read(path))
    except (EntireError, ValueError):
        return {}


def read(path: str) -> str:
    """Return a file's text, '' if there is none; raises EntireError if it is no text."""
    try:
        return configfile.read_text(path) or ""
    except ValueError as error:
        raise EntireError(f"{path} is not UTF-8; it was not changed", hint="correct it and try again") from error


def save(path: str, text: str) -> None:
    """Write a file; raises EntireError, and leaves the file, if the text is not TOML."""
    if text == read(path):
        return
    try:
        tomllib.loads(text)
    except ValueError as error:
        hint = "correct it, or make the change in the agent itself"
        raise EntireError(f"cannot edit {path}: {error}; it was not changed", hint=hint) from error
    configfile.write_text(path, text, empty="")


def with_value(text: str, name: Name, key: str, value: str) -> str:
    """Return a text in which a table has a key with this value; nothing else changes."""
    line = f"{key} = {json.dumps(value)}\n"
    text += "" if text.endswith("\n") or not text else "\n"
    table = _table(name).search(text)
    if table is None:
        return f"{text}{chr(10) if text else ''}[{_header(name)}]\n{line}"
    rest = re.sub(rf"^{key}\s*=[^\n]*\n", "", table[0], flags=re.MULTILINE)
    body = rest.index("\n", rest.index("[")) + 1
    return text[: table.start()] + rest[:body] + line + rest[body:] + text[table.end() :]


def without_table(text: str, name: Name) -> str:
    return _table(name).sub("", text)


def _header(name: Name) -> str:
    return f"{'.'.join(name[:-1])}.{json.dumps(name[-1], ensure_ascii=False)}"


def _table(name: Name) -> re.Pattern[str]:
    """Return what matches a table with this header, up to an empty line, and with the one before it."""
    return re.compile(rf"(?:^\n)?^\[{re.escape(_header(name))}\][^\n]*\n(?:(?!\[)[^\n]+\n)*", re.MULTILINE)
