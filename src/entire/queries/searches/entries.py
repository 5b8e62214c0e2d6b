"""A conversation as the search index takes it: its prompts, answers, tool calls and their outputs, one text each."""

from __future__ import annotations

from entire.agents import readings
from entire.conversation.messages import BY_AGENT, BY_USER
from entire.index.entries import IndexEntry
from entire.model.findings import ANSWER, OUTPUT, PROMPT, TOOL
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from entire.agents.contract import Agent
    from entire.conversation.messages import Reading
    from entire.model.transcripts import Message
    from entire.store.transcript_ends import TranscriptEnd


class EntryReader:
    """Reads the stored states of one session's conversation: later states first, then their beginnings cost little."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self._data = b""
        self._whole: Reading | None = None

    def messages(self, end: TranscriptEnd, agent: Agent | None) -> Iterator[Message]:
        """Yield the messages in the end of a transcript: they may be many."""
        for message in self._messages(end.data, agent):
            yield replace(message, at=message.at + end.first) if end.first else message

    def _messages(self, data: bytes, agent: Agent | None) -> list[Message]:
        if agent is not None and hasattr(agent.transcript(""), "messages"):  # it displays them in its own way
            return readings.messages(agent, data)
        if self._whole is not None and self._begins_with(data):
            return self._whole.messages(data.count(b"\n") + (not data.endswith(b"\n")))
        self._data, self._whole = data, readings.of(agent, data)
        return self._whole.messages()

    def _begins_with(self, part: bytes) -> bool:
        """Tell whether a transcript is an earlier state of the last one that was read: lines at its beginning."""
        ends = part.endswith(b"\n") or self._data[len(part) : len(part) + 1] in (b"", b"\n")
        return ends and b"\n" in part and self._data.startswith(part)


def of(said: Iterable[Message], prompts: Sequence[str] = ()) -> list[IndexEntry]:
    """Return the entries of a conversation. ``prompts``: those that events carried; some may be missing in it, and then
    have no number there.
    """
    found = list(_said(said))
    known = {entry.text.strip() for entry in found if entry.kind == PROMPT}
    end, is_read = max((entry.position for entry in found), default=0), bool(known)
    for number, text in enumerate(prompts, 1):
        if text.strip() and text.strip() not in known:
            known.add(text.strip())
            found.append(IndexEntry(kind=PROMPT, text=text, position=end, turn=0 if is_read else number))
    return found


def _said(said: Iterable[Message]) -> Iterator[IndexEntry]:
    turn = 0
    for message in said:
        if message.who == BY_USER:
            turn += 1
            yield IndexEntry(PROMPT, message.text, message.at, turn, message.time)
        elif message.who == BY_AGENT:
            yield IndexEntry(ANSWER, message.text, message.at, turn, message.time)
        else:
            yield from _call(message, turn)


def _call(message: Message, turn: int) -> Iterator[IndexEntry]:
    call = message.call
    failed = call is not None and call.has_failed
    asked = [message.text]
    if call is not None:
        edits = [text for edit in call.edits for text in (edit.path, edit.old, edit.new)]
        asked += [text for text in (call.command, call.subagent, *edits) if text and text not in asked]
    text = "\n".join(text for text in asked if text)
    yield IndexEntry(TOOL, text or message.name, message.at, turn, message.time, message.name, failed)
    if call is not None and call.output.strip():
        yield IndexEntry(OUTPUT, call.output, message.at, turn, message.time, message.name, failed)
