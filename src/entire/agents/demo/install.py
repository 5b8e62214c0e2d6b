"""Our hooks in the demo agent's settings: ``{"hooks": {EVENT: [{"command": ...}]}}``."""

from __future__ import annotations

import os

from entire.agents import hookfiles


def config_path(root: str, scope: str) -> str:
    return os.path.join(os.path.expanduser("~") if scope == "user" else root, ".demo-agent", "settings.json")


def table(verbs: dict[str, str], name: str) -> hookfiles.Table:
    """Return an entry for each hook; ``verbs``: the agent's name of the hook to our verb.

    ``name`` is the adapter's: the built-in one and the plugin share the file, each with its own entries.
    """
    prefix = f"{hookfiles.PREFIX}hooks {name} "
    # Silent and successful where `entire` is missing (formats.md section 11).
    commands = {event: f"{prefix}{verb} 2>/dev/null || true" for event, verb in verbs.items()}
    return hookfiles.Table(
        entries=tuple(
            hookfiles.Entry(event=event, command=command, is_flat=True) for event, command in commands.items()
        ),
        prefix=prefix,
    )
