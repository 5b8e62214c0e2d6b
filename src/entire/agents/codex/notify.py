"""Codex's ``notify``: the one program of its user's that it starts after each turn, also where it runs no hooks.

It is a key of ``$CODEX_HOME/config.toml``, not of a project; the program gets the payload as its last argument, and
nobody is asked to trust it. Subagents' turns are told as well, and every prompt of the session (observed on 0.118.0 and
0.171.0).
"""

from __future__ import annotations

import os

from entire.agents import payloads, untrusted
from entire.agents.untrusted import clean
from entire.model.events import Event, EventType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_COMMAND = ["entire", "hooks", "codex", "notify"]
_LINE = 'notify = ["entire", "hooks", "codex", "notify"]\n'


def is_ours(config: Mapping[str, Any]) -> bool:
    return config.get("notify") == _COMMAND


def is_free(config: Mapping[str, Any]) -> bool:
    return "notify" not in config


def added(text: str) -> str:
    """Return the user's settings with our line, which has to come before all tables."""
    return _LINE + text


def removed(text: str) -> str:
    """Return the user's settings without our line."""
    return text.removeprefix(_LINE) if text.startswith(_LINE) else text.replace(f"\n{_LINE}", "\n", 1)


def event(data: bytes, at: float) -> Event | None:
    """Return the end of a turn that a payload tells, None for a subagent's."""
    given = payloads.read(data, "thread-id")
    if given is None or given.get("type") != "agent-turn-complete":
        return None
    from entire.agents.codex import rollouts

    folder, session_id = untrusted.path_of(given.get("cwd")), str(given["thread-id"])
    home = os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")
    path = rollouts.find(os.path.join(home, "sessions"), session_id)
    if rollouts.is_subagents(path) if path else "client" not in given:
        return None
    messages = given.get("input-messages")
    prompts = [text for message in (messages if isinstance(messages, list) else ()) if (text := clean(message))]
    return Event(type=EventType.TURN_END, session_id=session_id, session_ref=path, cwd=folder, timestamp=at,
                 turn_ref=clean(given.get("turn-id")), prompt=prompts[-1] if prompts else "",
                 final_text=clean(given.get("last-assistant-message")))  # fmt: skip
