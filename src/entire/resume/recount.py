"""What is known of a restored transcript: its turns, and how far checkpoints have counted its answers.

A session that was rewound and continued has several versions of its transcript. Earlier ones are in the undo points of
the rewinds and resumes that replaced them, with the state and turns of that time.
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
    """Return how far checkpoints counted a transcript's answers, in any of its versions; None if it cannot be known."""
    analyzer = capabilities.transcript_analyzer(agent)
    if analyzer is None or LINES not in agent.capabilities:
        return None
    best = 0
    for count, path in _versions(place, session):
        if count > best:
            agreed, _ = transcript_merge.agreement(data, files.read(path) or b"")
            best = max(best, transcript_merge.first_lines(data[:agreed], count).count(b"\n"))
    if not best:
        return START
    return restore.read(place, draft, agent, session.session_id, transcript_merge.first_lines(data, best)).end


def turns(place: Place, draft: Draft, agent: Agent, session: Session, data: bytes) -> list[TurnNote]:
    """Return a note for each prompt of a transcript: as noted with any version, else as the adapter reads it."""
    content = restore.read(place, draft, agent, session.session_id, data)
    noted: dict[int, tuple[float, TurnNote]] = {}
    for note in _all_notes(place, session.session_id):
        prompt = next((prompt for prompt in content.prompts if prompt.position >= note.position), None)
        if prompt is not None and redact_text(prompt.text) == note.prompt:
            distance = abs(prompt.time - note.time)  # two versions may hold the same prompt
            if note.position not in noted or distance < noted[note.position][0]:
                noted[note.position] = distance, note
    return restore.notes_of((), content.prompts, [note for _, note in noted.values()], content.end)


def _versions(place: Place, session: Session) -> Iterator[tuple[int, str]]:
    """Yield for each version how many records were counted and the transcript's path; the present one first."""
    yield session.counted.count, session.transcript_path
    own = sessions.own_path(place, session.session_id)
    for state, transcript in transaction.kept(place, own, session.transcript_path):
        if not state or not transcript:
            continue
        try:
            known = sessions.from_own(jsontext.loads((files.read(state) or b"").decode("utf-8", "surrogateescape")))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            continue  # an unreadable state
        yield known.counted.count, transcript


def _all_notes(place: Place, session_id: str) -> Iterator[TurnNote]:
    path = turnlog.path(place, session_id)
    for file in (path, *(copy for (copy,) in transaction.kept(place, path) if copy)):
        yield from turnlog.load(file)
