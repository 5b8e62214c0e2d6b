"""Subagents: noted when they start, saved as a step of their own when they end, with numbered notes in between."""

from __future__ import annotations

import json

from entire.lifecycle.context import turn_key
from entire.lifecycle.session_transcript import SessionTranscript
from entire.lifecycle.snapshots import recorder
from entire.lifecycle.turns import turn as turns
from entire.model.ids import is_tool_id
from entire.redact import redact_json, redact_jsonl
from entire.store import gojson, steps
from entire.store import transcripts as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.agents.contract import Agent
    from entire.git.write import Stream
    from entire.lifecycle.context import Context
    from entire.lifecycle.snapshots.recorder import Changes, Step
    from entire.model.events import Event, Increment
    from entire.model.session import Session

_MAX_TASKS = 200


def start(context: Context, session: Session, event: Event) -> None:
    """Note that a subagent started."""
    if is_tool_id(event.tool_use_id):
        task = session.tasks.setdefault(event.tool_use_id, {})
        task.update(
            {"started": context.now(), "type": event.subagent_type, "description": event.task_description[:200]}
        )
        if event.subagent_id:
            task["subagent"] = event.subagent_id
    for old in list(session.tasks)[: max(0, len(session.tasks) - _MAX_TASKS)]:
        del session.tasks[old]


def end(context: Context, agent: Agent, session: Session, event: Event) -> None:
    """Save what a subagent did: a step, if files changed; in any case its task belongs to the next checkpoint."""
    tool_use_id = event.tool_use_id or _task_of(session, event.subagent_id)
    if not is_tool_id(tool_use_id):
        return
    task = session.tasks.setdefault(
        tool_use_id, {"started": context.now(), "type": event.subagent_type, "description": ""}
    )
    if task.get("done"):
        return
    task["done"] = context.now()
    if is_tool_id(event.subagent_id):
        task["subagent"] = event.subagent_id
        task["ref"] = event.session_ref if event.session_ref != session.transcript_path else ""
    transcript = SessionTranscript(agent, session, context.place.top)
    finish = transcript.end()
    for one in transcript.subagents(session.turn.start if session.turn is not None else session.counted, finish):
        if one.id == task.get("subagent") or one.tool_use_id == tool_use_id:
            task["subagent"] = task.get("subagent") or one.id
            task["ref"] = task.get("ref") or one.session_ref
            task["type"] = task["type"] or one.type
            task["description"] = task["description"] or one.description[:200]
    running = context.running_turns()  # itself included, if it worked between turns
    session.background = [one for one in session.background if one != task.get("subagent")]
    _save_step(context, agent, session, tool_use_id, transcript, running)


def _task_of(session: Session, subagent_id: str) -> str:
    return next((key for key, task in session.tasks.items() if subagent_id and task.get("subagent") == subagent_id), "")


def _save_step(
    context: Context,
    agent: Agent,
    session: Session,
    tool_use_id: str,
    transcript: SessionTranscript,
    running: Sequence[str],
) -> None:
    task = session.tasks[tool_use_id]
    key = turn_key(session)
    finish = transcript.end()
    since = session.turn.start if session.turn is not None else session.counted
    context.journal.reports[key] = list(
        dict.fromkeys([*context.journal.reports.get(key, []), *transcript.files(since, finish)])
    )

    def make_step(changed: list[str]) -> Step | None:
        if not changed:
            return None
        stored_parts = redact_jsonl(stored.read_span(task.get("ref", ""), 0, stored.MAX_PART))
        whole = turns.step_of(context, agent, session, transcript, finish, "")

        def metadata(stream: Stream) -> Changes:
            return {
                **whole.metadata(stream),
                **steps.task_changes(
                    session.session_id, tool_use_id, task.get("subagent", ""), "", stored_parts, stream
                ),
            }

        title = steps.task_subject(task.get("type", ""), task.get("description", ""), tool_use_id)
        message = steps.message(title, session.session_id, tool_use_id=tool_use_id)
        return recorder.Step(session=session, message=message, metadata=metadata)

    recorder.record(
        context, recorder.take(context), by=key if session.is_running else "", running=running, make_step=make_step
    )


def note(context: Context, session: Session, increment: Increment) -> None:
    """Keep a note from inside a running subagent; it goes into its task's folder at the next checkpoint (formats.md
    2.7).
    """
    tool_use_id = increment.tool_use_id or _task_of(session, increment.subagent_id)
    if tool_use_id not in session.tasks:
        open_tasks = [key for key, task in session.tasks.items() if not task.get("done")]
        tool_use_id = open_tasks[-1] if len(open_tasks) == 1 else ""
    if not tool_use_id:
        return
    records = session.tasks[tool_use_id].setdefault("increments", {})
    number = len(records) + 1
    if number > 999:
        return
    redacted = redact_json(increment.data.encode("utf-8", "replace"))
    try:
        data = json.loads(redacted)
    except ValueError:
        data = redacted.decode("utf-8", "replace")
    value = {
        "type": increment.tool_name,
        "tool_use_id": tool_use_id,
        "timestamp": gojson.rfc3339(context.now()),
        "data": data,
    }
    records[f"{number:03}-{tool_use_id}.json"] = value
