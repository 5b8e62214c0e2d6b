"""Imports sessions that the Go CLI wrote last, once each, at the first event in their worktree.

A session state of the Go CLI has no journal, only one turn id, and a token boundary that its carry-forward resets to 0.
The rest is reconstructed: the counted tokens from its checkpoints, the turns from the transcript, the owners of
uncommitted content from the steps on its shadow branch (formats.md section 3), and what a person had changed before the
running turn from ``pre-prompt-<session>.json`` (section 6).
"""

from __future__ import annotations

import os

from entire import files, layout, settings, tree_files
from entire.directory import AgentDirectory
from entire.errors import CorruptError, EntireError
from entire.git import history
from entire.go_takeover.steps import GoSession, record_present, record_steps
from entire.model import trailers
from entire.model.ids import CheckpointId, is_checkpoint_id, is_tool_id, new_id
from entire.model.phases import Phase
from entire.model.positions import START, Position
from entire.model.session import SubagentTask, Turn, TurnCheckpoint
from entire.model.times import parse_time
from entire.model.tokens import FIGURES, TokenUsage, of_figures, uncertain
from entire.model.value import replace
from entire.recording.context import Context
from entire.recording.session_transcript import SessionTranscript
from entire.snapshots import recorder
from entire.snapshots.recorder import Cause
from entire.store import checkpoints, sessions, steps, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.conversation.records import Prompt
    from entire.layout import Place
    from entire.model.records import SessionRecord
    from entire.model.session import Session

_MARGIN = 2.0  # seconds between the writing of a state and of its folder, at most
_STALE = 3600.0  # seconds without a write to a running turn's transcript after which its agent counts as gone


def import_everywhere(place: Place) -> None:
    """Import the Go CLI's sessions in every worktree that they name, so the git hooks are active there."""
    tops = {session.worktree.path or place.main_top for session in sessions.list_states(place) if session.foreign}
    for top in sorted(tops):
        place_there = layout.find(top) if os.path.isdir(top) else None
        chosen = (
            settings.load(place_there)
            if place_there is not None and place_there.common_dir == place.common_dir
            else None
        )
        if place_there is None or chosen is None:
            continue
        context = Context(place_there, chosen, AgentDirectory.without_plugins())
        try:
            with context.lock():
                import_go_sessions(context)
        finally:
            context.close()


def record_own_changes(place: Place, *, before: bool) -> None:
    """Take a snapshot before and after a command of Entire changes files, which belongs to no turn."""
    chosen = settings.load(place) if os.path.exists(os.path.join(place.own_dir, "live")) else None
    if chosen is None:
        return
    context = Context(place, chosen, AgentDirectory.without_plugins())
    try:
        with context.lock():
            recorder.record_now(context, Cause(running=tuple(context.running_turns()) if before else ()))
            context.save()
    finally:
        context.close()


def import_go_sessions(context: Context, present: str = "") -> None:
    """Import this worktree's sessions that the Go CLI wrote last, if they run or have steps. The session with the id
    ``present`` is imported in any case.
    """
    foreign = [session for session in context.relevant_sessions() if session.foreign]
    wanted = [
        session for session in foreign if session.is_running or session.work.steps or session.session_id == present
    ]
    try:
        _import(
            context,
            [rebuilt for rebuilt in (_reconstruct(context, session) for session in wanted) if rebuilt is not None],
        )
    except (EntireError, OSError, ValueError, TypeError, LookupError) as error:
        context.log.error(
            f"could not import sessions of the Go CLI: {error}", sessions=[session.session_id for session in wanted]
        )
        context.save(*wanted)  # marks them as ours, so hooks do not fail again


def note_seen(context: Context) -> None:
    """Note that the states written since the last time are known: this worktree's have been imported, and in others
    the git hooks are activated, which import theirs.
    """
    place, written = context.place, sessions.folder_time(context.place)
    since = sessions.seen_time(place) / 1e9 - _MARGIN
    states = [context.session(session_id) for session_id in sessions.foreign_since(place, since)]
    elsewhere = {
        session.worktree.path
        for session in states
        if session is not None and session.foreign and (session.is_running or session.work.steps)
    }
    for top in sorted(elsewhere - {place.top}):
        other = layout.find(top) if os.path.isdir(top) else None
        if other is not None and other.common_dir == place.common_dir and other.git_dir != place.git_dir:
            files.write(os.path.join(other.own_dir, "live"), b"")
    sessions.note_seen(place, written, noticed=context.now())


