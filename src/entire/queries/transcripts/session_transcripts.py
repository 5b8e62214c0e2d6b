"""A session's transcript as it is now: the agent's own, redacted as steps are, else the newest one that is stored.

A plugin's sessions are read from what is stored of them.
"""

from __future__ import annotations

from entire.agents import long_transcripts, readings
from entire.directory import AgentDirectory
from entire.errors import MissingObjectError
from entire.model.value import Value, replace
from entire.model.views.checkpoints import MessageView
from entire.recording.stored_agent import StoredAgent
from entire.store import step_transcripts, transcript_ends, transcripts
from entire.store.checkpoints import Slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.contract import Agent
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.session import Session
    from entire.model.transcripts import Message, ModelTokens
    from entire.redact import Redactor
    from entire.store.transcript_ends import TranscriptEnd


class ReadTranscript(Value):
    """A transcript's content, and where it was read: agent, step or checkpoint. ``problem``: why it is empty, or what
    is left out of it.
    """

    source: str
    content: bytes = b""
    first: int = 0  # number of its first record
    agent: Agent | None = None
    messages: tuple[MessageView, ...] = ()
    unknown: tuple[tuple[int, str], ...] = ()  # the records that say nothing to people: their numbers and types
    tokens: tuple[ModelTokens, ...] = ()  # of each answer that tells
    problem: str = ""
    hint: str = ""  # what to do if git lacks a part of it


def of_session(place: Place, objects: Objects, state: Session, redactor: Redactor) -> ReadTranscript | None:
    """Return a session's own transcript, or its newest step's; None if neither says anything."""
    agent = AgentDirectory.without_plugins().agent_of(state)
    reader = agent or StoredAgent(place, state)
    own = long_transcripts.content(reader.transcript(state.session_ref)) if state.session_ref else b""
    end = transcript_ends.of(own)
    end = replace(end, data=transcripts.redact(end.data, redactor))
    found = _read("agent", end, agent) if end.data else None
    if found is None or not found.messages:
        stored = _of_step(place, objects, state, agent)
        found = stored if stored is not None and stored.messages else found
    return found if found is not None and found.messages else None


def of_slot(objects: Objects, slot: Slot, agents: AgentDirectory) -> ReadTranscript:
    """Return what a checkpoint holds of a session's transcript. Only one that cannot be read otherwise is shown to its
    plugin, if ``agents`` may start it.
    """
    agent_type = slot.record.agent if slot.record is not None else ""
    agent = AgentDirectory.without_plugins().make_by_type(agent_type)
    try:
        end = transcript_ends.read(objects, slot, agent.reassemble_transcript if agent is not None else None)
    except MissingObjectError as error:
        return ReadTranscript(source="checkpoint", agent=agent, problem=error.message, hint=error.hint)
    found = _read("checkpoint", end, agent)
    if end.data and not found.messages and agent is None:
        return _read("checkpoint", end, agents.make_by_type(agent_type))
    return found


def _of_step(place: Place, objects: Objects, state: Session, agent: Agent | None) -> ReadTranscript | None:
    commit = step_transcripts.newest_step(place, objects, state)
    if not commit:
        return None
    files = step_transcripts.session_files(objects, commit, state.session_id)
    slot = Slot(number=0, tree="", files=files, record=None)
    join = agent.reassemble_transcript if agent is not None else None
    try:
        return _read("step", transcript_ends.read(objects, slot, join), agent)
    except MissingObjectError:
        return None


def _read(source: str, end: TranscriptEnd, agent: Agent | None) -> ReadTranscript:
    said, reading = readings.shown(agent, end.data)
    return ReadTranscript(
        source=source, content=end.data, first=end.first, agent=agent, problem=end.note,
        messages=tuple(_numbered(said, end)),
        unknown=tuple((at + end.first, form) for at, form in reading.unknown),
        tokens=tuple(replace(told, at=told.at + end.first) for told in reading.responses.told()),
    )  # fmt: skip


def messages(agent: Agent | None, end: TranscriptEnd, start: int = 0) -> list[MessageView]:
    """Return what was said in a transcript from record ``start`` on, as its adapter reads it if that can."""
    return [message for message in _numbered(readings.messages(agent, end.data), end) if message.at >= start]


def _numbered(said: list[Message], end: TranscriptEnd) -> Iterator[MessageView]:
    """Yield messages with the numbers of their records in the whole transcript."""
    return (MessageView(**{**message.__dict__, "at": message.at + end.first}) for message in said)
