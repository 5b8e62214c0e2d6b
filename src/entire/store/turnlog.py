"""What each turn of a session was: one JSON line per prompt, appended at the turn's end (``<id>.turns`` beside the
state).

Bounded reading for hooks: the state stays small, and this is read only when a step or a checkpoint is written.
"""

from __future__ import annotations

from entire import files
from entire.model import jsontext
from entire.model.value import Value
from entire.redact import Redacted, redact_text, trusted
from entire.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place


class TurnNote(Value):
    """One prompt of a turn. ``position`` counts the records before the prompt's own; times are seconds since the
    epoch.
    """

    turn: str
    prompt: str  # redacted
    position: int = 0
    time: float = 0.0
    ended: float = 0.0
    model: str = ""
    tokens: dict[str, object] = {}
    end: int = 0  # records of the transcript at the turn's end; 0 where nobody saw it


def path(place: Place, session_id: str) -> str:
    """Return where a session's turns are noted."""
    return sessions.own_path(place, session_id).removesuffix(".json") + ".turns"


def append(place: Place, session_id: str, notes: list[TurnNote]) -> None:
    """Note turns; their prompts are redacted here."""
    data = dumps(notes)
    if data:
        files.append(path(place, session_id), b"\n" + data)  # behind a line that a kill has cut


def dumps(notes: list[TurnNote]) -> bytes:
    """Return the lines of these notes."""
    lines = [jsontext.dumps({**note.__dict__, "prompt": redact_text(note.prompt)}) + "\n" for note in notes]
    return "".join(lines).encode()


def read(place: Place, session_id: str) -> list[TurnNote]:
    """Return all notes in order; a cut line is left out, a turn noted twice counts as noted last."""
    return load(path(place, session_id))


def load(file: str) -> list[TurnNote]:
    """Return the notes in a file, which may be a copy of a session's; see ``read``."""
    notes: list[TurnNote] = []
    for line in files.read_lines(file):
        try:
            value = jsontext.loads(line)
            notes.append(TurnNote(**{name: value[name] for name in TurnNote._fields if name in value}))
        except (ValueError, TypeError, RecursionError):
            continue
    known = {(note.turn, note.position, note.prompt): note for note in notes}
    return list(known.values())


def prompts(notes: list[TurnNote]) -> list[Redacted]:
    """Return the prompts in order, as they go into git."""
    return [trusted(note.prompt.encode("utf-8", "replace")) for note in notes if note.prompt]
