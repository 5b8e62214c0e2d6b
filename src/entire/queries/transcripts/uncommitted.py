"""The uncommitted work of the sessions in a worktree: their turns, conversations and files, and the difference."""

from __future__ import annotations

import os

from entire.git import read, status, worktree_diff
from entire.model.conversations import ShownView
from entire.model.ids import CheckpointId, is_checkpoint_id
from entire.model.value import replace
from entire.queries import turns
from entire.queries.transcripts import conversations
from entire.store import checkpoints, lineage_file, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from entire.git.read import Objects
    from entire.model.conversations import ShowRequest, TurnView
    from entire.model.session import Session
    from entire.model.transcripts import ToolCall
    from entire.queries.transcripts.conversations import ReadPart
    from entire.store.catalog import Catalog


def show(catalog: Catalog, request: ShowRequest) -> ShownView:
    """Return the sessions of this worktree that work, or whose work is not committed yet, and the difference of their
    files.
    """
    place = catalog.place
    here = [state for state in sessions.list_states(place) if state.worktree.name == place.worktree_name]
    with read.Objects(place.top) as objects:
        open_sessions = [
            (state, _with_running_files(place.top, state, part))
            for state in here
            if state.is_running or state.work.open_files
            for part in [conversations.of_state(place, objects, state, request, catalog.redactor)]
        ]
        open_sessions = [(state, part) for state, part in open_sessions if state.is_running or part.open_files]
        diff = worktree_diff.of_files(
            place.top, sorted({path for _, part in open_sessions for path in part.open_files})
        )
        added = {line[1:].strip() for line in diff.decode("utf-8", "replace").split("\n") if line[:1] == "+"} - {""}
        parts = [_open_part(part, _recorded(catalog, objects, state), added) for state, part in open_sessions]
    return ShownView(kind="uncommitted", conversations=tuple(parts), diff=diff.decode("utf-8", "surrogateescape"))


def _with_running_files(top: str, state: Session, part: ReadPart) -> ReadPart:
    """Add what the running turn's tools changed: the session's state knows it only when the turn ends."""
    if not state.is_running or not part.turns:
        return part
    edited = (edit.path for call in _calls(part.turns[-1], part) for edit in call.edits)
    inside = [path for path in (_inside(top, name) for name in edited) if path]
    changed = status.changed(top, inside) if inside else set()
    return replace(part, open_files=tuple(dict.fromkeys((*part.open_files, *sorted(changed)))))


def _inside(top: str, name: str) -> str:
    """Return a path relative to the worktree's top, '' if it is outside."""
    full = os.path.normpath(os.path.join(top, name))
    roots = (root + os.sep for root in (top, os.path.realpath(top)))
    return next((full[len(root) :] for root in roots if full.startswith(root)), "")


def _recorded(catalog: Catalog, objects: Objects, state: Session) -> set[str]:
    name = state.last_checkpoint
    stored = checkpoints.read(objects, catalog.commits, CheckpointId(name)) if is_checkpoint_id(name) else None
    own = lineage_file.read(objects, stored) if stored is not None else None
    return {str(turn.get("turn", "")) for turn in turns.in_record(own, state.session_id)}


def _open_part(whole: ReadPart, recorded: Collection[str], added: Collection[str]) -> ReadPart:
    """Return the turns that no checkpoint has, and those that wrote a line which is still uncommitted."""
    wanted = [turn for turn in whole.turns if turn.turn not in recorded or _wrote(turn, whole, added)]
    return whole if len(wanted) == len(whole.turns) else conversations.of_turns(whole, wanted)


def _wrote(turn: TurnView, whole: ReadPart, added: Collection[str]) -> bool:
    edits = (edit for call in _calls(turn, whole) for edit in call.edits)
    return any(line.strip() in added for edit in edits for line in edit.new.split("\n"))


def _calls(turn: TurnView, whole: ReadPart) -> Iterator[ToolCall]:
    for message in conversations.messages_of(whole, turn):
        if message.call is not None:
            yield message.call
