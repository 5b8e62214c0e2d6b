"""Our entries in Gemini CLI's settings files, and what keeps the agent from running them.

The agent reads hooks from ``<folder it was started in>/.gemini/settings.json``, not from folders above it, and from
``~/.gemini/settings.json``. It runs entries with the same name and command once, so we write the same bytes in both
scopes. The files may hold comments, but no comma after a last member (observed on 0.61.0).
"""

from __future__ import annotations

import os

from entire.agents import hookfiles, json_document
from entire.agents.hookfiles import Entry, Table
from entire.agents.untrusted import dict_of
from entire.model.health import HooksHealth, HookStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_TIMEOUT = 60_000  # milliseconds, after which the agent goes on without the hook


def _entry(event: str, verb: str, matcher: str = "") -> Entry:
    command = hookfiles.command("gemini", verb)
    return Entry(event=event, matcher=matcher, command=command, timeout=_TIMEOUT, name=f"entire-{verb}")


# Not those that run for each call of the model, or for each piece of an answer. `PreCompress` does, too, if automatic.
TABLE = Table(
    entries=(
        _entry("SessionStart", "session-start"),
        _entry("BeforeAgent", "before-agent"),
        _entry("BeforeTool", "before-tool", "^invoke_agent$"),
        _entry("AfterTool", "after-tool", "^(invoke_agent|run_shell_command)$"),
        _entry("PreCompress", "pre-compress", "manual"),
        _entry("AfterAgent", "after-agent"),
        _entry("SessionEnd", "session-end"),  # for every reason
    ),
    comments=True,
)


def obstacle(root: str, project: str, user: str, env: Mapping[str, str]) -> HooksHealth | None:
    """Return which switch is off, or that the user must trust the folder first."""
    system = env.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or "/etc/gemini-cli/settings.json"
    remedy = _remedy([(path, dict_of(_values(path).get("hooksConfig"))) for path in (system, project, user)])
    if remedy:
        return HooksHealth(status=HookStatus.DISABLED, detail=f"{remedy} to record sessions")
    if not _is_trusted(os.path.realpath(root), (system, user), env):
        detail = "Gemini CLI does not trust this folder: choose `/permissions` in it to record sessions"
        return HooksHealth(status=HookStatus.UNTRUSTED, detail=detail)
    return None


def _remedy(files: list[tuple[str, dict[str, Any]]]) -> str:
    """Return what to do about a switch that is off, or ''. What the first of the files says counts."""
    switched = [(path, settings["enabled"]) for path, settings in files if "enabled" in settings]
    if switched and switched[0][1] is False:
        return f"set `hooksConfig.enabled` to true in {switched[0][0]}"
    ours = {entry.name for entry in TABLE.entries}
    for path, settings in files:
        disabled = settings.get("disabled")
        names = sorted(ours.intersection(filter(_is_text, disabled))) if isinstance(disabled, list) else []
        if names:
            return f"remove {', '.join(f'`{name}`' for name in names)} from `hooksConfig.disabled` in {path}"
    return ""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_trusted(root: str, files: tuple[str, ...], env: Mapping[str, str]) -> bool:
    """Tell whether the agent runs hooks in a folder. It asks about an undecided one before any hook."""
    decided = {"true": True, "false": False}.get(env.get("GEMINI_CLI_TRUST_WORKSPACE", ""))
    if decided is not None:
        return decided
    folder_trust = [dict_of(dict_of(_values(path).get("security")).get("folderTrust")) for path in files]
    switched = [option["enabled"] for option in folder_trust if "enabled" in option]
    if switched and switched[0] is False:
        return True
    beside = os.path.join(os.path.dirname(files[-1]), "trustedFolders.json")
    rules = _values(env.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH") or beside)
    matching = [(len(path), level) for path, level in rules.items() if _covers(path, level, root)]
    return not matching or max(matching)[1] != "DO_NOT_TRUST"


def _covers(path: str, level: object, root: str) -> bool:
    if level not in ("TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"):
        return False
    top = os.path.realpath(os.path.dirname(path) if level == "TRUST_PARENT" else path)
    return root == top or root.startswith(top.rstrip(os.sep) + os.sep)


def _values(path: str) -> dict[str, Any]:
    return json_document.values(path, comments=True)
