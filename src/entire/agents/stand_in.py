"""Stands in for an agent that is not installed any more, or cannot be loaded, so that its session is kept as it is."""

from __future__ import annotations

from entire import files
from entire.agents import transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.events import Event


class StandIn:
    """The contract alone: no hooks, and a transcript that is a file of bytes."""

    hook_names: tuple[str, ...] = ()
    metadata: Mapping[str, str] = {}

    def __init__(self, name: str, agent_type: str, *, grows_by_lines: bool) -> None:
        self.name = name
        self.type = agent_type
        self.capabilities = frozenset(("line_transcript",) if grows_by_lines else ())

    def detect(self, root: str) -> bool:  # noqa: ARG002
        """Return False: nobody knows how to tell."""
        return False

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:  # noqa: ARG002
        """Return None: nobody knows what a hook means."""
        return None

    def read_transcript(self, session_ref: str) -> bytes:
        """Return the file's bytes; empty if there is none."""
        try:
            return files.read(session_ref) or b""
        except (OSError, ValueError):  # ValueError: a path with a NUL
            return b""

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        """Cut between lines."""
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        """Join with newlines."""
        return transcripts.join(chunks)
