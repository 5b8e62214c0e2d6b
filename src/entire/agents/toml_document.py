"""Edits a user's TOML file in place: only what is added or removed changes, every other byte stays.

For agents that keep their hooks in TOML; no adapter uses it yet. It adds tables to lists and removes them, nothing
else. An added table stands after the last one of its list, or at the end of the file. ``tomlkit`` reads the file,
writes what is added and edits lists in brackets; it does not edit the rest, because it moves a list's tables together.
Each addition is tried out: where removing it would not restore the old bytes, it is refused. Comments in a table go
with it.
"""

from __future__ import annotations

import re

import tomlkit
from tomlkit.exceptions import TOMLKitError

from entire.agents import configfile
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Keys = tuple[str, ...]

_TOKEN = re.compile(
    r'''(?P<string>"""(?:\\.|[^\\])*?"""(?!")|\'\'\'.*?\'\'\'(?!\')|"(?:\\.|[^"\\\n])*"|'[^'\n]*')'''
    r"|(?P<comment>\#[^\n]*)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<word>[^\s\#\"'\[\]{}]+)",
    re.DOTALL,
)


class Section:
    """The lines from one header to the last line with content before the next header."""

    __slots__ = ("end", "is_list", "keys", "start")

    def __init__(self, keys: Keys, start: int, *, is_list: bool) -> None:
        self.keys = keys
        self.is_list = is_list
        self.start = start
        self.end = start


