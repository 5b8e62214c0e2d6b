"""The end of a turn that made commits: completes their checkpoints with the whole transcript and all tokens."""

from __future__ import annotations

from entire.lifecycle.commits import checkpoint
from entire.lifecycle.session_transcript import SessionTranscript
from entire.lifecycle.turns import turn as turns
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord
from entire.model.session import TurnCheckpoint
from entire.model.transcripts import TokenUsage
from entire.model.value import replace
from entire.store import checkpoint_writer, checkpoints, lineage_file, turnlog
from entire.store.checkpoint_writer import SlotContent, TaskContent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.lifecycle.context import Context
    from entire.model.session import Session
    from entire.store.turnlog import TurnNote


def finalize_turn(context: Context, session: Session) -> None:
    """Complete the checkpoints of the turn that ended: whole transcript, all prompts, the rest of the tokens."""
    agent = context.agent_of(session)
    waiting = session.turn_checkpoints
    if agent is None or not waiting:
        session.turn_checkpoints = []
        return
    transcript = SessionTranscript(agent, session, context.place.top)
    finish = transcript.end()
    stored_parts = turns.transcript_parts(context, agent, session, transcript, finish)
    notes = checkpoint.notes_of(context, session, transcript, finish)
    hashed = checkpoint.hash_of(context, stored_parts, finish)
    since, counted = waiting[0].since, waiting[0].subagents
    for number, one in enumerate(waiting):
        is_last = number == len(waiting) - 1
        until = finish if is_last else transcript.boundary(since, one.moment)
        spent, counted = checkpoint.spent_between(transcript, since, until, counted)
        tasks = checkpoint.tasks_done(context, session, done_by=context.now() if is_last else one.moment)
        slot = SlotContent(
            record=SessionRecord(
                checkpoint_id=one.id, session_id=session.session_id, strategy=checkpoint.STRATEGY, created_at=""
            ),
            parts=stored_parts.parts,
            content_hash=hashed,
            prompts=tuple(turnlog.prompts(notes)),
        )
        _finalize_one(context, one, slot, spent, tasks, notes)
        for task in tasks:
            session.tasks[task.tool_use_id]["kept"] = one.id
        since = until
    session.counted, session.counted_subagents = finish, counted
    session.turn_checkpoints = []


def _finalize_one(
    context: Context,
    one: TurnCheckpoint,
    slot: SlotContent,
    spent: TokenUsage | None,
    tasks: Sequence[TaskContent],
    notes: Sequence[TurnNote],
) -> None:
    def build(base: str) -> checkpoint_writer.Changes:
        existing = checkpoints.read_at(context.objects, base, CheckpointId(one.id)) if base else None
        old = existing.slot_of(slot.record.session_id) if existing is not None else None
        if existing is None or old is None or old.record is None:
            return {}
        before = lineage_file.read(context.objects, existing)
        beside = {}
        if before is not None:
            beside[lineage_file.NAME] = lineage_file.dumps(
                lineage_file.with_turns(before, slot.record.session_id, notes)
            )
        record = replace(old.record, token_usage=checkpoint.together(one.base, spent))
        return checkpoint_writer.compose([replace(slot, record=record)], existing, tasks=tasks, beside=beside)

    checkpoint_writer.write(
        context.place.top,
        context.objects,
        build,
        message=checkpoint_writer.finalize_message(CheckpointId(one.id)),
        author=context.author(),
    )
