"""From sessions to checkpoints: at a commit, again at the end of the turn that made it, and what stays open."""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.git import refs
from entire.git.write import Stream
from entire.lifecycle import turn as turns
from entire.lifecycle import worktree
from entire.lifecycle.reading import Reading
from entire.model import trailers
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord, summarize
from entire.model.session import TurnCheckpoint
from entire.model.transcripts import Position, TokenUsage
from entire.model.value import Value, replace
from entire.redact import Redacted, redact_jsonl, redact_text, trusted
from entire.store import checkpoints, gojson, kept, lineage_file, steps, turnlog, writing
from entire.store import transcripts as stored
from entire.store.writing import SlotContent, TaskContent
from entire.strategies import content
from entire.strategies.lineage import PERSON, is_turn, turn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.git.read import Commit
    from entire.lifecycle.pending import Pending
    from entire.lifecycle.scene import Scene
    from entire.model.session import Session
    from entire.store.checkpoints import Checkpoint
    from entire.store.turnlog import TurnNote
    from entire.strategies.lineage import PathLines

STRATEGY = "manual-commit"


class Part(Value):
    """What one session gives to a checkpoint, and what is counted once it is written."""

    session: Session
    slot: SlotContent
    tasks: tuple[TaskContent, ...]
    counted: Position
    counted_subagents: dict[str, Any]
    notes: tuple[TurnNote, ...]


def write(scene: Scene, decided: Pending, commit: Commit, sessions: Sequence[Session]) -> None:
    """Write the checkpoint of a linked commit and note in the sessions what it counted. Safe to be called again."""
    checkpoint_id = CheckpointId(decided.id or decided.update)
    branch = _branch(scene)
    parts = [_part(scene, decided, session, checkpoint_id, branch) for session in sessions]
    held_before: dict[str, TokenUsage | None] = {}
    written_before = False  # by us, before we were killed

    def build(base: str) -> writing.Changes:
        nonlocal written_before
        existing = checkpoints.read_at(scene.objects, base, checkpoint_id) if base else None
        if decided.update and existing is not None:
            held_before.update({record.session_id: record.token_usage for record in existing.records})
        written_before = _is_written(scene, commit, existing)
        return {} if written_before else _compose(scene, decided, commit, parts, existing, branch)

    message = writing.new_message(checkpoint_id, _trailers(scene, sessions))
    writing.write(scene.place.top, scene.objects, build, message=message, author=scene.author(),
                  also=lambda failed: _done_branches(scene, sessions, ask=failed))  # fmt: skip
    for part in parts:
        if written_before:
            stored.forget(part.session)  # its new parts were not written now
        _count(part, decided, commit, checkpoint_id, held_before.get(part.session.session_id))
    scene.log.info("checkpoint written", checkpoint_id=checkpoint_id, sessions=len(parts), commit=commit.oid)


def _branch(scene: Scene) -> str:
    """Return the branch of HEAD, '' when it is detached; asks git only where HEAD is no plain file (reftable)."""
    head = (files.read(os.path.join(scene.place.git_dir, "HEAD")) or b"").decode("utf-8", "surrogateescape").strip()
    if head.startswith("ref: refs/heads/") and not head.endswith("/.invalid"):
        return head.removeprefix("ref: refs/heads/")
    if not head.startswith("ref: "):
        return ""
    from entire.git import history

    return history.branch(scene.place.top)


def _trailers(scene: Scene, sessions: Sequence[Session]) -> list[tuple[str, str]]:
    session = sessions[-1]
    shadow = steps.branch_name(session.base_commit, scene.place.worktree_id)
    pairs = [*((trailers.SESSION, one.session_id) for one in sessions), (trailers.STRATEGY, STRATEGY)]
    if session.agent_type:
        pairs.append((trailers.AGENT, session.agent_type))
    return [*pairs, (trailers.EPHEMERAL_BRANCH, shadow)]


