"""Transcripts that are not files: a base for adapters that compose JSON lines from database rows or from a program, or
from what a session's file tells of a subagent.
"""

from __future__ import annotations

from entire.agents.lines import LineTranscript
from entire.agents.record_source import SourceWithSubagents
from entire.model.ids import is_tool_id
from entire.model.positions import START
from entire.model.transcripts import FileLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.transcripts import Source
    from entire.model.positions import Position

_MARK = "#"
"""Stands between a session's file and the id of a subagent, in the reference to what the file tells of it."""


class ComposedLines(LineTranscript):
    """What ``compose`` returns, asked at the first question, or a stored copy. ``RecordLines`` beside it reads them."""

    _given: Source
    _settled: int | None = None  # of its own lines, once they are composed

    def compose(self) -> tuple[bytes, int]:
        """Return the lines of the session at ``session_ref``, and how many bytes at their beginning do not change any
        more: what is after those is stored again at each turn's end.
        """
        raise NotImplementedError

    @property
    def source(self) -> Source:
        if isinstance(self._given, str):
            self._given, self._settled = self.compose()
        return self._given

    @source.setter
    def source(self, given: Source) -> None:
        self._given = given

    def file_lines(self, end: Position) -> FileLines | None:
        content = self.source
        if self._settled is None or not isinstance(content, bytes) or not content:
            return None
        size = self.offset(end)
        return FileLines(lines=end.count, size=size, content=content[:size], settled=min(self._settled, size))

    def size(self) -> int:
        return len(self.source)


# ---------------------------------------------------------------- parts of a session's file


def parts_of(session_ref: str) -> tuple[str, str]:
    """Return the file that a reference is about, and the id of a subagent; '' for the session itself."""
    file, _, subagent = session_ref.rpartition(_MARK)
    return (file, subagent) if file.endswith(".jsonl") and is_tool_id(subagent) else (session_ref, "")


class FilePart(SourceWithSubagents, LineTranscript):
    """A session, or with ``ComposedLines`` beside it, what one of its subagents did."""

    def end(self, known: Position = START) -> Position:
        return self._part(known if self.holds(known) else START)[1]

    def subagent_ref(self, subagent_id: str) -> str:
        return f"{parts_of(self.session_ref)[0]}{_MARK}{subagent_id}" if is_tool_id(subagent_id) else ""
