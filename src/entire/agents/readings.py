"""Transcripts as people read them: by the records that an adapter yields, else by their form. No hook uses it."""

from __future__ import annotations

from entire.agents.forms import reading
from entire.agents.record_source import RecordSource
from entire.conversation.messages import Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.contract import Agent
    from entire.model.transcripts import Message


def of(agent: Agent | None, data: bytes) -> Reading:
    """Return the conversation in a transcript."""
    return _by_adapter(agent, "", data) or Reading(reading.records(data))


def of_subagent(agent: Agent | None, data: bytes, subagent: str = "") -> Reading:
    """Return the conversation in a subagent's transcript; its first prompt is the task that it was given."""
    locate = getattr(agent.transcript(""), "subagent_ref", None) if agent is not None else None
    session_ref = locate(subagent) if locate is not None else ""
    return _by_adapter(agent, session_ref, data) or Reading(reading.records(data, is_subagent=True))


def _by_adapter(agent: Agent | None, session_ref: str, data: bytes) -> Reading | None:
    """Return what an adapter's records say; None if it yields none: another agent may have written the transcript."""
    transcript: Any = agent.transcript(session_ref, data) if agent is not None else None
    found = Reading(transcript.records()) if isinstance(transcript, RecordSource) else None
    return found if found is not None and found.says_something else None


def messages(agent: Agent | None, data: bytes) -> list[Message]:
    """Return what was said and done in a transcript, as its adapter displays it if it does so in its own way."""
    shown = displayed(agent, data)
    return of(agent, data).messages() if shown is None else shown


def displayed(agent: Agent | None, data: bytes) -> list[Message] | None:
    """Return what an adapter displays in its own way; None for one that does not."""
    ask = getattr(agent.transcript("", data), "messages", None) if agent is not None else None
    return list(ask()) if ask is not None else None
