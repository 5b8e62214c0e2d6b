"""Puts stored transcripts where their agents expect them on this machine, and updates the sessions' states.

A newer local transcript stays unless the caller decides otherwise. Transcripts, those of subagents, and states
change in one transaction, which ``resume --undo`` takes back.
"""

from __future__ import annotations

import functools

from entire.agents import capabilities, long_transcripts
from entire.directory import resuming
from entire.errors import EntireError
from entire.git import history
from entire.model.effects import PutBack
from entire.model.jsontext import natural
from entire.model.phases import Phase
from entire.model.positions import START, SessionRef
from entire.model.session import NO_COMMIT, Covered, Session, SessionWorktree, Times
from entire.model.times import parse_time
from entire.model.value import Value, replace
from entire.model.views.resumes import ResumedView, ResumeUndoneView
from entire.recording import liveness
from entire.resume import effects, transcript_merge
from entire.resume.transcript_merge import CUT, MISSING, UNCHANGED, WRITTEN, TranscriptChange
from entire.store import sessions, transcripts, turnlog
from entire.store.turnlog import TurnNote
from entire.undo import completion, inverse, transaction
from entire.undo.draft import Draft
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from entire.agents.contract import Agent, Transcript
    from entire.conversation.records import Prompt
    from entire.directory import AgentDirectory
    from entire.model.positions import Position
    from entire.model.transcripts import Content
    from entire.recording.context import Context
    from entire.resume.targets import StoredSession
    from entire.undo.transaction import Transaction

COMMAND = "resume"
KEPT = "kept"  # a conversation whose newer local transcript stays
_FIRST_PROMPT = 100
_AT_WORK = "a turn is in progress here; try again when it has ended, or run `entire doctor` if its agent has crashed"


class ResumeNotes(Notes):
    """What a resume, or its undo, notes for the undo."""

    command = COMMAND
    sessions: tuple[str, ...] = ()

    def of_undo(self, undone: Transaction) -> ResumeNotes:
        return replace(self, undoes=undone.id)


class _SessionPlan(Value):
    """What a resume does with one session."""

    stored: StoredSession
    agent: Agent
    state: Session | None
    change: TranscriptChange
    view: ResumedView
    subagents: Mapping[str, Content] = {}  # the transcripts of subagents that are missing here


def preview(
    context: Context, stored_sessions: Sequence[StoredSession], overwrite: Collection[str] = (), *, force: bool = False
) -> list[ResumedView]:
    """Return what ``restore`` would do, without changing anything."""
    return [_view(_plan(context, stored, overwrite, force=force)) for stored in stored_sessions]


def restore(
    context: Context, stored_sessions: Sequence[StoredSession], title: str, overwrite: Collection[str] = (),
    progress: Callable[[str], None] = lambda _: None, *, force: bool = False,
) -> tuple[list[ResumedView], str]:  # fmt: skip
    """Restore the conversations, all or none; those with a problem are left out.

    ``overwrite``: the sessions whose newer local transcripts may be replaced. ``force``: also those that their agents
    have open. ``progress`` gets a message before slow
    work. Return the result for each session, and the id of the undo point: '' if nothing had to change.
    """
    with context.lock():
        for sentence in completion.complete(context.place):
            context.log.info("interrupted change", found=sentence)
        results = [_plan(context, stored, overwrite, force=force) for stored in stored_sessions]
        plans = [result for result in results if isinstance(result, _SessionPlan)]
        draft = Draft(context.place, COMMAND, title, now=context.now(),
                      notes=ResumeNotes(sessions=tuple(plan.stored.session_id for plan in plans)))  # fmt: skip
        try:
            written = [_draft_plan(context, draft, plan) for plan in plans]
        except BaseException:
            draft.discard()
            raise
        if any(written):
            undo_id = draft.carry_out(progress).id
        else:
            draft.discard()
            undo_id = ""
        context.forget()
    return [_view(result) for result in results], undo_id


