"""Adds our hooks to the demo agent's settings and removes them: ``{"hooks": {EVENT: [{"command": ...}]}}``."""

from __future__ import annotations

import json

from entire.agents import hookfiles, json_document
from entire.agents.json_document import Document
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def command(verb: str) -> str:
    """Return the command for a hook; silent and successful where ``entire`` is missing (formats.md section 11)."""
    return f"{hookfiles.PREFIX}hooks demo {verb} 2>/dev/null || true"


def install(path: str, verbs: dict[str, str], *, force: bool) -> int:
    """Write an entry for each hook (``verbs``: the agent's name of the hook to our verb); return how many were missing.

    Replaces outdated and duplicate entries of ours.
    """
    document = json_document.load(path)
    missing = _missing(document, verbs) if document else len(verbs)
    if document and not force and not missing and len(hookfiles.found(document)) == len(verbs):
        return 0
    if document:
        _check(document, path)
        hookfiles.remove(document)
    json_document.save(path, _add(document, verbs) if document and document.text else _create(verbs))
    return len(verbs) if force else max(missing, 1)


def uninstall(path: str) -> int:
    """Remove all our entries from the file; return how many there were."""
    document = json_document.load(path)
    removed = hookfiles.remove(document) if document else 0
    if document and removed:
        json_document.save(path, document)
    return removed


def is_installed(path: str, verbs: dict[str, str]) -> bool:
    """Tell whether each hook has our entry, as this version writes it."""
    try:
        document = json_document.load(path)
    except EntireError:
        return False
    return document is not None and not _missing(document, verbs)


def _entries(verbs: dict[str, str]) -> dict[str, dict[str, Any]]:
    return {event: {"command": command(verb)} for event, verb in verbs.items()}


def _missing(document: Document, verbs: dict[str, str]) -> int:
    present = [(event, hook) for event, _, hook in hookfiles.found(document)]
    return sum(entry not in present for entry in _entries(verbs).items())


def _check(document: Document, path: str) -> None:
    """Raise EntireError if our entries cannot be added to the file."""
    hooks = document.value.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(entries, list) for entries in hooks.values()):
        raise EntireError(
            f"`hooks` in {path} does not have the form the agent reads; the file was not changed",
            hint="correct `hooks` and try again",
        )


def _create(verbs: dict[str, str]) -> Document:
    hooks = {event: [entry] for event, entry in _entries(verbs).items()}
    return Document(json.dumps({"hooks": hooks}, indent=2) + "\n")


def _add(document: Document, verbs: dict[str, str]) -> Document:
    """Add our entries after the user's."""
    if document.get(("hooks",)) is None:
        document.append((), {event: [entry] for event, entry in _entries(verbs).items()}, "hooks")
        return document
    for event, entry in _entries(verbs).items():
        if document.get(("hooks", event)) is None:
            document.append(("hooks",), [entry], event)
        else:
            document.append(("hooks", event), entry)
    return document
