"""Takes over from the Go Entire CLI: sessions that it wrote last become sessions as ours are.

A state of the Go CLI says little: no journal, a token boundary that its carry-forward sets back to 0, one turn id.
The rest is found again: how far tokens were counted from the checkpoints that it wrote, the turns from the transcript,
whose content is open from the steps on its shadow branch (formats.md section 3), what a person had changed before the
running turn from ``pre-prompt-<session>.json`` (section 6). Happens once per session, at the first event near it.
"""

from __future__ import annotations

import os

from entire import files, layout, settings
from entire.agents import transcripts
from entire.errors import CorruptError, EntireError
from entire.git import history
from entire.lifecycle.context import Context
from entire.lifecycle.go_takeover.steps import Past, note_present, note_steps
from entire.lifecycle.session_transcript import SessionTranscript
from entire.lifecycle.snapshots import recorder
from entire.lifecycle.snapshots.recorder import Cause
from entire.lifecycle.turns import turn as turns
from entire.model import trailers
from entire.model.ids import is_tool_id, new_id
from entire.model.phases import Phase
from entire.model.session import SubagentTask, Turn, TurnCheckpoint
from entire.model.times import parse_time
from entire.model.transcripts import START, Position, TokenUsage
from entire.model.value import replace
from entire.redact import redact_text
from entire.store import checkpoints, sessions, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.layout import Place
    from entire.model.records import SessionRecord
    from entire.model.session import Session
    from entire.model.transcripts import Prompt

_SUMS = ("input_tokens", "cache_creation_tokens", "cache_read_tokens", "output_tokens", "api_call_count")
_STALE = 3600.0  # an active turn whose transcript was not written for so long: its agent is gone


def import_everywhere(place: Place) -> None:
    """Take over in each work tree that a foreign session names, so that the git hooks wake up there."""
    tops = {session.worktree_path or place.main_top for session in sessions.list_states(place) if session.foreign}
    for top in sorted(tops):
        found = layout.find(top) if os.path.isdir(top) else None
        chosen = settings.load(found) if found is not None and found.common_dir == place.common_dir else None
        if found is None or chosen is None:
            continue
        context = Context(found, chosen)
        try:
            with context.lock():
                import_go_sessions(context)
        finally:
            context.close()


def record_own_changes(place: Place, *, before: bool) -> None:
    """Look at the work tree ``before`` and after a command of ours changes files: that is no turn's work."""
    chosen = settings.load(place) if os.path.exists(os.path.join(place.own_dir, "live")) else None
    if chosen is None:
        return
    context = Context(place, chosen)
    try:
        with context.lock():
            recorder.record_now(context, Cause(running=tuple(context.running_turns()) if before else ()))
            context.save()
    finally:
        context.close()


def import_go_sessions(context: Context, present: str = "") -> None:
    """Take over the sessions of this work tree that the Go CLI wrote last and that still matter; ``present`` always."""
    wanted = [one for one in context.relevant_sessions() if one.foreign]
    wanted = [one for one in wanted if one.is_running or one.steps or one.session_id == present]
    try:
        _import(context, [past for past in (_past(context, one) for one in wanted) if past is not None])
    except (EntireError, OSError, ValueError, TypeError, LookupError) as error:
        context.log.error(
            f"what the Go CLI left is not understood: {error}", sessions=[one.session_id for one in wanted]
        )
        context.save(*wanted)  # once is enough: hooks have to go on


def _import(context: Context, imported: Sequence[Past]) -> None:
    if not imported:
        return
    made = note_steps(context, imported)
    note_present(context, imported)
    dirty = context.journal.snapshot.files
    for past in imported:
        mine = made.get(past.session.session_id, set())
        context.journal.attribution.note_agent_paths(sorted(mine))
        past.session.open_files = sorted(path for path in mine.union(past.session.open_files) if path in dirty)
        context.log.info("taken over", session_id=past.session.session_id, turns=len(past.turns), files=len(mine))
    context.save(*(past.session for past in imported))


# ---------------------------------------------------------------- the session: positions, turns, tasks


