"""Puts stored conversations where their agents look for them on this machine, and remembers what of them is counted.

A newer local transcript stays unless the caller says so. All that changes is one transaction (``resume --undo``): the
transcripts, those of subagents, and the sessions' states.
"""

from __future__ import annotations

import os

from entire.agents import capabilities, registry
from entire.errors import EntireError
from entire.git import history
from entire.lifecycle import liveness
from entire.lifecycle.session_transcript import LINES, ScratchTranscript
from entire.model.phases import Phase
from entire.model.session import Session
from entire.model.times import parse_time
from entire.model.transcripts import START
from entire.model.value import Value, replace
from entire.model.views import ResumedView, ResumeUndoneView
from entire.redact import redact_text
from entire.resume import transcript_merge
from entire.resume.transcript_merge import CUT, MISSING, UNCHANGED, WRITTEN, TranscriptChange
from entire.store import sessions, steps, turnlog
from entire.store import transcripts as stored
from entire.store.turnlog import TurnNote
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from entire.agents.contract import Agent
    from entire.layout import Place
    from entire.lifecycle.context import Context
    from entire.model.transcripts import Position, Prompt
    from entire.resume.targets import StoredSession
    from entire.undo.transaction import Draft

COMMAND = "resume"
KEPT = "kept"  # what happened to a conversation: the newer local transcript stayed
_FIRST_PROMPT = 100
_AT_WORK = (
    "a turn of it is in progress here; try again when it has ended (`entire doctor` ends one whose agent is gone)"
)


class _Plan(Value):
    """What is to be done about one conversation."""

    piece: StoredSession
    agent: Agent
    state: Session | None
    found: TranscriptChange
    shown: ResumedView


def look(context: Context, pieces: Sequence[StoredSession], overwrite: Collection[str] = ()) -> list[ResumedView]:
    """Tell what would be done, and change nothing. ``overwrite``: sessions whose newer local transcript may go."""
    plans = (_plan(context, piece, overwrite) for piece in pieces)
    return [one.shown if isinstance(one, _Plan) else one for one in plans]


def restore(
    context: Context, pieces: Sequence[StoredSession], title: str, overwrite: Collection[str] = ()
) -> tuple[list[ResumedView], str]:
    """Put the conversations back, all or none of them; those with a problem are left out.

    Return what came of each, and the id that an undo needs: '' if nothing had to be changed.
    """
    with context.lock():
        for sentence in transaction.complete(context.place):
            context.log.info("interrupted change", found=sentence)
        plans = [_plan(context, piece, overwrite) for piece in pieces]
        mine = [one for one in plans if isinstance(one, _Plan)]
        draft = transaction.Draft(context.place, COMMAND, title, now=context.now(),
                                   notes={"sessions": [one.piece.session_id for one in mine]})  # fmt: skip
        try:
            written = [_draft_one(context, draft, one) for one in mine]
        except BaseException:
            draft.discard()
            raise
        if any(written):
            undo_id = draft.carry_out().id
        else:
            draft.discard()
            undo_id = ""
        context.forget()
    return [one.shown if isinstance(one, _Plan) else one for one in plans], undo_id


def undo(context: Context) -> ResumeUndoneView:
    """Take the last ``restore`` back; given again, take that back."""
    with context.lock():
        transaction.complete(context.place)
        last = transaction.latest(context.place, COMMAND)
        if last is None:
            raise EntireError("there is no resume here that could be undone")
        for session_id in map(str, last.notes.get("sessions") or ()):
            state = context.session(session_id)
            if state is not None and (state.is_running or state.last_seen > last.time):
                raise EntireError(f"session {session_id} went on since: undoing would take that away",
                                  hint="`entire rewind` brings a session back to an earlier point")  # fmt: skip
        draft = transaction.inverse(context.place, last, now=context.now())
        draft.notes["sessions"] = last.notes.get("sessions") or []
        done = draft.carry_out()
        context.forget()
    return ResumeUndoneView(undo_id=done.id, undone=done.undoes, paths=tuple(done.private),
                            session_ids=tuple(map(str, done.notes["sessions"])))  # fmt: skip


# ---------------------------------------------------------------- what is to be done


def _plan(context: Context, piece: StoredSession, overwrite: Collection[str]) -> _Plan | ResumedView:
    state = context.session(piece.session_id)
    agent_type = piece.agent_type or (state.agent_type if state is not None else "")
    shown = ResumedView(session_id=piece.session_id, agent=agent_type, checkpoint_id=piece.checkpoint_id,
                    prompt=piece.prompt)  # fmt: skip
    agent = registry.make_by_type(agent_type, state.metadata if state is not None else {})
    if agent is None:
        return replace(shown, problem=f"the agent {agent_type!r} is not known here; install its plugin and try again")
    if capabilities.session_resumer(agent) is None:
        return replace(shown, problem=f"{agent_type} cannot continue a stored session")
    if state is not None and _is_at_work(context, state):
        return replace(shown, problem=_AT_WORK)
    found = transcript_merge.onto(context.place, agent, state, piece.session_id, piece.data, piece.created)
    if found.what == MISSING:
        return replace(shown, problem="nothing of its conversation is stored or on this disk")
    found, what = _chosen(context, piece, agent, state, found, piece.session_id in overwrite)
    shown = replace(shown, path=found.path, command=found.command, what=what, is_newer=found.live_is_newer)
    return _Plan(piece=piece, agent=agent, state=state, found=found, shown=shown)


