"""Writes the checkpoint of a linked commit: one slot per session, all in one commit on the checkpoints branch."""

from __future__ import annotations

import os

from entire import files
from entire.attribution import path_lines
from entire.model import trailers
from entire.model.ids import CheckpointId
from entire.model.positions import Position
from entire.model.records import SessionRecord, summarize
from entire.model.session import Covered, TurnCheckpoint
from entire.model.tokens import UNKNOWN, TokenUsage, total
from entire.model.turns import NOBODY, PERSON
from entire.model.value import Value, replace
from entire.recording.session_transcript import SessionTranscript
from entire.redact import Redacted, trusted
from entire.store import checkpoint_writer, checkpoints, gojson, lineage_file, links, steps, turnlog
from entire.store import transcripts as stored
from entire.store.checkpoint_writer import SlotContent, TaskContent
from entire.turns import prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.attribution.path_lines import PathLines
    from entire.git.read import Commit
    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.recording.pending import Pending
    from entire.store.checkpoints import Checkpoint
    from entire.store.turnlog import TurnNote


class Part(Value):
    """What one session contributes to a checkpoint, and its new counts once that is written."""

    session: Session
    slot: SlotContent
    tasks: tuple[TaskContent, ...]
    finish: Position
    counted: Position
    counted_subagents: dict[str, Any]
    notes: tuple[TurnNote, ...]
    is_recorded: bool = False  # its adapter could not be asked: what its hooks recorded counts


def write(context: Context, decided: Pending, commit: Commit, sessions: Sequence[Session]) -> None:
    """Write the checkpoint of a linked commit and record in the sessions what it counted. Safe to repeat."""
    checkpoint_id = CheckpointId(decided.id or decided.update)
    link = _link(context, decided, commit, _branch(context))
    parts = [_part(context, decided, session, checkpoint_id, link) for session in sessions]
    message = _message(context, decided, sessions)
    for attempt in checkpoint_writer.attempts(context.place.top, context.objects):
        existing = checkpoints.read_at(context.objects, attempt.base, checkpoint_id) if attempt.base else None
        was_written = _is_written(context, commit, existing)  # by a hook that was killed afterwards
        changes = {} if was_written else _compose(context, decided, parts, existing, link)
        if changes:
            changes.update(links.changes(context.objects, attempt.base, commit, [checkpoint_id], link.patch_id))
        moves = (
            context.strategy.release(sessions, context.relevant_sessions(), ask=attempt.is_repeated) if changes else ()
        )
        attempt.write(changes, message=message, author=context.author(), moves=moves)
    usage_before = _usage_before(context, existing) if decided.update and existing is not None else {}
    for part in parts:
        if was_written:
            stored.forget(part.session)  # the parts stored just now are in no commit
        _count(part, decided, commit, checkpoint_id, usage_before.get(part.session.session_id))
    context.log.info("checkpoint written", checkpoint_id=checkpoint_id, sessions=len(parts), commit=commit.oid)


def compose_late(
    context: Context, decided: Pending, commit: Commit, base: str, *, is_here: bool
) -> tuple[checkpoint_writer.Changes, bytes]:
    """Return the changes on ``base``, and their message, that add the checkpoint of a commit which is linked by hand
    long after it was made; its sessions count it, and keep their steps. ``is_here``: HEAD's branch has the commit.
    """
    sessions = [session for session in map(context.session, decided.sessions) if session is not None]
    checkpoint_id = CheckpointId(decided.id or decided.update)
    link = _link(context, decided, commit, _branch(context) if is_here else "")
    parts = [_part(context, decided, session, checkpoint_id, link) for session in sessions]
    existing = checkpoints.read_at(context.objects, base, checkpoint_id) if base else None
    changes = _compose(context, decided, parts, existing, link)
    changes.update(links.changes(context.objects, base, commit, [checkpoint_id], link.patch_id))
    usage_before = _usage_before(context, existing) if decided.update and existing is not None else {}
    for part in parts:
        _count(part, decided, commit, checkpoint_id, usage_before.get(part.session.session_id))
    return changes, _message(context, decided, sessions)


