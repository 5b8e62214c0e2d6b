"""A session's file of events, which only grows, and a subagent's part of it."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.composed import ComposedLines
from entire.agents.copilot.stream import EventStream
from entire.agents.lines import LineTranscript
from entire.agents.record_source import SourceWithSubagents
from entire.agents.untrusted import clean, dict_of
from entire.model.ids import is_tool_id
from entire.model.positions import START, Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.transcripts import Content

PART = "#"
"""Stands between the file of a session and the id of a subagent, in the reference to what the subagent did."""


def open_events(session_ref: str, stored: Content | None) -> Events | SubagentEvents:
    """Return a session's transcript, or that of the subagent whose id the reference ends with."""
    file, _, agent = session_ref.rpartition(PART)
    if file.endswith(".jsonl") and is_tool_id(agent):
        return SubagentEvents(session_ref, stored)
    return Events(session_ref, stored)


class _Events(SourceWithSubagents, LineTranscript):
    """What both are. The native records are described in ``stream``."""

    agent = ""

    def stream(self, since: Position, *, details: bool = False) -> EventStream:
        return EventStream(self.source, self.readable(since), agent=self.agent, details=details)

    def end(self, known: Position = START) -> Position:
        return self._part(known if self.holds(known) else START)[1]

    def subagent_ref(self, subagent_id: str) -> str:
        return f"{_file_of(self.session_ref)}{PART}{subagent_id}" if is_tool_id(subagent_id) else ""


class Events(_Events):
    """A session's own events, in the file that holds those of its subagents, too."""

    def agent_version(self) -> str:
        native = next((natives[0] for natives, _ in transcripts.natives(self.source) if natives), {})
        return clean(dict_of(native.get("data")).get("copilotVersion"))


class SubagentEvents(_Events, ComposedLines):
    """The lines of a session's file that tell what one subagent did."""

    def __init__(self, session_ref: str, stored: Content | None = None) -> None:
        super().__init__(session_ref, stored)
        self.agent = session_ref.rpartition(PART)[2]

    def compose(self) -> tuple[bytes, int]:
        needle = f'"agentId":"{self.agent}"'.encode()
        lines = [line for line, _ in transcripts.lines(_file_of(self.session_ref)) if needle in line]
        own = [line for line in lines if any(one.get("agentId") == self.agent for one in transcripts.records(line))]
        data = b"".join(own)
        return data, len(data)


def _file_of(session_ref: str) -> str:
    file, mark, _ = session_ref.rpartition(PART)
    return file if mark and file.endswith(".jsonl") else session_ref
