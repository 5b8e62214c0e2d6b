"""A session's file of events, which only grows, and a subagent's part of it."""

from __future__ import annotations

from entire.agents import composed, transcripts
from entire.agents.composed import ComposedLines, FilePart
from entire.agents.copilot.stream import EventStream
from entire.agents.untrusted import clean, dict_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.positions import Position
    from entire.model.transcripts import Content


def open_events(session_ref: str, stored: Content | None) -> Events | SubagentEvents:
    """Return a session's transcript, or that of the subagent whose id the reference ends with."""
    _, agent = composed.parts_of(session_ref)
    return SubagentEvents(session_ref, stored) if agent else Events(session_ref, stored)


class _Events(FilePart):
    """What both are. The native records are described in ``stream``."""

    agent = ""

    def stream(self, since: Position, *, details: bool = False) -> EventStream:
        return EventStream(self.source, self.readable(since), agent=self.agent, details=details)


class Events(_Events):
    """A session's own events, in the file that holds those of its subagents, too."""

    def agent_version(self) -> str:
        native = next((natives[0] for natives, _ in transcripts.natives(self.source) if natives), {})
        return clean(dict_of(native.get("data")).get("copilotVersion"))


class SubagentEvents(_Events, ComposedLines):
    """The lines of a session's file that tell what one subagent did."""

    def __init__(self, session_ref: str, stored: Content | None = None) -> None:
        super().__init__(session_ref, stored)
        self.file, self.agent = composed.parts_of(session_ref)

    def compose(self) -> tuple[bytes, int]:
        needle = f'"agentId":"{self.agent}"'.encode()
        lines = [line for line, _ in transcripts.lines(self.file) if needle in line]
        own = [line for line in lines if any(one.get("agentId") == self.agent for one in transcripts.records(line))]
        data = b"".join(own)
        return data, len(data)
