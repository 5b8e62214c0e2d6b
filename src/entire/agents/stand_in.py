"""Stands in for an agent that is no longer installed or cannot be loaded, so that its sessions are still stored."""

from __future__ import annotations

from entire.agents import transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.agents.contract import Transcript
    from entire.model.events import Event
    from entire.model.transcripts import Position


class StandIn:
    """The required contract only: no hooks, and an opaque transcript file."""

    hook_names: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()
    metadata: Mapping[str, str] = {}

    def __init__(self, name: str, agent_type: str, *, grows_by_lines: bool) -> None:
        self.name = name
        self.type = agent_type
        self._grows_by_lines = grows_by_lines

    def detect(self, root: str) -> bool:  # noqa: ARG002
        return False

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:  # noqa: ARG002
        return None

    def transcript(self, session_ref: str, stored: bytes | None = None) -> Transcript:
        if self._grows_by_lines:
            from entire.agents.lines import LineTranscript

            return LineTranscript(session_ref, stored)
        from entire.agents.opaque import OpaqueTranscript

        return OpaqueTranscript(session_ref, stored)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        return transcripts.join(chunks)


def is_later(position: Position, other: Position) -> bool:
    """Compare positions whose adapter cannot be asked: by its own numbers, or by sizes where it gives none."""
    if position.count or other.count:
        return position.count > other.count
    return position.byte > other.byte
