"""The end of a turn, and what is known of it until then."""

from __future__ import annotations

from entire import strategies
from entire.git.write import blob_id
from entire.model.events import Event, EventType
from entire.model.ids import new_id
from entire.model.positions import START
from entire.model.session import Turn
from entire.model.turns import NO_TURN, RunningTurn
from entire.model.value import replace
from entire.snapshots import recorder, snapshot_writer
from entire.snapshots.recorder import Cause
from entire.snapshots.snapshot_writer import Step
from entire.store import steps
from entire.store import transcripts as stored
from entire.turns import prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.conversation.records import Prompt
    from entire.model.positions import Position
    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.recording.session_transcript import SessionTranscript
    from entire.redact import Redacted
    from entire.snapshots.recorder import SnapshotChange
    from entire.store.turnlog import TurnNote

_CONVERSATION = "Entire journal: conversation of a turn without changes"  # the subject of its commit
_MAX_REPORTED = 2000


def reset_position(context: Context, session: Session, _event: Event) -> None:
    """Read a transcript that became shorter within a turn (compacted) from its start: its content is new."""
    stored.forget(session)
    transcript = context.transcripts.of(session)
    if not transcript.holds(session.covered.position):
        session.covered = replace(session.covered, position=START)
    if session.turn is not None and not transcript.holds(session.turn.start):
        session.turn = replace(session.turn, start=START, is_rewritten=True)


def end(context: Context, session: Session, event: Event) -> None:
    """Save what a turn did; background subagents may continue."""
    session.background = list(event.background)
    session.work = replace(session.work, uncommitted="")  # a strategy that commits turns says it again
    if event.type is EventType.TURN_END:
        session.ended_ref = event.turn_ref
        _forget_interruption(context, session)
    _save(context, session, event)


def _forget_interruption(context: Context, session: Session) -> None:
    """Let a turn go on that was taken for interrupted, if its agent has answered since."""
    turn = session.turn
    if turn is not None and turn.interrupted:
        transcript = context.transcripts.of(session)
        if transcript.has_answers(turn.finish, transcript.end()) is not False:
            session.turn = replace(turn, interrupted=0.0)


def _save(context: Context, session: Session, event: Event) -> None:
    """Save what a turn did: a step if files changed, and its notes in any case. Safe to repeat for the same turn."""
    transcript = context.transcripts.of(session)
    finish = transcript.end()
    missed_start = _missed_start(context, session, event, transcript, finish)
    turn = session.turn
    if turn is None or missed_start:
        start = turn.finish if turn is not None else _end_of_last(context, session, transcript)
        # A queued prompt's turn begins where the last one ended; its hook came before that, with the other's id.
        begun = turn.ended if turn is not None and session.queued else 0.0
        turn = session.turn = Turn(id=new_id(), started=begun or context.now(), start=start, ref=event.turn_ref)
        missed_start = missed_start and not begun
        session.work = replace(session.work, staged_before={}, is_staged_known=False)
    if not turn.prompt and (prompt := prompt_text.of_event(event, context.redactor)):
        turn = session.turn = replace(turn, prompt=prompt)
    if transcript.is_later(turn.start, finish):  # compacted without an event
        turn = replace(turn, start=START, is_rewritten=True)
    session.turn = turn
    may_be_fork = turn.start == START and session.covered.position == START and finish != START
    if may_be_fork and len(transcript.prompts(START, finish)) > 1:
        from entire.turns import forks

        turn = session.turn = forks.behind_copied(context, session, transcript, turn, finish)
    summary = transcript.summary(turn.start) or event.final_text
    is_repeated = _has_ended(session) and not transcript.has_answers(turn.finish, finish)
    if not is_repeated:
        _note_turn(context, session, turn, transcript, finish)
        is_split = transcript.is_later(
            session.covered.position, turn.start
        )  # a commit's checkpoint counts its beginning
        is_told = transcript.is_told(turn.start, finish) and not is_split
        if session.connection.is_external and not is_told:
            session.connection = replace(session.connection, is_incomplete=True)
    _identify_subagents(context, session, transcript, turn, finish)
    reported = transcript.files(turn.start, finish)[:_MAX_REPORTED]
    cause = _cause(context, session, reported, is_repeated=is_repeated, missed_start=missed_start)
    taken = recorder.take(context)
    if missed_start:
        recorder.start_at_head(context, taken)
    change = recorder.compare(context, taken)
    ended = _at_interruption(context, session, change, reported)
    has_later, change = ended is not change, ended
    is_open = any(path in taken.snapshot.files for path in change.paths)
    # A turn that committed everything it changed needs no step.
    needs_step = is_open or (change.paths and not session.turn_checkpoints)
    is_counted = bool(session.turn_checkpoints)  # they are finalised next
    step = step_of(context, session, transcript, finish, summary, is_counted=is_counted) if needs_step else None
    recorder.record(context, change, cause, step)
    if has_later:
        recorder.record_now(context, Cause(running=tuple(cause.running[1:])))
    if step is None and not (is_repeated or is_counted) and finish != START:
        snapshot_writer.write_conversation(context, _conversation(context, session, transcript, finish))
    recorder.attribute_again(context, session.turn_key)
    session.work.open_files.sort()
    if outside := transcript.files_outside(turn.start, finish):
        from entire.snapshots import other_worktrees

        other_worktrees.note(context, session, outside)


