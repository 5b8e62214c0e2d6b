"""Who reads a session's transcript, and the transcripts that one call has read."""

from __future__ import annotations

from entire.store import transcripts as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.agents.contract import Agent
    from entire.directory import AgentDirectory
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.log import Log
    from entire.model.session import Session
    from entire.recording.session_transcript import SessionTranscript
    from entire.redact import Redactor


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
        if known is not None and known.name == session.agent and metadata == session.metadata:
            return known
        agent = self._agents.agent_of(session)
        if agent is not None:
            self._known[session.session_id] = dict(session.metadata), agent
            session.agent = agent.name
        return agent

    def is_dormant(self, session: Session) -> bool:
        """Tell whether a session's agent is a plugin that must not be started now."""
        return session.is_external and not self._agents.may_start(session.agent)

    def reader(self, session: Session) -> Agent | None:
        """Return what reads a session's transcript: its adapter, a stand-in if its agent was never installed, or what
        stands in for a plugin that must not be started now.

        None if an adapter read it before: its positions mean nothing to a stand-in.
        """
        agent = self.of(session)
        if agent is None and self.is_dormant(session):
            from entire.recording.dormant import DormantAgent

            return DormantAgent(self._place, session)
        return stand_in(session) if agent is None and session.is_opaque else agent


class Transcripts:
    """The transcripts of sessions: what one call knows of each stays the same, also if its agent writes meanwhile."""

    def __init__(self, adapters: Adapters, objects: Objects, log: Log, top: str, redactor: Redactor) -> None:
        self._adapters = adapters
        self._objects = objects
        self.log = log
        self._top = top
        self._redactor = redactor
        self._known: dict[str, SessionTranscript] = {}

    def forget(self) -> None:
        self._known = {}

    def of(self, session: Session) -> SessionTranscript:
        """Return a session's transcript. If its agent is not installed, the transcript can be saved, but not read."""
        known = self._known.get(session.session_id)
        if known is None or known.path != session.transcript_path:
            known = self._known[session.session_id] = self._open(session)
        return known

    def whole(self, session: Session) -> SessionTranscript:
        """Return what a checkpoint stores: the transcript, but what was stored of it if the agent has cut it since."""
        found = self.of(session)
        if session.is_running or session.turn is None or found.holds(session.turn.finish):
            return found
        agent = self._adapters.reader(session)
        return (agent is not None and self._saved(found, session, agent)) or found

    def note_problem(self, session: Session) -> None:
        """Note why a session's transcript is not stored, for ``status``; each reason is logged once."""
        known = self._known.get(session.session_id)
        if known is None or known.problem in (None, session.transcript_problem):
            return
        session.transcript_problem = known.problem or ""
        if known.problem:
            self.log.warn(f"the transcript {known.path} is {known.problem}", session_id=session.session_id)

    def _open(self, session: Session) -> SessionTranscript:
        from entire.recording.session_transcript import SessionTranscript

        agent = self._adapters.reader(session)
        if agent is None:
            name = session.agent or session.agent_type
            message = f"the agent {name!r} is not installed; its transcript is saved without being read"
            self.log.warn(message, session_id=session.session_id)
            agent = stand_in(session)
        if self._adapters.is_dormant(session):
            from entire.recording import dormant

            return SessionTranscript(agent, session, self._top, self._redactor, dormant.saved(self._objects, session))
        found = SessionTranscript(agent, session, self._top, self._redactor)
        in_turn = session.turn_checkpoints[-1:]
        is_cut = found.is_gone or any(not found.holds(written.finish) for written in in_turn)
        return (is_cut and self._saved(found, session, agent)) or found

    def _saved(self, live: SessionTranscript, session: Session, agent: Agent) -> SessionTranscript | None:
        """Return what was last stored of a transcript if the live one is gone, or only the beginning of that."""
        if not (session.conversation or session.last_checkpoint) or stored.size(live.path) > stored.MAX_NEW:
            return None
        from entire.recording.session_transcript import SessionTranscript
        from entire.store import step_transcripts

        saved = step_transcripts.latest(self._objects, session, agent)
        same = live.native.agreement(saved.content) if saved is not None else None
        if same is None or same.own_is_longer or not same.stored_is_longer:
            return None
        self.log.info("the agent's transcript is shorter than what was stored of it; that counts",
                      session_id=session.session_id)  # fmt: skip
        return SessionTranscript(agent, session, self._top, self._redactor, saved)


def stand_in(session: Session) -> Agent:
    """Return what saves the transcript of an agent that was never installed."""
    from entire.agents.stand_in import StandIn

    return StandIn(session.agent, session.agent_type, grows_by_lines=bool(session.storage.extent.lines))