def undo(context: Context, progress: Callable[[str], None] = lambda _: None) -> ResumeUndoneView:
    """Undo the last ``restore``; a second call undoes the undo."""
    with context.lock():
        completion.complete(context.place)
        if transaction.latest(context.place, COMMAND) is None:
            raise EntireError("there is no resume to undo")
        done = inverse.undo_last(
            context.place, ResumeNotes, functools.partial(_undo, context), progress, now=context.now()
        )
        context.forget()
    return ResumeUndoneView(undo_id=done.id, undone=done.undoes, paths=tuple(done.private),
                            session_ids=ResumeNotes.of(done).sessions)  # fmt: skip


def _undo(context: Context, draft: Draft, notes: ResumeNotes) -> None:
    for session_id in notes.sessions:
        state = context.session(session_id)
        if state is not None and (state.is_running or state.times.last_seen > draft.undone.time):
            raise EntireError(f"session {session_id} has continued since; nothing was changed",
                              hint="use `entire rewind` to take the session back to an earlier point")  # fmt: skip
    draft.revert()
    effects.refuse_continued(context, draft, notes.sessions)
    effects.refuse_open(context, effects.rewritten(context, draft, notes.sessions))


# ---------------------------------------------------------------- planning


def _view(result: _SessionPlan | ResumedView) -> ResumedView:
    return result.view if isinstance(result, _SessionPlan) else result


def _why_unknown(agents: AgentDirectory, agent_type: str, state: Session | None) -> str:
    """Say why there is no adapter of a session's agent: if it ran here, its plugin's name is known."""
    try:
        if state is not None and agents.starts_plugins and agents.plugins.find(state.agent.name) is not None:
            agents.find(state.agent.name)
    except EntireError as error:
        return f"{error.message}; {error.hint}"
    return f"unknown agent {agent_type!r}; install its plugin, or allow it if `entire plugin list` has it"


def _plan(
    context: Context, stored: StoredSession, overwrite: Collection[str], *, force: bool
) -> _SessionPlan | ResumedView:
    state = context.session(stored.session_id)
    agent_type = stored.agent_type or (state.agent.type if state is not None else "")
    view = ResumedView(session_id=stored.session_id, agent=agent_type, checkpoint_id=stored.checkpoint_id,
                       prompt=stored.prompt)  # fmt: skip
    agent = context.agents.make_by_type(agent_type, state.connection.metadata if state is not None else {})
    if stored.damage:
        return replace(view, problem=stored.damage, is_damaged=True)
    if agent is None:
        return replace(view, problem=_why_unknown(context.agents, agent_type, state))
    if capabilities.session_resumer(agent) is None:
        return replace(view, problem=f"{agent.type} cannot continue a stored session")
    view = replace(view, agent=agent.type)
    if problem := resuming.problem(agent, stored.session_id):
        return replace(view, problem=problem)
    if state is not None and _is_at_work(context, state):
        return replace(view, problem=_AT_WORK)
    change = transcript_merge.onto(context.place, agent, state, stored.session_id, stored.data, stored.created)
    if change.what == MISSING:
        return replace(view, problem="no transcript of it is stored or on this machine")
    change, what = _choose(context, stored, agent, state, change, stored.session_id in overwrite)
    if what in (WRITTEN, CUT) and not force and (process := effects.open_process(agent, stored.session_id, state)):
        return replace(view, problem=f"{process} has it open; {effects.closing(agent)}, or use --force")
    missing = transcript_merge.missing_subagents(context.objects, agent, change.path, stored.data, stored.subagents)
    planned = effects.plan(agent, change, missing) if what != KEPT else PutBack()
    if planned.problem:
        return replace(view, problem=effects.said(planned))
    view = replace(
        view, path=effects.place(planned, change.path), command=change.command, what=what, is_newer=change.live_is_newer
    )
    return _SessionPlan(stored=stored, agent=agent, state=state, change=change, view=view, subagents=missing)


def _is_at_work(context: Context, state: Session) -> bool:
    return state.is_running and liveness.is_alive(state, context.now(), silence=liveness.NEVER)


