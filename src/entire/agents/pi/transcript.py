"""A session's file, which only grows, and what it holds of a subagent."""

from __future__ import annotations

from entire import contents
from entire.agents import composed, transcripts
from entire.agents.composed import ComposedLines, FilePart
from entire.agents.pi.payloads import subagent_of
from entire.agents.pi.stream import EntryStream, header
from entire.agents.untrusted import clean, dict_of
from entire.conversation.records import AGENT, PERSON
from entire.model import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.positions import Position
    from entire.model.transcripts import Agreement, Content


class _Entries(FilePart):
    """What both are. The native records are described in ``stream``."""

    by = PERSON
    branch = ""

    def stream(self, since: Position, *, details: bool = False) -> EntryStream:
        return EntryStream(self.source, self.readable(since), branch=self.branch, by=self.by, details=details)

    def shares_answer(self, position: Position) -> bool:
        """Tell whether the last answer before a position is here, too: a fork keeps the ids of what it copies."""
        needle = f'"id":"{position.mark}"'.encode("utf-8", "replace")
        return bool(position.mark) and transcripts.contains(self.source, (needle,), transcripts.size(self.source))


class Entries(_Entries):
    """A session."""

    def __init__(self, session_ref: str, stored: Content | None, branch: str) -> None:
        super().__init__(session_ref, stored)
        self.branch = branch if stored is None else ""

    def agreement(self, stored: Content) -> Agreement:
        """A session that was put back elsewhere has another folder in its header, and is still the same."""
        own, known = header(self.source), header(stored)
        if own and own.get("id") == known.get("id") and own != known:
            first = contents.part(self.long_content(), 0, contents.line_end(self.long_content(), 0))
            stored = contents.joined(first, contents.part(stored, contents.line_end(stored, 0)))
        return super().agreement(stored)


class SubagentEntries(_Entries, ComposedLines):
    """The messages that a tool's result holds of a subagent, as a session has them."""

    by = AGENT

    def compose(self) -> tuple[bytes, int]:
        from entire.agents.pi import tools

        file, subagent = composed.parts_of(self.session_ref)
        results = (dict_of(native.get("message")) for line, _ in transcripts.lines(file) if b'"toolResult"' in line
                   for native in transcripts.records(line))  # fmt: skip
        found = next((one for one in results if subagent_of(clean(one.get("toolCallId"))) == subagent), {})
        told = [message for run in tools.runs(found) for message in run["messages"]]
        records = [header(file), *({"type": "message", "message": message} for message in told)] if told else []
        data = "".join(jsontext.dumps(record, compact=True) + "\n" for record in records).encode()
        return data, len(data)


def open_session(session_ref: str, stored: Content | None, branch: str) -> Entries | SubagentEntries:
    """Return a session's transcript, or that of the subagent whose id the reference ends with."""
    _, subagent = composed.parts_of(session_ref)
    return SubagentEntries(session_ref, stored) if subagent else Entries(session_ref, stored, branch)
