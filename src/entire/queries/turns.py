"""The turns of a session without its transcript: from what a checkpoint or the session's own log records of them."""

from __future__ import annotations

from entire.model.conversations import TurnView
from entire.model.jsontext import natural
from entire.model.times import parse_time
from entire.model.tokens import usage_from_json
from entire.store import checkpoints, sessions, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.git.read import Objects
    from entire.layout import Place
    from entire.store.checkpoints import Checkpoint, Slot
    from entire.store.lineage_file import LineageFile


def of_checkpoint(objects: Objects, checkpoint: Checkpoint, own: LineageFile | None) -> list[TurnView]:
    """Return the turns of a checkpoint's sessions up to then, in order. Prompts are those that their events carried."""
    return [turn for slot in checkpoint.slots for turn in of_slot(objects, slot, own, checkpoint_id=checkpoint.id)]


def of_slot(objects: Objects, slot: Slot, own: LineageFile | None, *, checkpoint_id: str = "") -> list[TurnView]:
    """Return the turns of one session in a checkpoint."""
    recorded = in_record(own, slot.session_id)
    prompts = checkpoints.prompts(objects, slot)
    agent = slot.record.agent if slot.record is not None else ""
    return [
        TurnView(
            session_id=slot.session_id,
            turn=str(turn.get("turn", "")),
            number=number,
            agent=agent,
            model=str(turn.get("model", "")),
            prompt=prompt,
            started=parse_time(turn.get("started_at")),
            ended=parse_time(turn.get("ended_at")),
            tokens=usage_from_json(turn.get("token_usage")),
            position=_position(turn),
            checkpoint_id=checkpoint_id,
        )
        for number, (turn, prompt) in enumerate(paired(recorded, prompts), 1)
    ]


def of_session(place: Place, session_id: str) -> list[TurnView]:
    """Return the turns that this machine recorded of a session."""
    session = sessions.find(place, session_id)
    agent = session.agent.type if session is not None else ""
    notes = turnlog.read(place, session_id)
    prompts = {note.turn: note.prompt for note in reversed(notes)}
    return [
        TurnView(
            session_id=session_id,
            turn=note.turn,
            number=number,
            agent=agent,
            model=note.model,
            prompt=note.prompt or prompts.get(note.continues, ""),
            started=note.time,
            ended=note.ended,
            tokens=usage_from_json(note.tokens) if note.tokens else None,
            position=note.position,
            end=note.end,
        )
        for number, note in enumerate(notes, 1)
    ]


def first_prompt(recorded: Sequence[Mapping[str, object]], prompts: Sequence[str], start: int) -> str:
    """Return the first prompt after ``start`` records of the transcript: where a checkpoint's own part begins.

    Where the prompts' positions are not recorded, it is the last prompt, since most commits follow one.
    """
    if not start or len(prompts) < 2:
        return prompts[0] if prompts else ""
    later = (prompt for turn, prompt in paired(recorded, prompts) if prompt and turn and _position(turn) >= start)
    return next(later, prompts[-1])


def in_progress(place: Place, session_id: str, turn_id: str) -> TurnView | None:
    """Return a session's turn that has not ended, None if it is another one."""
    session = sessions.find(place, session_id)
    turn = session.turn if session is not None else None
    if session is None or turn is None or turn.id != turn_id:
        return None
    notes = turnlog.read(place, session_id)
    asked = turn.prompt or next((note.prompt for note in notes if note.turn == turn.continues), "")
    return TurnView(session_id=session_id, turn=turn.id, number=len(notes) + 1, agent=session.agent.type,
                    model=turn.model or session.model, prompt=asked,
                    started=turn.started, position=turn.prompt_position)  # fmt: skip


def in_record(own: LineageFile | None, session_id: str) -> list[Mapping[str, object]]:
    """Return a session's turns from our record, which may come from another machine: its shape is not trusted."""
    turns = own.turns if own is not None else None
    rows = turns.get(session_id) if isinstance(turns, dict) else None
    return [turn for turn in rows if isinstance(turn, dict)] if isinstance(rows, list) else []


def paired(recorded: Sequence[Mapping[str, object]], prompts: Sequence[str]) -> list[tuple[Mapping[str, object], str]]:
    """Join turns with their prompts: both lists are in order, and a turn whose prompt is unknown has none stored.

    A turn that the agent began by itself has the prompt of the turn that it continues. Lists of different lengths
    cannot be joined: then the prompts stand alone, or the turns do.
    """
    if not recorded:
        return [({}, prompt) for prompt in prompts]
    prompted = [turn for turn in recorded if not turn.get("continues")]
    if len(prompted) != len(prompts):
        prompted = list(recorded) if len(recorded) == len(prompts) else []
    named = {id(turn): prompt for turn, prompt in zip(prompted, prompts, strict=False)}
    by_turn = {str(turn.get("turn", "")): named.get(id(turn), "") for turn in reversed(recorded)}
    return [(turn, named.get(id(turn)) or by_turn.get(str(turn.get("continues") or ""), "")) for turn in recorded]


def _position(turn: Mapping[str, object]) -> int:
    return natural(turn.get("prompt_position"))
