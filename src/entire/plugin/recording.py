"""``entire-records``: tells the records of a transcript after a position, a line each, and at last where they end."""

from __future__ import annotations

import sys

from entire.errors import EntireError
from entire.model.positions import START, Position
from entire.plugin.answering import read_stored
from entire.plugin_host.language import records
from entire.plugin_host.language.wire import FLAG, PATH, POSITION, TEXT_MAP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.agents.record_source import Stream
    from entire.conversation.records import Record
    from entire.plugin.call import Call


def tell(call: Call) -> None:
    """Print the records that standard input asks for. Those after a position that is not there any more are none."""
    asked = call.document()
    stored = PATH.read(asked.get("stored"))
    agent = call.agent(TEXT_MAP.read(asked.get("metadata")))
    content = read_stored(stored) if stored else None
    transcript: Any = agent.transcript(PATH.read(asked.get("session_ref")), stored=content)
    if not hasattr(transcript, "stream"):
        raise EntireError("this agent's transcripts cannot be read as records")
    since: Position = POSITION.read(asked.get("since"))
    is_there = since.count == 0 or transcript.holds(since)
    stream: Stream = transcript.stream(since, details=FLAG.read(asked.get("details"))) if is_there else _Nothing()
    for line in records.write(stream):
        sys.stdout.buffer.write(line)


class _Nothing:
    """The records after a position that a transcript does not have."""

    def __init__(self) -> None:
        self.known = ""
        self.end = START

    def __iter__(self) -> Iterator[Record]:
        return iter(())
