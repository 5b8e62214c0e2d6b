"""Records subagents when they start, and saves a step when they end; notes in between are numbered."""

from __future__ import annotations

from entire import strategies
from entire.model import jsontext
from entire.model.ids import path_id
from entire.model.session import SubagentTask
from entire.model.turns import NO_TURN, RunningTurn
from entire.model.value import replace
from entire.redact import trusted
from entire.snapshots import recorder
from entire.snapshots.recorder import Cause
from entire.snapshots.snapshot_writer import Step
from entire.store import gojson, steps
from entire.turns import tasks
from entire.turns import turn as turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.events import Event
    from entire.model.positions import Position
    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.recording.session_transcript import SessionTranscript

_MAX_TASKS = 200
_MAX_NOTES = 999


def start(context: Context, session: Session, event: Event) -> None:
    """Record a subagent's start. Its own commit must leave out what was changed before, so that is looked at now."""
    event = _redacted(context, event)
    if strategies.commits_turns(context.settings):
        transcript = context.transcripts.of(session)
        recorder.record_now(context, _cause(context, session, transcript, transcript.end()))
    name = tasks.started_by(session, event)
    task = session.tasks.setdefault(name, SubagentTask())
    if task.done and session.turn is not None and task.done < session.turn.started:  # it continues in a later turn
        task = session.tasks[name] = SubagentTask(subagent=task.subagent, ref=task.ref)
    task.started = task.started or context.now()
    task.turn = task.turn or (session.turn.id if session.turn is not None and session.is_running else "")
    _describe(task, session, event)
    for old in list(session.tasks)[: max(0, len(session.tasks) - _MAX_TASKS)]:
        del session.tasks[old]


def _redacted(context: Context, event: Event) -> Event:
    return replace(event, task_description=tasks.described(event.task_description, context.redactor))


def _describe(task: SubagentTask, session: Session, event: Event) -> None:
    task.type = event.subagent_type or task.type
    task.description = event.task_description or task.description
    task.subagent = path_id(event.subagent_id) or task.subagent
    task.ref = _ref(session, event) or task.ref


def end(context: Context, session: Session, event: Event) -> None:
    """Save a step if a subagent changed files. Its task goes into the next checkpoint in any case."""
    if event.only_in_background and not _is_in_background(context, session, event):
        return
    event = _redacted(context, event)
    name = tasks.ended_by(session, event)
    is_seen = name in session.tasks
    task = session.tasks.setdefault(name, SubagentTask(started=context.now())) if name else None
    if task is None or task.done:
        return
    task.done = context.now()
    _describe(task, session, event)
    transcript = context.transcripts.of(session)
    finish, since = transcript.end(), _since(session)
    tasks.identify(session, transcript.subagents(since, finish), context.redactor)
    task.subagent = task.subagent or (name if task.ref else "")  # its transcript is stored under an id
    if not session.is_running:
        session.background.append(event.subagent_id or name)  # until now: what it wrote since the turn is its session's
    cause = _cause(context, session, transcript, finish)  # including itself, if it worked between turns
    own = (task.subagent, event.subagent_id, name)
    session.background = [other for other in session.background if other not in own]
    taken = recorder.take(context)
    task.done = taken.snapshot.time
    task.started = task.started if is_seen else task.done
    change = recorder.compare(context, taken)
    step = _step(context, session, name, transcript, finish) if change.paths else None
    recorder.record(context, change, cause, step)
    for key in cause.reported:  # its changes may be in snapshots that were taken before it reported them
        if key != session.turn_key or not session.is_running:  # a running turn's end does it
            recorder.attribute_again(context, key)


def _cause(context: Context, session: Session, transcript: SessionTranscript, finish: Position) -> Cause:
    """Return what may have changed the worktree until a subagent starts or ends."""
    key = session.turn_key
    known = context.journal.attribution.reports.get(key, [])
    own = list(dict.fromkeys([*known, *transcript.files(_since(session), finish)]))
    reported = transcript.reports(context.journal.attribution.reports, own)
    launching = (RunningTurn.background(other) for other in reported if other != key)
    return Cause(
        by=key if session.is_running else NO_TURN,
        running=tuple(dict.fromkeys([*context.running_turns(), *launching])),
        reported=reported,
    )


