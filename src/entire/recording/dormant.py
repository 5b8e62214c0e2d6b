"""Stands in for a plugin while it must not be started, in the hooks of git and of other agents: answers what a commit
needs from what the plugin's own hooks recorded.
"""

from __future__ import annotations

from entire.agents.lines import LineTranscript
from entire.agents.stand_in import StandIn, is_later
from entire.model.records import usage_from_json
from entire.model.transcripts import START, UNKNOWN, Agreement, FileLines, Position, TokenUsage, total
from entire.store import step_transcripts, transcripts, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.session import Session, SubagentTask, Turn
    from entire.store.step_transcripts import SavedTranscript
    from entire.store.turnlog import TurnNote


class DormantAgent(StandIn):
    """The required contract, and the tokens of turns that have ended."""

    capabilities = frozenset(("token_calculator",))

    def __init__(self, place: Place, session: Session) -> None:
        super().__init__(session.agent, session.agent_type, grows_by_lines=False)
        self._place = place
        self._session = session

    def transcript(self, session_ref: str, stored: bytes | None = None) -> RecordedTranscript:  # noqa: ARG002
        if session_ref == self._session.transcript_path:
            notes = turnlog.read(self._place, self._session.session_id)
            end = recorded_end(self._session, notes)
            return RecordedTranscript(end, notes, _known_lines(self._session, end), self._session.turn)
        task = next((task for task in self._session.tasks.values() if task.ref == session_ref and task.end), None)
        if task is None or _is_of_running_turn(self._session, task):
            return RecordedTranscript(START, [])
        end = Position.from_json(task.end)
        return RecordedTranscript(end, [turnlog.TurnNote(turn="", prompt="", tokens=task.tokens, end=end.count)])


def _is_of_running_turn(session: Session, task: SubagentTask) -> bool:
    """Tell whether a task is counted with a turn that has not ended, when its agent can be asked again."""
    turn = session.turn
    return turn is not None and not turn.ended and task.done >= turn.started


def _known_lines(session: Session, end: Position) -> FileLines | None:
    """Return the lines of a transcript that is known to be a file of lines, which needs no plugin to be read."""
    if not session.storage.extent.lines or transcripts.was_rewritten(session):
        return None
    now = LineTranscript(session.transcript_path).end(Position(byte=session.storage.extent.size))
    return FileLines(path=session.transcript_path, lines=end.count, size=now.byte)


class RecordedTranscript:
    """What is recorded of a transcript: where it ended last, and what each turn took, or a subagent's one task.

    ``lines``: its content now, if that is a file of lines. ``turn``: the session's last.
    """

    def __init__(
        self, end: Position, notes: Sequence[TurnNote], lines: FileLines | None = None, turn: Turn | None = None
    ) -> None:
        self._end = end
        self._notes = notes
        self._lines = lines
        self._turn = turn

    def snapshot(self) -> bytes:
        return b""

    def end(self, known: Position = START) -> Position:  # noqa: ARG002
        return self._end

    def at(self, count: int) -> Position:
        return Position(count=count) if count < self._end.count else self._end

    def cut(self, end: Position) -> bytes:  # noqa: ARG002
        return b""

    def holds(self, position: Position) -> bool:  # noqa: ARG002
        return True

    def is_later(self, position: Position, other: Position) -> bool:
        return is_later(position, other)

    def agreement(self, stored: bytes) -> Agreement:
        return Agreement(common=b"", joined=stored, extent=0, stored_is_longer=bool(stored), own_is_longer=False)

    def file_lines(self, end: Position) -> FileLines | None:  # noqa: ARG002
        return self._lines

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        """Return the sum of the turns in the range; UNKNOWN if none ends where it ends.

        What was written between two turns makes the session incomplete where it was seen (``turn.begin``).
        """
        until = self._end if until is None else until
        if not is_later(until, since):
            return TokenUsage()
        if not until.count:
            return self._tokens_of_last(since, until)
        found, start = [], until.count
        for note in self._newest_first(until):
            if note.end > start or note.start < since.count:  # of a transcript that was rewritten, or counted already
                break
            found.append(usage_from_json(note.tokens or None))
            start = note.start
        spent = total(found) if found else None
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


def saved(objects: Objects, session: Session) -> SavedTranscript | None:
    """Return what was last stored of a session's transcript, without its content; None if nothing is, or if it can be
    read without its plugin.
    """
    parts = step_transcripts.latest_parts(objects, session) if _known_lines(session, START) is None else ()
    return (
        step_transcripts.SavedTranscript(content=b"", parts=parts, size=session.storage.extent.size) if parts else None
    )
