"""Puts our hooks into the demo agent's settings and takes them out: ``{"hooks": {EVENT: [{"command": ...}]}}``."""

from __future__ import annotations

import json

from entire.agents import hookfiles, json_document
from entire.agents.json_document import Document
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def command(verb: str) -> str:
    """Return the command for a hook: silent and successful where ``entire`` is missing (formats.md section 11)."""
    return f"{hookfiles.PREFIX}hooks demo {verb} 2>/dev/null || true"


def install(path: str, verbs: dict[str, str], *, force: bool) -> int:
    """Bring an entry for each hook (``verbs``: the agent's name of it to ours) into the file; returns how many lacked.

    Old and doubled entries of ours go.
    """
    document = json_document.load(path)
    missing = _missing(document, verbs) if document else len(verbs)
    if document and not force and not missing and len(hookfiles.found(document)) == len(verbs):
        return 0
    if document:
        _check(document, path)
        hookfiles.take_out(document)
    json_document.save(path, _add(document, verbs) if document and document.text else _create(verbs))
    return len(verbs) if force else max(missing, 1)


def uninstall(path: str) -> int:
    """Take all our entries out of the file; returns how many there were."""
    document = json_document.load(path)
    removed = hookfiles.take_out(document) if document else 0
    if document and removed:
        json_document.save(path, document)
    return removed


def is_installed(path: str, verbs: dict[str, str]) -> bool:
    """Tell whether each hook has our entry as we write it today."""
    try:
        document = json_document.load(path)
    except EntireError:
        return False
    return document is not None and not _missing(document, verbs)


def _entries(verbs: dict[str, str]) -> dict[str, dict[str, Any]]:
    return {event: {"command": command(verb)} for event, verb in verbs.items()}


def _missing(document: Document, verbs: dict[str, str]) -> int:
    there = [(event, hook) for event, _, hook in hookfiles.found(document)]
    return sum(entry not in there for entry in _entries(verbs).items())


def _check(document: Document, path: str) -> None:
    """Refuse a file in which our entries have no place."""
    hooks = document.value.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(entries, list) for entries in hooks.values()):
        raise EntireError(
            f"the hooks in {path} are not in the form the agent reads; the file was left as it is",
            hint="correct the entry `hooks` and try again",
        )


def _create(verbs: dict[str, str]) -> Document:
    hooks = {event: [entry] for event, entry in _entries(verbs).items()}
    return Document(json.dumps({"hooks": hooks}, indent=2) + "\n")


def _add(document: Document, verbs: dict[str, str]) -> Document:
    """Add our entries behind the user's."""
    if document.get(("hooks",)) is None:
        document.append((), {event: [entry] for event, entry in _entries(verbs).items()}, "hooks")
        return document
    for event, entry in _entries(verbs).items():
        if document.get(("hooks", event)) is None:
            document.append(("hooks",), [entry], event)
        else:
            document.append(("hooks", event), entry)
    return document
