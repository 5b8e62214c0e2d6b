"""A session's transcript, or a subagent's: a file of JSON lines that only grows."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.claude_code.stream import TranscriptStream
from entire.agents.lines import LineTranscript
from entire.agents.record_source import RecordSource, stop_of
from entire.model.ids import is_tool_id
from entire.model.transcripts import START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.transcripts import Position, Subagent


class ClaudeTranscript(RecordSource, LineTranscript):
    """The native records are described in ``records``; what they yield is in ``stream``."""

    def stream(self, since: Position, *, details: bool = False) -> TranscriptStream:
        from entire.agents.claude_code import subagents

        sidechain = subagents.is_subagent_file(self.session_ref)
        return TranscriptStream(self.source, self.readable(since), sidechain=sidechain, details=details)

    def end(self, known: Position = START) -> Position:
        """Return the end of the last complete line, counted from the start of the file if it became shorter."""
        return self._part(known if self.holds(known) else START)[1]

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
