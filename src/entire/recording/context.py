"""What an event is handled with: the worktree, its settings, and the unit of work: its journal and relevant sessions.

Built once per hook.
"""

from __future__ import annotations

import os
import time

from entire import files, layout, log, strategies
from entire.git import ref_locks
from entire.model.session import KEPT_SECONDS, Process, Session, SessionAgent
from entire.model.turns import RunningTurn
from entire.model.value import replace
from entire.recording.readers import Adapters, Transcripts
from entire.store import redactor_of, sessions
from entire.store.journal import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.directory import AgentDirectory
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.redact import Redactor
    from entire.settings import Settings
    from entire.store.links import CheckpointLinks
    from entire.strategies.contract import Strategy

_IDENTITY_SECONDS = 600.0  # how long git's user name is cached
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox", "env", "entire", "timeout", "nice"))


class Context:
    """Everything a handler needs. Hold ``lock`` around every read that a write depends on."""

    def __init__(
        self,
        place: Place,
        settings: Settings,
        agents: AgentDirectory,
        *,
        now: Callable[[], float] = time.time,
        redactor: Redactor | None = None,
    ) -> None:
        """``redactor`` redacts what is stored; None: by the rules of this worktree."""
        self.place = place
        self._settings = settings
        self.agents = agents
        self.now = now
        self.log = log.Log(place.log, settings.log_level)
        self._redactor = redactor
        self._objects: Objects | None = None
        self.adapters = Adapters(place, agents)
        self.transcripts = Transcripts(self.adapters, self, self.log, place.top)
        self._journal: Journal | None = None
        self._sessions: dict[str, Session] = {}
        self._relevant: list[str] | None = None
        self._touched: dict[str, Session] = {}
        self._tips: list[str] | None = None
        self._is_followed = False  # the proposals of the settings, where the files are this person's own

    @property
    def objects(self) -> Objects:
        if self._objects is None:
            from entire.git.read import Objects

            self._objects = Objects(self.place.top)
        return self._objects

    @property
    def redactor(self) -> Redactor:
        if self._redactor is None:
            self._redactor = redactor_of(self.place)
        return self._redactor

    @property
    def settings(self) -> Settings:
        """The settings in effect: what files propose that are this person's own counts; asking git waits until now."""
        if self._settings.proposals and not self._is_followed:
            from entire.recording import proposals

            self._settings, self._is_followed = proposals.followed(self._settings), True
        return self._settings

    def beside(self, place: Place, settings: Settings) -> Context:
        """Return a context for another worktree, for the same hook or command: what its session said is redacted by the
        rules of the session's worktree.
        """
        return Context(place, settings, self.agents, now=self.now, redactor=self.redactor)

    def log_as(self, **fields: object) -> None:
        """Name these fields in every line of the log."""
        self.log = self.transcripts.log = self.log.bind(**fields)

    def lock(self, *, timeout: float = 20.0) -> files.Lock:
        """Return the repository's lock, and drop what was cached: only one hook at a time may change stored state."""
        self.forget()
        self.agents.limit_time()
        return files.Lock(self.place.lock_file, timeout=timeout)

    def can_write(self) -> bool:
        """Tell whether a checkpoint can be written now. If a lock is in the way, the commit is completed at a later
        event: its record stays, and one without a record is found by HEAD's reflog.
        """
        is_blocked = ref_locks.blocks(self.place.common_dir)
        if is_blocked:
            self.log.warn("a lock is in the way: checkpoints wait until it is gone")
        return not is_blocked

    def forget(self) -> None:
        """Drop cached state: another process may have written since."""
        self._journal = None
        self._sessions = {}
        self.adapters.forget()
        self.transcripts.forget()
        self._relevant = None
        self._touched = {}
        self._tips = None

    def touch(self, session: Session) -> None:
        """Mark a session to be written by the next ``save``."""
        self._touched[session.session_id] = session

    def touched(self) -> list[Session]:
        return list(self._touched.values())

    def close(self) -> None:
        """Stop the helper processes, and log what is wrong with the rules that were read."""
        config = self._redactor.seen_config if self._redactor is not None else None
        if config is not None:
            from entire.recording import redact_problems

            redact_problems.note_unchecked(self.place, self.log, config)
            if self.redactor.sources.config == self.place.redact_config:
                redact_problems.note(self.place, self.log, config)
        if self._objects is not None:
            self._objects.close()
        self.agents.close()

    @property
    def journal(self) -> Journal:
        if self._journal is None:
            self._journal = Journal(self.place, repair=True)
        return self._journal

    def session(self, session_id: str) -> Session | None:
        known = self._sessions.get(session_id)
        if known is None:
            known = sessions.find(self.place, session_id, repair=True)
            if known is not None:
                self._sessions[session_id] = known
        return known

    def share(self, session: Session) -> None:
        """Use the session's state as another context has loaded it, so both write the same."""
        self._sessions[session.session_id] = session

    def open_session(self, session_id: str, agent_name: str) -> Session:
        """Return a session, created if it is unknown, and mark it relevant."""
        session = self.session(session_id)
        if session is None:
            session = self._sessions[session_id] = Session(session_id)
            session.times = replace(session.times, started=self.now())
        entry = self.agents.describe(agent_name)
        session.agent = SessionAgent(name=agent_name, type=entry.type)
        session.connection = replace(
            session.connection, is_external=entry.is_plugin, caller_variables=list(entry.caller_variables)
        )
        self.mark_relevant(session_id)
        return session

    def mark_relevant(self, session_id: str) -> None:
        """Add a session to the relevant ones of this worktree."""
        if session_id not in self.journal.sessions:
            self.journal.sessions.append(session_id)
            self._relevant = None

    def relevant_sessions(self) -> list[Session]:
        """Return the relevant sessions of this worktree, including those that the Go CLI wrote."""
        if self._relevant is None:
            journal = self.journal
            if not sessions.is_seen(self.place) or sessions.last_noticed(self.place) >= journal.caches.last_scan:
                self._add_foreign_sessions()
            self._relevant = [name for name in journal.sessions if self.session(name) is not None]
        return [session for session in map(self.session, self._relevant) if session is not None]

    def _add_foreign_sessions(self) -> None:
        journal = self.journal
        for session_id in sessions.foreign_since(self.place, journal.caches.last_scan):
            if session_id not in journal.sessions:
                foreign = self.session(session_id)
                if foreign is not None and self.in_this_worktree(foreign):
                    journal.sessions.append(session_id)
        journal.caches.last_scan = max(journal.caches.last_scan, self.now() - 2.0)

    def in_this_worktree(self, session: Session) -> bool:
        """Tell whether a session works in this worktree, also if it was moved since; states of some versions name no
        path.
        """
        path = session.worktree.path
        if path == self.place.top or (path and os.path.realpath(path) == os.path.realpath(self.place.top)):
            return True
        is_elsewhere = bool(path) and layout.is_in(path, self.place.common_dir)
        return not is_elsewhere and session.worktree.name == self.place.worktree_name

    def running(self, *, excluding: str = "") -> list[Session]:
        """Return the sessions of this worktree with a turn in progress."""
        return [
            session for session in self.relevant_sessions() if session.is_running and session.session_id != excluding
        ]

    def running_turns(self) -> list[RunningTurn]:
        """Return every turn in progress, and those whose subagents still work in the background."""
        turns = [RunningTurn(session.turn_key) for session in self.running()]
        for session in self.relevant_sessions():
            if session.background and not session.is_running and session.turn is not None:
                turns.append(RunningTurn.background(session.turn_key))
            turns += map(RunningTurn.background, session.launching_turns())
        return list(dict.fromkeys(turns))

    def has_stashed_work(self) -> bool:
        """Tell whether the stash held work of sessions at the last snapshot: the next commit may contain it."""
        snapshot = self.journal.snapshot
        is_recent = self.now() - snapshot.time < KEPT_SECONDS
        return is_recent and bool(snapshot.stashes and self.journal.attribution.stashed_paths)

    @property
    def tips(self) -> list[str]:
        """The checkpoints branches, the local one first."""
        from entire.store import checkpoints

        if self._tips is None:
            self._tips = [checkpoints.LOCAL_REF, *(checkpoints.tips(self.place.top).keys() - {checkpoints.LOCAL_REF})]
        return self._tips

    @property
    def links(self) -> CheckpointLinks:
        """Which checkpoints the user's commits have, as the checkpoints branches say now."""
        from entire.store.links import CheckpointLinks

        return CheckpointLinks(self.place.top, self.objects, self.tips)

    def author(self) -> str:
        """Return ``Name <mail> seconds zone`` for the commits that Entire makes."""
        from entire.git import write

        known = self.journal.caches.identity
        if not known[0] or not 0 <= self.now() - known[1] < _IDENTITY_SECONDS:
            self.journal.caches.identity = known = [write.identity(self.place.top), self.now()]
        return write.author(known[0], self.now())

    @property
    def strategy(self) -> Strategy:
        """The strategy that the settings name."""
        return strategies.make(self.place, self.settings, self.journal, self.now())

    def save(self, *changed: Session) -> None:
        """Write the journal, then the sessions given.

        The order matters. If a hook is killed in between, the session repeats its work and finds its snapshot already
        recorded. In the other order, the next snapshot would attribute the turn's changes to a later turn.
        """
        now = self.now()
        for session in changed:
            self.transcripts.note_problem(session)
            self.touch(session)
        live = [session for session in self.relevant_sessions() if session.is_live(now)]
        journal = self.journal
        journal.sessions = [
            session.session_id
            for session in self.relevant_sessions()
            if session in live or session.work.steps or session.foreign or session.session_id in self._touched
        ]  # what was written just now stays until the next hook has seen it
        journal.save(
            live=bool(live or journal.attribution.visiting_sessions) or self.has_stashed_work(),
            running=[session.session_id for session in live if session.is_running and self.in_this_worktree(session)],
        )
        for session in self._touched.values():
            sessions.save(self.place, session)
        self._touched = {}


def agent_process(named: int = 0) -> Process:
    """Return the agent's process: the one that its adapter named, else the nearest ancestor that is not a shell."""
    from entire import process

    own = process.look(named) if named > 0 else None
    if own is not None:
        return Process(pid=own.pid, started=own.started)
    for program in process.ancestors(os.getppid()):
        if program.name not in _SHELLS and not (
            program.name.startswith("python") and "entire" in " ".join(program.argv[:3])
        ):
            return Process(pid=program.pid, started=program.started)
    return Process()