def _at_interruption(context: Context, session: Session, change: SnapshotChange, reported: list[str]) -> SnapshotChange:
    """Return what changed until the turn was interrupted, as far as that can be told from what changed since."""
    if session.turn is None or not session.turn.interrupted or not reported:
        return change
    from entire.snapshots import at_interruption

    return at_interruption.change(context, session, change, reported)


def _identify_subagents(
    context: Context, session: Session, transcript: SessionTranscript, turn: Turn, finish: Position
) -> None:
    """Learn from the transcript which subagents the tasks without an id had; it may not name them before the end."""
    if session.tasks:
        from entire.turns import tasks

        if tasks.has_unnamed(session):
            tasks.identify(session, transcript.subagents(turn.start, finish), context.redactor)


def _end_of_last(context: Context, session: Session, transcript: SessionTranscript) -> Position:
    """Return the end of a session's last turn from its log: after a rewind the state knows no turn."""
    from entire.store import turnlog

    last = transcript.at(max((note.end for note in turnlog.read(context.place, session.session_id)), default=0))
    return last if transcript.is_later(last, session.covered.position) else session.covered.position


def _note_turn(context: Context, session: Session, turn: Turn, transcript: SessionTranscript, finish: Position) -> None:
    """Complete the turn and append its notes to the session's log, after those of prompts that no hook recorded."""
    from entire.store import turnlog

    logged = turnlog.read(context.place, session.session_id)
    is_first = all(note.turn == turn.id for note in logged)  # a turn may end again
    prompts = prompt_text.of_turn(transcript, turn, finish, first=is_first)
    earlier = [] if logged else _notes_before(transcript, turn)
    session.turn = _complete_turn(context, turn, transcript, finish, prompts)
    session.model = session.turn.model or session.model
    notes = [*earlier, *turnlog.of_turn(session.turn, prompts)]
    if session.queued:  # what joined the turn, or is answered by it, waits no longer
        answered = {note.prompt for note in notes}
        session.queued = [prompt for prompt in session.queued if prompt not in answered]
    turnlog.append(context.place, session.session_id, notes, context.redactor)
    if not session.first_prompt:  # the start event held no prompt
        first = next((note.prompt for note in (*logged, *notes) if note.prompt), "")
        session.first_prompt = prompt_text.first_words(context.redactor.redact_text(first))


def _cause(context: Context, session: Session, reported: list[str], *, is_repeated: bool, missed_start: bool) -> Cause:
    """Return what may have changed the worktree at a turn's end: first the turn, unless it had ended and the agent did
    nothing since (a hook delivered twice, a person's own shell command).
    """
    key = session.turn_key
    own = RunningTurn.background(key) if missed_start else RunningTurn(key)
    running = [turn for turn in context.running_turns() if turn.key != key or turn.is_background]
    return Cause(
        by=NO_TURN if is_repeated or missed_start else key,
        running=tuple(running) if is_repeated else (own, *running),
        reported=context.transcripts.of(session).reports(context.journal.attribution.reports, reported),
    )


def _has_ended(session: Session) -> bool:
    """Tell whether the last turn has ended: a compaction during a turn saves it, too, but it goes on."""
    return session.turn is not None and bool(session.turn.ended) and not session.is_running


def _missed_start(
    context: Context, session: Session, event: Event, transcript: SessionTranscript, finish: Position
) -> bool:
    """Tell whether no hook recorded the start of the turn that ends (killed, or enabled later). The worktree's state at
    the start is then unknown, and only the tools' reports tell what the turn changed.
    """
    turn = session.turn
    if turn is None:
        return True
    if not _has_ended(session) or (turn.ref and event.turn_ref == turn.ref):
        return False
    has_answers = transcript.has_answers(turn.finish, finish)
    if turn.ref and event.turn_ref:
        return has_answers is not False or bool(event.prompt)
    if event.prompt and prompt_text.of_event(event, context.redactor) != turn.prompt:
        return has_answers is not False
    if not has_answers:
        return False
    own = transcript.prompts(turn.start, finish)[:1]  # perhaps written after the turn's end
    return any(prompt not in own for prompt in transcript.prompts(turn.finish, finish))


