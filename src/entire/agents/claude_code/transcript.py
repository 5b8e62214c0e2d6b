"""A session's transcript, or a subagent's: a file of JSON lines that only grows."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.claude_code.stream import TranscriptStream
from entire.agents.lines import LineTranscript
from entire.agents.record_source import RecordSource, stop_of
from entire.model.ids import is_tool_id
from entire.model.positions import START
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.conversation.windows import Activity
    from entire.model.positions import Position
    from entire.model.transcripts import Subagent


class ClaudeTranscript(RecordSource, LineTranscript):
    """The native records are described in ``records``; what they yield is in ``stream``."""

    def stream(self, since: Position, *, details: bool = False) -> TranscriptStream:
        from entire.agents.claude_code import subagents

        sidechain = subagents.is_subagent_file(self.session_ref)
        return TranscriptStream(self.source, self.readable(since), sidechain=sidechain, details=details)

    def end(self, known: Position = START) -> Position:
        """Return the end of the last complete line, counted from the start of the file if it became shorter."""
        return self._part(known if self.holds(known) else START)[1]

    def activity(self, since: Position, until: Position | None = None) -> Activity | None:
        """A turn that was stopped before its first answer is not told by a record, but by the process."""
        told = super().activity(since, until)
        if told is None or told.has_answers or told.interrupted or not isinstance(self.source, str):
            return told
        from entire.agents.claude_code import process_status

        stopped = process_status.idle_since(self.session_ref)
        return replace(told, interrupted=stopped) if stopped > told.last else told

    def agent_version(self) -> str:
        import re

        versions = re.findall(rb'"version"\s*:\s*"([0-9][0-9A-Za-z.+-]{0,40})"', transcripts.ending(self.source))
        return versions[-1].decode() if versions else ""

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the subagents that were called, returned a result, or ended in the background."""
        from entire.agents.claude_code import subagents

        tasks = self.conversation(since).tasks(stop_of(until))
        return subagents.collect(self.session_ref, tasks)

    def subagent_ref(self, subagent_id: str) -> str:
        from entire.agents.claude_code import subagents

        return subagents.transcript_of(self.session_ref, subagent_id) if is_tool_id(subagent_id) else ""
