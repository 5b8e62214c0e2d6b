"""The transcripts in checkpoints, as one command reads them: each once, and what is found in it is kept for others."""

from __future__ import annotations

import gc
import os

from entire.agents import registry
from entire.agents.readings import States
from entire.directory import AgentDirectory
from entire.errors import MissingObjectError
from entire.index import database
from entire.index.digests import Digests
from entire.queries.transcripts import outlines, session_transcripts
from entire.queries.transcripts.outlines import KEPT, Outline
from entire.queries.transcripts.session_transcripts import ReadTranscript
from entire.queries.transcripts.state_blobs import StateBlobs
from entire.store import checkpoints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from entire.agents.contract import Agent
    from entire.store.catalog import Catalog
    from entire.store.checkpoints import Slot


_HELD = 16 << 20
"""Bytes of transcripts that are held with what they say, beside the last one."""


class StoredTranscripts:
    """Use it as a context manager, as often as a command reads. Of a session, later states come first: what is at the
    beginning of one that was read costs little.
    """

    def __init__(self, catalog: Catalog) -> None:
        place = catalog.place
        self._catalog = catalog
        self._only_reads = catalog.only_reads
        self.objects = StateBlobs(place.top)
        self.digests = Digests(
            os.path.join(place.common_own_dir, database.FOLDER), KEPT,
            lambda: checkpoints.tips(place.top) == catalog.tips,
        )  # fmt: skip
        self._collects = False
        self._session_id = ""
        self._states = States()
        self._held: dict[str, ReadTranscript] = {}
        self._agents: dict[tuple[str, bool], Agent | None] = {}

    def __enter__(self) -> StoredTranscripts:
        self._collects = self._collects or gc.isenabled()
        gc.disable()  # conversations are many values and no cycles
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._collects:
            self._collects = False
            gc.enable()
        self.objects.close()
        if any(not is_plain for _, is_plain in self._agents):
            self._catalog.agents.close()
        if not self._only_reads:
            self.digests.save()
        self.digests.close()

    def expect(self, slots: Iterable[Slot]) -> None:
        """Note which transcripts are read next."""
        self.objects.expect(oid for slot in slots for oid in checkpoints.transcript_files(slot.files).values())

    def size(self, slot: Slot) -> int:
        """Return how many bytes a transcript has that was expected."""
        return self.objects.sizes(checkpoints.transcript_files(slot.files).values())

    def of_slot(self, slot: Slot) -> ReadTranscript:
        """Return what a checkpoint holds of a session's transcript. Only one that cannot be read otherwise is shown to
        its plugin, if that may be started.
        """
        transcript = self._held.pop(slot.tree, None)
        if transcript is None:
            self.expect([slot])
            transcript = self._read(slot)
        self._held[slot.tree] = transcript
        while sum(len(held.content) for held in self._held.values()) > _HELD and len(self._held) > 1:
            del self._held[next(iter(self._held))]
        return transcript

    def outline(self, slot: Slot) -> Outline | None:
        """Return the outline of a session's transcript, None if only reading all of it can tell."""
        known = self.digests.get("outline", slot.tree)
        if not self.may_keep(slot):
            return None
        if isinstance(known, Outline):
            return known
        read = self.of_slot(slot)
        if not read.is_there or read.first or self.span(slot, 0, len(read.content) + 1) != read.content:
            return None
        made = outlines.of(read)
        self.digests.put(made, "outline", slot.tree)
        return made

    def span(self, slot: Slot, start: int, end: int) -> bytes:
        """Return a part of a transcript of lines; only the blobs that hold it are read."""
        self.expect([slot])
        parts, at = [], 0
        for oid in checkpoints.transcript_files(slot.files).values():
            size = self.objects.sizes([oid])
            if at <= end and start <= at + size:
                blob = (self.objects.blob(oid) or b"") + b"\n"  # as the parts are joined
                parts.append(blob[max(start - at, 0) : max(end - at, 0)])
            at += size + 1
        return b"".join(parts)[: max(at - 1 - start, 0)]

    def _read(self, slot: Slot) -> ReadTranscript:
        if not slot.session_id or slot.session_id != self._session_id:
            self.objects.forget()
            self._session_id, self._states = slot.session_id, States()
        agent = self.agent(slot, is_plain=True)

        def join(parts: list[bytes]) -> bytes:
            own = agent or self.agent(slot)
            return checkpoints.joined(parts, own.reassemble_transcript if own is not None else None)

        try:
            end = self.objects.end(slot, join)
        except MissingObjectError as error:
            return ReadTranscript("checkpoint", agent=agent, problem=error.message, hint=error.hint)
        transcript = session_transcripts.read("checkpoint", end, agent, self._states)
        if agent is None and end.data and not transcript.messages:
            return session_transcripts.read("checkpoint", end, self.agent(slot))
        return transcript

    def agent(self, slot: Slot, *, is_plain: bool = False) -> Agent | None:
        """Return the adapter of a session's agent; with ``is_plain``, only of one that is no plugin."""
        name = slot.record.agent if slot.record is not None else ""
        key = name, is_plain
        if key not in self._agents:
            agents = AgentDirectory.without_plugins() if is_plain else self._catalog.agents
            self._agents[key] = agents.make_by_type(name)
        return self._agents[key]

    def may_keep(self, slot: Slot) -> bool:
        """Tell whether what is found in a transcript may be kept: what reads it is a part of this program."""
        if self.agent(slot) is None:
            return True
        entry = AgentDirectory.without_plugins().find_by_type(slot.record.agent if slot.record is not None else "")
        return entry is not None and registry.find(entry.name) is not None
