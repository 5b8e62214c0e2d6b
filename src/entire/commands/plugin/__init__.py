"""``entire plugin``: the group of commands about plugins, with its table as in ``entire.commands``."""

from __future__ import annotations

from entire.ui.console import group

TABLE: dict[str, str] = {
    "list": "List the plugins on PATH, and which may run.",
    "allow": "Let a plugin run.",
    "deny": "Keep a plugin from running.",
    "new": "Write a new plugin, in Python or as a shell script, to start from.",
    "check": "Check that a plugin keeps the rules of the protocol.",
    "run": "Run a plugin that is written in Python.",
    "serve": "Answer a call of the plugin protocol for an agent, as a plugin would.",
}
SUMMARY = """Connect any agent by a plugin: an executable `entire-agent-NAME` on PATH.

A plugin runs only after you allowed it.

Example: entire plugin list
"""

command = group.LazyGroup("plugin", TABLE, __name__, SUMMARY)
