"""Completes the checkpoints written during a turn with the whole transcript and all tokens, when the turn ends."""

from __future__ import annotations

from entire.commits import checkpoint
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord
from entire.model.tokens import total
from entire.model.value import replace
from entire.store import checkpoint_writer, checkpoints, lineage_file, turnlog
from entire.store.checkpoint_writer import SlotContent, TaskContent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.model.events import Event
    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.recording.session_transcript import SessionTranscript
    from entire.store.transcripts import Stored
    from entire.store.turnlog import TurnNote


def finalize_turn(context: Context, session: Session, _event: Event | None = None) -> None:
    """Complete the checkpoints of the turn that ended: whole transcript, all prompts, remaining tokens.

    What a plugin cannot tell now stays as it is; the checkpoints then wait for the session's next event.
    """
    waiting = session.turn_checkpoints
    if not waiting or not context.can_write():
        return
    transcript = context.transcripts.of(session)
    if _is_whole(context, session, transcript):
        session.turn_checkpoints = []
        return
    finish = transcript.end()
    whole, _ = transcript.as_stored(
        context.place, context.objects, finish,
        lambda: checkpoint.tasks_done(context, session, transcript, context.now()),
    )  # fmt: skip
    may_miss = session.connection.is_external or context.adapters.waits(session)
    is_incomplete = may_miss and not transcript.is_told(waiting[0].since, finish)
    session.connection = replace(session.connection, is_incomplete=is_incomplete)
    if is_incomplete and not whole.parts:
        return
    counted = _write(context, session, transcript, whole)
    if not is_incomplete:
        session.covered = replace(session.covered, position=finish, subagents=counted)
        session.turn_checkpoints = []


def _is_whole(context: Context, session: Session, transcript: SessionTranscript) -> bool:
    """Tell whether the only checkpoint of the turn has all of it: its commit was made when the turn had been saved."""
    (written, *more), turn, finish = session.turn_checkpoints, session.turn, transcript.end()
    if more or turn is None or not turn.ended or written.moment < turn.ended or session.connection.is_incomplete:
        return False
    if written.finish != finish or session.covered.position != finish:
        return False
    spent, _ = checkpoint.spent_between(context, transcript, finish, finish, session.covered.subagents)
    return not spent and not checkpoint.tasks_done(context, session, transcript, context.now())


def _write(context: Context, session: Session, transcript: SessionTranscript, whole: Stored) -> dict[str, Any]:
    """Write the session's part of the waiting checkpoints; return the new counts of its subagents."""
    finish, waiting = transcript.end(), session.turn_checkpoints
    notes = checkpoint.notes_of(context, session, transcript, finish)
    common = SlotContent(
        record=SessionRecord(
            checkpoint_id="", session_id=session.session_id, strategy=context.strategy.name, created_at=""
        ),
        parts=whole.parts,
        content_hash=checkpoint.hash_of(context, whole),
        prompts=tuple(turnlog.prompts(notes)),
    )
    since, counted = waiting[0].since, waiting[0].subagents
    for number, written in enumerate(waiting):
        is_last = number == len(waiting) - 1
        until = finish if is_last else transcript.boundary(since, written.moment, written.commit)
        spent, counted = checkpoint.spent_between(context, transcript, since, until, counted)
        done_by = context.now() if is_last else written.moment
        tasks = checkpoint.tasks_done(context, session, transcript, done_by)
        usage = spent if written.base is None else total([written.base, spent])
        _finalize(context, CheckpointId(written.id), replace(common, record=replace(common.record, token_usage=usage)),
                  tasks, notes)  # fmt: skip
        for task in tasks:
            session.tasks[task.tool_use_id].kept = written.id
        since = until
    return counted


def _finalize(
    context: Context,
    checkpoint_id: CheckpointId,
    slot: SlotContent,
    tasks: Sequence[TaskContent],
    notes: Sequence[TurnNote],
) -> None:
    """Replace a session's slot in a checkpoint, keeping its record except for the tokens, if they are known now."""
    for attempt in checkpoint_writer.attempts(context.place.top, context.objects):
        existing = checkpoints.read_at(context.objects, attempt.base, checkpoint_id) if attempt.base else None
        old = existing.slot_of(slot.record.session_id) if existing is not None else None
        changes: checkpoint_writer.Changes = {}
        if existing is not None and old is not None and old.record is not None:
            usage = slot.record.token_usage
            record = replace(old.record, token_usage=old.record.token_usage if usage is None else usage)
            lineage = lineage_file.read(context.objects, existing)
            beside = {}
            if lineage is not None:
                updated = lineage_file.with_turns(lineage, slot.record.session_id, notes)
                updated = updated if usage is None else lineage_file.with_tokens(updated, slot.record)
                beside[lineage_file.NAME] = lineage_file.dumps(updated)
            changes = checkpoint_writer.compose([replace(slot, record=record)], existing, tasks=tasks, beside=beside)
        message = checkpoint_writer.finalize_message(checkpoint_id)
        attempt.write(changes, message=message, author=context.author())
