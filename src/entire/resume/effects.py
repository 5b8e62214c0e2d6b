"""How a conversation gets its new content: by the effects that its agent's adapter plans.

A transcript that only a command changes is in no file of the transaction. So its content before and after is noted
there, and an undo refuses to run the command's way back over a conversation that went on.
"""

from __future__ import annotations

from entire.agents import capabilities, long_transcripts
from entire.errors import EntireError
from entire.model.effects import PutBack, Run, Write
from entire.recording import liveness
from entire.resume.transcript_merge import CUT, UNCHANGED, WRITTEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from entire.agents.contract import Agent, Transcript
    from entire.model.session import Session
    from entire.model.transcripts import Content
    from entire.recording.context import Context
    from entire.resume.transcript_merge import TranscriptChange
    from entire.undo.draft import Draft


def plan(agent: Agent, change: TranscriptChange, subagents: Mapping[str, Content]) -> PutBack:
    """Return how the agent puts a conversation back, with its subagents' missing transcripts if anything remains of
    it; nothing if there is nothing to do.
    """
    resumer = capabilities.session_resumer(agent)
    is_due = change.what in (CUT, WRITTEN) or (subagents and change.what == UNCHANGED)
    if resumer is None or not is_due:
        return PutBack()
    lacking = {subagent: long_transcripts.given(agent, data) for subagent, data in subagents.items() if change.data}
    return resumer.put_back(change.path, long_transcripts.given(agent, change.data), lacking)


def draft_conversation(draft: Draft, agent: Agent, change: TranscriptChange, subagents: Mapping[str, Content]) -> None:
    """Add a conversation's effects to a draft. Raises EntireError if it cannot be put back."""
    planned = plan(agent, change, subagents)
    if planned.problem:
        raise EntireError(f"session {change.session_id} {said(planned)}; nothing was changed")
    draft.apply(planned.effects)
    is_file = any(effect.path == change.path for effect in planned.effects if not isinstance(effect, Run))
    if change.what in (CUT, WRITTEN) and not is_file:
        draft.note_transcript(change.path, long_transcripts.content(agent.transcript(change.path)), change.data)


def place(planned: PutBack, path: str) -> str:
    """Return the file that a conversation is written to; some agents keep another form of it in another file."""
    written = [effect.path for effect in planned.effects if isinstance(effect, Write)]
    return written[0] if written and path not in written else path


def said(planned: PutBack) -> str:
    """Return a problem as it is shown, '' for none."""
    return f"cannot be put back: {planned.problem}" if planned.problem else ""


def open_process(agent: Agent, session_id: str, session: Session | None) -> str:
    """Return which process has a session's conversation open and would not notice that it changes, as
    "NAME (pid 42)"; '' for none. What the agent says of it counts more than what runs.
    """
    resumer = capabilities.session_resumer(agent)
    if resumer is None or getattr(resumer, "notices_changes", False):
        return ""
    tell: Callable[[str], bool | None] | None = getattr(resumer, "is_open", None)
    told = tell(session_id) if tell is not None else None
    if told is False:
        return ""
    pid = liveness.holding_process(session, resumer.format_resume_command(session_id)) if session is not None else 0
    return f"{agent.type} (pid {pid})" if pid else agent.type if told else ""


def closing(agent: Agent) -> str:
    """Return how a person has an agent let go of a conversation."""
    return str(getattr(agent, "closing", "close it first"))


def refuse_open(context: Context, session_ids: Iterable[str]) -> None:
    """Raise EntireError if one of these conversations, which are about to change, is open in its agent."""
    for session_id in session_ids:
        state = context.session(session_id)
        agent = context.adapters.of(state) if state is not None else None
        if agent is not None and (process := open_process(agent, session_id, state)):
            raise EntireError(
                f"{process} has session {session_id} open and would write over the conversation that is put back; "
                "nothing was changed",
                hint=f"{closing(agent)}, or add --force",
            )


def rewritten(context: Context, undo: Draft, session_ids: Iterable[str]) -> list[str]:
    """Return those of the sessions whose transcripts an undo changes."""
    states = map(context.session, session_ids)
    return [state.session_id for state in states if state is not None and undo.changes(state.session_ref)]


def refuse_continued(context: Context, undo: Draft, session_ids: Iterable[str]) -> None:
    """Raise EntireError if one of the conversations went on since, and an undo changes it by a command. A file that it
    changes is saved once more, so nothing can be lost.
    """
    noted = undo.noted() if undo.runs_commands else {}
    for session_id in session_ids if noted else ():
        state = context.session(session_id)
        agent = context.adapters.of(state) if state is not None else None
        if state is None or agent is None or state.session_ref not in noted:
            continue
        if not _is_same(agent, agent.transcript(state.session_ref), noted[state.session_ref]):
            raise EntireError(f"session {session_id} has continued since; nothing was changed",
                              hint="use `entire rewind` to go to a point of the session")  # fmt: skip


def _is_same(agent: Agent, live: Transcript, content: Content) -> bool:
    """Tell whether a transcript holds what was put back: an agent may compose it in other bytes, of several places."""
    if long_transcripts.content(live) == content:
        return True
    same = long_transcripts.agreement(agent, live, content)
    return not (same.own_is_longer or same.stored_is_longer)