def _complete_turn(
    context: Context, turn: Turn, transcript: SessionTranscript, finish: Position, prompts: list[Prompt]
) -> Turn:
    """Return the turn with what is known at its end; the transcript says what its events may have left out."""
    return replace(
        turn,
        prompt=turn.prompt or (context.redactor.redact_text(prompts[-1].text) if prompts else ""),
        model=transcript.model(turn.start, finish) or turn.model,
        ended=context.now(),
        finish=finish,
        tokens=transcript.tokens(turn.start, finish),
        prompt_position=prompts[0].position if prompts else turn.start.count,
    )


def _notes_before(transcript: SessionTranscript, turn: Turn) -> list[TurnNote]:
    """Return notes for the prompts of a session that began before Entire was enabled."""
    if turn.start == START:
        return []
    from entire.store.turnlog import TurnNote

    return [
        TurnNote(turn="", prompt=prompt.text, position=prompt.position, time=prompt.time)
        for prompt in prompt_text.first_of(transcript.prompts(START, turn.start))
    ]


def step_of(
    context: Context,
    session: Session,
    transcript: SessionTranscript,
    finish: Position,
    summary: str = "",
    *,
    is_counted: bool = False,
) -> Step:
    """Return the step that saves the transcript up to ``finish``. ``is_counted``: checkpoints count all of it."""
    whole, subagents = _whole(context, session, transcript, finish)
    redacted = context.redactor.redact(summary.encode("utf-8", "replace"))
    parts = stored.step_files(session, whole, context.objects, is_counted=is_counted)
    return Step(
        session=session,
        message=steps.message(title(context, session), session.session_id, strategy=context.strategy.name),
        files={
            **steps.metadata_files(session.session_id, parts, _step_prompts(context, session), redacted),
            **subagents,
        },
    )


def title(context: Context, session: Session) -> str:
    """Return the subject of what saves a session's last turn: its prompt, shortened."""
    prompt = session.turn.prompt or session.first_prompt if session.turn else ""
    return steps.subject(prompt, context.agents.spoken_names(session.agent.name))


def store_conversation(context: Context, session: Session) -> None:
    """Store a conversation as it is between turns."""
    transcript = context.transcripts.of(session)
    finish = transcript.end()
    if finish != START:
        snapshot_writer.write_conversation(context, _conversation(context, session, transcript, finish))


def _conversation(context: Context, session: Session, transcript: SessionTranscript, finish: Position) -> Step:
    """Return what is stored of a conversation without a step."""
    whole, subagents = _whole(context, session, transcript, finish)
    parts = dict(zip(stored.part_names(len(whole.parts)), whole.parts, strict=True))
    return Step(
        session=session,
        message=steps.message(_CONVERSATION, session.session_id, strategy=context.strategy.name),
        files={
            **steps.metadata_files(session.session_id, parts, _step_prompts(context, session)),
            **subagents,
        },
    )


def _whole(
    context: Context, session: Session, transcript: SessionTranscript, finish: Position
) -> tuple[stored.Stored, dict[str, Redacted]]:
    """Return the transcript up to ``finish``, and those of subagents, as they go into a tree."""
    return transcript.as_stored(context.place, context.objects, finish, lambda: _subagent_files(session, transcript))


def _subagent_files(session: Session, transcript: SessionTranscript) -> dict[str, Redacted]:
    """Return the transcripts of subagents that no checkpoint contains, as their files in a step."""
    kept: dict[str, Redacted] = {}
    for tool_use_id, task in session.tasks.items():
        if task.done and task.ref and task.subagent and not task.kept:
            content = transcript.subagent_content(task.ref)
            if content and (oid := blob_id(content, session.oid_size)) != task.stored:
                task.stored = oid
                if session.connection.is_external:
                    transcript.record_subagent(task)
                kept |= steps.task_files(session.session_id, tool_use_id, task.subagent, content)
    return kept


def _step_prompts(context: Context, session: Session) -> list[Redacted]:
    """Return the session's first prompt and the turn's own: all prompts in every step would take much space."""
    from entire.store import turnlog

    notes = turnlog.read(context.place, session.session_id)
    own = [note for note in notes[1:] if session.turn is not None and note.turn == session.turn.id]
    return turnlog.prompts([*notes[:1], *(own or notes[1:][-1:])])


def close_lost(context: Context, session: Session, _event: Event | None = None) -> None:
    """Save a turn whose end event never came (agent killed, crashed or interrupted)."""
    context.log.info("saved a turn that had no end event", session_id=session.session_id)
    from entire.recording import interruption

    if session.turn is not None:
        session.turn = replace(session.turn, interrupted=interruption.end(context, session))
    _save(context, session, Event(type=EventType.TURN_END, session_id=session.session_id))
    if session.work.open_files and strategies.commits_turns(context.settings):
        session.work = replace(session.work, uncommitted="the end of its turn was never reported")
