"""The conversations of a point: each session's stored transcript, and how its agent's file changes."""

from __future__ import annotations

from entire.agents import long_transcripts
from entire.directory import resuming
from entire.errors import EntireError
from entire.model.value import Value, replace
from entire.model.views.points import ConversationView
from entire.recording import liveness
from entire.resume import effects, transcript_merge
from entire.resume.transcript_merge import CUT, UNCHANGED, WRITTEN
from entire.rewind.points import turn_id
from entire.store import stored_contents, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.contract import Agent
    from entire.model.session import Session
    from entire.model.transcripts import Content
    from entire.model.views.points import PointView
    from entire.recording.context import Context
    from entire.resume.transcript_merge import TranscriptChange
    from entire.rewind.points import PointList


REMOVED = "removed"


class RewoundConversation(Value):
    """A conversation to rewind. ``records``: how many remain in its transcript."""

    session_id: str
    agent: Agent
    file: TranscriptChange
    records: int
    subagents: dict[str, Content] = {}  # the transcripts of subagents that are missing
    problem: str = ""  # why it stays as it is

    @property
    def is_rewritten(self) -> bool:
        """Whether its transcript changes."""
        return self.file.what in (CUT, WRITTEN) and not self.problem

    @property
    def changes(self) -> bool:
        """Whether its transcript or a subagent's changes."""
        return self.is_rewritten or bool(self.subagents and self.file.what == UNCHANGED and not self.problem)

    @property
    def is_removed(self) -> bool:
        """Whether nothing remains of it: an agent cannot continue an empty file."""
        return self.file.what == CUT and not self.file.data


class StoredConversation(Value):
    """A session's stored transcript at a point. ``records``: only the first so many belong to it; None: all."""

    session_id: str
    agent: Agent
    transcript: Content
    records: int | None = None
    subagents: dict[str, str] = {}  # subagent to the blob of its transcript


def of_point(context: Context, points: PointList, point: PointView, session_id: str = "") -> list[RewoundConversation]:
    """Return the conversations as they were at a point, or only that of ``session_id``."""
    rewound = []
    for stored in _stored_at(context, points, point):
        if session_id in ("", stored.session_id):
            session = context.session(stored.session_id)
            file = transcript_merge.back_to(
                context.place, stored.agent, session, stored.session_id, stored.transcript, stored.records
            )
            missing = transcript_merge.missing_subagents(
                context.objects, stored.agent, file.path, stored.transcript, stored.subagents
            )
            records = _count_records(stored.agent, file.path, file.data)
            problem = effects.said(effects.plan(stored.agent, file, missing))
            rewound.append(RewoundConversation(
                session_id=stored.session_id, agent=stored.agent, file=file, records=records, subagents=missing,
                problem=problem,
            ))  # fmt: skip
    return rewound


def view(context: Context, conversation: RewoundConversation) -> ConversationView:
    """Return what is shown of a conversation, with its agent's process if that should be closed first."""
    pid = _running_pid(context.session(conversation.session_id))
    what = REMOVED if conversation.is_removed else conversation.file.what
    if conversation.problem:
        what = UNCHANGED
    elif conversation.changes and what == UNCHANGED:  # a subagent's transcript comes back
        what = WRITTEN
    return ConversationView(
        session_id=conversation.session_id,
        agent=conversation.agent.type,
        path=conversation.file.path,
        what=what,
        command="" if what == REMOVED else conversation.file.command,
        is_open=bool(pid),
        pid=pid,
        problem=conversation.problem,
    )


def restored_view(context: Context, session_id: str) -> ConversationView:
    """Return what is shown of a conversation that an undo restores."""
    session = context.session(session_id)
    agent = context.adapters.of(session) if session is not None else None
    if session is None or agent is None:
        return ConversationView(session_id=session_id, what=WRITTEN)
    command, pid = resuming.command(agent, session_id), _running_pid(session)
    return ConversationView(session_id=session_id, agent=agent.type, path=session.session_ref,
                            what=WRITTEN, command=command, is_open=bool(pid), pid=pid)  # fmt: skip


def out_of_reach(context: Context, points: PointList, point: PointView, session_id: str = "") -> list[ConversationView]:
    """Return the conversations of a point that stay as they are because their plugin cannot run."""
    views = []
    for name in _sessions_at(points, point):
        session = context.session(name) if session_id in ("", name) else None
        if session is None or not session.connection.is_external:
            continue
        try:
            context.agents.find(session.agent.name)
        except EntireError as error:
            problem = f"cannot be put back: {error.message}"
            views.append(ConversationView(session_id=name, agent=session.agent.type, problem=problem))
    return views