def _past(context: Context, session: Session) -> Past | None:
    agent = context.agent_of(session)
    if agent is None:
        return None
    transcript = SessionTranscript(agent, session, context.place.top)
    end = transcript.end()
    prompts = transcript.prompts(START, end)
    before = _prompt_state(context, session)
    start = end.count
    if session.is_running:
        told = before.get("step_transcript_start")
        start = told if isinstance(told, int) else prompts[-1].position if prompts else 0
    _count(context, session, transcript, prompts, end)
    found = _turns(context, session, transcript, prompts, min(start, end.count))
    lost = session.is_running and context.now() - max(session.last_seen, _written(session)) > _STALE
    if lost:
        session.phase = Phase.IDLE
    for one in transcript.subagents(session.counted, end):
        if is_tool_id(one.tool_use_id):
            task = SubagentTask(started=session.last_seen, kind=one.type, description=one.description[:200],
                                subagent=one.id, ref=one.session_ref)  # fmt: skip
            task.done = session.last_seen
            session.tasks.setdefault(one.tool_use_id, task)
    reported = transcript.files(START, end)
    untracked = before.get("untracked_files")
    differed = [*(untracked if isinstance(untracked, list) else ()), *_user_files(context, session)]
    touched = frozenset([*session.open_files, *reported])
    session.open_files = []  # the steps and the work tree tell
    return Past(session=session, transcript=transcript, turns=tuple(found), prompted=frozenset(map(str, differed)),
                touched=touched, lost=lost)  # fmt: skip


def _written(session: Session) -> float:
    try:
        return os.stat(session.transcript_path).st_mtime
    except OSError:
        return 0.0


def _prompt_state(context: Context, session: Session) -> dict[str, Any]:
    """Return what the Go CLI noted at the last prompt."""
    try:
        return files.read_json(os.path.join(context.place.tmp_dir, f"pre-prompt-{session.session_id}.json")) or {}
    except CorruptError:
        return {}


def _user_files(context: Context, session: Session) -> list[str]:
    """Return the files in which the Go CLI saw a person's lines when the running turn began."""
    try:
        state = files.read_json(sessions.go_path(context.place, session.session_id)) or {}
    except CorruptError:
        return []
    pending = state.get("pending_prompt_attribution")
    found = pending.get("user_added_per_file") if isinstance(pending, dict) else None
    return list(found) if isinstance(found, dict) else []


def _at(session: Session, count: int) -> Position:
    return Position(count=count, byte=transcripts.offset_of(session.transcript_path, count)[0]) if count else START


def _count(
    context: Context, session: Session, transcript: SessionTranscript, prompts: Sequence[Prompt], end: Position
) -> None:
    """Find how far tokens were counted: by the checkpoints themselves, since a state's own number is set back to 0."""
    records = _records(context, session.session_id)
    waiting = [one.id for one in session.turn_checkpoints]
    ends = {str(record.checkpoint_id): _counted_end(transcript, record, prompts, end) for record in records}
    before = max((count for name, count in ends.items() if name not in waiting), default=None)
    counted = max(ends.values(), default=None)
    if counted is None or session.counted.byte:  # with a byte it is our own count: it holds what no record here tells
        counted = max(counted or 0, session.counted.count)
    session.counted = _at(session, min(counted, end.count))
    since = _at(session, before if before is not None else 0)
    moments = {str(record.checkpoint_id): parse_time(record.created_at) for record in records}
    if records and not session.last_checkpoint:  # cleared when work was carried forward
        session.last_checkpoint = max(moments, key=lambda name: moments[name])
    known = []
    for one in session.turn_checkpoints:
        if one.id in ends and not one.commit:
            one = TurnCheckpoint(id=one.id, commit="", moment=moments[one.id] or one.moment, since=since)
            since = _at(session, max(ends[one.id], since.count))
        known.append(one)
    session.turn_checkpoints = known


