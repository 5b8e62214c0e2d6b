"""Who reads a session's transcript, and the transcripts that one call has read."""

from __future__ import annotations

from entire.model.positions import START
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from entire.agents.contract import Agent
    from entire.directory import AgentDirectory
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.log import Log
    from entire.model.session import Session
    from entire.recording.session_transcript import SessionTranscript
    from entire.redact import Redactor

    class Tools(Protocol):
        """What is made once a transcript needs it: many hooks read none."""

        @property
        def objects(self) -> Objects: ...

        @property
        def redactor(self) -> Redactor: ...


class Adapters:
    """The adapters of sessions: each is made once, with the session's metadata."""

    def __init__(self, place: Place, agents: AgentDirectory) -> None:
        self._place = place
        self._agents = agents
        self._known: dict[str, tuple[Mapping[str, str], Agent]] = {}

    def forget(self) -> None:
        self._known = {}

    def of(self, session: Session) -> Agent | None:
        """Return a session's adapter, made with the session's metadata; None if its agent is not installed, or a plugin
        that must not be started now.

        Cached until the metadata change, or until ``forget``.
        """
        metadata, known = self._known.get(session.session_id, ({}, None))
        if known is not None and known.name == session.agent.name and metadata == session.connection.metadata:
            return known
        agent = self._agents.agent_of(session)
        if agent is not None:
            self._known[session.session_id] = dict(session.connection.metadata), agent
            session.agent = replace(session.agent, name=agent.name)
        return agent

    def reader(self, session: Session) -> Agent:
        """Return what reads a session's transcript: its adapter, or what is stored where that cannot be asked."""
        agent = self.of(session)
        if agent is not None:
            return agent
        from entire.recording.stored_agent import StoredAgent

        return StoredAgent(self._place, session)

    def waits(self, session: Session) -> bool:
        """Tell whether a session's adapter cannot be asked now, and later may go on from its own positions."""
        if self.of(session) is not None:
            return False
        from entire.recording.stored_agent import was_read

        return was_read(session)


class Transcripts:
    """The transcripts of sessions: what one call knows of each stays the same, also if its agent writes meanwhile."""

    def __init__(self, adapters: Adapters, tools: Tools, log: Log, top: str) -> None:
        self._adapters = adapters
        self._tools = tools
        self.log = log
        self._top = top
        self._known: dict[str, SessionTranscript] = {}

    def forget(self) -> None:
        self._known = {}

    def of(self, session: Session) -> SessionTranscript:
        """Return a session's transcript. If its agent is not installed, the transcript can be saved, but not read."""
        known = self._known.get(session.session_id)
        if known is None or known.ref != session.session_ref:
            known = self._known[session.session_id] = self._open(session)
        return known

    def whole(self, session: Session) -> SessionTranscript:
        """Return what a checkpoint stores: the transcript, but what was stored of it if the agent has cut it since."""
        transcript = self.of(session)
        if session.is_running or session.turn is None or transcript.holds(session.turn.finish):
            return transcript
        return self._saved(transcript, session) or transcript

    def note_problem(self, session: Session) -> None:
        """Note why a session's transcript is not stored, for ``status``; each reason is logged once."""
        known = self._known.get(session.session_id)
        if known is None or known.problem in (None, session.storage.problem):
            return
        session.storage = replace(session.storage, problem=known.problem or "")
        if known.problem:
            self.log.warn(f"the transcript {known.ref} is {known.problem}", session_id=session.session_id)

    def _open(self, session: Session) -> SessionTranscript:
        from entire.recording.session_transcript import SessionTranscript

        transcript = SessionTranscript(self._adapters.reader(session), session, self._top, self._tools.redactor)
        if self._adapters.of(session) is None:
            if self._adapters.waits(session) and not session.connection.is_external:
                name = session.agent.name or session.agent.type
                message = f"the agent {name!r} is not installed; its transcript is saved without being read"
                self.log.warn(message, session_id=session.session_id)
            is_cut = transcript.native.file_lines(START) is None
        else:
            in_turn = session.turn_checkpoints[-1:]
            is_cut = transcript.is_gone or any(not transcript.holds(written.finish) for written in in_turn)
        return (is_cut and self._saved(transcript, session)) or transcript

    def _saved(self, live: SessionTranscript, session: Session) -> SessionTranscript | None:
        """Return what was last stored of a transcript if the live one is gone, or only the beginning of that."""
        from entire.recording.session_transcript import SessionTranscript
        from entire.store import transcripts as stored

        if not (session.conversation or session.last_checkpoint) or live.size() > stored.MAX_NEW:
            return None
        from entire.store import step_transcripts

        agent = self._adapters.reader(session)
        saved = step_transcripts.latest(self._tools.objects, session, agent)
        same = live.native.agreement(saved.content) if saved is not None else None
        if same is None or same.own_is_longer or not same.stored_is_longer:
            return None
        if self._adapters.of(session) is not None:
            self.log.info("the agent's transcript is shorter than what was stored of it; that counts",
                          session_id=session.session_id)  # fmt: skip
        return SessionTranscript(agent, session, self._top, self._tools.redactor, saved)
