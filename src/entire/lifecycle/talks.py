"""The conversations of a point: what is stored of each session then, and what its agent's file becomes."""

from __future__ import annotations

from entire import process
from entire.agents import powers, registry
from entire.lifecycle import conversations
from entire.model.value import Value
from entire.model.views import ConversationView
from entire.store import checkpoints, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.contract import Agent
    from entire.lifecycle.conversations import Return
    from entire.lifecycle.points import Points
    from entire.lifecycle.scene import Scene
    from entire.model.session import Session
    from entire.model.views import PointView


class Talk(Value):
    """A conversation that goes back: what its file becomes, and how many of its records are left."""

    session_id: str
    agent: Agent
    file: Return
    lines: int
    subagents: tuple[tuple[str, bytes], ...] = ()  # files that are missing beside it: path, content

    def offset(self, count: int) -> int:
        """Return where in the file the first ``count`` lines end."""
        return len(b"".join(self.file.data.splitlines(keepends=True)[:count]))


class Stored(Value):
    """What is stored of a session at a point. ``lines``: so many of its transcript count; None: all of them."""

    session_id: str
    agent: Agent
    transcript: bytes
    lines: int | None = None
    subagents: dict[str, str] = {}  # subagent to the blob of its transcript


def of_point(scene: Scene, points: Points, point: PointView, session_id: str = "") -> list[Talk]:
    """Return the conversations of a point as they were; of one session only, if it is named."""
    found = []
    for one in _stored(scene, points, point):
        if session_id in ("", one.session_id):
            session = scene.session(one.session_id)
            file = conversations.back_to(scene.place, one.agent, session, one.session_id, one.transcript, one.lines)
            missing = conversations.subagent_files(scene.objects, one.agent, file.path, one.subagents)
            found.append(Talk(session_id=one.session_id, agent=one.agent, file=file, lines=_lines(file.data),
                              subagents=tuple(missing)))  # fmt: skip
    return found


def view(scene: Scene, talk: Talk) -> ConversationView:
    """Return what is told about a conversation; whether its agent still runs, because it should be closed."""
    pid = _open(scene.session(talk.session_id))
    return ConversationView(session_id=talk.session_id, agent=talk.agent.type, path=talk.file.path,
                            what=talk.file.what, command=talk.file.command, is_open=bool(pid), pid=pid)  # fmt: skip


def returned(scene: Scene, session_id: str) -> ConversationView:
    """Return what is told about a conversation that an undo brings back."""
    session = scene.session(session_id)
    agent = scene.agent_of(session) if session is not None else None
    if session is None or agent is None:
        return ConversationView(session_id=session_id, what=conversations.WRITTEN)
    resumer, pid = powers.session_resumer(agent), _open(session)
    command = resumer.format_resume_command(session_id) if resumer is not None else ""
    return ConversationView(session_id=session_id, agent=agent.type, path=session.transcript_path,
                            what=conversations.WRITTEN, command=command, is_open=bool(pid), pid=pid)  # fmt: skip


def _open(session: Session | None) -> int:
    """Return the process of a session's agent, 0 if it does not run any more."""
    program = session.process if session is not None and not session.ended else None
    return program.pid if program is not None and process.is_running(program.pid, program.started) else 0


def _stored(scene: Scene, points: Points, point: PointView) -> list[Stored]:
    if point.kind == "checkpoint":
        return _of_checkpoint(scene, points, point)
    agent = _agent(scene, point.session_id, point.agent)
    if agent is None:
        return []
    return [_of_turn(scene, points, point, agent) if point.kind == "turn" else _of_step(scene, agent, point)]


def _of_step(scene: Scene, agent: Agent, point: PointView) -> Stored:
    slot = conversations.slot_of_step(scene.objects, point.id, point.session_id, agent.type)
    return Stored(
        session_id=point.session_id,
        agent=agent,
        transcript=checkpoints.transcript(scene.objects, slot),
        subagents=conversations.subagents_of_step(scene.objects, point.id, point.session_id),
    )


def _of_turn(scene: Scene, points: Points, point: PointView, agent: Agent) -> Stored:
    """Return what is stored of a turn without a step: the beginning of what the session's next save holds.

    Where none holds so much, the agent's own file does: its turns are forgotten when it is cut.
    """
    notes = turnlog.read(scene.place, point.session_id)
    lines = max((note.end for note in notes if note.turn == point.id), default=0)
    later = [one for one in points.find(session_id=point.session_id) if one.kind == "step" and one.time >= point.time]
    stored = _of_step(scene, agent, later[-1]) if later else None
    if stored is None or _lines(stored.transcript) < lines:
        path = conversations.live_path(scene.place, agent, scene.session(point.session_id), point.session_id)
        live = agent.read_transcript(path) if path else b""
        return Stored(session_id=point.session_id, agent=agent, transcript=live, lines=lines)
    return Stored(session_id=point.session_id, agent=agent, transcript=stored.transcript, lines=lines,
                  subagents=stored.subagents)  # fmt: skip


def _of_checkpoint(scene: Scene, points: Points, point: PointView) -> list[Stored]:
    stored = points.checkpoint(point)
    found = []
    for slot in stored.slots if stored is not None else ():
        agent = _agent(scene, slot.session_id, slot.record.agent if slot.record is not None else "")
        if stored is not None and agent is not None and slot.session_id:
            found.append(Stored(
                session_id=slot.session_id,
                agent=agent,
                transcript=checkpoints.transcript(scene.objects, slot),
                subagents=conversations.subagents_of_checkpoint(scene.objects, stored, slot.session_id),
            ))  # fmt: skip
    return found


def _agent(scene: Scene, session_id: str, agent_type: str) -> Agent | None:
    session = scene.session(session_id)
    return scene.agent_of(session) if session is not None else registry.find_by_type(agent_type)


def _lines(data: bytes) -> int:
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