def _records(context: Context, session_id: str) -> list[SessionRecord]:
    """Return the session's records in all checkpoints of the local branch."""
    told = history.containing(context.place.top, f"{trailers.SESSION}: {session_id}", start=checkpoints.LOCAL_REF)
    ids = dict.fromkeys(
        one.subject.removeprefix("Checkpoint: ") for one in told if one.subject.startswith("Checkpoint: ")
    )
    found = []
    for name in ids:
        checkpoint_id = trailers.checkpoint_ids(f"{trailers.CHECKPOINT}: {name}")
        stored_one = (
            checkpoints.read(context.objects, [checkpoints.LOCAL_REF], checkpoint_id[0]) if checkpoint_id else None
        )
        slot = stored_one.slot_of(session_id) if stored_one is not None else None
        if slot is not None and slot.record is not None:
            found.append(slot.record)
    return found


def _counted_end(transcript: SessionTranscript, record: SessionRecord, prompts: Sequence[Prompt], end: Position) -> int:
    """Return how many transcript lines a checkpoint counted the answers of: where the sums are those that it stored.

    The Go CLI's finalised transcripts are longer than what it counted. No such place: the end.
    """
    start = min(record.checkpoint_transcript_start, end.count)
    usage = record.token_usage or TokenUsage()
    calls = usage.api_call_count

    def reach(wanted: int) -> int:
        """Return the smallest number of lines with that many answers."""
        low, high = start, end.count
        while low < high:
            middle = (low + high) // 2
            if _spent(transcript, start, middle).api_call_count >= wanted:
                high = middle
            else:
                low = middle + 1
        return low

    first = reach(calls)
    if _spent(transcript, start, first) != replace(usage, subagents=None):
        return end.count
    beyond = reach(calls + 1) - 1 if _spent(transcript, start, end.count).api_call_count > calls else end.count
    return min([one.position for one in prompts if first <= one.position] + [max(first, beyond)])


def _spent(transcript: SessionTranscript, start: int, stop: int) -> TokenUsage:
    """Return what the answers between two numbers of lines cost; always from the start, so that it is read once."""
    before, after = (
        transcript.tokens(START, Position(count=count)) if count else TokenUsage() for count in (start, stop)
    )
    return TokenUsage(**{name: getattr(after, name) - getattr(before, name) for name in _SUMS})


def _turns(
    context: Context, session: Session, transcript: SessionTranscript, prompts: Sequence[Prompt], start: int
) -> list[Turn]:
    """Return the turns told by the transcript; note those that are over and not in our log yet, and set the last one.

    ``start`` is where the running turn begins; the transcript's end if none is in progress.
    """
    noted = turnlog.read(context.place, session.session_id)
    known = {note.position: note.turn for note in noted}
    over = [one for one in prompts if one.position < start]
    last_id = session.turn.id if session.turn is not None else new_id()
    found, fresh = [], []
    for number, one in enumerate(over):
        is_last = number == len(over) - 1
        position = 0 if number == 0 else one.position
        after, ended = (start, session.last_seen) if is_last else (over[number + 1].position, over[number + 1].time)
        own = last_id if is_last and not session.is_running else new_id()
        turn = Turn(id=known.get(position) or own, ref=one.id, prompt=redact_text(one.text),
                    start=Position(count=position), prompt_position=position, started=one.time, ended=ended,
                    tokens=_spent(transcript, position, after))  # fmt: skip
        found.append(turn)
        if position not in known:
            fresh += turns.notes_of(turn, [replace(one, position=position)])
    turnlog.append(context.place, session.session_id, fresh)
    if session.is_running:
        about = next((one for one in prompts if one.position >= start), None)
        turn = Turn(id=last_id, start=Position(count=start), prompt_position=start, started=session.last_seen)
        if about is not None:
            turn = replace(turn, ref=about.id, prompt=redact_text(about.text), started=about.time)
        found.append(turn)
    if not found:  # no transcript: one turn stands for all
        found = [Turn(id=last_id, started=session.last_seen, ended=session.last_seen)]
    session.turn = replace(found[-1], start=_at(session, found[-1].start.count))
    return [*found[:-1], session.turn]
