"""A conversation as the search index takes it: its prompts, answers, tool calls and their outputs, one text each."""

from __future__ import annotations

from entire.conversation.messages import BY_AGENT, BY_USER
from entire.index.entries import IndexEntry
from entire.model.findings import ANSWER, OUTPUT, PROMPT, TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from entire.model.transcripts import Message


def of(said: Iterable[Message], prompts: Sequence[str] = ()) -> list[IndexEntry]:
    """Return the entries of a conversation. ``prompts``: those that events carried; some may be missing in it, and then
    have no number there.
    """
    entries = list(_said(said))
    known = {entry.text.strip() for entry in entries if entry.kind == PROMPT}
    end, is_read = max((entry.position for entry in entries), default=0), bool(known)
    for number, text in enumerate(prompts, 1):
        if text.strip() and text.strip() not in known:
            known.add(text.strip())
            entries.append(IndexEntry(kind=PROMPT, text=text, position=end, turn=0 if is_read else number))
    return entries


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
