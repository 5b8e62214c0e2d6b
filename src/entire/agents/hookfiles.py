"""Shared by agents whose hooks are entries in a JSON file of the user's: editing it without harm.

The file's text is edited where our entries begin and end; nothing else is printed anew. So key order, indentation, line
ends and a missing final newline stay, and taking our entries out gives the old bytes back. What we create closes on a
line of its own; where we fill an empty list or object of the user's, its closing bracket stays where it was: by that
removal knows which to leave behind.
"""

from __future__ import annotations

import json
import os

from entire import files
from entire.errors import EntireError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Path = tuple[str | int, ...]

PREFIX = "entire "
"""Commands of ours begin with it; so do those of the Go CLI, which are replaced (formats.md section 11)."""


class Entry(Value):
    """One hook of ours: ``command`` runs at ``event`` where ``matcher`` matches; ``timeout`` in seconds, 0 for none."""

    event: str
    matcher: str
    command: str
    timeout: int = 0

    def group(self) -> dict[str, Any]:
        """Return the entry as it stands in the event's list."""
        hook: dict[str, Any] = {"type": "command", "command": self.command}
        if self.timeout:
            hook["timeout"] = self.timeout
        return {"matcher": self.matcher, "hooks": [hook]}


class Node:
    """A value in a JSON text: where it is, and for objects and lists its members (key, start of the member, value)."""

    __slots__ = ("end", "members", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.members: list[tuple[str | None, int, Node]] = []


class Document:
    """A JSON text that can be edited in place. ``text`` is '' once nothing is left."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.value: Any = None
        self._root = Node(0)
        self._parse()
        self.unit = self._indentation() or "  "

    def get(self, path: Path) -> Any:
        """Return the value at ``path`` (keys and indexes), None if there is none."""
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
        """Take out the member at ``path``, and what we created around it if it was the only one."""
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
            # Of two members with one key the last counts, as for every JSON parser.
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
        """Find where values lie; the text is known to be valid."""
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


_DECODER = json.JSONDecoder()


def load(path: str) -> Document | None:
    """Return the file as a document, None if there is none; raises EntireError if it cannot be edited without harm."""
    try:
        data = files.read(path)
    except OSError as error:
        raise EntireError(f"cannot read {path}: {error.strerror}", hint="check its permissions") from error
    if data is None or not data.strip():
        return None
    try:
        text = data.decode("utf-8")
        document = Document(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        hint = "correct the file and run this again"
        if b"//" in data or b"/*" in data:
            hint = "it seems to hold comments, which JSON does not have: take them out and run this again"
        raise EntireError(f"{path} is not valid JSON and was left as it is: {error}", hint=hint) from error
    if not isinstance(document.value, dict):
        raise EntireError(f"{path} holds no JSON object and was left as it is", hint="correct the file and try again")
    return document


def save(path: str, document: Document) -> bool:
    """Write the document if it differs from the file; delete the file (and its folder, if empty) if nothing is left.

    A symbolic link stays one; the file keeps its mode.
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
            os.chmod(target, mode)  # the umask took something away
    except OSError as error:
        raise EntireError(f"cannot write {path}: {error.strerror}", hint="check the permissions") from error
    return True


def found(document: Document) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the entries whose command begins with our prefix: (event, matcher, hook)."""
    return [(path[1], matcher, hook) for path, matcher, hook in _ours(document)]


def expected(entries: tuple[Entry, ...]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return ``entries`` in the form of ``found``."""
    return [(entry.event, entry.matcher, entry.group()["hooks"][0]) for entry in entries]


def missing(document: Document, entries: tuple[Entry, ...]) -> int:
    """Return how many of ``entries`` are not there exactly as they should be."""
    there = found(document)
    return sum(entry not in there for entry in expected(entries))


def is_exact(document: Document, entries: tuple[Entry, ...]) -> bool:
    """Tell whether ``entries`` are there, each once, and no other of ours or of the Go CLI."""
    there = found(document)
    return len(there) == len(entries) and not missing(document, entries)


def add(document: Document, entries: tuple[Entry, ...], path: str) -> None:
    """Add ``entries`` behind the user's; raises EntireError first if their lists are none."""
    hooks = document.get(("hooks",))
    lists = [hooks.get(entry.event) for entry in entries] if isinstance(hooks, dict) else []
    if ("hooks" in document.value and not isinstance(hooks, dict)) or any(
        not isinstance(groups, list) for groups in lists if groups is not None
    ):
        raise EntireError(
            f"the hooks in {path} are not in the form the agent reads; the file was left as it is",
            hint="correct the entry `hooks` and try again",
        )
    if hooks is None:
        document.append((), _tree(entries), "hooks")
        return
    for entry in entries:
        if document.get(("hooks", entry.event)) is not None:
            document.append(("hooks", entry.event), entry.group())
        else:
            document.append(("hooks",), [entry.group()], entry.event)


def create(entries: tuple[Entry, ...], more: dict[str, Any]) -> Document:
    """Return a new document with ``entries`` and ``more``."""
    return Document(json.dumps({"hooks": _tree(entries), **more}, indent=2) + "\n")


def _tree(entries: tuple[Entry, ...]) -> dict[str, list[dict[str, Any]]]:
    tree: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        tree.setdefault(entry.event, []).append(entry.group())
    return tree


def take_out(document: Document) -> int:
    """Remove every entry whose command begins with our prefix, and groups left empty; return how many there were."""
    removed = 0
    while ours := _ours(document):
        path, _, _ = ours[-1]
        group = document.get(path[:3])
        hooks = group.get("hooks")
        document.remove(path if isinstance(hooks, list) and len(hooks) > 1 and len(path) > 3 else path[:3])
        removed += 1
    return removed


def _ours(document: Document) -> list[tuple[Any, str, dict[str, Any]]]:
    """Return (path, matcher, hook) of our entries; also of flat ones, which the agent does not read."""
    result: list[tuple[Any, str, dict[str, Any]]] = []
    hooks = document.get(("hooks",)) if document.text else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            if not isinstance(group, dict):
                continue
            matcher = group.get("matcher", "")
            if _is_ours(group):
                result.append((("hooks", event, index), matcher, group))
                continue
            inner = group.get("hooks")
            for place, hook in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(hook, dict) and _is_ours(hook):
                    result.append((("hooks", event, index, "hooks", place), matcher, hook))
    return result


def _is_ours(hook: dict[str, Any]) -> bool:
    command = hook.get("command")
    return isinstance(command, str) and command.startswith(PREFIX)