def _usage_before(context: Context, existing: Checkpoint) -> dict[str, TokenUsage]:
    own = lineage_file.read(context.objects, existing)
    usages = {record.session_id: lineage_file.tokens(own, record) for record in existing.records}
    return {session_id: UNKNOWN if usage is None else usage for session_id, usage in usages.items()}


def _branch(context: Context) -> str:
    """Return HEAD's branch, '' if detached. Asks git only if HEAD is not a plain file (reftable)."""
    head = (files.read(os.path.join(context.place.git_dir, "HEAD")) or b"").decode("utf-8", "surrogateescape").strip()
    if head.startswith("ref: refs/heads/") and not head.endswith("/.invalid"):
        return head.removeprefix("ref: refs/heads/")
    if not head.startswith("ref: "):
        return ""
    from entire.git import history

    return history.branch(context.place.top)


def _message(context: Context, decided: Pending, sessions: Sequence[Session]) -> bytes:
    """Return the message of the checkpoint's commit; a subagent's own names its task."""
    checkpoint_id, pairs = CheckpointId(decided.id or decided.update), _trailers(context, sessions)
    task = next((session.tasks[decided.task] for session in sessions if decided.task in session.tasks), None)
    if task is None:
        return checkpoint_writer.new_message(checkpoint_id, pairs)
    pairs.append((trailers.METADATA_TASK, checkpoint_writer.task_folder(checkpoint_id, decided.task)))
    subject = steps.task_subject(task.type, context.redactor.redact_text(task.description), decided.task)
    return checkpoint_writer.new_message(checkpoint_id, pairs, subject)


def _trailers(context: Context, sessions: Sequence[Session]) -> list[tuple[str, str]]:
    last = sessions[-1]
    pairs = [
        *((trailers.SESSION, session.session_id) for session in sessions),
        (trailers.STRATEGY, context.strategy.name),
    ]
    if last.agent.type:
        pairs.append((trailers.AGENT, last.agent.type))
    if context.strategy.records_source:
        pairs.append((trailers.EPHEMERAL_BRANCH, context.strategy.source(last)))
    return pairs


def _part(
    context: Context, decided: Pending, session: Session, checkpoint_id: CheckpointId, link: lineage_file.LineageLink
) -> Part:
    transcript = context.transcripts.whole(session)
    finish = transcript.end()
    boundary = _boundary(decided, link.commit, session, transcript, finish)
    is_recorded = context.adapters.waits(session)
    spent, after = spent_between(context, transcript, session.covered.position, boundary, session.covered.subagents)
    if is_recorded and transcript.tokens(session.covered.position, boundary) == UNKNOWN:
        spent, after = None, session.covered.subagents  # of a running turn: counted when its agent can be asked again
    stored_parts, tasks = transcript.as_stored(
        context.place,
        context.objects,
        finish,
        lambda: tasks_done(context, session, transcript, decided.moment, at_work=True),
    )
    notes = notes_of(context, session, transcript, finish)
    now = gojson.rfc3339(context.now())
    task = decided.task if decided.task in session.tasks else ""
    record = SessionRecord(
        cli_version=version(),
        checkpoint_id=checkpoint_id,
        session_id=session.session_id,
        strategy=context.strategy.name,
        created_at=now,
        branch=link.branch,
        checkpoints_count=session.work.steps,
        files_touched=tuple(path_lines.files_of(session.session_id, decided.lines)),
        agent=session.agent.type,
        turn_id=session.turn.id if session.turn is not None else "",
        is_task=bool(task),
        tool_use_id=task,
        checkpoint_transcript_start=_start(session, decided.sessions.get(session.session_id, []), notes),
        token_usage=spent,
        initial_attribution=path_lines.attribution(session.session_id, decided.lines, now),
    )
    slot = SlotContent(record=record, parts=stored_parts.parts, content_hash=hash_of(context, stored_parts),
                       prompts=tuple(turnlog.prompts(notes)))  # fmt: skip
    is_left = is_recorded and spent is None
    return Part(
        session=session,
        slot=slot,
        tasks=tuple(tasks),
        finish=finish,
        # Once the agent can be asked again, counting continues from the old position.
        counted=session.covered.position if is_left else boundary,
        counted_subagents=after,
        notes=tuple(notes),
        is_recorded=is_recorded,
    )