def _sessions_at(points: PointList, point: PointView) -> list[str]:
    if point.kind != "checkpoint":
        return [point.session_id]
    stored = points.checkpoint(point)
    return [slot.session_id for slot in stored.slots if slot.session_id] if stored is not None else []


def _running_pid(session: Session | None) -> int:
    """Return the process id of a session's agent, 0 if it is not running."""
    is_open = session is not None and not session.times.ended and liveness.is_running(session)
    return session.process.pid if session is not None and is_open else 0


def _stored_at(context: Context, points: PointList, point: PointView) -> list[StoredConversation]:
    if point.kind == "checkpoint":
        return _stored_in_checkpoint(context, points, point)
    agent = _agent(context, point.session_id, point.agent)
    if agent is None:
        return []
    return [
        _stored_of_turn(context, points, point, agent)
        if point.kind in ("turn", "start")
        else _stored_in_step(context, agent, point)
    ]


def _stored_in_step(context: Context, agent: Agent, point: PointView) -> StoredConversation:
    slot = transcript_merge.slot_of_step(context.objects, point.id, point.session_id, agent.type)
    return StoredConversation(
        session_id=point.session_id,
        agent=agent,
        transcript=stored_contents.of_slot(context.objects, slot, agent),
        subagents=transcript_merge.subagents_of_step(context.objects, point.id, point.session_id),
    )


def _stored_of_turn(context: Context, points: PointList, point: PointView, agent: Agent) -> StoredConversation:
    """Return the transcript at the start of a turn, or the end of one without a step: the first records of the
    session's next step.

    If no step holds that many, the agent's own file does, since cutting it also forgets the turns that were cut; if the
    agent has deleted that, what is stored of it. Nothing if the adapter counts no records: only the first turn's start
    is then known.
    """
    records = _records_at(context, point)
    if not records and not _is_first_turn(context, point):
        return StoredConversation(session_id=point.session_id, agent=agent, transcript=b"")
    session = context.session(point.session_id)
    path = transcript_merge.live_path(context.place, agent, session, point.session_id)
    later = points.step_after(point)
    if later is not None:
        stored = _stored_in_step(context, agent, later)
        if _count_records(agent, path, stored.transcript) >= records:
            return replace(stored, records=records)
    live = long_transcripts.content(agent.transcript(path)) if path else b""
    saved = stored_contents.latest(context.objects, session, agent) if session is not None and not live else b""
    tasks = session.tasks.values() if session is not None else ()
    return StoredConversation(
        session_id=point.session_id,
        agent=agent,
        transcript=saved or live,
        records=records,
        subagents={task.subagent: task.stored for task in tasks if task.stored},
    )


def _records_at(context: Context, point: PointView) -> int:
    """Return how many records the transcript had at the start or the end of a turn."""
    notes = turnlog.read(context.place, point.session_id)
    own = [note for note in notes if note.turn == turn_id(point)]
    if point.is_before_prompt:
        return min((note.position for note in own), default=0)
    return max((note.end for note in own), default=0)


def _is_first_turn(context: Context, point: PointView) -> bool:
    """Tell whether a turn's session had no turn before it."""
    notes = turnlog.read(context.place, point.session_id)
    began = min((note.time for note in notes if note.turn == turn_id(point)), default=0.0)
    return all(note.time >= began for note in notes)


def _stored_in_checkpoint(context: Context, points: PointList, point: PointView) -> list[StoredConversation]:
    stored = points.checkpoint(point)
    restorable = []
    for slot in stored.slots if stored is not None else ():
        agent = _agent(context, slot.session_id, slot.record.agent if slot.record is not None else "")
        if stored is not None and agent is not None and slot.session_id:
            restorable.append(StoredConversation(
                session_id=slot.session_id,
                agent=agent,
                transcript=stored_contents.of_slot(context.objects, slot, agent),
                subagents=transcript_merge.subagents_of_checkpoint(context.objects, stored, slot.session_id),
            ))  # fmt: skip
    return restorable


def _agent(context: Context, session_id: str, agent_type: str) -> Agent | None:
    session = context.session(session_id)
    return context.adapters.of(session) if session is not None else context.agents.make_by_type(agent_type)


def _count_records(agent: Agent, session_ref: str, data: Content) -> int:
    return long_transcripts.opened(agent, session_ref, data).end().count