def _part(scene: Scene, decided: Pending, session: Session, checkpoint_id: CheckpointId, branch: str) -> Part:
    agent = scene.agent_of(session)
    if agent is None:
        raise EntireError(
            f"the agent {session.agent or session.agent_type!r} is not known here",
            hint="the session is kept; install its plugin and run `entire doctor`",
        )
    reading = Reading(agent, session, scene.place.top)
    finish = reading.end()
    boundary = _boundary(decided, session, reading, finish)
    spent, after = _spent(reading, session.counted, boundary, session.counted_subagents)
    transcript = turns.transcript_parts(scene, agent, session, reading, finish)
    notes = _notes(scene, session, reading, finish)
    now = gojson.rfc3339(scene.now())
    record = SessionRecord(
        cli_version=version(),
        checkpoint_id=checkpoint_id,
        session_id=session.session_id,
        strategy=STRATEGY,
        created_at=now,
        branch=branch,
        checkpoints_count=session.steps,
        files_touched=tuple(content.files_of(session.session_id, decided.lines)),
        agent=session.agent_type,
        turn_id=session.turn.id if session.turn is not None else "",
        checkpoint_transcript_start=_start(session, decided.sessions.get(session.session_id, []), notes),
        token_usage=spent,
        initial_attribution=content.attribution(session.session_id, decided.lines, now),
    )
    slot = SlotContent(record=record, parts=transcript.parts, content_hash=_hash(scene, transcript, finish),
                       prompts=tuple(turnlog.prompts(notes)))  # fmt: skip
    tasks = _tasks(scene, session, done_by=decided.moment)
    return Part(
        session=session, slot=slot, tasks=tuple(tasks), counted=boundary, counted_subagents=after, notes=tuple(notes)
    )


def _boundary(decided: Pending, session: Session, reading: Reading, finish: Position) -> Position:
    """Return how far a commit counts: where the session stood when it was decided, however long an editor was open
    since.
    """
    if any(content.session_of(turn) == session.session_id for turn in decided.running):
        return reading.boundary(session.counted, decided.moment)
    told = decided.ends.get(session.session_id)
    stood = Position(count=told[0], byte=told[1], mark=told[2]) if told else finish
    return stood if session.counted.byte <= stood.byte <= finish.byte else finish


def version() -> str:
    """Return the program's version, as metadata names it."""
    from entire import __version__

    return __version__


def _spent(
    reading: Reading, since: Position, until: Position, counted: dict[str, Any]
) -> tuple[TokenUsage | None, dict[str, Any]]:
    """Return what the answers between two positions cost, with their subagents."""
    own = reading.tokens(since, until)
    inner, after = reading.subagent_tokens(since, until, counted)
    total = replace(own, subagents=inner)
    return (total if total else None), after


def _notes(scene: Scene, session: Session, reading: Reading, finish: Position) -> list[TurnNote]:
    """Return the session's turns so far, the running one included."""
    notes = turnlog.read(scene.place, session.session_id)
    turn = session.turn
    if turn is None or turn.ended or any(note.turn == turn.id for note in notes):
        return notes
    prompts = turns.prompts_of(reading, turn, finish, first=not notes)
    return [*notes, *turns.notes_of(turn, [replace(one, text=redact_text(one.text)) for one in prompts])]


def _start(session: Session, turn_ids: Sequence[str], notes: Sequence[TurnNote]) -> int:
    """Return the number of records before the prompt of the earliest turn with content in the commit (linking.md
    section 2).
    """
    wanted = set(turn_ids) or ({session.turn.id} if session.turn is not None else set())
    positions = [note.position for note in notes if note.turn in wanted]
    return min(positions, default=session.counted.count)


def _hash(scene: Scene, transcript: stored.Stored, finish: Position) -> str:
    """Return the hash over the whole stored transcript; '' where it is too big to be read again at each commit."""
    if finish.byte > stored.HASH_LIMIT or not transcript.parts:
        return ""
    return stored.content_hash(
        part if isinstance(part, Redacted) else scene.objects.blob(part) or b"" for part in transcript.parts
    )


def _tasks(scene: Scene, session: Session, done_by: float) -> list[TaskContent]:
    """Return the subagents' tasks that ended by then and are in no checkpoint yet."""
    found = []
    for tool_use_id, task in session.tasks.items():
        if not task.get("done") or task["done"] > done_by or task.get("kept"):
            continue
        transcript: str | Redacted = ""
        data = stored.read_span(task.get("ref", ""), 0, stored.MAX_PART)
        if data:
            transcript = redact_jsonl(data)
        elif task.get("transcript") and scene.objects.get(task["transcript"]) is not None:
            transcript = task["transcript"]
        found.append(
            TaskContent(
                tool_use_id=tool_use_id,
                session_id=session.session_id,
                agent_id=task.get("subagent", ""),
                checkpoint_uuid=task.get("uuid", ""),
                transcript=transcript,
                increments=_increments(task),
            )
        )
    return found


def _increments(task: dict[str, Any]) -> dict[str, str | Redacted]:
    """Return a task's numbered records as files; what they hold of the agent was redacted when it was noted."""
    return {name: trusted(gojson.dumps(value)) for name, value in task.get("increments", {}).items()}


