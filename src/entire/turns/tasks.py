"""Finds the task that an event means. Agents name a task by its call's id, its subagent's, or not at all."""

from __future__ import annotations

from entire.model.digest import sha256
from entire.model.ids import path_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.events import Event
    from entire.model.session import Session, SubagentTask
    from entire.model.transcripts import Subagent
    from entire.redact import Redactor

DESCRIPTION = 200
_UNNAMED = "unnamed-"


def described(text: str, redactor: Redactor) -> str:
    """Return what is noted of an agent's words about a task."""
    return redactor.redact_text(text)[:DESCRIPTION] if text else ""


def started_by(session: Session, event: Event) -> str:
    """Return the name of the task that a start reports: a known one, or a new name."""
    return named(session, event) or _given(event) or _new_name(session)


def ended_by(session: Session, event: Event) -> str:
    """Return the name of the task that an end reports; '' for an end that was reported before.

    An end without a known id means the task that started first: of this turn, else of an earlier one; of the type that
    the end names, else of an unknown one.
    """
    name = named(session, event) or path_id(event.tool_use_id)
    if name:
        return name
    running = [(_is_older(session, task), -len(_said_twice(task, event)), number, name)
               for number, (name, task) in enumerate(session.tasks.items())
               if not task.done and _fits(task, event)]  # fmt: skip
    if running or event.subagent_id:
        return min(running)[-1] if running else path_id(event.subagent_id)
    is_described = bool(event.subagent_type or event.task_description or event.subagent_ref)
    is_repeated = any(_fits(task, event) for task in session.tasks.values() if not _is_older(session, task))
    return _new_name(session) if is_described and not is_repeated else ""


def named(session: Session, event: Event) -> str:
    """Return the name of the known task whose id an event gives; '' if there is none."""
    call, subagent = path_id(event.tool_use_id), path_id(event.subagent_id)
    if call in session.tasks:
        return call
    own = [name for name, task in session.tasks.items()
           if subagent and task.subagent == subagent and (not call or name == subagent)]  # fmt: skip
    return next((name for name in own if not session.tasks[name].done), own[-1] if own else "")


def identify(session: Session, subagents: Sequence[Subagent], redactor: Redactor) -> None:
    """Complete the tasks with what the transcript says about their subagents; unnamed ones are matched in order."""
    for subagent in subagents:
        task = session.tasks.get(path_id(subagent.tool_use_id)) or _task_of(session, subagent)
        if task is not None:
            task.subagent = path_id(subagent.id) if _is_unnamed(task.subagent) else task.subagent
            task.ref = task.ref or subagent.session_ref
            task.type = task.type or subagent.type
            task.description = task.description or described(subagent.description, redactor)


def has_unnamed(session: Session) -> bool:
    """Tell whether the transcript could name a task's subagent."""
    return any(_is_unnamed(task.subagent) for task in session.tasks.values() if not task.kept)


def _task_of(session: Session, subagent: Subagent) -> SubagentTask | None:
    for task in session.tasks.values():
        if path_id(subagent.id) == task.subagent or (task.ref and subagent.session_ref == task.ref):
            return task
    fitting = (task for name, task in session.tasks.items() if _is_unnamed(task.subagent) and not task.ref
               and (_is_unnamed(name) or not subagent.tool_use_id) and not _is_older(session, task))  # fmt: skip
    return next(fitting, None)


def _given(event: Event) -> str:
    return path_id(event.tool_use_id) or path_id(event.subagent_id)


def _new_name(session: Session) -> str:
    """Return a name for a task without any id: the next number in its turn."""
    turn, number = sha256(session.turn_key.encode("utf-8", "surrogateescape")).hexdigest()[:8], 1
    while f"{_UNNAMED}{number}-{turn}" in session.tasks:
        number += 1
    return f"{_UNNAMED}{number}-{turn}"


def _is_unnamed(name: str) -> bool:
    return not name or name.startswith(_UNNAMED)


def _is_older(session: Session, task: SubagentTask) -> bool:
    return session.turn is not None and task.started < session.turn.started


def _fits(task: SubagentTask, event: Event) -> bool:
    """Tell whether nothing that an event says about its subagent contradicts a task."""
    return all(known == given for known, given in _said_twice(task, event))


def _said_twice(task: SubagentTask, event: Event) -> list[tuple[str, str]]:
    """Return what both a task and an event say about the subagent, in pairs."""
    said = (
        (task.type, event.subagent_type),
        (task.description, event.task_description),
        (task.subagent, path_id(event.subagent_id)),
        (task.ref, event.subagent_ref),
    )
    return [(known, given) for known, given in said if known and given]