def _boundary(
    decided: Pending, commit: str, session: Session, transcript: SessionTranscript, finish: Position
) -> Position:
    """Return the transcript position up to which a commit counts: where the session was when the commit was decided,
    however long an editor was open since.
    """
    if any(turn.key.session_id == session.session_id for turn in decided.running):
        return transcript.boundary(session.covered.position, decided.moment, commit)
    end = decided.ends.get(session.session_id)
    position = Position.from_json(end) if end else finish
    if decided.is_late and session.turn is not None and session.turn.started > decided.moment:
        position = transcript.boundary(session.covered.position, decided.moment, commit)
        return session.covered.position if transcript.is_later(session.covered.position, position) else position
    is_between = not transcript.is_later(session.covered.position, position) and not transcript.is_later(
        position, finish
    )
    return position if is_between else finish


def version() -> str:
    from entire import __version__

    return __version__


def spent_between(
    context: Context, transcript: SessionTranscript, since: Position, until: Position, counted: dict[str, Any]
) -> tuple[TokenUsage | None, dict[str, Any]]:
    """Return the tokens of the answers between two positions, with their subagents, and the subagents' new counts.

    They are None if nothing of them is known.
    """
    own = transcript.tokens(since, until)
    inner, after = transcript.subagent_tokens(since, until, counted, context.objects)
    return total([own, TokenUsage(subagents=inner)]), after


def notes_of(context: Context, session: Session, transcript: SessionTranscript, finish: Position) -> list[TurnNote]:
    """Return the notes of the session's turns so far, including the running one."""
    notes = turnlog.read(context.place, session.session_id)
    turn = session.turn
    if turn is None or turn.ended or any(note.turn == turn.id for note in notes):
        return notes
    turn = replace(turn, model=transcript.model(turn.start, finish) or turn.model)
    prompts = prompt_text.of_turn(transcript, turn, finish, first=not notes)
    redact = context.redactor.redact_text
    return [*notes, *turnlog.of_turn(turn, [replace(prompt, text=redact(prompt.text)) for prompt in prompts])]


def _start(session: Session, turn_ids: Sequence[str], notes: Sequence[TurnNote]) -> int:
    """Return the number of records before the prompt of the earliest turn with content in the commit (linking.md
    section 2).
    """
    wanted = set(turn_ids) or ({session.turn.id} if session.turn is not None else set())
    positions = [note.position for note in notes if note.turn in wanted]
    return min(positions, default=session.covered.position.count)


def hash_of(context: Context, stored_parts: stored.Stored) -> str:
    """Return the hash of the whole stored transcript; '' if it is too big to read at each commit."""
    if stored_parts.size > stored.HASH_LIMIT or not stored_parts.parts:
        return ""
    return stored.content_hash(
        [part if isinstance(part, Redacted) else context.objects.blob(part) or b"" for part in stored_parts.parts]
    )


def tasks_done(
    context: Context, session: Session, transcript: SessionTranscript, done_by: float, *, at_work: bool = False
) -> list[TaskContent]:
    """Return the subagents' tasks that ended by ``done_by`` (epoch seconds) and are in no checkpoint yet; with those
    ``at_work``, as far as they are: what they wrote may be in the commit.
    """
    done = []
    for tool_use_id, task in session.tasks.items():
        is_wanted = task.done <= done_by if task.done else at_work and bool(task.ref)
        if not is_wanted or task.kept:
            continue
        content = transcript.subagent_content(task.ref) if task.ref else trusted(b"")
        is_stored = bool(task.stored) and context.objects.get(task.stored) is not None  # the agent may have deleted it
        done.append(
            TaskContent(
                tool_use_id=tool_use_id,
                session_id=session.session_id,
                agent_id=task.subagent,
                transcript=content or (task.stored if is_stored else ""),
                # The agent's part of them was redacted when they were recorded.
                increments={name: trusted(gojson.dumps(value)) for name, value in task.increments.items()},
            )
        )
    return done