def _import(context: Context, go_sessions: Sequence[GoSession]) -> None:
    if not go_sessions:
        return
    made = record_steps(context, go_sessions)
    record_present(context, go_sessions)
    dirty = context.journal.snapshot.files
    for go_session in go_sessions:
        mine = made.get(go_session.session.session_id, set())
        if not _has_branch(context, go_session.session):
            # With auto-commit, the Go CLI counts commits here.
            go_session.session.work = replace(go_session.session.work, steps=0)
        context.journal.attribution.note_agent_paths(sorted(mine))
        go_session.session.work = replace(
            go_session.session.work,
            open_files=sorted(path for path in mine.union(go_session.session.work.open_files) if path in dirty),
        )
        context.log.info(
            "imported from the Go CLI",
            session_id=go_session.session.session_id,
            turns=len(go_session.turns),
            files=len(mine),
        )
    context.save(*(go_session.session for go_session in go_sessions))


def _has_branch(context: Context, session: Session) -> bool:
    return (
        steps.branch_name(session.worktree.base_commit, context.place.worktree_id)
        in context.journal.retention.shadow_tips
    )


# ---------------------------------------------------------------- the session: positions, turns, tasks


def _reconstruct(context: Context, session: Session) -> GoSession | None:
    agent = context.adapters.of(session)
    if agent is None:
        return None
    transcript = SessionTranscript(agent, session, context.place.top, context.redactor)
    end = transcript.end()
    prompts = transcript.prompts(START, end)
    before = _prompt_state(context, session)
    start = end.count
    if session.is_running:
        stored_start = before.get("step_transcript_start")
        start = stored_start if isinstance(stored_start, int) else prompts[-1].position if prompts else 0
    _set_counted(context, session, transcript, prompts, end)
    turns = _rebuild_turns(context, session, transcript, prompts, min(start, end.count))
    lost = session.is_running and context.now() - max(session.times.last_seen, _transcript_time(session)) > _STALE
    if lost:
        session.phase = Phase.IDLE
    for subagent in transcript.subagents(session.covered.position, end):
        if is_tool_id(subagent.tool_use_id):
            task = SubagentTask(started=session.times.last_seen, kind=subagent.type, subagent=subagent.id,
                                description=context.redactor.redact_text(subagent.description)[:200],
                                ref=subagent.session_ref)  # fmt: skip
            task.done = session.times.last_seen
            session.tasks.setdefault(subagent.tool_use_id, task)
    reported = transcript.files(START, end)
    untracked = before.get("untracked_files")
    differed = [*(untracked if isinstance(untracked, list) else ()), *_user_files(context, session)]
    touched = frozenset([*session.work.open_files, *reported])
    session.work = replace(session.work, open_files=[])  # set again from the steps and the worktree
    return GoSession(session=session, transcript=transcript, turns=tuple(turns), prompted=frozenset(map(str, differed)),
                touched=touched, lost=lost)  # fmt: skip


def _transcript_time(session: Session) -> float:
    try:
        return os.stat(session.session_ref).st_mtime
    except OSError:
        return 0.0


def _prompt_state(context: Context, session: Session) -> dict[str, Any]:
    """Return what the Go CLI stored at the last prompt."""
    path = os.path.join(context.place.tmp_dir, f"pre-prompt-{session.session_id}.json")
    try:
        data = tree_files.read(context.place.top, path)
        return {} if data is None else files.json_object(path, data)
    except (CorruptError, OSError):
        return {}


def _user_files(context: Context, session: Session) -> list[str]:
    """Return the files in which the Go CLI saw a person's lines when the running turn began."""
    try:
        state = files.read_json(sessions.go_path(context.place, session.session_id)) or {}
    except CorruptError:
        return []
    pending = state.get("pending_prompt_attribution")
    counts = pending.get("user_added_per_file") if isinstance(pending, dict) else None
    return list(counts) if isinstance(counts, dict) else []


def _set_counted(
    context: Context, session: Session, transcript: SessionTranscript, prompts: Sequence[Prompt], end: Position
) -> None:
    """Find up to where tokens were counted from the checkpoints, because the state's own number may be reset to 0."""
    records = _records(context, session.session_id)
    waiting = [checkpoint.id for checkpoint in session.turn_checkpoints]
    ends = {str(record.checkpoint_id): _counted_end(transcript, record, prompts, end) for record in records}
    before = max((count for name, count in ends.items() if name not in waiting), default=None)
    counted = max(ends.values(), default=None)
    if counted is None or session.covered.position != Position(count=session.covered.position.count):
        # This tool counted it: it may include records that are not here.
        counted = max(counted or 0, session.covered.position.count)
    session.covered = replace(session.covered, position=transcript.at(min(counted, end.count)))
    since = transcript.at(before if before is not None else 0)
    moments = {str(record.checkpoint_id): parse_time(record.created_at) for record in records}
    if records and not session.last_checkpoint:  # cleared when work was carried forward
        session.last_checkpoint = max(moments, key=lambda name: moments[name])
    known = []
    for checkpoint in session.turn_checkpoints:
        if checkpoint.id in ends and not checkpoint.commit:
            moment = moments[checkpoint.id] or checkpoint.moment
            checkpoint = TurnCheckpoint(id=checkpoint.id, commit="", moment=moment, since=since)
            since = transcript.at(max(ends[checkpoint.id], since.count))
        known.append(checkpoint)
    session.turn_checkpoints = known


