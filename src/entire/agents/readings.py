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
    return _by_records(_transcript(agent, data)) or Reading(reading.records(data))


def of_subagent(agent: Agent | None, data: bytes, subagent: str = "") -> Reading:
    """Return the conversation in a subagent's transcript; its first prompt is the task that it was given."""
    locate = getattr(agent.transcript(""), "subagent_ref", None) if agent is not None else None
    session_ref = locate(subagent) if locate is not None else ""
    told = _by_records(_transcript(agent, data, session_ref))
    return told or Reading(reading.records(data, is_subagent=True))


def messages(agent: Agent | None, data: bytes) -> list[Message]:
    """Return what was said and done in a transcript, as its adapter displays it if it does so in its own way."""
    ask = getattr(_transcript(agent, data), "messages", None)
    return of(agent, data).messages() if ask is None else list(ask())


def shown(agent: Agent | None, data: bytes) -> tuple[list[Message], Reading]:
    """Return what ``messages`` does, and the conversation: of one transcript, as a plugin starts for each."""
    transcript = _transcript(agent, data)
    derived = _by_records(transcript) or Reading(reading.records(data))
    ask = getattr(transcript, "messages", None)
    return (derived.messages() if ask is None else list(ask())), derived


def _transcript(agent: Agent | None, data: bytes, session_ref: str = "") -> Any:
    return agent.transcript(session_ref, data) if agent is not None else None


def _by_records(transcript: Any) -> Reading | None:
    """Return what an adapter's records say; None if it yields none: another agent may have written the transcript."""
    derived = Reading(transcript.records()) if isinstance(transcript, RecordSource) else None
    return derived if derived is not None and derived.says_something else None
