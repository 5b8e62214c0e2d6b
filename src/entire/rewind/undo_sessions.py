"""What sessions know after a rewind was undone: their conversation as before it, and all that happened since.

The undo brings back every file byte for byte, the transcripts included. A session's state is no such file: commits and
turns in between count on, or answers would be counted twice.
"""

from __future__ import annotations

from entire import files
from entire.model import jsontext
from entire.resume import recount
from entire.store import sessions, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.lifecycle.context import Context
    from entire.model.session import Session
    from entire.undo.transaction import Draft, Transaction

_OF_CONVERSATION = ("transcript_path", "turn", "tasks", "stored", "parts", "first_prompt")
"""What of a state tells of the conversation, and so goes back with it."""


def draft_states(context: Context, draft: Draft, undone: Transaction) -> None:
    """Let the states that a transaction changed become what they are after its undo, which the draft is."""
    place = context.place
    for session_id in sessions.ids(place):
        path = sessions.own_path(place, session_id)
        earlier, state = draft.planned(path), sessions.find(place, session_id)
        if earlier is None or state is None:
            continue
        before = sessions.from_own(jsontext.loads(earlier.decode("utf-8", "surrogateescape")))
        state.open_files = _open_files(before, state, undone)
        if {before.transcript_path, state.transcript_path} & {*undone.private}:
            _go_back(context, draft, before, state, undone)
        for form, data in sessions.forms(place, state):
            draft.write_private(form, data)


def _open_files(before: Session, state: Session, undone: Transaction) -> list[str]:
    """Return a session's open files: of the paths that come back as then, of the others as now."""
    paths = frozenset(undone.paths)
    back = [path for path in before.open_files if path in paths]
    return [*(path for path in state.open_files if path not in paths), *back]


def _go_back(context: Context, draft: Draft, before: Session, state: Session, undone: Transaction) -> None:
    """Let a session remember its conversation as before; what checkpoints hold of it stays counted."""
    present = files.read(state.transcript_path) or b"" if state.transcript_path else b""
    planned = draft.planned(before.transcript_path) if before.transcript_path else None
    becomes, agent = present if planned is None else planned, context.agent_of(state)
    known = recount.counted(context.place, draft, agent, state, becomes) if agent is not None else None
    state.counted = known if known is not None else before.counted
    more = {one: told for one, told in before.counted_subagents.items()
            if told[0] > state.counted_subagents.get(one, told)[0]}  # fmt: skip
    state.counted_subagents = {**before.counted_subagents, **state.counted_subagents, **more}
    for name in _OF_CONVERSATION:
        setattr(state, name, getattr(before, name))
    notes = turnlog.path(context.place, state.session_id)
    if draft.planned(notes) is None:  # the rewind took none away; those since then go all the same
        kept = [one for one in turnlog.read(context.place, state.session_id) if one.time <= undone.time]
        draft.write_private(notes, turnlog.dumps(kept))
