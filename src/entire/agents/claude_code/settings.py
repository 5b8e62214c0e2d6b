"""Installs our hooks in Claude Code's settings files.

The agent reads only the nested form, and a single bad entry disables the whole file (observed on 2.1.197). It reads
hooks from ``<folder it was started in>/.claude/settings.json`` and ``~/.claude/settings.json``, and runs identical
commands of an event once; so we write the same bytes in both scopes.
"""

from __future__ import annotations

import os

from entire.agents import hookfiles, json_document
from entire.agents.hookfiles import Entry
from entire.agents.json_document import Document
from entire.errors import EntireError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DENY = "Read(./.entire/metadata/**)"
"""Keeps the agent from reading its old transcripts as if they were part of the project."""


def _entry(event: str, verb: str, matcher: str = "", timeout: int = 0) -> Entry:
    # Silent and successful for teammates who have not installed `entire`.
    return Entry(
        event=event, matcher=matcher, command=f"entire hooks claude-code {verb} 2>/dev/null || true", timeout=timeout
    )


ENTRIES = (
    _entry("SessionStart", "session-start"),
    _entry("UserPromptSubmit", "user-prompt-submit"),
    _entry("PreToolUse", "pre-task", "Task"),  # also matches Agent, the tool's current name
    _entry("PostToolUse", "post-task", "Task"),
    _entry("PostToolUse", "post-todo", "TodoWrite"),  # alone, because scripts look for exactly this matcher
    _entry("PostToolUse", "post-todo", "TaskCreate|TaskUpdate"),
    _entry("SubagentStop", "subagent-stop"),
    _entry("PreCompact", "pre-compact"),
    _entry("Stop", "stop", timeout=60),
    _entry("StopFailure", "stop-failure"),
    _entry("SessionEnd", "session-end", timeout=30),  # without a timeout, all hooks of this event share 1.5 seconds
)


def config_path(root: str, scope: str, env: Mapping[str, str]) -> str:
    if scope == "project":
        return os.path.join(root, ".claude", "settings.json")
    if scope == "user":
        return os.path.join(config_dir(env), "settings.json")
    raise UsageError(f"there is no scope {scope!r} for agent hooks", hint="use project or user")


def config_dir(env: Mapping[str, str]) -> str:
    """Return the user's settings folder of the agent, which ``CLAUDE_CONFIG_DIR`` can move."""
    return env.get("CLAUDE_CONFIG_DIR") or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".claude")


def install(path: str, *, force: bool) -> int:
    """Write our entries to the file; return how many were missing or wrong (with ``force``: how many there are)."""
    document = json_document.load(path)
    if document is None:
        json_document.save(path, hookfiles.create(ENTRIES, {"permissions": {"deny": [DENY]}}))
        return len(ENTRIES)
    wrong = hookfiles.missing(document, ENTRIES)
    exact = hookfiles.is_exact(document, ENTRIES)
    if exact and _denies(document) and not force:
        return 0
    if force or not exact:
        hookfiles.remove(document)
        if document.text:
            hookfiles.add(document, ENTRIES, path)
        else:
            document = hookfiles.create(ENTRIES, {})
    if not _denies(document):
        _deny(document, path)
    json_document.save(path, document)
    return len(ENTRIES) if force else max(wrong, 1)


def uninstall(path: str) -> int:
    """Remove our entries from the file; return how many there were."""
    document = json_document.load(path)
    if document is None:
        return 0
    removed = hookfiles.remove(document)
    if _denies(document):
        denied: list[object] = document.get(("permissions", "deny"))
        document.remove(("permissions", "deny", len(denied) - 1 - denied[::-1].index(DENY)))
        removed = max(removed, 1)
    if removed:
        json_document.save(path, document)
    return removed


def is_installed(path: str) -> bool:
    """Tell whether all our entries are in the file, as this version writes them."""
    try:
        document = json_document.load(path)
    except EntireError:
        return False
    return document is not None and not hookfiles.missing(document, ENTRIES) and _denies(document)


def _denies(document: Document) -> bool:
    denied = document.get(("permissions", "deny")) if document.text else None
    return isinstance(denied, list) and DENY in denied


def _deny(document: Document, path: str) -> None:
    permissions = document.get(("permissions",))
    denied = document.get(("permissions", "deny"))
    if "permissions" not in document.value:
        document.append((), {"deny": [DENY]}, "permissions")
    elif isinstance(permissions, dict) and "deny" not in permissions:
        document.append(("permissions",), [DENY], "deny")
    elif isinstance(denied, list):
        document.append(("permissions", "deny"), DENY)
    else:
        raise EntireError(
            f"`permissions` in {path} does not have the form the agent reads; the file was not changed",
            hint="correct `permissions` and try again",
        )
