"""Session states after an undone rewind: the conversation as before it, and everything that happened since.

The undo restores every file byte for byte, transcripts included. States cannot be restored that way: commits and turns
since the rewind must stay in them, or answers would be counted twice.
"""

from __future__ import annotations

from entire import files
from entire.agents import long_transcripts
from entire.model.value import replace
from entire.resume import recount
from entire.store import sessions, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.undo.draft import Draft
    from entire.undo.transaction import Transaction

_OF_CONVERSATION = (*("session_ref", "turn", "tasks", "storage", "first_prompt", "conversation"),)
"""The fields of a state that belong to the conversation and are restored with it."""


def draft_states(context: Context, draft: Draft, undone: Transaction) -> None:
    """Add the states that a transaction changed to ``draft``, its undo."""
    place = context.place
    for session_id in sessions.ids(place):
        path = sessions.own_path(place, session_id)
        earlier, state = draft.planned(path), sessions.find(place, session_id)
        if earlier is None or state is None:
            continue
        before = sessions.from_own(files.json_object(path, earlier))
        state.work = replace(state.work, open_files=_open_files(before, state, undone))
        if {before.session_ref, state.session_ref} & {*undone.private}:
            _restore_conversation(context, draft, before, state, undone)
        for form, data in sessions.forms(place, state):
            draft.write_private(form, data)


def _open_files(before: Session, state: Session, undone: Transaction) -> list[str]:
    """Return a session's open files: restored for the paths of the transaction, unchanged for the others."""
    paths = frozenset(undone.paths)
    back = [path for path in before.work.open_files if path in paths]
    return [*(path for path in state.work.open_files if path not in paths), *back]


def _restore_conversation(context: Context, draft: Draft, before: Session, state: Session, undone: Transaction) -> None:
    """Restore what a state holds about its conversation; what checkpoints contain stays counted."""
    agent = context.adapters.of(state)
    data = draft.planned_transcript(before.session_ref) if before.session_ref else None
    if data is None and agent is not None and state.session_ref:
        data = long_transcripts.content(agent.transcript(state.session_ref))
    known = recount.counted(context.place, agent, state, data or b"") if agent is not None else None
    state.covered = replace(state.covered, position=known if known is not None else before.covered.position)
    more = {subagent: position for subagent, position in before.covered.subagents.items()
            if position[0] > state.covered.subagents.get(subagent, position)[0]}  # fmt: skip
    state.covered = replace(state.covered, subagents={**before.covered.subagents, **state.covered.subagents, **more})
    for name in _OF_CONVERSATION:
        setattr(state, name, getattr(before, name))
    notes = turnlog.path(context.place, state.session_id)
    if draft.planned(notes) is None:  # the rewind removed none, but later ones must go
        earlier = [note for note in turnlog.read(context.place, state.session_id) if note.time <= undone.time]
        draft.write_private(notes, turnlog.dumps(earlier, context.redactor))
