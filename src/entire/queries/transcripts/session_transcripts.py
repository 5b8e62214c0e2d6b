"""A session's transcript as it is now: the agent's own, redacted as steps are, else the newest one that is stored.

A plugin's sessions are read from what is stored of them.
"""

from __future__ import annotations

import functools

from entire.agents import long_transcripts
from entire.agents.readings import States
from entire.directory import AgentDirectory
from entire.errors import MissingObjectError
from entire.model.value import recast, replace
from entire.model.views.checkpoints import MessageView
from entire.recording.stored_agent import StoredAgent
from entire.store import step_transcripts, transcript_ends, transcripts
from entire.store.checkpoints import Slot
from entire.store.transcript_ends import TranscriptEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.contract import Agent
    from entire.agents.readings import State
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.session import Session
    from entire.model.tokens import ModelTokens
    from entire.redact import Redactor

NO_END = TranscriptEnd(data=b"")


class ReadTranscript:
    """A transcript's content, and where it was read: agent, step or checkpoint. ``problem``: why it is empty, or what
    is left out of it; ``hint``: what to do if git lacks a part of it.
    """

    def __init__(
        self, source: str, end: TranscriptEnd = NO_END, agent: Agent | None = None, states: States | None = None, *,
        problem: str = "", hint: str = "",
    ) -> None:  # fmt: skip
        """``states``: what was read before of the same conversation; None if nothing can be read of it."""
        self.source = source
        self.content = end.data
        self.first = end.first  # number of its first record
        self.agent = agent
        self.is_there = states is not None
        self._states = states
        self.problem = problem or end.note
        self.hint = hint

    @functools.cached_property
    def state(self) -> State | None:
        """The conversation, which is read when it is first asked for."""
        return self._states.read(self.agent, self.content) if self._states is not None else None

    @functools.cached_property
    def messages(self) -> tuple[MessageView, ...]:
        """What was said and done."""
        return tuple(self.since(0))

    def since(self, start: int) -> list[MessageView]:
        """Return what was said and done; before record ``start`` only the prompts."""
        said = self.state.messages(max(start - self.first, 0)) if self.state is not None else ()
        return [recast(MessageView, message, at=message.at + self.first) for message in said]

    @property
    def unknown(self) -> tuple[tuple[int, str], ...]:
        """The records that say nothing to people: their numbers and types."""
        return tuple((at + self.first, form) for at, form in (self.state.unknown if self.state is not None else ()))

    @property
    def tokens(self) -> tuple[ModelTokens, ...]:
        """The tokens of each answer that tells."""
        told = self.state.tokens if self.state is not None else ()
        return tuple(replace(one, at=one.at + self.first) for one in told)


def of_session(place: Place, objects: Objects, state: Session, redactor: Redactor) -> ReadTranscript | None:
    """Return a session's own transcript, or its newest step's; None if neither says anything."""
    agent = AgentDirectory.without_plugins().agent_of(state)
    reader = agent or StoredAgent(place, state)
    own = long_transcripts.content(reader.transcript(state.session_ref)) if state.session_ref else b""
    end = transcript_ends.of(own)
    end = replace(end, data=transcripts.redact(end.data, redactor))
    own_transcript = read("agent", end, agent) if end.data else None
    if own_transcript is None or not own_transcript.messages:
        stored = _of_step(place, objects, state, agent)
        own_transcript = stored if stored is not None and stored.messages else own_transcript
    return own_transcript if own_transcript is not None and own_transcript.messages else None


def _of_step(place: Place, objects: Objects, state: Session, agent: Agent | None) -> ReadTranscript | None:
    commit = step_transcripts.newest_step(place, objects, state)
    if not commit:
        return None
    files = step_transcripts.session_files(objects, commit, state.session_id)
    slot = Slot(number=0, tree="", files=files, record=None)
    join = agent.reassemble_transcript if agent is not None else None
    try:
        return read("step", transcript_ends.read(objects, slot, join), agent)
    except MissingObjectError:
        return None


def read(source: str, end: TranscriptEnd, agent: Agent | None, states: States | None = None) -> ReadTranscript:
    """Return a transcript that was read. ``states``: what was read before of the same conversation."""
    return ReadTranscript(source, end, agent, states or States())