def open_files(context: Context, session: Session, event: Event) -> list[str]:
    """Return the open files of a session that the subagent changed whose end an event reports, as far as that can be
    told: those that its tools report, and those that changed while it worked, unless others at work then report them.
    """
    task = session.tasks.get(ended_task(session, event), SubagentTask())
    own = context.transcripts.of(session).files_of(task.ref) if task.ref else []
    others = _files_of_others(context, session, event, task).difference(own)
    entries = [entry for entry in context.journal.attribution.entries
               if task.started <= entry.time <= task.done and not entry.commit]  # fmt: skip
    changed = {path for entry in entries for path in entry.paths if path not in others}
    return [path for path in session.work.open_files if path in changed or path in own] if task.done else []


def _files_of_others(context: Context, session: Session, event: Event, task: SubagentTask) -> set[str]:
    """Return what tools reported of those who may have written since a subagent started: of its session too, unless
    that waited for it.
    """
    if event.only_in_background or not session.is_running or task.started == task.done:
        return set(context.journal.attribution.reports.get(session.turn_key, ()))
    transcript = context.transcripts.of(session)
    beside = [other for other in session.tasks.values()
              if other is not task and other.ref and not 0 < other.done < task.started]  # fmt: skip
    return {path for other in beside for path in transcript.files_of(other.ref)}


def _ref(session: Session, event: Event) -> str:
    """Return the subagent's own transcript; some adapters name it in place of the session's."""
    own = session.session_ref
    ref = event.subagent_ref or (event.session_ref if own and event.subagent_id else "")
    return ref if ref != own else ""


def _is_in_background(context: Context, session: Session, event: Event) -> bool:
    """Tell whether a subagent is known to work in the background."""
    task, turn = session.tasks.get(tasks.named(session, event)), session.turn
    is_left = task is not None and not task.done and (turn is None or turn.ended or task.started < turn.started)
    if is_left or event.subagent_id in session.background:  # a foreground subagent ends within its turn
        return True
    transcript = context.transcripts.of(session)
    subagents = transcript.subagents(_since(session), transcript.end())
    return any(subagent.id == event.subagent_id and subagent.background for subagent in subagents)


def _since(session: Session) -> Position:
    return session.turn.start if session.turn is not None else session.covered.position


def _step(
    context: Context, session: Session, tool_use_id: str, transcript: SessionTranscript, finish: Position
) -> Step:
    task = session.tasks[tool_use_id]
    whole = turns.step_of(context, session, transcript, finish)
    own = transcript.subagent_content(task.ref) if task.ref else trusted(b"")
    return Step(
        session=session,
        message=steps.message(
            title(task, tool_use_id), session.session_id, strategy=context.strategy.name, tool_use_id=tool_use_id
        ),
        files={**whole.files, **steps.task_files(session.session_id, tool_use_id, task.subagent, own)},
    )


def ended_task(session: Session, event: Event) -> str:
    """Return the tool-use id of the task whose end an event reports."""
    return tasks.named(session, event) or max(session.tasks, key=lambda name: session.tasks[name].done, default="")


def title(task: SubagentTask, tool_use_id: str) -> str:
    """Return the subject of what saves a subagent's work."""
    return steps.task_subject(task.type, task.description, tool_use_id)


def keep_note(context: Context, session: Session, event: Event) -> None:
    """Record a note of a running subagent for its task's folder in the next checkpoint (formats.md 2.7)."""
    name = tasks.named(session, event)
    if not name:
        open_tasks = [name for name, task in session.tasks.items() if not task.done]
        name = open_tasks[-1] if len(open_tasks) == 1 else ""
    if not name:
        return
    notes = session.tasks[name].increments
    number = len(notes) + 1
    if number > _MAX_NOTES:
        return
    redacted = context.redactor.redact_json((event.tool_input or "{}").encode("utf-8", "replace"))
    try:
        data = jsontext.loads(redacted)
    except (ValueError, RecursionError):
        data = redacted.decode("utf-8", "replace")
    notes[f"{number:03}-{name}.json"] = {
        "type": event.tool_name,
        "tool_use_id": name,
        "timestamp": gojson.rfc3339(context.now()),
        "data": data,
    }
