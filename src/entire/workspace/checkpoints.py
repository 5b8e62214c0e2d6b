"""The stored checkpoints: their transcripts, digests and summaries."""

from __future__ import annotations

import contextlib

from entire.model.value import replace
from entire.model.views.checkpoints import CheckpointView, ListedView, MessageView, SummarizedView
from entire.workspace.opened import Subject, without_fetching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from entire.model import requests
    from entire.model.digests import DigestView


class Checkpoints(Subject):
    """The stored checkpoints: their transcripts, digests and summaries."""

    @property
    @without_fetching
    def sessions_by_checkpoint(self) -> Mapping[str, tuple[str, ...]]:
        """The sessions of every stored checkpoint, by checkpoint id."""
        return self._opened.catalog.sessions_by_checkpoint

    def listing(self, limit: int = 20, *, session_id: str = "") -> list[ListedView]:
        """Return the checkpoints of this branch's commits, newest first; ``limit`` 0 returns all of them.

        A checkpoint that a trailer names but that does not exist is included, with ``is_stored`` false.
        """
        return self.page(limit, session_id=session_id)[0]

    @without_fetching
    def page(self, limit: int = 20, *, session_id: str = "", everywhere: bool = False) -> tuple[list[ListedView], int]:
        """Return the newest checkpoints of this branch, or of all branches and tags, and their total number."""
        from entire.queries import checkpoints

        return checkpoints.listing(self._opened.catalog, limit, session_id, everywhere=everywhere)

    @without_fetching
    def find(self, prefix: str) -> CheckpointView:
        """Return a checkpoint by its id or id prefix; raises EntireError if there is none, or several."""
        from entire.queries import checkpoints

        return checkpoints.find(self._opened.catalog, prefix)

    @without_fetching
    def ids(self) -> list[str]:
        """Return the ids of all stored checkpoints of all branches, sorted."""
        return list(self._opened.catalog.checkpoint_ids)

    @without_fetching
    def transcript(self, checkpoint: CheckpointView | str, session_id: str = "") -> bytes:
        """Return a stored transcript as the agent wrote it, redacted: the latest session's, or a given one's."""
        from entire.queries import checkpoints

        name = checkpoint if isinstance(checkpoint, str) else checkpoint.id
        return checkpoints.transcript(self._opened.catalog, name, session_id)

    @without_fetching
    def transcript_blocks(self, checkpoint: CheckpointView, session_id: str = "") -> Iterator[bytes]:
        """Return what ``transcript`` does, block by block: it may be too long for memory."""
        from entire.queries import checkpoints

        return checkpoints.transcript_blocks(self._opened.catalog, checkpoint.id, session_id)

    @without_fetching
    def conversation(self, checkpoint: CheckpointView | str, session_id: str = "", start: int = 0) -> list[MessageView]:
        """Return the messages and tool calls of a stored transcript, from record ``start`` on."""
        from entire.queries import checkpoints

        name = checkpoint if isinstance(checkpoint, str) else checkpoint.id
        return checkpoints.messages(self._opened.catalog, name, session_id, start)

    @without_fetching
    def digest(self, checkpoint: CheckpointView | str) -> DigestView:
        """Return a deterministic summary of a checkpoint, or of the one with an id or id prefix; no model is asked."""
        from entire.summaries import reading

        view = self.find(checkpoint) if isinstance(checkpoint, str) else checkpoint
        return reading.of_checkpoint(self._opened.catalog, view)

    def with_digest(self, checkpoint: CheckpointView) -> CheckpointView:
        """Return a checkpoint with the digest of each of its sessions' parts."""
        digests = {part.session_id: part for part in self.digest(checkpoint).parts}
        parts = tuple(replace(part, digest=digests.get(part.session_id)) for part in checkpoint.parts)
        return replace(checkpoint, parts=parts)

    def summarize(
        self, request: requests.SummaryRequest, progress: Callable[[str], None] | None = None
    ) -> SummarizedView:
        """Have an agent's own model write the summaries that a checkpoint's sessions lack.

        It may take minutes; ``progress`` is called with a message before each session. Raises EntireError, with the
        checkpoint unchanged, if no agent can write one or a model gives no usable answer.
        """
        from entire.summaries import generation

        catalog = self._opened.catalog
        with contextlib.closing(self._opened.context()) as context:
            written = generation.generate(context, catalog, request, progress or (lambda _: None))
        self._opened.drop_catalog()
        return SummarizedView(checkpoint=self.find(request.checkpoint), written_by=written)
