"""A session's rollout, or a subagent's: lines that only grow, in one file or several."""

from __future__ import annotations

from entire import contents
from entire.agents import transcripts
from entire.agents.codex import rollouts
from entire.agents.codex.stream import RolloutStream
from entire.agents.lines import LineTranscript
from entire.agents.record_source import SourceWithSubagents
from entire.model.ids import is_tool_id
from entire.model.positions import START, Position
from entire.model.transcripts import FileLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.transcripts import Source
    from entire.model.transcripts import Content


class Rollout(SourceWithSubagents, LineTranscript):
    """The native records are described in ``stream``, and how files belong together in ``rollouts``."""

    _given: Source

    def __init__(self, session_ref: str, stored: Content | None = None) -> None:
        super().__init__(session_ref, stored)
        self._is_stored = stored is not None
        self._is_known = self._is_stored

    @property
    def source(self) -> Source:
        """The file, or what it and those before it hold together, as they are at the first question."""
        if not self._is_known:
            self._is_known = True
            assert isinstance(self._given, str)
            whole = rollouts.history(self._given)
            self._given = self._given if whole is None else whole
        return self._given

    @source.setter
    def source(self, given: Source) -> None:
        self._given = given

    def size(self) -> int:
        return transcripts.size(self.source)

    def stream(self, since: Position, *, details: bool = False) -> RolloutStream:
        of_subagent = rollouts.is_subagents(self.source)
        return RolloutStream(self.source, self.readable(since), of_subagent=of_subagent, details=details)

    def end(self, known: Position = START) -> Position:
        return self._part(known if self.holds(known) else START)[1]

    def holds(self, position: Position) -> bool:
        """Tell whether the last response before a position is there, too, where a prompt was taken back."""
        is_short = not super().holds(position)
        return not is_short and (isinstance(self.source, str) or not position.mark or self.shares_answer(position))

    def readable(self, position: Position) -> Position:
        return super().readable(position) if self._is_stored else position

    def file_lines(self, end: Position) -> FileLines | None:
        if isinstance(self.source, str) or self._is_stored:
            return super().file_lines(end)
        size = self.offset(end)
        content = bytes(contents.part(self.source, 0, size))
        return FileLines(lines=end.count, size=size, content=content) if content else None

    def agent_version(self) -> str:
        version = rollouts.meta(self.source).get("cli_version")
        return version if isinstance(version, str) and version[:1].isdigit() else ""

    def subagent_ref(self, subagent_id: str) -> str:
        if not is_tool_id(subagent_id):
            return ""
        return rollouts.place(rollouts.folder_of(self.session_ref), subagent_id)
