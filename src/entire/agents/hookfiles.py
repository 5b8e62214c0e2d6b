"""Finds, adds and removes our entries in an agent's hook configuration; for agents that keep it in a JSON file.

The file has the form ``{"hooks": {EVENT: [ENTRY, ...]}}``. An agent's room calls this module with its table.
"""

from __future__ import annotations

import json

from entire.agents import json_document
from entire.agents.json_document import Document
from entire.errors import EntireError
from entire.model.health import HooksHealth, HookStatus
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


PREFIX = "entire "
"""What our commands start with. So do those of the Go CLI, which are replaced (formats.md section 11)."""

_COMMANDS = ("command", "bash")
"""Where agents' entries have their command."""


def command(agent: str, verb: str) -> str:
    """Return the command of a hook. It is silent and successful for teammates who have not installed `entire`: an agent
    may show what a hook writes to standard error, also when it succeeds.
    """
    return f"{PREFIX}hooks {agent} {verb} 2>/dev/null || true"


class Entry(Value):
    """A hook entry: ``command`` runs on ``event`` where ``matcher`` matches.

    ``timeout`` is in the agent's unit, 0 for none. A flat entry has no matcher and no inner list: it is the command
    alone, or, with the agent's own ``keys`` for command and timeout, what holds these.
    """

    event: str
    command: str
    matcher: str = ""
    timeout: int = 0
    name: str = ""
    is_flat: bool = False
    keys: tuple[str, str] = ("command", "timeout")

    def value(self) -> dict[str, Any]:
        """Return the entry as written into the event's list."""
        return self.hook() if self.is_flat else {"matcher": self.matcher, "hooks": [self.hook()]}

    def hook(self) -> dict[str, Any]:
        """Return the part of the entry that holds the command."""
        command, timeout = self.keys
        if self.is_flat and command == "command":
            return {command: self.command}
        hook: dict[str, Any] = {"name": self.name} if self.name else {}
        hook |= {"type": "command", command: self.command}
        return hook | {timeout: self.timeout} if self.timeout else hook


class Table(Value):
    """What we write into an agent's file; ``comments`` tells whether the agent reads a file with comments.

    ``prefix`` is what our commands start with: a longer one where the file also has those of another adapter.
    """

    entries: tuple[Entry, ...]
    prefix: str = PREFIX
    others: tuple[tuple[tuple[str, ...], str], ...] = ()  # values in lists outside the hooks: (path of the list, value)
    comments: bool = False
    version: int = 0  # of the form of the file, in which it stands before the hooks; 0: it says none


def install(path: str, table: Table, *, force: bool) -> int:
    """Write our entries to the file, after the user's; return how many were missing or wrong (``force``: how many
    there are).

    Replaces outdated and duplicate entries. Raises EntireError if the file cannot be edited; it is unchanged then.
    """
    document = json_document.load(path, comments=table.comments)
    if document is None:
        json_document.save(path, _create(table))
        return len(table.entries)
    wrong = missing(document, table)
    is_exact = not wrong and len(present_hooks(document, table.prefix)) == len(table.entries)
    absent = _absent(document, table)
    if is_exact and not absent and not force:
        return 0
    if force or not is_exact:
        remove(document, table.prefix)
        if document.text:
            for entry in table.entries:
                _insert(document, ("hooks", entry.event), entry.value(), path)
        else:
            document = _create(replace(table, others=()))
    for place, value in absent:
        _insert(document, place, value, path)
    json_document.save(path, document)
    return len(table.entries) if force else max(wrong, 1)


def uninstall(path: str, table: Table) -> int:
    """Remove our entries from the file; return how many there were."""
    document = json_document.load(path, comments=table.comments)
    if document is None:
        return 0
    removed = remove(document, table.prefix)
    for place, value in table.others:
        present = document.get(place) if document.text else None
        if isinstance(present, list) and value in present:
            document.remove((*place, len(present) - 1 - present[::-1].index(value)))
            removed = max(removed, 1)
    if removed:
        if document.value == {"version": table.version}:
            document.text = ""
        json_document.save(path, document)
    return removed