def _is_at_work(context: Context, state: Session) -> bool:
    return state.is_running and liveness.is_alive(state, context.now(), silence=liveness.NEVER)


def _chosen(
    context: Context,
    piece: StoredSession,
    agent: Agent,
    state: Session | None,
    found: TranscriptChange,
    overwrite: bool,
) -> tuple[TranscriptChange, str]:
    """Return what to do about a local transcript that may be newer: it stays, or it goes where that is wished."""
    if not found.live_is_newer or not piece.data:
        return found, found.what
    if overwrite:
        back = transcript_merge.back_to(context.place, agent, state, piece.session_id, piece.data)
        return replace(back, live_is_newer=True), back.what
    return found, KEPT if found.what == WRITTEN else UNCHANGED


# ---------------------------------------------------------------- carrying it out


def _draft_one(context: Context, draft: Draft, plan: _Plan) -> bool:
    """Add all that changes for one conversation to the draft; tell whether anything does."""
    found, piece = plan.found, plan.piece
    if plan.shown.what == KEPT:
        return False
    changes = found.what in (WRITTEN, CUT)
    if changes:
        draft.write_private(found.path, found.data)
    subagents = dict(transcript_merge.subagent_files(context.objects, plan.agent, found.path, piece.subagents))
    for path, data in subagents.items():
        draft.write_private(path, data)
    if not changes and plan.state is not None:
        return bool(subagents)
    _draft_state(context, draft, plan, subagents)
    return True


def draft_unknown(
    context: Context, draft: Draft, piece: StoredSession, found: TranscriptChange, subagents: Mapping[str, bytes]
) -> None:
    """Let a session that was never here be known, with what is stored of it; another command puts its files back."""
    agent = registry.make(found.agent)
    plan = _Plan(piece=piece, agent=agent, state=None, found=found, shown=ResumedView(session_id=piece.session_id))
    _draft_state(context, draft, plan, subagents)


def _draft_state(context: Context, draft: Draft, plan: _Plan, subagents: Mapping[str, bytes]) -> None:
    state, notes = _state(context, draft, plan, subagents)
    draft.write_private(turnlog.path(context.place, state.session_id), turnlog.dumps(notes))
    for path, data in sessions.forms(context.place, state):
        draft.write_private(path, data)


def _state(
    context: Context, draft: Draft, plan: _Plan, subagents: Mapping[str, bytes]
) -> tuple[Session, list[TurnNote]]:
    """Return the session's state and turns for the transcript that will be there."""
    piece, data = plan.piece, plan.found.data
    whole = read(context.place, draft, plan.agent, piece.session_id, data)
    state = plan.state or _new_state(context, plan)
    if transcript_merge.has_moved(state):
        state.worktree_path, state.worktree_name = context.place.top, context.place.worktree_name
    notes = notes_of(piece.turns, whole.prompts, _noted(context, plan), whole.end)
    state.transcript_path = plan.found.path
    stored.forget(state)
    covered = transcript_merge.covered(plan.agent, piece.data, data) if piece.checkpoint_id else None
    held = whole
    if covered is not None and covered < len(data):
        held = read(context.place, draft, plan.agent, piece.session_id, data[:covered])
    counted = min(state.counted, whole.end, key=lambda one: one.count)
    if covered is not None and (held is whole or held.end.count >= counted.count):  # all that a checkpoint holds
        state.counted = held.end
        state.counted_subagents = _counted(plan, draft, held.subagents, subagents)
        state.last_checkpoint = piece.checkpoint_id
    else:  # what was counted still is: the same lines, perhaps of other bytes
        is_lines = LINES in plan.agent.capabilities
        at = len(transcript_merge.first_lines(data, counted.count)) if is_lines else counted.byte
        state.counted = replace(counted, byte=at)
        for subagent, told in state.counted_subagents.items():
            if _subagent_file(plan, subagent) in subagents:
                state.counted_subagents[subagent] = [told[0], 0, told[2]]
    first = next((note.prompt for note in notes if note.prompt), "")
    state.first_prompt = state.first_prompt or " ".join(redact_text(first).split())[:_FIRST_PROMPT]
    return state, notes


class Told(Value):
    """What the agent's adapter tells of a transcript."""

    end: Position
    prompts: tuple[Prompt, ...]
    subagents: tuple[str, ...]


