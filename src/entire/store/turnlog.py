"""The turns of a session: one JSON line per prompt, appended when a turn ends (``<id>.turns`` beside the state).

Keeps the state small: hooks read this file only to write a step or checkpoint.
"""

from __future__ import annotations

from entire import files
from entire.model import jsontext
from entire.model.tokens import UNKNOWN, usage_to_json
from entire.model.value import Value, replace
from entire.redact import Redacted, trusted
from entire.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.conversation.records import Prompt
    from entire.layout import Place
    from entire.model.session import Turn
    from entire.redact import Redactor

_NUMBER = (int, float)
_KINDS: dict[str, type | tuple[type, ...]] = {
    "turn": str, "prompt": str, "position": int, "time": _NUMBER, "ended": _NUMBER, "model": str, "tokens": dict,
    "start": int, "end": int, "continues": str,
}  # fmt: skip


class TurnNote(Value):
    """One prompt of a turn. ``position``: records before the prompt's own, ``start``: before the turn's; times are in
    seconds since the epoch.
    """

    turn: str
    prompt: str  # redacted
    position: int = 0
    time: float = 0.0
    ended: float = 0.0
    model: str = ""
    tokens: dict[str, object] = {}
    start: int = 0
    end: int = 0  # records of the transcript at the turn's end; 0 if the end was not seen
    continues: str = ""  # the turn whose prompt it answers, if the agent began it by itself


def of_turn(turn: Turn, prompts: Sequence[Prompt]) -> list[TurnNote]:
    """Return a turn's notes: one per prompt, with the tokens on the first."""
    note = TurnNote(
        turn=turn.id,
        prompt="",
        position=turn.start.count,
        time=turn.started,
        ended=turn.ended,
        model=turn.model,
        tokens={} if turn.tokens == UNKNOWN else usage_to_json(turn.tokens),
        start=turn.start.count,
        end=turn.finish.count if turn.ended else 0,
        continues=turn.continues,
    )
    if not prompts:
        return [note]
    first, *more = [replace(note, prompt=prompt.text, position=prompt.position) for prompt in prompts]
    return [first, *(replace(other, tokens={}) for other in more)]


def path(place: Place, session_id: str) -> str:
    """Return the path of a session's turn notes."""
    return sessions.own_path(place, session_id).removesuffix(".json") + ".turns"


def append(place: Place, session_id: str, notes: list[TurnNote], redactor: Redactor) -> None:
    """Append notes of turns; their prompts are redacted here."""
    data = dumps(notes, redactor)
    if data:
        files.append(path(place, session_id), b"\n" + data)  # the newline ends a line cut off by a kill


def redact_again(place: Place, session_id: str, redactor: Redactor) -> bool:
    """Redact the prompts of all notes with what is known by now; tell whether that changed one."""
    notes = read(place, session_id)
    redacted = [replace(note, prompt=redactor.redact_text(note.prompt)) for note in notes]
    if redacted != notes:
        files.write(path(place, session_id), dumps(redacted, redactor), mode=0o600)
    return redacted != notes


def dumps(notes: list[TurnNote], redactor: Redactor) -> bytes:
    """Return notes as they are stored; their prompts are redacted here."""
    lines = [jsontext.dumps({**note.__dict__, "prompt": redactor.redact_text(note.prompt)}) + "\n" for note in notes]
    return "".join(lines).encode()


def read(place: Place, session_id: str) -> list[TurnNote]:
    """Return all notes in order. Cut and broken lines are skipped; of duplicates the last counts."""
    return load(path(place, session_id))


def load(file: str) -> list[TurnNote]:
    """Like ``read``, for a file that may be a copy of a session's."""
    notes: list[TurnNote] = []
    for line in files.read_lines(file):
        try:
            value = jsontext.loads(line)
            given = {name: value[name] for name in TurnNote._fields if name in value}
            if all(isinstance(field, _KINDS[name]) for name, field in given.items()):
                notes.append(TurnNote(**given))
        except (ValueError, TypeError, RecursionError):
            continue
    known = {(note.turn, note.position, note.prompt): note for note in notes}
    return list(known.values())


def prompts(notes: list[TurnNote]) -> list[Redacted]:
    """Return the prompts in order, encoded for git."""
    return [trusted(note.prompt.encode("utf-8", "replace")) for note in notes if note.prompt]
