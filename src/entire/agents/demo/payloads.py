"""Translates the demo agent's hook payloads to events."""

from __future__ import annotations

import time

from entire.agents import untrusted
from entire.agents.untrusted import clean
from entire.model import jsontext
from entire.model.events import Event, EventType
from entire.model.ids import is_session_id
from entire.model.times import parse_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# verb: (the agent's name of the hook, the event)
HOOKS = {
    "session-start": ("SessionStart", EventType.SESSION_START),
    "prompt-submit": ("PromptSubmit", EventType.TURN_START),
    "turn-end": ("TurnEnd", EventType.TURN_END),
    "subagent-start": ("SubagentStart", EventType.SUBAGENT_START),
    "subagent-end": ("SubagentEnd", EventType.SUBAGENT_END),
    "compaction": ("Compaction", EventType.COMPACTION),
    "session-end": ("SessionEnd", EventType.SESSION_END),
}
hook_names = tuple(HOOKS)
VERBS = {event: verb for verb, (event, _) in HOOKS.items()}


def parse_hook(hook: str, payload: bytes, now: Callable[[], float] = time.time) -> Event | None:
    """Translate a hook call; None for an unknown hook, an invalid payload or an invalid session id."""
    given = untrusted.loads(payload)
    if hook not in HOOKS or not isinstance(given, dict) or not is_session_id(clean(given.get("session_id"))):
        return None
    task = clean(given.get("task"))
    return Event(
        type=HOOKS[hook][1],
        session_id=clean(given.get("session_id")),
        session_ref=clean(given.get("transcript_path")),
        prompt=clean(given.get("prompt")),
        model=clean(given.get("model")),
        timestamp=parse_time(clean(given.get("timestamp"))) or now(),
        tool_use_id=clean(given.get("tool_use_id")),
        subagent_id=clean(given.get("subagent_id")),
        subagent_type=clean(given.get("subagent_type")),
        task_description=task,
        tool_input=jsontext.dumps({"task": task}) if task else "",
        turn_ref=clean(given.get("prompt_id")),
        final_text=clean(given.get("last_answer")),
        source=clean(given.get("source")) or clean(given.get("reason")) or clean(given.get("trigger")),
        cwd=clean(given.get("cwd")),
    )
