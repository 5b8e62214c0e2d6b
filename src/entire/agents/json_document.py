"""Edits a user's JSON file in place: only what is added or removed changes, every other byte stays.

Edits splice the text where members start and end and serialise nothing else. Key order, indentation, comments, line
endings and a missing final newline are kept, and removing an added entry restores the old bytes. What is added ends in
a comma only where the user's last member does: some agents read comments, but no such commas.

Removal leaves behind what the user wrote. A list or object that holds a comment is the user's. Without one, its closing
bracket tells: one that we create closes on a line of its own, one of the user's that we fill closes where our member
ends; line breaks in an empty one of the user's stand before our member.
"""

from __future__ import annotations

import json
import re

from entire.agents import configfile
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Path = tuple[str | int, ...]

_DECODER = json.JSONDecoder()
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|(//[^\r\n]*|/\*.*?\*/)', re.DOTALL)
_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\[{,\s])(\s*),(?=\s*[\]}])', re.DOTALL)  # not the one in `[,]`
_NOT_BLANK = re.compile(r"\S")
_LAST_LINE = re.compile(r"\r?\n[ \t]*\Z")


class Node:
    """Position of a value in a JSON text; for objects and lists also the members (key, start of the member, value)."""

    __slots__ = ("end", "members", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.members: list[tuple[str | None, int, Node]] = []


class Document:
    """An editable JSON text. ``text`` is '' once nothing is left.

    With ``comments``, it may hold comments, and commas after the last members of its lists and objects.
    """

    def __init__(self, text: str, *, comments: bool = False) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.value: Any = None
        self._has_comments = comments
        self._bare = text  # the text with blanks for comments
        self._comments: list[tuple[int, int]] = []
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
        """Add a member at the end of the list or object at ``path``, after the comments there."""
        node = self._find(path)
        if not node.members:
            self._fill(node, value, key)
            return
        _, start, last = node.members[-1]
        own_line = not self._bare[:start].rpartition("\n")[2].strip()
        base = self._line_indent(start) if own_line else self._line_indent(node.start) + self.unit
        comma = self._comma(last)
        at = self._after_comments(comma + 1 if comma else last.end, node.end - 1)
        separator = self.newline + base if own_line or self._ends_line_comment(at) else " "
        member = separator + self._render(value, key, base)
        if comma:
            self._splice((at, at, member + ","))
        else:
            self._splice((last.end, last.end, ","), (at, at, member))

    def _fill(self, node: Node, value: object, key: str | None) -> None:
        """Add the first member to a list or object of the user's."""
        first, closing = node.start + 1, node.end - 1
        at = self._after_comments(first, closing)
        has_comments = at > first
        is_open = "\n" in self.text[at:closing]
        base = self._line_indent(node.start) + self.unit
        separator = " " if has_comments else ""
        if is_open or isinstance(value, dict | list):
            separator = self.newline + base
        if is_open and not has_comments:
            at = closing
        self._splice((at, at, separator + self._render(value, key, base)))

    def remove(self, path: Path) -> None:
        """Remove the member at ``path``; if it was the only one, also the list or object we created around it."""
        outer, step = self._find(path[:-1]), path[-1]
        index = (
            step if isinstance(step, int) else max(at for at, member in enumerate(outer.members) if member[0] == step)
        )
        _, start, node = outer.members[index]
        if len(outer.members) == 1:
            self._remove_only(path, outer)
            return
        comma = self._comma(node)
        if index == 0:
            self._splice((start, node.end, ""), (comma, self._skip_blanks(comma + 1), ""))
            return
        before = outer.members[index - 1][2].end
        comma_before = self._skip(before)
        if comma:
            rest = comma + 1 if self._skip_blanks(node.end) == comma else node.end
            cut = self._cut_after_comments(comma_before + 1, start, rest)
            self._splice((cut, node.end, ""), (comma, comma + 1, ""))
            return
        cut = self._cut_after_comments(before, start, node.end)
        commas = [(comma_before, comma_before + 1, "")] if comma_before < cut else []
        self._splice(*commas, (cut, node.end, ""))

    def _remove_only(self, path: Path, outer: Node) -> None:
        _, start, node = outer.members[0]
        comma = self._comma(node)
        commas = [(comma, comma + 1, "")] if comma else []
        first, closing = outer.start + 1, outer.end - 1
        inside = self.text[first:start]
        if any(first <= at < closing and not node.start <= at < node.end for at, _ in self._comments):
            self._splice((self._cut_after_comments(first, start, node.end), node.end, ""), *commas)
        elif "\n" not in self.text[comma or node.end : closing]:
            users = _LAST_LINE.sub("", inside)
            self._splice((first + len(users) if "\n" in users else first, node.end, ""), *commas)
        elif len(path) > 1:
            self.remove(path[:-1])
        elif self._comments:
            self._splice((first, closing, ""))
        else:
            self.text, self.value = "", {}

    # ---------------------------------------------------------------- positions

    def _comma(self, node: Node) -> int:
        """Return where the comma after a member is; 0 if there is none."""
        at = self._skip(node.end)
        return at if self._bare[at] == "," else 0

    def _after_comments(self, start: int, end: int) -> int:
        """Return the end of the last comment in a gap between values; its start if there is none."""
        return max((to for at, to in self._comments if start <= at < end), default=start)

    def _cut_after_comments(self, start: int, end: int, rest: int) -> int:
        """Return where a cut through a gap may start so that the ``rest`` does not become part of a line comment."""
        at = self._after_comments(start, end)
        follows = self.text[self._skip_blanks(rest, " \t\r") :][:1]
        return end if self._ends_line_comment(at) and follows != "\n" else at

    def _ends_line_comment(self, at: int) -> bool:
        return any(to == at and self.text.startswith("//", start) for start, to in self._comments)

    def _line_indent(self, at: int) -> str:
        line = self.text[:at].rpartition("\n")[2]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _indentation(self) -> str:
        if not self._root.members:
            return ""
        start = self._root.members[0][1]
        return self._line_indent(start) if "\n" in self.text[self._root.start : start] else ""

    def _find(self, path: Path) -> Node:
        node = self._root
        for step in path:
            # The last of several members with the same key counts, as in every JSON parser.
            member = node.members[step] if isinstance(step, int) else [m for m in node.members if m[0] == step][-1]
            node = member[2]
        return node

    def _skip(self, at: int) -> int:
        """Return the next position that is neither blank nor in a comment."""
        while self._bare[at : at + 1] in (" ", "\t", "\n", "\r"):
            at += 1
        return at

    def _skip_blanks(self, at: int, blanks: str = " \t\r\n") -> int:
        while self.text[at : at + 1] and self.text[at] in blanks:
            at += 1
        return at

    # ---------------------------------------------------------------- text

    def _splice(self, *edits: tuple[int, int, str]) -> None:
        """Replace the text between two positions, for each edit; all refer to the text before."""
        for start, end, new in reversed(edits):
            self.text = self.text[:start] + new + self.text[end:]
        self._parse()

    def _render(self, value: object, key: str | None, base: str) -> str:
        text = json.dumps(value, indent=self.unit, ensure_ascii=False).replace("\n", self.newline + base)
        return text if key is None else json.dumps(key, ensure_ascii=False) + ": " + text

    def _parse(self) -> None:
        self._bare = plain = self.text
        if self._has_comments:
            self._comments = [match.span(1) for match in _COMMENT.finditer(self.text) if match[1]]
            self._bare = _COMMENT.sub(_without_comment, self.text)
            plain = _LAST_COMMA.sub(_without_comma, self._bare)
        self.value = json.loads(plain)
        self._root = self._node(self._skip(0))

    def _node(self, at: int) -> Node:
        """Locate the values of a text that is known to be valid."""
        node = Node(at)
        opening = self._bare[at]
        if opening not in "{[":
            _, node.end = _DECODER.raw_decode(self._bare, at)
            return node
        at = self._skip(at + 1)
        while self._bare[at] not in "}]":
            start, key = at, None
            if opening == "{":
                key, at = _DECODER.raw_decode(self._bare, at)
                at = self._skip(self._skip(at) + 1)
            child = self._node(at)
            node.members.append((key, start, child))
            at = self._skip(child.end)
            if self._bare[at] == ",":
                at = self._skip(at + 1)
        node.end = at + 1
        return node


def _without_comment(match: re.Match[str]) -> str:
    return _NOT_BLANK.sub(" ", match[0]) if match[1] else match[0]


def _without_comma(match: re.Match[str]) -> str:
    return match[0] if match[1] is None else match[1] + " "


def load(path: str, *, comments: bool = False) -> Document | None:
    """Return the file as a document, None if there is none; raises EntireError if it cannot be edited safely.

    ``comments`` tells whether the agent reads a file with comments.
    """
    try:
        text = configfile.read_text(path)
        if text is None:
            return None
        document = Document(text, comments=comments)
    except (ValueError, RecursionError) as error:
        hint = "correct the file and try again"
        data = configfile.read(path) or b""
        if not comments and (b"//" in data or b"/*" in data):
            hint = "JSON allows no comments: remove them and try again"
        raise EntireError(f"{path} is not valid JSON and was not changed: {error}", hint=hint) from error
    if not isinstance(document.value, dict):
        raise EntireError(f"{path} is not a JSON object and was not changed", hint="correct the file and try again")
    return document


def values(path: str, *, comments: bool = False) -> dict[str, Any]:
    """Return what a file of settings says that is only read; {} if it is missing, or is not such a file."""
    try:
        document = load(path, comments=comments)
    except EntireError:
        return {}
    known: dict[str, Any] = document.value if document is not None else {}
    return known


def save(path: str, document: Document) -> bool:
    """Write the document if it differs from the file; delete the file (and its folder, if empty) if nothing is left."""
    return configfile.write_text(path, document.text, empty="{}\n")
