"""What ``show`` answers: a commit, checkpoint, session, turn or subagent, or the uncommitted work here."""

from __future__ import annotations

from entire.errors import EntireError
from entire.git import read
from entire.model.conversations import ShownView
from entire.model.ids import HEX, shell_word
from entire.model.value import Value, replace
from entire.queries import checkpoints
from entire.queries.transcripts import conversations, uncommitted
from entire.queries.transcripts.conversations import ReadPart
from entire.queries.transcripts.stored_transcripts import StoredTranscripts
from entire.store import checkpoint_listing, sessions, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.git.read import Objects
    from entire.model.conversations import ShowRequest, SubagentView, TurnView
    from entire.store.catalog import Catalog

LIST = "run `entire explain` to list checkpoints, `entire status --detailed` to list sessions"

_DIGITS = 6  # more are no number of a prompt
_TURN_ID = 12  # characters
_SHORTEST = 4  # characters of an id's prefix


class ShowTarget(Value):
    """What a name means. ``inside``: what of the session ``id`` is meant, for a turn or subagent."""

    kind: str
    id: str
    inside: str = ""
    number: int = 0  # of a prompt, counted from 1


def show(catalog: Catalog, request: ShowRequest) -> ShownView:
    """Return what a name means, with the conversations behind it; raises EntireError if it means nothing here."""
    if request.is_uncommitted:
        return _asked_for(uncommitted.show(catalog, request), request)
    answers: dict[str, Callable[[Catalog, ShowTarget, ShowRequest], ShownView]] = {
        "commit": _commit, "checkpoint": _checkpoint, "session": _session, "inside": _inside,
    }  # fmt: skip
    meant = ShowTarget(kind=request.kind, id=request.name) if request.kind else target(catalog, request.name)
    return _asked_for(answers[meant.kind](catalog, meant, request), request)


def _asked_for(view: ShownView, request: ShowRequest) -> ShownView:
    """Sum up the tokens of what is shown, and leave out the conversations that were read only to find turns."""
    parts = (part.summed() if isinstance(part, ReadPart) else part for part in view.conversations)
    shown = parts if request.has_messages else (replace(part, messages=None) for part in parts)
    return replace(view, conversations=tuple(shown))


def target(catalog: Catalog, name: str) -> ShowTarget:
    """Return what a name means: what the catalog knows, else ``SESSION/N`` (its N-th prompt), ``SESSION/ID`` (a turn
    or subagent, by a prefix too), or the id of a turn of a session of this machine. ``:`` can stand for the slash.
    """
    known = catalog.find(name)
    if known is not None:
        return ShowTarget(kind=known.kind, id=known.id)
    prefix, _, rest = name.rpartition(":" if ":" in name else "/")
    session_id = catalog.session(prefix) if prefix and rest else ""
    if session_id:
        is_number = rest.isascii() and rest.isdigit() and len(rest) < _DIGITS
        return ShowTarget(kind="inside", id=session_id, inside=rest, number=int(rest) if is_number else 0)
    turn = _turn_here(catalog, name)
    if turn is not None:
        return turn
    if name == "HEAD":
        raise EntireError("there are no commits yet", hint="run `entire show --uncommitted` to see the open work")
    if name and HEX.issuperset(name):
        raise catalog.forgotten(name) or EntireError(f"commit or checkpoint not found: {name}", hint=LIST)
    raise catalog.forgotten(name) or EntireError(
        f"no commit, checkpoint, session or turn here is named {name!r}", hint=LIST
    )


def _turn_here(catalog: Catalog, name: str) -> ShowTarget | None:
    """Return the turn with an id, from the notes of this machine's sessions."""
    for session_id in sessions.ids(catalog.place) if len(name) == _TURN_ID and HEX.issuperset(name) else ():
        if any(note.turn == name for note in turnlog.read(catalog.place, session_id)):
            return ShowTarget(kind="inside", id=session_id, inside=name)
    return None


# ---------------------------------------------------------------- commits and checkpoints


def _commit(catalog: Catalog, meant: ShowTarget, request: ShowRequest) -> ShownView:
    view = checkpoints.of_commit(catalog, meant.id)
    shown = ShownView(kind="commit", id=view.commit.oid, commit=view.commit, checkpoints=view.checkpoints,
                      missing=view.missing, forgotten=view.forgotten, reason=view.reason)  # fmt: skip
    return _with_conversations(catalog, shown, request)


def _checkpoint(catalog: Catalog, meant: ShowTarget, request: ShowRequest) -> ShownView:
    view = checkpoints.find(catalog, meant.id)
    return _with_conversations(catalog, ShownView(kind="checkpoint", id=view.id, checkpoints=(view,)), request)