def _is_written(context: Context, commit: Commit, existing: Checkpoint | None) -> bool:
    """Tell whether the checkpoint contains this commit already: the hook was killed after writing it."""
    before = lineage_file.read(context.objects, existing) if existing is not None else None
    return before is not None and any(link.commit == commit.oid for link in before.commits)


def _compose(
    context: Context,
    decided: Pending,
    parts: Sequence[Part],
    existing: Checkpoint | None,
    link: lineage_file.LineageLink,
) -> checkpoint_writer.Changes:
    """Return the files of the checkpoint. An amended commit's keeps what it had, with the sums of both."""
    before = lineage_file.read(context.objects, existing) if existing is not None else None
    slots = [_summed(part.slot, existing, before) if decided.update else part.slot for part in parts]
    tasks = [task for part in parts for task in part.tasks]
    own = lineage_file.make(
        before if decided.update else None,
        link,
        {path.path: _file_lines(path) for path in decided.lines},
        {part.session.session_id: part.notes for part in parts},
    )
    for slot in slots:
        own = lineage_file.with_tokens(own, slot.record)
    return checkpoint_writer.compose(slots, existing, tasks=tasks, beside={lineage_file.NAME: lineage_file.dumps(own)})


def refresh(context: Context, decided: Pending, commit: Commit) -> None:
    """Update the line owners in an amended commit's checkpoint to which no session added content; count nothing."""
    checkpoint_id = CheckpointId(decided.update)
    link = _link(context, decided, commit, _branch(context))
    message = checkpoint_writer.new_message(checkpoint_id, [])
    for attempt in checkpoint_writer.attempts(context.place.top, context.objects):
        existing = checkpoints.read_at(context.objects, attempt.base, checkpoint_id) if attempt.base else None
        changes = _refreshed(context, decided, existing, link) if existing is not None else {}
        if decided.commit:
            changes.update(links.changes(context.objects, attempt.base, commit, [checkpoint_id], link.patch_id))
        attempt.write(changes, message=message, author=context.author())


def _refreshed(
    context: Context, decided: Pending, existing: Checkpoint, link: lineage_file.LineageLink
) -> checkpoint_writer.Changes:
    before = lineage_file.read(context.objects, existing)
    if before is None or len(existing.records) < len(existing.slots):
        return {}
    slots = sorted(existing.slots, key=lambda slot: slot.number)
    records = [_with_lines(slot.record, decided) for slot in slots if slot.record is not None]
    root = existing.id.path
    changes: checkpoint_writer.Changes = {
        f"{root}/{slot.number}/metadata.json": (checkpoint_writer.FILE, checkpoint_writer.metadata(record))
        for slot, record in zip(slots, records, strict=True)
    }
    whole = summarize(records, existing.summary.sessions, existing.summary.extra)
    changes[f"{root}/metadata.json"] = (checkpoint_writer.FILE, checkpoint_writer.metadata(whole))
    own = lineage_file.make(before, link, {path.path: _file_lines(path) for path in decided.lines}, {})
    changes[f"{root}/{lineage_file.NAME}"] = (checkpoint_writer.FILE, lineage_file.dumps(own))
    return changes


def _link(context: Context, decided: Pending, commit: Commit, branch: str) -> lineage_file.LineageLink:
    return lineage_file.LineageLink(
        commit=commit.oid, tree=commit.tree, patch_id=decided.patch_id, branch=branch, time=context.now()
    )