def _is_written(scene: Scene, commit: Commit, existing: Checkpoint | None) -> bool:
    """Tell whether the checkpoint has this commit already: it was written before we were killed."""
    before = lineage_file.read(scene.objects, existing) if existing is not None else None
    return before is not None and any(one.commit == commit.oid for one in before.commits)


def _compose(
    scene: Scene, decided: Pending, commit: Commit, parts: Sequence[Part], existing: Checkpoint | None, branch: str
) -> writing.Changes:
    """Return the files of the checkpoint; an amended one keeps what it had and gets the sums."""
    before = lineage_file.read(scene.objects, existing) if existing is not None else None
    slots = [_summed(part.slot, existing) if decided.update else part.slot for part in parts]
    kept = [task for part in parts for task in part.tasks]
    own = lineage_file.make(
        before if decided.update else None,
        _link(scene, decided, commit, branch),
        {path.path: _file_lines(path) for path in decided.lines},
        {part.session.session_id: part.notes for part in parts},
    )
    return writing.compose(slots, existing, tasks=kept, beside={lineage_file.NAME: lineage_file.dumps(own)})


def refresh(scene: Scene, decided: Pending, commit: Commit) -> None:
    """Tell an amended commit's checkpoint whose lines it has now, where no session brought new ones: nothing is
    counted.
    """
    checkpoint_id = CheckpointId(decided.update)

    def build(base: str) -> writing.Changes:
        existing = checkpoints.read_at(scene.objects, base, checkpoint_id) if base else None
        before = lineage_file.read(scene.objects, existing) if existing is not None else None
        if existing is None or before is None or len(existing.records) < len(existing.slots):
            return {}
        slots = sorted(existing.slots, key=lambda slot: slot.number)
        records = [_with_lines(slot.record, decided) for slot in slots if slot.record is not None]
        root = checkpoint_id.path
        changes: writing.Changes = {
            f"{root}/{slot.number}/metadata.json": (writing.FILE, writing.metadata(record))
            for slot, record in zip(slots, records, strict=True)
        }
        whole = summarize(records, existing.summary.sessions, existing.summary.extra)
        changes[f"{root}/metadata.json"] = (writing.FILE, writing.metadata(whole))
        own = lineage_file.make(
            before,
            _link(scene, decided, commit, _branch(scene)),
            {path.path: _file_lines(path) for path in decided.lines},
            {},
        )
        changes[f"{root}/{lineage_file.NAME}"] = (writing.FILE, lineage_file.dumps(own))
        return changes

    message = writing.new_message(checkpoint_id, [])
    writing.write(scene.place.top, scene.objects, build, message=message, author=scene.author())


def _link(scene: Scene, decided: Pending, commit: Commit, branch: str) -> lineage_file.Link:
    return lineage_file.Link(
        commit=commit.oid, tree=commit.tree, patch_id=decided.patch_id, branch=branch, time=scene.now()
    )


def _with_lines(record: SessionRecord, decided: Pending) -> SessionRecord:
    calculated = (
        record.initial_attribution.calculated_at if record.initial_attribution is not None else record.created_at
    )
    return replace(
        record,
        files_touched=tuple(content.files_of(record.session_id, decided.lines)),
        initial_attribution=content.attribution(record.session_id, decided.lines, calculated),
    )


def _file_lines(path: PathLines) -> lineage_file.FileLines:
    """Return a path's owners as our record keeps them: who it was, not whether it was new."""
    removed: dict[str, int] = {}
    for who, count in path.removed.items():
        name = turn_of(who) if is_turn(who) else PERSON
        removed[name] = removed.get(name, 0) + count
    added: list[tuple[int, int, str]] = []
    for first, last, owner in path.added:
        if added and added[-1][1] == first - 1 and added[-1][2] == turn_of(owner):
            added[-1] = (added[-1][0], last, turn_of(owner))
        else:
            added.append((first, last, turn_of(owner)))
    return lineage_file.FileLines(
        status=path.status,
        added=tuple(added),
        removed=removed,
        made_by=turn_of(path.path_owner),
        old_path=path.old_path,
        binary=path.binary,
    )


def _together(one: TokenUsage | None, other: TokenUsage | None) -> TokenUsage | None:
    """Add what is known; None where nothing is."""
    return one + other if one is not None and other is not None else one if other is None else other