def _with_conversations(catalog: Catalog, shown: ShownView, request: ShowRequest) -> ShownView:
    """Add the conversations of the checkpoints, from where each begins, if they were asked for."""
    if not request.has_messages:
        return shown
    with catalog.shared(StoredTranscripts) as transcripts:
        stored = {view.id: checkpoints.stored(catalog, transcripts.objects, view.id) for view in shown.checkpoints}
        parts = [
            conversations.of_part(transcripts, stored[view.id], part, request)
            for view in shown.checkpoints
            for part in view.parts
        ]
    return replace(shown, conversations=tuple(parts))


# ---------------------------------------------------------------- sessions and what is in them


def _session(catalog: Catalog, meant: ShowTarget, request: ShowRequest) -> ShownView:
    with read.Objects(catalog.place.top) as objects:
        part = _newest(catalog, objects, meant.id, request)
    return ShownView(kind="session", id=meant.id, conversations=(part,))


def _newest(
    catalog: Catalog, objects: Objects, session_id: str, request: ShowRequest,
    is_meant: Callable[[TurnView], bool] | None = None,
) -> ReadPart:  # fmt: skip
    """Return a whole session: as it is now if this machine has more of it than the checkpoints, else from the newest
    checkpoint; of turns that are meant, if there are any, as little of the rest as can be.
    """
    state = sessions.find(catalog.place, session_id)
    names = [name for name, ids in catalog.sessions_by_checkpoint.items() if session_id in ids]
    listed = sorted(
        checkpoint_listing.listed(catalog.place.top, catalog.commits, names).values(), key=lambda view: view.created
    )
    newest = listed[-1] if listed else None
    part = None
    if state is not None and (newest is None or state.is_running or state.times.last_seen > newest.created):
        part = conversations.of_state(catalog.place, objects, state, request, catalog.redactor)
    if newest is not None and (part is None or not part.source):
        with catalog.shared(StoredTranscripts) as transcripts:
            stored = checkpoints.stored(catalog, transcripts.objects, newest.id)
            part = conversations.of_checkpoint(transcripts, stored, session_id, request, is_meant)
    assert part is not None  # a session is known by its state or a checkpoint
    alone = (view for view in listed if view.session_ids == (session_id,))
    files = dict.fromkeys(sorted({*part.files, *(path for view in alone for path in view.files)}))
    return replace(part, checkpoint_ids=tuple(view.id for view in listed), files=tuple(files))


def _inside(catalog: Catalog, meant: ShowTarget, request: ShowRequest) -> ShownView:
    with read.Objects(catalog.place.top) as objects:
        whole = _newest(
            catalog, objects, meant.id, replace(request, has_subagents=True), lambda turn: _is_meant(turn, meant)
        )
    turns = [turn for turn in whole.turns if _is_meant(turn, meant)]
    if turns:
        part = conversations.of_turns(whole, turns)
        name = f"{meant.id}/{turns[0].turn}" if turns[0].turn else f"{meant.id}:{turns[0].number}"
        return ShownView(kind="turn", id=name, conversations=(_without_subagents(part, request),))
    subagents = [agent for agent in whole.subagents if _names(agent, meant.inside)]
    if not subagents:
        raise EntireError(
            f"session {meant.id} has no turn or subagent {meant.inside!r}",
            hint=f"run `entire show {shell_word(meant.id, 'ID')}` to see what it has",
        )  # fmt: skip
    if len(subagents) > 1:
        raise EntireError(f"several subagents of session {meant.id} start with {meant.inside!r}")
    part = replace(whole, turns=(), messages=(), subagents=tuple(subagents))
    return ShownView(kind="subagent", id=f"{meant.id}/{_name(subagents[0])}", conversations=(part,))


def _is_meant(turn: TurnView, meant: ShowTarget) -> bool:
    return turn.number == meant.number or any(_is_prefix(meant.inside, name) for name in (turn.turn, *turn.also))


def _is_prefix(prefix: str, name: str) -> bool:
    return len(prefix) >= _SHORTEST and name.startswith(prefix)


def _names(agent: SubagentView, prefix: str) -> bool:
    return _is_prefix(prefix, agent.id) or _is_prefix(prefix, agent.tool_use_id)


def _name(agent: SubagentView) -> str:
    return agent.id or agent.tool_use_id


def _without_subagents(part: ReadPart, request: ShowRequest) -> ReadPart:
    if request.has_subagents:
        return part
    return replace(part, subagents=tuple(replace(agent, messages=None) for agent in part.subagents))
