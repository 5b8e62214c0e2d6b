"""Our entries in Copilot's hooks files, and what keeps the agent from running them.

The agent reads all files of ``.github/hooks`` at the top of a repository, if its user trusts that folder, and of
``$COPILOT_HOME/hooks``; ours is a file of its own. Names of events in camel case give the payloads that we read
(observed on 1.0.102).
"""

from __future__ import annotations

import os
import re

from entire.agents import hookfiles, json_document
from entire.agents.hookfiles import Entry, Table
from entire.model.health import HooksHealth, HookStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TIMEOUT = 60  # seconds, after which the agent goes on without the hook


def _entry(event: str) -> Entry:
    verb = re.sub("([A-Z])", r"-\1", event).lower()
    command = hookfiles.command("copilot-cli", verb)
    return Entry(event=event, command=command, timeout=_TIMEOUT, is_flat=True, keys=("bash", "timeoutSec"))


_EVENTS = ("sessionStart", "userPromptSubmitted", "agentStop", "subagentStart", "subagentStop", "preCompact",
           "sessionEnd")  # fmt: skip
TABLE = Table(entries=tuple(map(_entry, _EVENTS)), version=1)


def obstacle(root: str, project: str, user: str, env: Mapping[str, str]) -> HooksHealth | None:  # noqa: ARG001
    """Return what keeps the agent from running hooks in a repository, None if nothing does."""
    home = os.path.dirname(os.path.dirname(user))
    settings = os.path.join(home, "settings.json")
    if json_document.values(settings, comments=True).get("disableAllHooks") is True:
        detail = f"remove `disableAllHooks` from {settings} to record sessions"
        return HooksHealth(status=HookStatus.DISABLED, detail=detail)
    return None


def is_trusted(root: str, user: str, env: Mapping[str, str]) -> bool:
    """Tell whether the user trusts the folder of a repository, without which hooks of a project do not run."""
    if env.get("COPILOT_ALLOW_ALL") == "true":
        return True
    config = os.path.join(os.path.dirname(os.path.dirname(user)), "config.json")
    folders = json_document.values(config, comments=True).get("trustedFolders")
    trusted = [folder for folder in (folders if isinstance(folders, list) else ()) if isinstance(folder, str)]
    top = os.path.realpath(root)
    return any(top == folder or top.startswith(os.path.join(folder, "")) for folder in map(os.path.realpath, trusted))