def _choose(
    context: Context,
    stored: StoredSession,
    agent: Agent,
    state: Session | None,
    change: TranscriptChange,
    overwrite: bool,
) -> tuple[TranscriptChange, str]:
    """Decide about a local transcript that may be newer: it stays, or with ``overwrite`` is replaced."""
    if not change.live_is_newer or not stored.data:
        return change, change.what
    if overwrite:
        back = transcript_merge.back_to(context.place, agent, state, stored.session_id, stored.data)
        return replace(back, live_is_newer=True), back.what
    return change, KEPT if change.what == WRITTEN else UNCHANGED


# ---------------------------------------------------------------- carrying it out


def _draft_plan(context: Context, draft: Draft, plan: _SessionPlan) -> bool:
    """Add one session's changes to the draft; return whether there are any."""
    change = plan.change
    if plan.view.what == KEPT:
        return False
    effects.draft_conversation(draft, plan.agent, change, plan.subagents)
    if change.what not in (WRITTEN, CUT) and plan.state is not None:
        return bool(plan.subagents)
    _draft_state(context, draft, plan)
    return True


def draft_unknown(
    context: Context, draft: Draft, stored: StoredSession, change: TranscriptChange, subagents: Mapping[str, Content]
) -> None:
    """Add the state of a session that was never here; the caller restores its files."""
    agent = context.agents.make(change.agent)
    view = ResumedView(session_id=stored.session_id)
    plan = _SessionPlan(stored=stored, agent=agent, state=None, change=change, view=view, subagents=subagents)
    _draft_state(context, draft, plan)


def _draft_state(context: Context, draft: Draft, plan: _SessionPlan) -> None:
    state, notes = _state(context, plan)
    draft.write_private(turnlog.path(context.place, state.session_id), turnlog.dumps(notes, context.redactor))
    for path, data in sessions.forms(context.place, state):
        draft.write_private(path, data)


def _state(context: Context, plan: _SessionPlan) -> tuple[Session, list[TurnNote]]:
    stored, data = plan.stored, plan.change.data
    whole = read(plan.agent, plan.change.path, data)
    state = plan.state or _new_state(context, plan)
    if transcript_merge.has_moved(state):
        state.worktree = replace(state.worktree, path=context.place.top, name=context.place.worktree_name)
    notes = notes_of(stored.turns, whole.prompts, _noted(context, plan), whole.end)
    state.session_ref = SessionRef(plan.change.path)
    if stored.checkpoint_id:  # else it is what was put back, which no checkpoint has
        state.conversation = ""
    transcripts.forget(state)
    transcript = long_transcripts.opened(plan.agent, plan.change.path, data)
    covered = (
        transcript_merge.covered(plan.agent, plan.change.path, stored.data, data) if stored.checkpoint_id else None
    )
    held = read(plan.agent, plan.change.path, covered) if covered is not None and covered != data else whole
    counted = whole.end if transcript.is_later(state.covered.position, whole.end) else state.covered.position
    if covered is not None and (held is whole or not transcript.is_later(counted, held.end)):
        # The whole checkpoint is counted.
        state.covered = Covered(position=held.end, subagents=_counted(plan, held.subagents))
        state.last_checkpoint = stored.checkpoint_id
    else:  # the same records stay counted, though their bytes may differ
        subagents = {
            subagent: [position[0], 0, position[2]] if subagent in plan.subagents else position
            for subagent, position in state.covered.subagents.items()
        }
        state.covered = Covered(position=transcript.at(counted.count), subagents=subagents)
    first = next((note.prompt for note in notes if note.prompt), "")
    state.first_prompt = state.first_prompt or " ".join(context.redactor.redact_text(first).split())[:_FIRST_PROMPT]
    return state, notes


class TranscriptContent(Value):
    """What the agent's adapter reads in a transcript."""

    end: Position
    prompts: tuple[Prompt, ...]
    subagents: tuple[str, ...]


def read(agent: Agent, session_ref: str, data: Content) -> TranscriptContent:
    """Read a transcript that is not in its place yet with the agent's adapter."""
    transcript = long_transcripts.opened(agent, session_ref, data)
    end = transcript.end()
    analyzer = capabilities.transcript_analyzer(agent, transcript)
    extractor = capabilities.subagent_extractor(agent, transcript)
    return TranscriptContent(
        end=end,
        prompts=tuple(analyzer.prompts(START, end)) if analyzer is not None else (),
        subagents=tuple(subagent.id for subagent in extractor.subagents(START, end)) if extractor is not None else (),
    )