def _with_lines(record: SessionRecord, decided: Pending) -> SessionRecord:
    calculated = (
        record.initial_attribution.calculated_at if record.initial_attribution is not None else record.created_at
    )
    return replace(
        record,
        files_touched=tuple(path_lines.files_of(record.session_id, decided.lines)),
        initial_attribution=path_lines.attribution(record.session_id, decided.lines, calculated),
    )


def _file_lines(path: PathLines) -> lineage_file.FileLines:
    """Return a path's owners as the lineage file stores them: turns and people, without what was new."""
    removed: dict[str, int] = {}
    for who, count in path.removed.items():
        name = who.turn if who.is_turn or who == NOBODY else PERSON
        removed[name] = removed.get(name, 0) + count
    added: list[tuple[int, int, str]] = []
    for first, last, owner in path.added:
        if added and added[-1][1] == first - 1 and added[-1][2] == owner.turn:
            added[-1] = (added[-1][0], last, owner.turn)
        else:
            added.append((first, last, owner.turn))
    return lineage_file.FileLines(
        status=path.status,
        added=tuple(added),
        removed=removed,
        made_by=path.path_owner.turn,
        old_path=path.old_path,
        binary=path.binary,
    )


def _summed(slot: SlotContent, existing: Checkpoint | None, own: lineage_file.LineageFile | None) -> SlotContent:
    old = existing.slot_of(slot.record.session_id) if existing is not None else None
    if old is None or old.record is None:
        return slot
    before, record = old.record, slot.record
    return replace(slot, record=replace(
        record,
        created_at=before.created_at,
        is_task=before.is_task,
        tool_use_id=before.tool_use_id,
        checkpoints_count=before.checkpoints_count + record.checkpoints_count,
        checkpoint_transcript_start=min(before.checkpoint_transcript_start, record.checkpoint_transcript_start),
        token_usage=total([lineage_file.tokens(own, before), record.token_usage]),
        summary=before.summary,
    ))  # fmt: skip


def _count(
    part: Part, decided: Pending, commit: Commit, checkpoint_id: CheckpointId, usage_before: TokenUsage | None
) -> None:
    """Record in the session what the checkpoint counted; one written within a turn is finalised at its end."""
    session = part.session
    if not any(written.id == checkpoint_id for written in session.turn_checkpoints) and _is_unfinished(part, decided):
        # What is recorded need not be asked.
        is_moved = part.counted != session.covered.position
        is_counted = part.is_recorded and is_moved and not session.connection.is_incomplete
        base = [*([usage_before] if usage_before is not None else []), part.slot.record.token_usage]
        session.turn_checkpoints.append(
            TurnCheckpoint(
                id=checkpoint_id,
                commit=commit.oid,
                moment=decided.moment,
                since=part.counted if is_counted else session.covered.position,
                subagents=part.counted_subagents if is_counted else session.covered.subagents,
                base=total(base) if is_counted else usage_before,
                finish=part.finish,
            )
        )
    session.covered = Covered(position=part.counted, subagents=part.counted_subagents)
    session.last_checkpoint, session.conversation = checkpoint_id, ""
    for task in part.tasks:
        if session.tasks[task.tool_use_id].done:  # the others are stored again when they have ended
            session.tasks[task.tool_use_id].kept = checkpoint_id


def _is_unfinished(part: Part, decided: Pending) -> bool:
    """Tell whether a checkpoint is finalised later: its turn is running, or a plugin has not told all of it."""
    session = part.session
    if decided.is_late and not _is_last_of_turn(session, decided.moment):
        return False
    is_missing = not part.slot.parts and bool(session.session_ref)
    return session.is_running or (part.is_recorded and (is_missing or session.connection.is_incomplete))


def _is_last_of_turn(session: Session, moment: float) -> bool:
    """Tell whether a commit of that moment is the last one that the session's running turn has a checkpoint of."""
    is_in_turn = session.turn is not None and session.turn.started <= moment
    return is_in_turn and all(written.moment <= moment for written in session.turn_checkpoints)
