"""The conversations of sessions that may continue, for the search index: as they are now, redacted as steps are."""

from __future__ import annotations

import hashlib
import os

from entire.agents import long_transcripts, readings
from entire.directory import AgentDirectory
from entire.git import history, read
from entire.index.entries import OPEN, IndexSource
from entire.model.value import replace
from entire.queries.searches import entries
from entire.store import sessions, stored_contents, transcript_ends, transcripts, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from entire.agents.contract import Agent
    from entire.index.entries import IndexEntry
    from entire.layout import Place
    from entire.model.session import Session
    from entire.model.transcripts import Content
    from entire.redact import Redactor
    from entire.store.transcript_ends import TranscriptEnd


class OpenConversations:
    """The sessions that have a state on this machine. Use it as a context manager."""

    def __init__(self, place: Place, redactor: Redactor) -> None:
        self._place = place
        self._redactor = redactor
        self._objects = read.Objects(place.top)
        self._branches: dict[str, str] = {}
        self._sessions: dict[str, Session] = {}
        self.cut: set[str] = set()
        """The keys of conversations of which only the end was read."""
        self.sources: dict[str, IndexSource] = {}
        for session in sessions.list_states(place):
            if not session.removed:
                source = self._source(session)
                self.sources[source.key] = source
                self._sessions[source.key] = session

    def __enter__(self) -> OpenConversations:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._objects.close()

    def read(self, source: IndexSource) -> list[IndexEntry]:
        """Return what an open session says; its agent's plugin is not asked."""
        session = self._sessions[source.key]
        agent = AgentDirectory.without_plugins().agent_of(session) if session.agent.name else None
        end = self._own(session, agent) or transcript_ends.of(self._saved(session, agent))
        self.cut.update([source.key] if end.left_out else [])
        notes = turnlog.prompts(turnlog.read(self._place, session.session_id))
        prompts = [prompt.decode("utf-8", "replace") for prompt in notes]
        if session.turn is not None and session.turn.prompt:
            prompts.append(session.turn.prompt)
        said = readings.messages(agent, end.data)
        return entries.of((replace(message, at=message.at + end.first) for message in said), prompts)

    def _own(self, session: Session, agent: Agent | None) -> TranscriptEnd | None:
        """Return the end of the agent's own transcript, redacted; None if it is gone."""
        transcript = agent.transcript(session.session_ref) if agent is not None else None
        end = transcript_ends.of(long_transcripts.content(transcript)) if transcript is not None else None
        if end is None or not end.data:
            return None
        return replace(end, data=transcripts.redact(end.data, self._redactor))

    def _saved(self, session: Session, agent: Agent | None) -> Content:
        return stored_contents.latest(self._objects, session, agent)

    def _source(self, session: Session) -> IndexSource:
        """Return a session as it is now; the key changes with its file, its turns, and what git has of it."""
        turn_id = session.turn.id if session.turn is not None else ""
        facts = (
            session.session_id, session.conversation, session.last_checkpoint, session.agent.type,
            session.work.open_files, turn_id, *map(_version, session.session_ref.files),
            _version(turnlog.path(self._place, session.session_id)),
        )  # fmt: skip
        digest = hashlib.sha256(repr(facts).encode("utf-8", "replace")).hexdigest()
        return IndexSource(
            key=f"open/{digest}",
            session_id=session.session_id,
            scope=OPEN,
            agent=session.agent.type,
            branch=self._branch(session.worktree.path),
            created=session.times.started,
            files=tuple(session.work.open_files),
        )

    def _branch(self, top: str) -> str:
        """Return the branch of a session's worktree, '' if that is gone."""
        if top not in self._branches:
            self._branches[top] = history.branch(top) if top and os.path.isdir(top) else ""
        return self._branches[top]


def _version(path: str) -> tuple[int, int]:
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        state = None
    return (state.st_size, state.st_mtime_ns) if state is not None else (0, 0)
