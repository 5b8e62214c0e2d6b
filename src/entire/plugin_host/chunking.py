"""Splits transcripts that are too large for one file, and joins the parts again.

Transcripts are split between lines. Where a single line is too large for a part, the plugin may know better places; if
what it splits does not join to the same bytes, bytes are cut. A first part that says how to join precedes those.
"""

from __future__ import annotations

import binascii

from entire.agents import transcripts, untrusted
from entire.plugin_host.language import wire
from entire.plugin_host.language.protocol import MAX_TRANSCRIPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.plugin_host.calls import Calls

MARK = b'{"entire":"parts joined '
"""How a first part begins that says how to join the others."""
_OF_PLUGIN = MARK + b'by the plugin"}'
_OF_BYTES = MARK + b'as bytes"}'
_NEAR = 1 << 16  # bytes in which a blank is looked for, so no word is cut: redaction reads each part alone


def split(calls: Calls, transcript: bytes, max_size: int) -> list[bytes]:
    """Return a transcript in parts of at most ``max_size`` bytes."""
    if len(transcript) <= max_size:
        return [transcript]
    if _longest_line(transcript) < max_size:
        return transcripts.chunk(transcript, max_size)
    own = _split_by_plugin(calls, transcript, max_size)
    return [_OF_PLUGIN, *own] if own else [_OF_BYTES, *_split_bytes(transcript, max_size)]


def join(calls: Calls, parts: list[bytes]) -> bytes:
    """Return the transcript of which ``split`` made the parts."""
    if parts[:1] == [_OF_BYTES]:
        return b"".join(parts[1:])
    if parts[:1] != [_OF_PLUGIN]:
        return transcripts.join(parts)
    joined = _join_by_plugin(calls, parts[1:])
    return b"".join(parts[1:]) if joined is None else joined


def _longest_line(data: bytes) -> int:
    longest = start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        longest, start = max(longest, end - start), end
    return longest


def _split_by_plugin(calls: Calls, transcript: bytes, max_size: int) -> list[bytes]:
    """Return the plugin's parts; none if they are too large, or do not join to the same bytes."""
    words = ("chunk-transcript", "--max-size", str(max_size))

    def ask() -> list[bytes]:
        answer = untrusted.loads(calls.program.run(*words, stdin=transcript, max_output=2 * MAX_TRANSCRIPT))
        chunks = answer.get("chunks") if isinstance(answer, dict) else None
        return [wire.read_bytes(chunk) for chunk in chunks] if isinstance(chunks, list) else []

    parts = calls.once((*words, len(transcript)), ask, may_fail=True) or []
    is_small = len(parts) > 1 and all(0 < len(part) <= max_size for part in parts)
    return parts if is_small and _join_by_plugin(calls, parts) == transcript else []


def _join_by_plugin(calls: Calls, parts: list[bytes]) -> bytes | None:
    chunks = b",".join(b'"' + binascii.b2a_base64(part, newline=False) + b'"' for part in parts)
    return calls.output("reassemble-transcript", stdin=b'{"chunks":[' + chunks + b"]}", max_output=MAX_TRANSCRIPT)


def _split_bytes(data: bytes, max_size: int) -> list[bytes]:
    pieces, start = [], 0
    while len(data) - start > max_size:
        end = start + max_size
        blanks = (data.rfind(blank, max(start, end - _NEAR), end) + 1 for blank in (b"\n", b" ", b","))
        pieces.append(data[start : next((at for at in blanks if at > start), end)])
        start += len(pieces[-1])
    return [*pieces, data[start:]]
