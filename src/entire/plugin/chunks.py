"""Splits a transcript of any content into chunks that give the same bytes again."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.contract import Agent

_MARK = b"\0"
"""Starts the first chunk of a transcript that is split anywhere."""


def split(agent: Agent, transcript: bytes, size: int) -> list[bytes]:
    """Return chunks of at most ``size`` bytes: the agent's own, unless those lose something."""
    if len(transcript) <= size and not transcript.startswith(_MARK):
        return [transcript]
    chunks = agent.chunk_transcript(transcript, size)
    if max(map(len, chunks), default=0) <= size and join(agent, chunks) == transcript:
        return chunks
    marked = _MARK + transcript
    return [marked[start : start + size] for start in range(0, len(marked), size)]


def join(agent: Agent, chunks: list[bytes]) -> bytes:
    """Return the transcript that was split."""
    if chunks and chunks[0].startswith(_MARK):
        return b"".join(chunks).removeprefix(_MARK)
    return agent.reassemble_transcript(chunks) if chunks else b""