def _new_state(context: Context, plan: _SessionPlan) -> Session:
    state = Session(plan.stored.session_id, plan.agent.name, plan.agent.type)
    state.phase = Phase.ENDED
    head = history.resolve(context.place.top, "HEAD") or NO_COMMIT
    state.worktree = SessionWorktree(path=context.place.top, name=context.place.worktree_name, base_commit=head)
    moments = [parse_time(turn.get("started_at")) for turn in plan.stored.turns] + [plan.stored.created]
    ended = min(plan.stored.created, context.now())  # by another machine's clock
    state.times = Times(started=next((moment for moment in moments if moment), 0.0), ended=ended, last_seen=ended)
    return state


def _counted(plan: _SessionPlan, subagents: Sequence[str]) -> dict[str, Any]:
    """Return the ends of the subagents' transcripts, up to which they are counted."""
    counted = {}
    for subagent in dict.fromkeys((*subagents, *plan.stored.subagents)):
        ref = _subagent_ref(plan, subagent)
        end = _subagent(plan, subagent, ref).end() if ref else START
        if end != START:
            counted[subagent] = end.to_json()
    return counted


def _subagent(plan: _SessionPlan, subagent: str, ref: str) -> Transcript:
    data = plan.subagents.get(subagent)
    return plan.agent.transcript(ref) if data is None else long_transcripts.opened(plan.agent, ref, data)


def _subagent_ref(plan: _SessionPlan, subagent: str) -> str:
    """Return the place of a subagent's transcript, '' if it is unknown."""
    locate = transcript_merge.subagent_locator(plan.agent, plan.change.path, plan.stored.data)
    return locate(subagent) if locate is not None else ""


# ---------------------------------------------------------------- the turns


def _noted(context: Context, plan: _SessionPlan) -> list[TurnNote]:
    """Return the turns noted here that the new transcript still holds."""
    extends = plan.change.what == WRITTEN and not plan.change.live_is_newer and plan.state is not None
    return turnlog.read(context.place, plan.stored.session_id) if extends else []


def notes_of(
    turns: Sequence[Mapping[str, Any]], prompts: Sequence[Prompt], noted: Sequence[TurnNote], end: Position
) -> list[TurnNote]:
    """Return a note for each prompt: as noted here, else from ``turns``, the record beside the checkpoint.

    The record holds no text; that comes from the transcript. A session's transcript may start with other records, so
    its first turn starts before its first prompt.
    """
    known = {(note.turn, note.position): note for note in noted if note.turn}
    for note in map(_read_note, turns):
        known.setdefault((note.turn, note.position), note)
    kept = sorted(known.values(), key=lambda note: note.position)
    kept = [note for note in kept if not end.count or note.position < end.count]
    left = list(prompts)
    notes = []
    for number, note in enumerate(kept):
        stop = next((other.position for other in kept[number + 1 :] if other.position > note.position), None)
        own = [prompt for prompt in left if prompt.position >= note.position and (not stop or prompt.position < stop)]
        if own:
            left.remove(own[0])
        notes.append(replace(note, prompt=own[0].text) if own and not note.prompt else note)
    first = prompts[0] if prompts and not kept else None
    rest = [
        TurnNote(turn="", prompt=prompt.text, position=0 if prompt is first else prompt.position, time=prompt.time)
        for prompt in left
    ]
    return sorted([*notes, *rest], key=lambda note: note.position)


def _read_note(turn: Mapping[str, Any]) -> TurnNote:
    """Read a turn of lineage.json; invalid fields become empty."""
    position, tokens = turn.get("prompt_position"), turn.get("token_usage")
    name, model = turn.get("turn"), turn.get("model")
    return TurnNote(
        turn=name if isinstance(name, str) else "",
        prompt="",
        position=natural(position),
        time=parse_time(turn.get("started_at")),
        ended=parse_time(turn.get("ended_at")),
        model=model if isinstance(model, str) else "",
        tokens=dict(tokens) if isinstance(tokens, dict) else {},
    )
