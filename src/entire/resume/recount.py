"""What is known of a restored transcript: its turns, and how far checkpoints have counted its answers.

A session that was rewound and continued has several versions of its transcript. Earlier ones are in the undo points of
the rewinds and resumes that replaced them, with the state and turns of that time.
"""

from __future__ import annotations

from entire import contents, files
from entire.agents import capabilities, long_transcripts
from entire.model import jsontext
from entire.model.ids import path_id
from entire.model.positions import START
from entire.model.session import Session, SubagentTask
from entire.resume import restore
from entire.store import sessions, turnlog
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.contract import Agent, Transcript
    from entire.layout import Place
    from entire.model.positions import Position
    from entire.model.transcripts import Content
    from entire.redact import Redactor
    from entire.store.turnlog import TurnNote


def counted(place: Place, agent: Agent, session: Session, data: Content) -> Position | None:
    """Return how far checkpoints counted a transcript's answers, in any of its versions; None if it cannot be known."""
    path = session.session_ref
    transcript = long_transcripts.opened(agent, path, data)
    if not reads_prompts(agent, path, data):
        return None
    best = START
    for position, version in _versions(place, agent, session):
        agreed = transcript.at(long_transcripts.agreement(agent, version, data).extent)
        reached = agreed if transcript.is_later(position, agreed) else transcript.at(position.count)
        best = reached if transcript.is_later(reached, best) else best
    return best


def turns(place: Place, agent: Agent, session: Session, data: Content, redactor: Redactor) -> list[TurnNote]:
    """Return a note for each prompt of a transcript: as noted with any version, else as the adapter reads it."""
    content = restore.read(agent, session.session_ref, data)
    noted: dict[int, tuple[float, TurnNote]] = {}
    for note in _all_notes(place, session.session_id):
        prompt = next((prompt for prompt in content.prompts if prompt.position >= note.position), None)
        if prompt is not None and redactor.redact_text(prompt.text) == note.prompt:
            distance = abs(prompt.time - note.time)  # two versions may hold the same prompt
            if note.position not in noted or distance < noted[note.position][0]:
                noted[note.position] = distance, note
    return restore.notes_of((), content.prompts, [note for _, note in noted.values()], content.end)


def tasks(place: Place, agent: Agent, session: Session, data: Content, moment: float) -> dict[str, SubagentTask]:
    """Return the subagents' tasks that began by a moment, with those of earlier states that a transcript names."""
    known = {name: task for name, task in session.tasks.items() if task.kept or task.started <= moment}
    named = set(map(path_id, restore.read(agent, session.session_ref, data).subagents))
    copies = transaction.copies(place, sessions.own_path(place, session.session_id)) if named else ()
    for state in [_state(copy) for (copy,) in copies if copy]:
        earlier = state.tasks if state is not None else {}
        known = {name: task for name, task in earlier.items()
                 if task.subagent in named and task.started <= moment} | known  # fmt: skip
    return known


def reads_prompts(agent: Agent, session_ref: str, data: Content) -> bool:
    """Tell whether a transcript tells its prompts; otherwise only events did."""
    return capabilities.transcript_analyzer(agent, long_transcripts.opened(agent, session_ref, data)) is not None


def turns_before(place: Place, session: Session, moment: float) -> list[TurnNote]:
    """Return the notes of the turns that began before a moment, of the version of the log with the latest of them."""
    versions = [[note for note in notes if note.time < moment] for notes in _logs(place, session.session_id)]
    return max(versions, key=lambda notes: max((note.time for note in notes), default=0.0), default=[])


def _versions(place: Place, agent: Agent, session: Session) -> Iterator[tuple[Position, Transcript]]:
    """Yield for each version how far it was counted and the transcript; the present one first."""
    ref = session.session_ref
    yield session.covered.position, agent.transcript(ref)
    own = sessions.own_path(place, session.session_id)
    for state, copy in transaction.copies(place, own, ref):
        known = _state(state) if state and copy else None
        if known is not None:
            yield known.covered.position, long_transcripts.opened(agent, ref, contents.of_file(copy))


def _state(copy: str) -> Session | None:
    """Return an earlier state of a session; None if it cannot be read."""
    try:
        return sessions.from_own(jsontext.loads((files.read(copy) or b"").decode("utf-8", "surrogateescape")))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _all_notes(place: Place, session_id: str) -> Iterator[TurnNote]:
    for notes in _logs(place, session_id):
        yield from notes


def _logs(place: Place, session_id: str) -> Iterator[list[TurnNote]]:
    """Yield the versions of a session's log of turns; the present one first."""
    path = turnlog.path(place, session_id)
    for file in (path, *(copy for (copy,) in transaction.copies(place, path) if copy)):
        yield turnlog.load(file)