def _records(context: Context, session_id: str) -> list[SessionRecord]:
    """Return the session's records in all checkpoints of the local branch."""
    commits = history.containing(context.place.top, f"{trailers.SESSION}: {session_id}", start=checkpoints.LOCAL_REF)
    subjects = [commit.subject for commit in commits if commit.subject.startswith("Checkpoint: ")]
    ids = dict.fromkeys(subject.removeprefix("Checkpoint: ") for subject in subjects)
    records = []
    for name in ids:
        if not is_checkpoint_id(name):
            continue
        checkpoint = checkpoints.read(context.objects, [checkpoints.LOCAL_REF], CheckpointId(name))
        slot = checkpoint.slot_of(session_id) if checkpoint is not None else None
        if slot is not None and slot.record is not None:
            records.append(slot.record)
    return records


def _counted_end(transcript: SessionTranscript, record: SessionRecord, prompts: Sequence[Prompt], end: Position) -> int:
    """Return the number of transcript lines whose answers add up to the tokens that a checkpoint stored, else the end.

    Finalised transcripts of the Go CLI are longer than what it counted.
    """
    start = min(record.checkpoint_transcript_start, end.count)
    stored = _amounts(record.token_usage)
    calls = stored["api_call_count"]

    def lines_with(answers: int) -> int:
        """Return the smallest number of lines with that many answers."""
        low, high = start, end.count
        while low < high:
            middle = (low + high) // 2
            if _amounts(_spent(transcript, start, middle))["api_call_count"] >= answers:
                high = middle
            else:
                low = middle + 1
        return low

    first = lines_with(calls)
    if _amounts(_spent(transcript, start, first)) != stored:
        return end.count
    later = _amounts(_spent(transcript, start, end.count))["api_call_count"]
    beyond = lines_with(calls + 1) - 1 if later > calls else end.count
    return min([prompt.position for prompt in prompts if first <= prompt.position] + [max(first, beyond)])


def _spent(transcript: SessionTranscript, start: int, stop: int) -> TokenUsage:
    """Return the tokens of the answers between two line numbers. Both sums start at 0, so the file is read once."""
    before, after = (
        transcript.tokens(START, transcript.at(count)) if count else TokenUsage() for count in (start, stop)
    )
    earlier, later = _amounts(before), _amounts(after)
    known = {name: 0 if name in uncertain(before) else later[name] - earlier[name] for name in FIGURES}
    return of_figures(known, {*uncertain(before), *uncertain(after)})


def _amounts(usage: TokenUsage | None) -> dict[str, int]:
    """Return what is known of each figure, as the Go CLI stores it: 0 if nothing is."""
    return {name: 0 if usage is None else getattr(usage, name) or 0 for name in FIGURES}


def _rebuild_turns(
    context: Context, session: Session, transcript: SessionTranscript, prompts: Sequence[Prompt], start: int
) -> list[Turn]:
    """Return the transcript's turns. Log those that ended and are not in the log yet, and set the session's last turn.

    ``start`` is the line at which the running turn begins; the transcript's end if none runs.
    """
    logged = {note.position: note.turn for note in turnlog.read(context.place, session.session_id)}
    ended_prompts = [prompt for prompt in prompts if prompt.position < start]
    last_id = session.turn.id if session.turn is not None else new_id()
    turns, fresh = [], []
    for number, prompt in enumerate(ended_prompts):
        is_last = number == len(ended_prompts) - 1
        position = 0 if number == 0 else prompt.position
        following = None if is_last else ended_prompts[number + 1]
        after, ended = (following.position, following.time) if following else (start, session.times.last_seen)
        own = last_id if is_last and not session.is_running else new_id()
        turn = Turn(id=logged.get(position) or own, ref=prompt.id, prompt=context.redactor.redact_text(prompt.text),
                    start=Position(count=position), prompt_position=position, started=prompt.time, ended=ended,
                    tokens=_spent(transcript, position, after))  # fmt: skip
        turns.append(turn)
        if position not in logged:
            fresh += turnlog.of_turn(turn, [replace(prompt, position=position)])
    turnlog.append(context.place, session.session_id, fresh, context.redactor)
    if session.is_running:
        current = next((prompt for prompt in prompts if prompt.position >= start), None)
        turn = Turn(id=last_id, start=Position(count=start), prompt_position=start, started=session.times.last_seen)
        if current is not None:
            text = context.redactor.redact_text(current.text)
            turn = replace(turn, ref=current.id, prompt=text, started=current.time)
        turns.append(turn)
    if not turns:  # no transcript: one turn stands for all
        turns = [Turn(id=last_id, started=session.times.last_seen, ended=session.times.last_seen)]
    session.turn = replace(turns[-1], start=transcript.at(turns[-1].start.count))
    return [*turns[:-1], session.turn]