def _summed(slot: SlotContent, existing: Checkpoint | None) -> SlotContent:
    old = existing.slot_of(slot.record.session_id) if existing is not None else None
    if old is None or old.record is None:
        return slot
    before, record = old.record, slot.record
    return replace(slot, record=replace(
        record,
        created_at=before.created_at,
        checkpoints_count=before.checkpoints_count + record.checkpoints_count,
        checkpoint_transcript_start=min(before.checkpoint_transcript_start, record.checkpoint_transcript_start),
        token_usage=_together(before.token_usage, record.token_usage),
        summary=before.summary,
    ))  # fmt: skip


def _count(part: Part, decided: Pending, commit: Commit, checkpoint_id: CheckpointId, held: TokenUsage | None) -> None:
    """Note in the session what the checkpoint counted; one within a turn waits for its finalisation."""
    session = part.session
    if session.is_running and not any(one.id == checkpoint_id for one in session.turn_checkpoints):
        session.turn_checkpoints.append(
            TurnCheckpoint(
                id=checkpoint_id,
                commit=commit.oid,
                moment=decided.moment,
                since=session.counted,
                subagents=session.counted_subagents,
                base=held,
            )
        )
    session.counted = part.counted
    session.counted_subagents = part.counted_subagents
    session.last_checkpoint = checkpoint_id
    for task in part.tasks:
        session.tasks[task.tool_use_id]["kept"] = checkpoint_id


# ---------------------------------------------------------------- what stays open


def concerned(scene: Scene, decided: Pending) -> list[Session]:
    """Return the sessions near, and those whose content is in the work tree still: they are near again."""
    for owner in {content.session_of(one) for owners in decided.left.values() for one in owners}:
        session = scene.session(owner)
        if session is not None and scene.is_here(session):
            scene.bring_near(owner)
    return scene.near()


def close_files(decided: Pending, sessions: Sequence[Session]) -> list[Session]:
    """Forget the open paths whose content the commit holds; those with more in the work tree stay open.

    What an amend takes out of the commit is open again. Returns the sessions that this changed.
    """
    committed = set(decided.paths)
    changed = []
    for session in sessions:
        mine = {
            path
            for path, owners in decided.left.items()
            if any(content.session_of(one) == session.session_id for one in owners)
        }
        again = mine - set(session.open_files) if decided.kind == "amend" else set()
        still = [path for path in session.open_files if path not in committed or path in mine] + sorted(again)
        if still != session.open_files:
            session.open_files = still
            changed.append(session)
    return changed


def carry_forward(scene: Scene, decided: Pending, commit: Commit, sessions: Sequence[Session]) -> None:
    """After a commit: forget the steps it holds, and save what was not committed as a step on the new base."""
    for session in close_files(decided, concerned(scene, decided)):
        scene.touch(session)
    for session in filter(scene.is_here, sessions):
        session.steps = 0
        session.base_commit = commit.oid
        if session.open_files and not session.is_running:
            _carry(scene, commit, session)


def _done_branches(scene: Scene, sessions: Sequence[Session], *, ask: bool) -> list[refs.Move]:
    """Return the moves that take shadow branches away on which no session stands once these are condensed: their tips
    stay for a while under refs of ours. ``ask``: what git says counts.
    """
    worktree_id = scene.place.worktree_id
    old = {steps.branch_name(session.base_commit, worktree_id) for session in sessions if session.steps}
    done = old - {
        steps.branch_name(one.base_commit, worktree_id) for one in scene.near() if one.steps and one not in sessions
    }
    unknown = [name for name in done if ask or not scene.journal.shadows.get(name)]
    scene.journal.shadows.update(worktree.shadow_tips(scene, unknown))
    tips = {name: tip for name in done if (tip := scene.journal.shadows.pop(name))}
    bases = {steps.branch_name(one.base_commit, worktree_id): one.base_commit for one in sessions}
    moves = [refs.Move(ref=f"refs/heads/{name}", new="", old=tip) for name, tip in tips.items()]
    return [*moves, *_kept(scene, {bases[name] or steps.NO_COMMIT: (name, tip) for name, tip in tips.items()}, ask=ask)]


