"""The beginning of a turn: a snapshot of the worktree, and where the transcript ends before it."""

from __future__ import annotations

from entire import layout, strategies
from entire.model.ids import new_id
from entire.model.positions import START
from entire.model.session import NO_COMMIT, Turn
from entire.model.value import replace
from entire.recording.context import agent_process
from entire.snapshots import recorder
from entire.snapshots.recorder import Cause
from entire.store import transcripts as stored
from entire.turns import prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.events import Event
    from entire.model.positions import Position
    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.recording.session_transcript import SessionTranscript

_MAX_FILES = 2000  # that are noted


def begin(context: Context, session: Session, event: Event) -> None:
    """Take a snapshot of the worktree, and record where the transcript ends before the turn."""
    taken = recorder.record_now(context, Cause(running=tuple(context.running_turns())))
    transcript = context.transcripts.of(session)
    start = transcript.end()
    _accept_cut(session, transcript, start)
    last = session.turn.finish if session.turn is not None else START
    is_new = session.turn is None and not session.first_prompt  # a rewind also leaves no turn
    if is_new and session.covered.position == START and transcript.shares_answer(start):
        from entire.turns import forks

        if forks.is_fork(context, session, start):
            session.covered = replace(session.covered, position=start)
    if (
        session.connection.is_external
        and transcript.is_later(start, session.covered.position)
        and start.count != last.count
    ):
        # Its hooks did not run, or the agent went on writing.
        known = last if transcript.is_later(last, session.covered.position) else session.covered.position
        if transcript.has_answers(known, start) is not False:
            session.connection = replace(session.connection, is_incomplete=True)
    if is_new and not session.work.untracked_at_start:
        agent_paths = context.journal.attribution.agent_paths
        untracked = [path for path in taken.snapshot.untracked if path not in agent_paths]
        session.work = replace(session.work, untracked_at_start=untracked[:_MAX_FILES])
    prompt = prompt_text.of_event(event, context.redactor)
    continues = _continued_by(session, event) if event.is_automatic else ""
    session.turn = Turn(id=new_id(), ref=event.turn_ref, prompt=prompt, continues=continues, start=start,
                        started=context.now(), prompt_position=start.count,
                        model=event.model or session.model)  # fmt: skip
    session.first_prompt = session.first_prompt or prompt_text.first_words(prompt)
    session.worktree = replace(
        session.worktree,
        base_commit=session.worktree.base_commit if session.work.steps else taken.snapshot.head or NO_COMMIT,
    )
    session.process = agent_process(event.pid)
    session.turn_checkpoints = []
    session.oid_size = len(context.journal.attribution.tree) or 40
    is_asked = strategies.commits_turns(context.settings)
    session.work = replace(
        session.work,
        head_logs=layout.other_head_logs(context.place),
        staged_before=dict(list(taken.staged.items())[:_MAX_FILES]) if is_asked else {},
        is_staged_known=is_asked and len(taken.staged) <= _MAX_FILES,
    )
    session.queued = []


def _continued_by(session: Session, event: Event) -> str:
    """Return the turn whose prompt is answered by one that the agent began by itself: the one that launched the
    subagent it hears of, else the last one.
    """
    from entire.turns import tasks

    task, last = session.tasks.get(tasks.named(session, event)), session.turn
    before = (last.continues or last.id) if last is not None else ""
    return task.turn if task is not None and task.turn else before


def _accept_cut(session: Session, transcript: SessionTranscript, end: Position) -> None:
    """Accept a transcript that became shorter between turns (rewound, compacted): the rest of it is already counted."""
    if stored.was_rewritten(session):
        stored.forget(session)
    if transcript.is_later(session.covered.position, end):
        session.covered = replace(session.covered, position=end)