class Document:
    """An editable TOML text; raises ValueError if it is not valid. ``text`` is '' once nothing is left."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        try:
            self.value: dict[str, Any] = tomlkit.parse(text).unwrap()
        except TOMLKitError as error:
            raise ValueError(str(error)) from error

    def get(self, path: tuple[str | int, ...]) -> Any:
        """Return the value at ``path`` (keys and indexes), or None if there is none."""
        value: Any = self.value
        for step in path:
            try:
                value = value[step]
            except (LookupError, TypeError):
                return None
        return value

    def append(self, path: Keys, value: dict[str, object]) -> None:
        """Add a table to the list at ``path``, which is created if it is not there.

        Raises EntireError if that is not possible so that ``remove`` restores the old bytes.
        """
        present = self.get(path)
        expected = [*present, value] if isinstance(present, list) else [value]
        for edit in (self._with_section, self._with_inline_table):
            new = _document(edit, path, value)
            if new is None or not self._differs_in(new, path, expected):
                continue
            restored = _document(new._without, path, len(expected) - 1)
            if restored is not None and restored.text == self.text:
                self.text, self.value = new.text, new.value
                return
        raise _refusal(path)

    def remove(self, path: Keys, index: int) -> None:
        """Remove a table from the list at ``path``; raises EntireError if that would change anything else."""
        tables = self.get(path)
        new = _document(self._without, path, index)
        if new is None or not self._differs_in(new, path, [*tables[:index], *tables[index + 1 :]]):
            raise _refusal(path)
        self.text, self.value = new.text, new.value

    def _differs_in(self, new: Document, path: Keys, tables: list[object]) -> bool:
        """Tell whether a new document holds these tables at ``path``, and apart from them the same as this one."""
        return (new.get(path) or []) == tables and _rest(new.value, path) == _rest(self.value, path)

    # ---------------------------------------------------------------- tables below headers

    def _with_section(self, path: Keys, value: dict[str, object]) -> str:
        tree: dict[str, Any] = {path[-1]: [value]}
        for key in reversed(path[:-1]):
            tree = {key: tree}
        table = tomlkit.dumps(tree).strip("\n").replace("\n", self.newline)
        ends = [section.end for section in _sections(self.text) if section.keys[: len(path)] == path]
        at = ends[-1] if ends else len(self.text)
        before, after = self.text[:at], self.text[at:]
        if before and not before.endswith("\n"):  # nor shall the file end in a newline with the table
            return before + 2 * self.newline + table
        return before + (self.newline if before else "") + table + self.newline + after

    def _without(self, path: Keys, index: int) -> str:
        tables = self._tables(path)
        if not tables:
            return self._without_inline_table(path, index)
        start, end = tables[index]
        blank_line = "\n" + self.newline
        if self.text[:start].endswith(blank_line):
            start -= len(self.newline)
            if not self.text[:end].endswith("\n"):
                start -= len(self.newline)
        return self.text[:start] + self.text[end:]

    def _tables(self, path: Keys) -> list[tuple[int, int]]:
        """Return where the tables of a list start and end, each with the tables inside it."""
        found: list[tuple[int, int]] = []
        is_inside = False
        for section in _sections(self.text):
            if section.is_list and section.keys == path:
                found.append((section.start, section.end))
                is_inside = True
            elif is_inside and section.keys[: len(path)] == path:
                found[-1] = (found[-1][0], section.end)
            else:
                is_inside = False
        return found

    # ---------------------------------------------------------------- tables in brackets

    def _with_inline_table(self, path: Keys, value: dict[str, object]) -> str:
        document = tomlkit.parse(self.text)
        _at(document, path).append(value)
        return tomlkit.dumps(document)

    def _without_inline_table(self, path: Keys, index: int) -> str:
        document = tomlkit.parse(self.text)
        del _at(document, path)[index]
        return tomlkit.dumps(document)


def _at(value: Any, path: Keys) -> Any:
    for key in path:
        value = value[key]
    return value


def _rest(value: Any, path: Keys) -> Any:
    """Return a value without the list at ``path``, and without tables that then are empty."""
    rest = {key: inner for key, inner in value.items() if key != path[0]} if isinstance(value, dict) else value
    inner = _rest(value[path[0]], path[1:]) if path[1:] and rest != value else {}
    return rest | {path[0]: inner} if inner else rest


def _document(edit: Callable[[Keys, Any], str], path: Keys, argument: object) -> Document | None:
    """Return the document with an edit, or None if it cannot be made."""
    try:
        text = edit(path, argument)
        return Document(text if text.strip() else "")
    except (ValueError, TOMLKitError, LookupError, TypeError, AttributeError):
        return None


def _refusal(path: Keys) -> EntireError:
    name = ".".join(path)
    return EntireError(
        f"`{name}` is written in a form that cannot be edited; nothing was changed",
        hint=f"write it as `[[{name}]]` tables and try again",
    )


def _sections(text: str) -> list[Section]:
    """Return the sections of a valid text, without what precedes the first header."""
    found: list[Section] = []
    depth = 0
    for token in _TOKEN.finditer(text):
        start = text.rfind("\n", 0, token.start()) + 1
        if token["open"] and depth == 0 and not text[start : token.start()].strip():
            header = text[start : _line_end(text, start)]
            found.append(Section(_keys(header), start, is_list=header.lstrip().startswith("[[")))
        if token["comment"]:
            continue
        depth += bool(token["open"]) - bool(token["close"])
        if found:
            found[-1].end = _line_end(text, token.end())
    return found


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _keys(header: str) -> Keys:
    value: Any = tomlkit.parse(header).unwrap()
    keys: list[str] = []
    while value and isinstance(value, dict):
        ((key, value),) = value.items()
        keys.append(key)
    return tuple(keys)


def load(path: str) -> Document | None:
    """Return the file as a document, None if there is none; raises EntireError if it cannot be edited safely."""
    try:
        text = configfile.read_text(path)
        return Document(text) if text is not None else None
    except (ValueError, RecursionError) as error:
        hint = "correct the file and try again"
        raise EntireError(f"{path} is not valid TOML and was not changed: {error}", hint=hint) from error


def save(path: str, document: Document) -> bool:
    """Write the document if it differs from the file; delete the file (and its folder, if empty) if nothing is left."""
    return configfile.write_text(path, document.text, empty="")
