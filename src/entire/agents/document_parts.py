"""Splits transcripts that are one JSON document with a list of messages, and joins their parts."""

from __future__ import annotations

from entire.agents import transcripts, untrusted
from entire.model import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OVERHEAD = len(b'{"messages":[]}')


def split(transcript: bytes, max_size: int) -> list[bytes]:
    """Return parts of at most ``max_size`` bytes: of lines, or documents with a part of the messages each.

    The first document holds everything else as well.
    """
    if len(transcript) <= max_size or not transcripts.is_document(transcript):
        return transcripts.chunk(transcript, max_size)
    document = untrusted.loads(transcript)
    if not isinstance(document, dict):
        return transcripts.chunk(transcript, max_size)
    rest = {key: value for key, value in document.items() if key != "messages"}
    room = max(max_size - _OVERHEAD, 64)
    groups: list[list[bytes]] = [[]]
    used = len(_dumps(rest)) + 1
    for message in document["messages"]:
        data = transcripts.shorten(_dumps(message), room)
        if used + len(data) + 1 > room and (groups[-1] or used > 1):
            groups.append([])
            used = 0
        groups[-1].append(data)
        used += len(data) + 1
    parts = [b'{"messages":[' + b",".join(group) + b"]}" for group in groups]
    if rest:
        parts[0] = _dumps(rest)[:-1] + b"," + parts[0][1:]
    return parts


def join(parts: list[bytes]) -> bytes:
    """Join parts: documents into one, else lines."""
    values = [untrusted.loads(part) if transcripts.is_document(part) else None for part in parts]
    documents = [document for document in values if isinstance(document, dict)]
    if len(parts) < 2 or len(documents) < len(parts):
        return transcripts.join(parts)
    messages = [message for document in documents for message in document["messages"]]
    return _dumps({**documents[0], "messages": messages})


def are_lines(beginning: bytes) -> bool:
    """Tell whether a transcript that begins so is lines."""
    first, newline, _ = beginning.partition(b"\n")
    return bool(newline) and first.strip() != b"{" and b'"messages"' not in first


def _dumps(value: Any) -> bytes:
    return jsontext.dumps(value, ensure_ascii=False, compact=True).encode("utf-8", "replace")
