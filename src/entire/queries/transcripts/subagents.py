"""The subagents of a session: what each was to do, and its conversation."""

from __future__ import annotations

from entire.agents import capabilities, readings
from entire.model.conversations import SubagentView
from entire.model.positions import START
from entire.model.tokens import by_model
from entire.model.transcripts import Subagent
from entire.model.value import Value, recast
from entire.model.views.checkpoints import MessageView
from entire.store import transcript_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.contract import Agent
    from entire.git.read import Objects
    from entire.model.conversations import ShowRequest
    from entire.model.session import Session
    from entire.queries.transcripts.session_transcripts import ReadTranscript
    from entire.queries.transcripts.stored_transcripts import StoredTranscripts
    from entire.store.checkpoints import Slot, Task


class Descriptions(Value):
    """What a session's transcript says about its subagents, by their id and by their call's."""

    by_name: dict[str, Subagent]
    agent: Agent | None = None

    def of(self, *names: str) -> Subagent:
        return next((self.by_name[name] for name in names if name in self.by_name), Subagent(id=""))


def described(transcript: ReadTranscript) -> Descriptions:
    """Return what a transcript says about subagents: by its adapter if that can tell, else by the calls themselves."""
    by_name: dict[str, Subagent] = {}
    for message in transcript.messages:
        if message.call is not None and message.call.subagent:
            call = message.call
            by_name[call.id] = Subagent(id="", tool_use_id=call.id, description=call.subagent)
    agent = transcript.agent
    extractor = (
        capabilities.subagent_extractor(agent, agent.transcript("", transcript.content)) if agent is not None else None
    )
    for subagent in extractor.subagents(START) if extractor is not None else ():
        for name in (subagent.id, subagent.tool_use_id):
            if name and (subagent.description or name not in by_name):
                by_name[name] = subagent
    return Descriptions(by_name=by_name, agent=agent)


def of_slot(transcripts: StoredTranscripts, slot: Slot) -> Descriptions:
    """Return what a session's transcript in a checkpoint says about its subagents, which is kept."""
    known = transcripts.digests.get("subagents", slot.tree)
    if isinstance(known, tuple):
        return Descriptions(by_name=dict(known), agent=transcripts.agent(slot, is_plain=True))
    read = transcripts.of_slot(slot)
    descriptions = described(read)
    if read.is_there and transcripts.may_keep(slot):
        transcripts.digests.put(tuple(descriptions.by_name.items()), "subagents", slot.tree)
    return descriptions


def of_task(objects: Objects, task: Task, known: Descriptions, request: ShowRequest) -> SubagentView:
    """Return a subagent as a checkpoint holds it."""
    about = known.of(task.tool_use_id, task.agent_id)
    oid = next(iter(task.transcripts.values()), "")
    return SubagentView(
        id=task.agent_id or about.id,
        tool_use_id=task.tool_use_id,
        type=about.type,
        description=about.description,
        has_transcript=bool(oid),
        notes=len(task.increments),
        **_said(objects, oid, request, known.agent, task.agent_id),
    )


def of_state(objects: Objects, state: Session, transcript: ReadTranscript, request: ShowRequest) -> list[SubagentView]:
    """Return the subagents of a session of this machine, as far as their transcripts are stored."""
    known = described(transcript)
    views = []
    for name, task in state.tasks.items():
        about = known.of(name, task.subagent)
        views.append(SubagentView(
            id=task.subagent,
            tool_use_id=name,
            type=task.type or about.type,
            description=task.description or about.description,
            has_transcript=bool(task.stored),
            notes=len(task.increments),
            **_said(objects, task.stored, request, known.agent, task.subagent),
        ))  # fmt: skip
    return views


def _said(objects: Objects, oid: str, request: ShowRequest, agent: Agent | None, subagent: str) -> dict[str, Any]:
    """Return the fields of a view that come from a subagent's transcript; none if it was not asked for."""
    if not oid or not request.has_subagents:
        return {}
    end = transcript_ends.of_blob(objects, oid)
    reading = readings.of_subagent(agent, end.data, subagent)
    said = tuple(recast(MessageView, message, at=message.at + end.first) for message in reading.messages())
    return {"messages": said, "problem": end.note, "models": by_model(reading.responses.told())}