def read(place: Place, draft: Draft, agent: Agent, session_id: str, data: bytes) -> Told:
    """Let the adapter read a transcript that is not in its place yet."""
    with ScratchTranscript(agent, data, draft.folder, session_id=session_id, top=place.top) as transcript:
        end = transcript.end()
        asked = tuple(one.id for one in transcript.subagents(START, end))
        return Told(end=end, prompts=tuple(transcript.prompts(START, end)), subagents=asked)


def _new_state(context: Context, plan: _Plan) -> Session:
    """Return the state of a session that was unknown here, or known by its transcript only."""
    state = Session(plan.piece.session_id, plan.agent.name, plan.agent.type)
    state.phase = Phase.ENDED
    state.worktree_path, state.worktree_name = context.place.top, context.place.worktree_name
    state.base_commit = history.resolve(context.place.top, "HEAD") or steps.NO_COMMIT
    times = [parse_time(one.get("started_at")) for one in plan.piece.turns] + [plan.piece.created]
    state.started = next((moment for moment in times if moment), 0.0)
    state.ended = state.last_seen = min(plan.piece.created, context.now())  # by another machine's clock
    return state


def _counted(plan: _Plan, draft: Draft, asked: Sequence[str], written: Mapping[str, bytes]) -> dict[str, Any]:
    """Return how far the transcripts of subagents are counted: to their ends."""
    counted = {}
    for subagent in dict.fromkeys((*asked, *plan.piece.subagents)):
        path = _subagent_file(plan, subagent)
        end = _end(plan.agent, draft, path, written.get(path))
        if end is not None:
            counted[subagent] = [end.count, end.byte, end.mark]
    return counted


def _end(agent: Agent, draft: Draft, path: str, data: bytes | None) -> Position | None:
    """Return where a subagent's transcript ends: the one that will be written (``data``), else the one at ``path``."""
    analyzer = capabilities.transcript_analyzer(agent)
    if analyzer is None:
        return None
    if data is None:
        return analyzer.transcript_position(path, START) if os.path.isfile(path) else None
    with ScratchTranscript(agent, data, draft.folder) as transcript:
        return transcript.end()


def _subagent_file(plan: _Plan, subagent: str) -> str:
    """Return where a subagent's transcript is or belongs, '' if that cannot be told."""
    where = getattr(capabilities.subagent_extractor(plan.agent), "subagent_file", None)
    return str(where(plan.found.path, subagent)) if where is not None else ""


# ---------------------------------------------------------------- the turns


def _noted(context: Context, plan: _Plan) -> list[TurnNote]:
    """Return the turns that were noted here, as far as the transcript still holds them."""
    live = plan.found.what == WRITTEN and not plan.found.live_is_newer and plan.state is not None
    lines = LINES in plan.agent.capabilities
    return turnlog.read(context.place, plan.piece.session_id) if live and lines else []


def notes_of(
    turns: Sequence[Mapping[str, Any]], prompts: Sequence[Prompt], noted: Sequence[TurnNote], end: Position
) -> list[TurnNote]:
    """Return a note for each prompt: as noted here, else as our record beside the checkpoint tells of its turn.

    The record holds no words; these come from the transcript. A session's first prompt stands behind records of its
    own, and its turn begins before them.
    """
    known = {(one.turn, one.position): one for one in noted if one.turn}
    told = [_note(one) for one in turns]
    for one in told:
        known.setdefault((one.turn, one.position), one)
    found = sorted(known.values(), key=lambda one: one.position)
    found = [one for one in found if not end.count or one.position < end.count]
    left = list(prompts)
    notes = []
    for number, one in enumerate(found):
        stop = next((other.position for other in found[number + 1 :] if other.position > one.position), None)
        said = [prompt for prompt in left if prompt.position >= one.position and (not stop or prompt.position < stop)]
        if said:
            left.remove(said[0])
        notes.append(replace(one, prompt=said[0].text) if said and not one.prompt else one)
    first = prompts[0] if prompts and not found else None
    rest = [
        TurnNote(turn="", prompt=one.text, position=0 if one is first else one.position, time=one.time) for one in left
    ]
    return sorted([*notes, *rest], key=lambda one: one.position)


def _note(turn: Mapping[str, Any]) -> TurnNote:
    """Read one turn of lineage.json, whatever somebody else may have written into it."""
    position, tokens = turn.get("prompt_position"), turn.get("token_usage")
    name, model = turn.get("turn"), turn.get("model")
    return TurnNote(
        turn=name if isinstance(name, str) else "",
        prompt="",
        position=position if isinstance(position, int) and position > 0 else 0,
        time=parse_time(turn.get("started_at")),
        ended=parse_time(turn.get("ended_at")),
        model=model if isinstance(model, str) else "",
        tokens=dict(tokens) if isinstance(tokens, dict) else {},
    )