def health(path: str, table: Table) -> HooksHealth:
    """Tell whether our entries are in the file, as this version writes them."""
    try:
        document = json_document.load(path, comments=table.comments)
    except EntireError as error:
        return HooksHealth(status=HookStatus.UNKNOWN, detail=f"{error.message}: {error.hint}")
    if document is None or not present_hooks(document, table.prefix):
        return HooksHealth(status=HookStatus.MISSING)
    is_stale = missing(document, table) or _absent(document, table)
    return HooksHealth(status=HookStatus.STALE if is_stale else HookStatus.INSTALLED)


# ---------------------------------------------------------------- documents


def present_hooks(document: Document, prefix: str = PREFIX) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the entries whose command starts with our prefix: (event, matcher, hook)."""
    return [(path[1], matcher, hook) for path, matcher, hook in own_hooks(document, prefix)]


def missing(document: Document, table: Table) -> int:
    """Return how many of a table's entries are missing or differ from what this version writes."""
    present = present_hooks(document, table.prefix)
    return sum((entry.event, entry.matcher, entry.hook()) not in present for entry in table.entries)


def remove(document: Document, prefix: str = PREFIX) -> int:
    """Remove every entry whose command starts with our prefix, and groups left empty; return how many there were."""
    removed = 0
    while own := own_hooks(document, prefix):
        path, _, _ = own[-1]
        group = document.get(path[:3])
        hooks = group.get("hooks")
        document.remove(path if isinstance(hooks, list) and len(hooks) > 1 and len(path) > 3 else path[:3])
        removed += 1
    return removed


def _absent(document: Document, table: Table) -> list[tuple[tuple[str, ...], str]]:
    """Return the values that are not in their lists outside the hooks."""
    lists = [(place, value, document.get(place)) for place, value in table.others]
    return [(place, value) for place, value, present in lists if not isinstance(present, list) or value not in present]


def _insert(document: Document, place: tuple[str, ...], value: object, path: str) -> None:
    """Append a value to the list at ``place``, which is created if it is not there."""
    outer = document.value
    for depth, key in enumerate(place):
        if isinstance(outer, dict) and key not in outer:
            value = [value]
            for inner in reversed(place[depth + 1 :]):
                value = {inner: value}
            document.append(place[:depth], value, key)
            return
        outer = outer[key] if isinstance(outer, dict) else None
    if not isinstance(outer, list):
        raise EntireError(
            f"`{place[0]}` in {path} does not have the form the agent reads; the file was not changed",
            hint=f"correct `{place[0]}` and try again",
        )
    document.append(place, value)


def _create(table: Table) -> Document:
    tree: dict[str, Any] = {"version": table.version} if table.version else {}
    for place, value in [*((("hooks", entry.event), entry.value()) for entry in table.entries), *table.others]:
        outer = tree
        for key in place[:-1]:
            outer = outer.setdefault(key, {})
        outer.setdefault(place[-1], []).append(value)
    return Document(json.dumps(tree, indent=2) + "\n")


def own_hooks(document: Document, prefix: str = PREFIX) -> list[tuple[Any, str, dict[str, Any]]]:
    """Return (path, matcher, hook) of our entries, including flat ones."""
    result: list[tuple[Any, str, dict[str, Any]]] = []
    hooks = document.get(("hooks",)) if document.text else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            if not isinstance(group, dict):
                continue
            matcher = group.get("matcher", "")
            if _is_ours(group, prefix):
                result.append((("hooks", event, index), matcher, group))
                continue
            inner = group.get("hooks")
            for inner_index, hook in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(hook, dict) and _is_ours(hook, prefix):
                    result.append((("hooks", event, index, "hooks", inner_index), matcher, hook))
    return result


def _is_ours(hook: dict[str, Any], prefix: str) -> bool:
    return any(isinstance(command, str) and command.startswith(prefix) for command in map(hook.get, _COMMANDS))
