"""Finds, adds and removes our entries in an agent's hook configuration; for agents that keep it in a JSON file."""

from __future__ import annotations

import json

from entire.agents.json_document import Document
from entire.errors import EntireError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


PREFIX = "entire "
"""What our commands start with. So do those of the Go CLI, which are replaced (formats.md section 11)."""


class Entry(Value):
    """A hook entry: ``command`` runs on ``event`` where ``matcher`` matches; ``timeout`` in seconds, 0 for none."""

    event: str
    matcher: str
    command: str
    timeout: int = 0

    def group(self) -> dict[str, Any]:
        """Return the entry as written into the event's list."""
        hook: dict[str, Any] = {"type": "command", "command": self.command}
        if self.timeout:
            hook["timeout"] = self.timeout
        return {"matcher": self.matcher, "hooks": [hook]}


def found(document: Document) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the entries whose command starts with our prefix: (event, matcher, hook)."""
    return [(path[1], matcher, hook) for path, matcher, hook in _ours(document)]


def expected(entries: tuple[Entry, ...]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return ``entries`` in the form of ``found``."""
    return [(entry.event, entry.matcher, entry.group()["hooks"][0]) for entry in entries]


def missing(document: Document, entries: tuple[Entry, ...]) -> int:
    """Return how many of ``entries`` are missing or differ from what this version writes."""
    present = found(document)
    return sum(entry not in present for entry in expected(entries))


def is_exact(document: Document, entries: tuple[Entry, ...]) -> bool:
    """Tell whether ``entries`` are there, each once, and no other entry of ours or of the Go CLI."""
    present = found(document)
    return len(present) == len(entries) and not missing(document, entries)


def add(document: Document, entries: tuple[Entry, ...], path: str) -> None:
    """Add ``entries`` after the user's; raises EntireError, before any change, if the hooks are not in lists."""
    hooks = document.get(("hooks",))
    lists = [hooks.get(entry.event) for entry in entries] if isinstance(hooks, dict) else []
    if ("hooks" in document.value and not isinstance(hooks, dict)) or any(
        not isinstance(groups, list) for groups in lists if groups is not None
    ):
        raise EntireError(
            f"`hooks` in {path} does not have the form the agent reads; the file was not changed",
            hint="correct `hooks` and try again",
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
    return Document(json.dumps({"hooks": _tree(entries), **more}, indent=2) + "\n")


def _tree(entries: tuple[Entry, ...]) -> dict[str, list[dict[str, Any]]]:
    tree: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        tree.setdefault(entry.event, []).append(entry.group())
    return tree


def remove(document: Document) -> int:
    """Remove every entry whose command starts with our prefix, and groups left empty; return how many there were."""
    removed = 0
    while ours := _ours(document):
        path, _, _ = ours[-1]
        group = document.get(path[:3])
        hooks = group.get("hooks")
        document.remove(path if isinstance(hooks, list) and len(hooks) > 1 and len(path) > 3 else path[:3])
        removed += 1
    return removed


def _ours(document: Document) -> list[tuple[Any, str, dict[str, Any]]]:
    """Return (path, matcher, hook) of our entries, including flat ones, which the agent does not read."""
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
            for inner_index, hook in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(hook, dict) and _is_ours(hook):
                    result.append((("hooks", event, index, "hooks", inner_index), matcher, hook))
    return result


def _is_ours(hook: dict[str, Any]) -> bool:
    command = hook.get("command")
    return isinstance(command, str) and command.startswith(PREFIX)
