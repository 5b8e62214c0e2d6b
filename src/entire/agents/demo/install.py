"""Our hooks in the demo agent's settings: ``{"hooks": {EVENT: [{"command": ...}]}}``."""

from __future__ import annotations

import os

from entire.agents import hookfiles


def config_path(root: str, scope: str) -> str:
    return os.path.join(os.path.expanduser("~") if scope == "user" else root, ".demo-agent", "settings.json")


def table(verbs: dict[str, str]) -> hookfiles.Table:
    """Return an entry for each hook; ``verbs``: the agent's name of the hook to our verb."""
    return hookfiles.Table(
        entries=tuple(
            hookfiles.Entry(event=event, command=_command(verb), is_flat=True) for event, verb in verbs.items()
        )
    )


def _command(verb: str) -> str:
    # Silent and successful where `entire` is missing (formats.md section 11).
    return f"{hookfiles.PREFIX}hooks demo {verb} 2>/dev/null || true"
