"""Reads a session whose own adapter cannot be asked: it is a plugin that must not be started now, in the hooks of git
and of other agents, or is not installed. It answers from what is stored: the session's state, the log of its turns, and
its transcript as far as that can be read without its adapter.
"""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.lines import LineTranscript
from entire.agents.opaque import OpaqueTranscript, is_later
from entire.model.positions import START, Position
from entire.model.tokens import UNKNOWN, TokenUsage, total, usage_from_json
from entire.model.transcripts import Agreement, FileLines
from entire.store import transcripts as stored_transcripts
from entire.store import turnlog
from entire.store.transcripts import was_rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.layout import Place
    from entire.model.events import Event
    from entire.model.session import Session, SubagentTask, Turn
    from entire.model.transcripts import Content
    from entire.store.turnlog import TurnNote


class StoredAgent:
    """The required contract; if its adapter has read the session, the tokens of turns that have ended, too."""

    hook_names: tuple[str, ...] = ()
    metadata: Mapping[str, str] = {}

    def __init__(self, place: Place, session: Session) -> None:
        self.name = session.agent.name
        self.type = session.agent.type
        self.capabilities = frozenset(("token_calculator",) if was_read(session) else ())
        self._place = place
        self._session = session

    def detect(self, root: str) -> bool:  # noqa: ARG002
        return False

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:  # noqa: ARG002
        return None

    def transcript(self, session_ref: str, stored: Content | None = None) -> StoredTranscript:
        session = self._session
        if session_ref == session.session_ref:
            return _of_session(session, turnlog.read(self._place, session.session_id), stored)
        own = OpaqueTranscript(session_ref, b"" if stored is None and session.connection.is_external else stored)
        task = next((task for task in session.tasks.values() if task.ref == session_ref and task.end), None)
        if task is None or _is_of_running_turn(session, task):
            return StoredTranscript(own, own.end(), [])
        end = Position.from_json(task.end)
        return StoredTranscript(own, end, [turnlog.TurnNote(turn="", prompt="", tokens=task.tokens, end=end.count)])

    def is_lines(self, beginning: bytes) -> bool:
        return stored_transcripts.is_lines(beginning)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        from entire.store import checkpoints

        return checkpoints.joined(chunks)


def _of_session(session: Session, notes: Sequence[TurnNote], stored: Content | None) -> StoredTranscript:
    """Return a session's transcript, or a stored copy of it. What a plugin tells need not be in its file, unless that
    was stored by its lines and has only grown since.
    """
    path, end, lines = session.session_ref, recorded_end(session, notes), None
    own: LineTranscript | OpaqueTranscript
    if stored is None and path.file and session.storage.extent.lines and not was_rewritten(session):
        own = LineTranscript(path)
        size = own.end(Position(byte=session.storage.extent.size)).byte
        lines = FileLines(path=path, lines=end.count, size=size)
    else:
        is_unreadable = session.connection.is_external or not path.file
        own = OpaqueTranscript(path, b"" if stored is None and is_unreadable else stored)
    if not was_read(session):
        end = own.end()
    return StoredTranscript(own, end, notes, session.turn, lines)


def _is_of_running_turn(session: Session, task: SubagentTask) -> bool:
    """Tell whether a task is counted with a turn that has not ended, when its agent can be asked again."""
    turn = session.turn
    return turn is not None and not turn.ended and task.done >= turn.started


class StoredTranscript:
    """What is recorded of a transcript: where it ended last, and what each turn took, or a subagent's one task.

    ``own``: what can be read of it; ``turn``: the session's last; ``lines``: its lines, if those are stored. Positions
    are the adapter's.
    """

    def __init__(
        self,
        own: LineTranscript | OpaqueTranscript,
        end: Position,
        notes: Sequence[TurnNote],
        turn: Turn | None = None,
        lines: FileLines | None = None,
    ) -> None:
        self._end = end
        self._notes = notes
        self._turn = turn
        self._own = own
        self._lines = lines

    def snapshot(self) -> bytes:
        return self._own.snapshot()

    def long_content(self) -> Content:
        from entire.agents import long_transcripts  # no hook asks

        return long_transcripts.content(self._own)

    def end(self, known: Position = START) -> Position:  # noqa: ARG002
        return self._end

    def at(self, count: int) -> Position:
        return Position(count=count) if count < self._end.count else self._end

    def cut(self, end: Position) -> bytes:
        return self._own.cut(end)

    def holds(self, position: Position) -> bool:
        return not is_later(position, self._end)

    def is_later(self, position: Position, other: Position) -> bool:
        return is_later(position, other)

    def agreement(self, stored: bytes) -> Agreement:
        return self._own.agreement(stored)

    def file_lines(self, end: Position) -> FileLines | None:  # noqa: ARG002  # where an earlier end is, is unknown
        return self._lines

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        """Return the sum of the turns in the range; UNKNOWN if none ends where it ends.

        What was written between two turns makes the session incomplete where it was seen (``beginning.begin``).
        """
        until = self._end if until is None else until
        if not is_later(until, since):
            return TokenUsage()
        if not until.count:
            return self._tokens_of_last(since, until)
        usages, start = [], until.count
        for note in self._newest_first(until):
            if note.end > start or note.start < since.count:  # of a transcript that was rewritten, or counted already
                break
            usages.append(usage_from_json(note.tokens or None))
            start = note.start
        spent = total(usages) if usages else None
        return UNKNOWN if spent is None else spent

    def _tokens_of_last(self, since: Position, until: Position) -> TokenUsage:
        """Return the tokens of the last turn, if that is the range: without numbers, notes of others name no place."""
        turn = self._turn
        is_range = turn is not None and turn.ended and (turn.start, turn.finish) == (since, until)
        return turn.tokens if turn is not None and is_range else UNKNOWN

    def _newest_first(self, until: Position) -> list[TurnNote]:
        """Return the first note of each turn that ended by ``until``: it has the turn's tokens."""
        turns: dict[str, TurnNote] = {}
        for note in self._notes:
            if note.end and (note.turn not in turns or note.ended > turns[note.turn].ended):
                turns[note.turn] = note
        newest = sorted(turns.values(), key=lambda note: -note.ended)
        last = next((number for number, note in enumerate(newest) if note.end == until.count), len(newest))
        return newest[last:]


def was_read(session: Session) -> bool:
    """Tell whether an adapter has read a session's transcript: its positions are known, and are the adapter's."""
    return session.connection.is_external or recorded_end(session).count > 0


def recorded_end(session: Session, notes: Sequence[TurnNote] = ()) -> Position:
    """Return the latest position that is recorded: where the session's last turn ended or the running one began. After
    a rewind, its state knows no turn; the notes of its turns tell then.
    """
    turn = session.turn
    if turn is None:
        last = Position(count=max((note.end for note in notes), default=0))
    else:
        last = turn.finish if turn.ended else turn.start
    return last if is_later(last, session.covered.position) else session.covered.position