def _kept(scene: Scene, tips: dict[str, tuple[str, str]], *, ask: bool) -> list[refs.Move]:
    """Return the moves that keep these tips, by base commit, and that forget what is too old or too much."""
    journal, now, chosen = scene.journal, scene.now(), scene.settings
    if ask:
        there = {one.ref: one.tip for one in kept.find(scene.place.top, scene.place.worktree_id)}
        journal.kept = [line for line in journal.kept if there.get(line[0]) == line[1]]
    moves = []
    for base, (name, tip) in tips.items():
        move, line = kept.keep(journal.kept, scene.place.worktree_id, base, tip, journal.weights.pop(name, 0), now)
        moves.append(move)
        journal.kept.append(line)
    fresh = {move.ref for move in moves}
    gone = kept.surplus(journal.kept, now, chosen.keep_steps_days * 86400.0, chosen.keep_steps_bytes)
    journal.kept = [line for line in journal.kept if line not in gone]
    names = {line[0] for line in gone}
    deletions = [refs.Move(ref=line[0], new="", old=line[1]) for line in gone if line[0] not in fresh]
    return [*(move for move in moves if move.ref not in names), *deletions]


def _carry(scene: Scene, commit: Commit, session: Session) -> None:
    """Write the step that carries a session's open files to the new base; its metadata folder comes along."""
    agent = scene.agent_of(session)
    facts = scene.journal.snapshot.files
    changes: dict[str, tuple[str, str] | None] = {}
    for path in session.open_files:
        if path in facts:
            changes[path] = None if facts[path][0] == "000000" else (facts[path][0], facts[path][1])
    if agent is None or not changes:
        return
    reading = Reading(agent, session, scene.place.top)
    step = turns.step_of(scene, agent, session, reading, session.counted, "")
    stream = Stream(scene.place.top)
    name = steps.branch_name(commit.oid, scene.place.worktree_id)
    tip = worktree.shadow_tips(scene, [name])[name]
    message = steps.message("carry forward: uncommitted session files", session.session_id)
    mark = stream.commit(message=message, author=scene.author(), parents=(tip,) if tip else (), tree=commit.tree,
                         changes={**changes, **step.metadata(stream)})  # fmt: skip
    new = stream.write()[mark]
    refs.move(scene.place.top, [refs.Move(ref=f"refs/heads/{name}", new=new, old=tip)])
    scene.journal.shadows[name] = new
    session.steps = 1


# ---------------------------------------------------------------- the end of a turn with commits


def finalize(scene: Scene, session: Session) -> None:
    """Complete the checkpoints of the turn that ended: whole transcript, all prompts, the rest of the tokens."""
    agent = scene.agent_of(session)
    waiting = session.turn_checkpoints
    if agent is None or not waiting:
        session.turn_checkpoints = []
        return
    reading = Reading(agent, session, scene.place.top)
    finish = reading.end()
    transcript = turns.transcript_parts(scene, agent, session, reading, finish)
    notes = _notes(scene, session, reading, finish)
    hashed = _hash(scene, transcript, finish)
    since, counted = waiting[0].since, waiting[0].subagents
    for number, one in enumerate(waiting):
        is_last = number == len(waiting) - 1
        until = finish if is_last else reading.boundary(since, one.moment)
        spent, counted = _spent(reading, since, until, counted)
        tasks = _tasks(scene, session, done_by=scene.now() if is_last else one.moment)
        slot = SlotContent(
            record=SessionRecord(checkpoint_id=one.id, session_id=session.session_id, strategy=STRATEGY, created_at=""),
            parts=transcript.parts,
            content_hash=hashed,
            prompts=tuple(turnlog.prompts(notes)),
        )
        _finalize_one(scene, one, slot, spent, tasks, notes)
        for task in tasks:
            session.tasks[task.tool_use_id]["kept"] = one.id
        since = until
    session.counted, session.counted_subagents = finish, counted
    session.turn_checkpoints = []


def _finalize_one(
    scene: Scene,
    one: TurnCheckpoint,
    slot: SlotContent,
    spent: TokenUsage | None,
    tasks: Sequence[TaskContent],
    notes: Sequence[TurnNote],
) -> None:
    def build(base: str) -> writing.Changes:
        existing = checkpoints.read_at(scene.objects, base, CheckpointId(one.id)) if base else None
        old = existing.slot_of(slot.record.session_id) if existing is not None else None
        if existing is None or old is None or old.record is None:
            return {}
        before = lineage_file.read(scene.objects, existing)
        beside = {}
        if before is not None:
            beside[lineage_file.NAME] = lineage_file.dumps(
                lineage_file.with_turns(before, slot.record.session_id, notes)
            )
        record = replace(old.record, token_usage=_together(one.base, spent))
        return writing.compose([replace(slot, record=record)], existing, tasks=tasks, beside=beside)

    writing.write(
        scene.place.top,
        scene.objects,
        build,
        message=writing.finalize_message(CheckpointId(one.id)),
        author=scene.author(),
    )
