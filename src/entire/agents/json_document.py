"""Edits a user's JSON file in place: only what is added or removed changes, every other byte stays.

Edits splice the text where members start and end and serialise nothing else. Key order, indentation, line endings and a
missing final newline are kept, and removing an added entry restores the old bytes. A list or object that we create
closes on a line of its own; an empty one of the user's that we fill keeps its closing bracket where it was. That is how
removal knows which to leave behind.
"""

from __future__ import annotations

import json
import os

from entire import files
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Path = tuple[str | int, ...]

_DECODER = json.JSONDecoder()


class Node:
    """Position of a value in a JSON text; for objects and lists also the members (key, start of the member, value)."""

    __slots__ = ("end", "members", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.members: list[tuple[str | None, int, Node]] = []


class Document:
    """An editable JSON text. ``text`` is '' once nothing is left."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.value: Any = None
        self._root = Node(0)
        self._parse()
        self.unit = self._indentation() or "  "

    def get(self, path: Path) -> Any:
        """Return the value at ``path`` (keys and indexes), or None if there is none."""
        value = self.value
        for step in path:
            if isinstance(step, str) and isinstance(value, dict):
                value = value.get(step)
            elif isinstance(step, int) and isinstance(value, list) and step < len(value):
                value = value[step]
            else:
                return None
        return value

    def append(self, path: Path, value: object, key: str | None = None) -> None:
        """Add a member at the end of the list or object at ``path``."""
        node = self._find(path)
        if node.members:
            _, start, last = node.members[-1]
            before = self.text[:start].rpartition("\n")[2]
            own_line = not before.strip()
            base = before if own_line else self._line_indent(node.start) + self.unit
            separator = "," + (self.newline + base if own_line else " ")
            at = last.end
        else:
            base = self._line_indent(node.start) + self.unit
            separator = self.newline + base if isinstance(value, dict | list) else ""
            at = node.start + 1
        member = ("" if key is None else json.dumps(key, ensure_ascii=False) + ": ") + self._render(value, base)
        self._replace(at, at, separator + member)

    def remove(self, path: Path) -> None:
        """Remove the member at ``path``; if it was the only one, also the list or object we created around it."""
        outer, step = self._find(path[:-1]), path[-1]
        index = (
            step if isinstance(step, int) else max(at for at, member in enumerate(outer.members) if member[0] == step)
        )
        _, start, node = outer.members[index]
        if index > 0:
            self._replace(outer.members[index - 1][2].end, node.end, "")
        elif len(outer.members) > 1:
            self._replace(start, outer.members[1][1], "")
        elif "\n" not in self.text[node.end : outer.end - 1]:
            self._replace(outer.start + 1, node.end, "")
        elif len(path) > 1:
            self.remove(path[:-1])
        else:
            self.text, self.value = "", {}

    def _replace(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]
        self._parse()

    def _render(self, value: object, base: str) -> str:
        text = json.dumps(value, indent=self.unit, ensure_ascii=False)
        return text.replace("\n", self.newline + base)

    def _line_indent(self, at: int) -> str:
        line = self.text[:at].rpartition("\n")[2]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _indentation(self) -> str:
        if not self._root.members:
            return ""
        before = self.text[self._root.start + 1 : self._root.members[0][1]]
        return before.rpartition("\n")[2] if "\n" in before else ""

    def _find(self, path: Path) -> Node:
        node = self._root
        for step in path:
            # The last of several members with the same key counts, as in every JSON parser.
            found = node.members[step] if isinstance(step, int) else [m for m in node.members if m[0] == step][-1]
            node = found[2]
        return node

    def _parse(self) -> None:
        self.value = json.loads(self.text)
        self._root = self._node(self._skip(0))

    def _skip(self, at: int) -> int:
        while self.text[at : at + 1] in (" ", "\t", "\n", "\r"):
            at += 1
        return at

    def _node(self, at: int) -> Node:
        """Locate the values of a text that is known to be valid."""
        node = Node(at)
        opening = self.text[at]
        if opening not in "{[":
            _, node.end = _DECODER.raw_decode(self.text, at)
            return node
        at = self._skip(at + 1)
        while self.text[at] not in "}]":
            start, key = at, None
            if opening == "{":
                key, at = _DECODER.raw_decode(self.text, at)
                at = self._skip(self._skip(at) + 1)
            child = self._node(at)
            node.members.append((key, start, child))
            at = self._skip(child.end)
            if self.text[at] == ",":
                at = self._skip(at + 1)
        node.end = at + 1
        return node


def load(path: str) -> Document | None:
    """Return the file as a document, None if there is none; raises EntireError if it cannot be edited safely."""
    try:
        data = files.read(path)
    except OSError as error:
        hint = "check its permissions and try again"
        raise EntireError(f"cannot read {path}: {error.strerror}", hint=hint) from error
    if data is None or not data.strip():
        return None
    try:
        text = data.decode("utf-8")
        document = Document(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        hint = "correct the file and try again"
        if b"//" in data or b"/*" in data:
            hint = "JSON allows no comments: remove them and try again"
        raise EntireError(f"{path} is not valid JSON and was not changed: {error}", hint=hint) from error
    if not isinstance(document.value, dict):
        raise EntireError(f"{path} is not a JSON object and was not changed", hint="correct the file and try again")
    return document


def save(path: str, document: Document) -> bool:
    """Write the document if it differs from the file; delete the file (and its folder, if empty) if nothing is left.

    Keeps symbolic links and the file's mode.
    """
    target = os.path.realpath(path)
    old = files.read(target)
    if not document.text and os.path.islink(path):
        document.text = "{}\n"  # the link is the user's
    if not document.text:
        files.remove(path)
        try:
            os.rmdir(os.path.dirname(path))
        except OSError:
            pass
        return True
    mark = b"\xef\xbb\xbf" if old is not None and old.startswith(b"\xef\xbb\xbf") else b""
    new = mark + document.text.encode()
    if new == old:
        return False
    try:
        mode = os.stat(target).st_mode & 0o7777 if old is not None else 0o644
        os.makedirs(os.path.dirname(target), exist_ok=True)
        files.write(target, new, mode=mode)
        if os.stat(target).st_mode & 0o7777 != mode and old is not None:
            os.chmod(target, mode)  # the umask removed some bits
    except OSError as error:
        hint = "check its permissions and try again"
        raise EntireError(f"cannot write {path}: {error.strerror}", hint=hint) from error
    return True
