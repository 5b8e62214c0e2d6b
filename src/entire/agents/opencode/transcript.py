"""A session, or a subagent's: the lines of its rows, or of a copy, which may be what `opencode export` prints."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.composed import ComposedLines
from entire.agents.lines import is_same_record
from entire.agents.opencode import database, native, stream
from entire.agents.opencode.stream import MessageStream
from entire.agents.record_source import SourceWithSubagents
from entire.agents.untrusted import clean, dict_of
from entire.model.ids import is_tool_id
from entire.model.positions import START, Position, SessionRef
from entire.model.transcripts import Agreement
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.opencode.native import Native
    from entire.agents.opencode.stream import Placed
    from entire.model.tokens import TokenUsage
    from entire.model.transcripts import Content, FileLines

_FIRST = 1 << 20  # bytes that the session's line has at most
_LOOK_BACK = 64 << 20  # bytes before a position in which to search for the last answer


class SessionLines(SourceWithSubagents, ComposedLines):
    """The lines are described in ``database``, and what they yield in ``stream``. A position counts lines; its mark is
    the last answer whose tokens are known, and after it, if the last message goes on, how much of that was told.
    """

    def __init__(self, session_ref: str, stored: Content | None = None) -> None:
        super().__init__(session_ref, native.as_lines(stored) if isinstance(stored, bytes) else stored)
        self._end: Position | None = None

    def compose(self) -> tuple[bytes, int]:
        if SessionRef(self.session_ref).database:
            return database.lines(self.session_ref)
        data = native.as_lines(transcripts.read(self.session_ref))
        return data, len(data)

    def file_lines(self, end: Position) -> FileLines | None:
        return super().file_lines(end) if SessionRef(self.session_ref).database else None

    # ---------------------------------------------------------------- reading

    def stream(self, since: Position, *, details: bool = False) -> MessageStream:
        goes_on = stream.read_mark(since)[1] >= 0
        natives = self._natives(since.count - goes_on)
        return MessageStream(natives, self._session(), since, self.end(), details=details)

    def _natives(self, count: int) -> Iterator[Placed]:
        start = transcripts.offset_of(self.source, count)[0] if count > 0 else 0
        for at, (natives, _) in enumerate(transcripts.natives(self.source, start), count):
            yield natives[0] if natives else {}, at

    def _session(self) -> Native:
        """Return what the first line tells."""
        first, newline, _ = transcripts.head(self.source, _FIRST).partition(b"\n")
        return dict_of(next(iter(transcripts.records(first + newline)), {}).get("info"))

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        """Sum the answers as the base does; one that goes on is counted after a position in it."""
        if until is not None and stream.read_mark(until)[1] >= 0:
            until = replace(until, count=until.count - 1)
        return super().tokens(since, until)

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        place, end = super().answer_boundary(since, moment, commit), self.end()
        return end if place.count == end.count else place

    def agent_version(self) -> str:
        return clean(self._session().get("version"))

    def subagent_ref(self, subagent_id: str) -> str:
        own = SessionRef(self.session_ref).database
        return SessionRef.of_rows(own, subagent_id) if own and is_tool_id(subagent_id) else ""

    # ---------------------------------------------------------------- positions

    def end(self, known: Position = START) -> Position:  # noqa: ARG002  # all is composed, whatever is known
        if self._end is None:
            self._end = self._position(1 << 62)
        return self._end

    def at(self, count: int) -> Position:
        return self._position(count)

    def _position(self, count: int) -> Position:
        byte, reached = transcripts.offset_of(self.source, count) if count > 0 else (0, 0)
        if reached and transcripts.byte_before(self.source, byte) != b"\n":
            last = next(transcripts.last_lines(self.source, byte, _LOOK_BACK), b"")
            reached -= not transcripts.records(last)  # half a line
        goes_on = ""
        for number, line in enumerate(self._lines_before(byte)):
            given = next(iter(transcripts.records(line)), {})
            info = dict_of(given.get("info"))
            if not number and not native.is_done(info):
                goes_on = f"{stream.OPEN}{stream.told(given)}"
            if info.get("role") == "assistant" and native.usage(info) is not None:
                return Position(count=reached, mark=stream.answer_id(info) + goes_on)
        return Position(count=reached, mark=goes_on)

    def _lines_before(self, byte: int) -> Iterator[bytes]:
        return filter(None, transcripts.last_lines(self.source, byte, _LOOK_BACK))

    def is_later(self, position: Position, other: Position) -> bool:
        """Tell whether more lines precede a position, or more of the last message."""
        if position.count != other.count:
            return position.count > other.count
        (answer, told), (before, told_before) = map(stream.read_mark, (position, other))
        return told_before >= 0 and (told > told_before if told >= 0 else answer not in ("", before))

    def shares_answer(self, position: Position) -> bool:
        """Tell whether the last answer before a position is here: in a fork's copy, its time is the same."""
        answer, _ = stream.read_mark(position)
        needle = f'"created":{answer}'.encode("utf-8", "replace")
        return bool(answer) and transcripts.contains(self.source, (needle,), transcripts.size(self.source))

    # ---------------------------------------------------------------- contents

    def long_content_until(self, end: Position) -> Content:
        """Return what the base does, but without the note that something was taken back after the position."""
        content = super().long_content_until(end)
        if end.count >= self.end().count or not self._session().get("revert"):
            return content
        _, _, rest = bytes(content).partition(b"\n")
        first = {"info": {key: value for key, value in self._session().items() if key != "revert"}}
        return native.line(first) + rest if content else b""

    def agreement(self, stored: Content) -> Agreement:
        """Compare line by line, of the session's only whose it is."""
        from entire import contents

        own, kept = self.long_content(), native.as_lines(stored) if isinstance(stored, bytes) else stored
        at = to = extent = 0
        for (line, end), (other, stop) in zip(transcripts.lines(kept), transcripts.lines(own), strict=False):
            if line != other and not is_same_record(native.settled(line), native.settled(other)):
                break
            at, to, extent = end, stop, extent + 1
        common = contents.part(own, 0, to)
        return Agreement(common=common, joined=contents.joined(common, contents.part(kept, at)), extent=extent,
                         stored_is_longer=at < len(kept), own_is_longer=to < len(own))  # fmt: skip
