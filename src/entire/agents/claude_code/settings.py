"""Installs our hooks in Claude Code's settings files.

The agent reads only the nested form, and a single bad entry disables the whole file (observed on 2.1.197). It reads
hooks from ``<folder it was started in>/.claude/settings.json`` and ``~/.claude/settings.json``, and runs identical
commands of an event once; so we write the same bytes in both scopes.
"""

from __future__ import annotations

import os
import sys

from entire.agents import hookfiles, json_document
from entire.agents.hookfiles import Entry
from entire.model.health import HooksHealth, HookStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DENY = "Read(./.entire/metadata/**)"
"""Keeps the agent from reading its old transcripts as if they were part of the project."""


def _entry(event: str, verb: str, matcher: str = "", timeout: int = 0) -> Entry:
    return Entry(event=event, matcher=matcher, command=hookfiles.command("claude-code", verb), timeout=timeout)


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


TABLE = hookfiles.Table(entries=ENTRIES, others=((("permissions", "deny"), DENY),))


def managed_path() -> str:
    """Return the settings file of the machine's administrator."""
    folder = "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
    return os.path.join(folder, "managed-settings.json")


def obstacle(_root: str, project: str, user: str, _env: Mapping[str, str]) -> HooksHealth | None:
    """Return which switch keeps the agent from running our hooks.

    Observed on 2.1.197: of several files that hold ``disableAllHooks``, the first of these counts, whatever the scope
    of the hooks; a file that is not valid JSON counts as missing.
    """
    managed = managed_path()
    if _flag(managed, "allowManagedHooksOnly"):
        return _switched_off("allowManagedHooksOnly", managed)
    local = os.path.join(os.path.dirname(project), "settings.local.json")
    for path in (managed, local, project, user):
        is_off = _flag(path, "disableAllHooks")
        if is_off is not None:
            return _switched_off("disableAllHooks", path) if is_off else None
    return None


def _switched_off(key: str, path: str) -> HooksHealth:
    return HooksHealth(status=HookStatus.DISABLED, detail=f"remove `{key}` from {path} to record sessions")


def _flag(path: str, key: str) -> bool | None:
    value = json_document.values(path).get(key)
    return value if isinstance(value, bool) else None
