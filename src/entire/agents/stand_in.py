"""Stands in for an agent that is no longer installed or cannot be loaded, so that its sessions are still stored."""

from __future__ import annotations

from entire.agents import transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.events import Event


class StandIn:
    """The required contract only: no hooks, and an opaque transcript file."""

    hook_names: tuple[str, ...] = ()
    metadata: Mapping[str, str] = {}

    def __init__(self, name: str, agent_type: str, *, grows_by_lines: bool) -> None:
        self.name = name
        self.type = agent_type
        self.capabilities = frozenset(("line_transcript",) if grows_by_lines else ())

    def detect(self, root: str) -> bool:  # noqa: ARG002
        return False

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:  # noqa: ARG002
        return None

    def read_transcript(self, session_ref: str) -> bytes:
        return transcripts.read(session_ref)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        return transcripts.join(chunks)
