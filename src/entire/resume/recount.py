"""What is known of a transcript that is put back: its turns, and how far checkpoints counted its answers.

A session whose conversation went back and on has several pasts. Each is kept where it was left: with the undo point of
the rewind (or resume) that left it, beside the state and the turns of then.
"""

from __future__ import annotations

from entire import files
from entire.agents import capabilities
from entire.lifecycle.session_transcript import LINES
from entire.model import jsontext
from entire.model.session import Session
from entire.model.transcripts import START, Position
from entire.redact import redact_text
from entire.resume import restore, transcript_merge
from entire.store import sessions, turnlog
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.contract import Agent
    from entire.layout import Place
    from entire.store.turnlog import TurnNote
    from entire.undo.transaction import Draft


def counted(place: Place, draft: Draft, agent: Agent, session: Session, data: bytes) -> Position | None:
    """Return how far checkpoints counted the answers of a transcript, in whichever past; None if nobody can tell."""
    analyzer = capabilities.transcript_analyzer(agent)
    if analyzer is None or LINES not in agent.capabilities:
        return None
    best = 0
    for count, path in _pasts(place, session):
        if count > best:
            agreed, _ = transcript_merge.agreement(data, files.read(path) or b"")
            best = max(best, transcript_merge.first_lines(data[:agreed], count).count(b"\n"))
    if not best:
        return START
    return restore.read(place, draft, agent, session.session_id, transcript_merge.first_lines(data, best)).end


def turns(place: Place, draft: Draft, agent: Agent, session: Session, data: bytes) -> list[TurnNote]:
    """Return a note for each prompt of a transcript: as it was noted in whichever past, else what can be read."""
    told = restore.read(place, draft, agent, session.session_id, data)
    noted: dict[int, tuple[float, TurnNote]] = {}
    for note in _all_notes(place, session.session_id):
        prompt = next((one for one in told.prompts if one.position >= note.position), None)
        if prompt is not None and redact_text(prompt.text) == note.prompt:
            apart = abs(prompt.time - note.time)  # the same words may have been said twice, in two pasts
            if note.position not in noted or apart < noted[note.position][0]:
                noted[note.position] = apart, note
    return restore.notes_of((), told.prompts, [note for _, note in noted.values()], told.end)


def _pasts(place: Place, session: Session) -> Iterator[tuple[int, str]]:
    """Yield how many records were counted and where the transcript of then is; the present comes first."""
    yield session.counted.count, session.transcript_path
    own = sessions.own_path(place, session.session_id)
    for state, transcript in transaction.kept(place, own, session.transcript_path):
        if not state or not transcript:
            continue
        try:
            known = sessions.from_own(jsontext.loads((files.read(state) or b"").decode("utf-8", "surrogateescape")))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            continue  # a state that nobody can read any more
        yield known.counted.count, transcript


def _all_notes(place: Place, session_id: str) -> Iterator[TurnNote]:
    path = turnlog.path(place, session_id)
    for one in (path, *(kept for (kept,) in transaction.kept(place, path) if kept)):
        yield from turnlog.load(one)
