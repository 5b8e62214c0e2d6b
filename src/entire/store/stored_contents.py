"""What is stored of a transcript, read from git block by block: it may be too long for memory."""

from __future__ import annotations

import itertools

from entire import contents
from entire.agents import long_transcripts
from entire.errors import MissingObjectError
from entire.model.digest import sha256
from entire.store import checkpoints, step_transcripts, transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from entire.agents.contract import Agent
    from entire.git.read import Objects
    from entire.model.session import Session
    from entire.model.transcripts import Content
    from entire.store.checkpoints import Slot


def of_slot(objects: Objects, slot: Slot, agent: Agent | None) -> Content:
    """Return a session's complete transcript in the agent's format; empty if none was stored.

    Raises MissingObjectError if git lacks a part of it.
    """
    files = checkpoints.transcript_files(slot.files)
    if len(files) > 1 and not _is_lines(objects, next(iter(files.values())), agent):
        return checkpoints.transcript(objects, slot, agent.reassemble_transcript if agent is not None else None)
    wanted = checkpoints.stored_hash(objects, slot) if len(files) > 1 else ""
    parts = _Parts(objects, slot, files, wanted)
    whole = contents.Scratch().keep(parts)
    return contents.part(whole, 0, parts.hashed) if parts.hashed else whole


def of_parts(objects: Objects, oids: Sequence[str], agent: Agent | None) -> Content:
    """Return a transcript whose parts are these blobs, all of which git has."""
    files = dict(zip(transcripts.part_names(len(oids)), oids, strict=True))
    return of_slot(objects, checkpoints.Slot(number=0, tree="", files=files, record=None), agent)


def latest(objects: Objects, session: Session, agent: Agent | None) -> Content:
    """Return what was last stored of a session's transcript, empty if git lacks it."""
    for oids in step_transcripts.stored_parts(objects, session):
        try:
            if oids and (content := of_parts(objects, oids, agent)):
                return content
        except MissingObjectError:
            continue
    return b""


def of_blobs(objects: Objects, oids: Mapping[str, str]) -> dict[str, Content]:
    """Return the blobs that git has of some, by the same names."""
    scratch, kept = contents.Scratch(), {}
    for name, oid in oids.items():
        blocks = objects.blocks(oid)
        if blocks is not None:
            kept[name] = scratch.keep(blocks)
    return kept


def hash_matches(objects: Objects, slot: Slot) -> bool | None:
    """Compare a transcript with its stored hash; None without one. Old data may mismatch: this is only informative."""
    stored = checkpoints.stored_hash(objects, slot)
    if not stored:
        return None
    digest = sha256()
    for block in contents.blocks(of_slot(objects, slot, None)):
        digest.update(block)
    return stored == "sha256:" + digest.hexdigest()


class _Parts:
    """The parts of a transcript with a newline between two. ``hashed``: where those end that its stored hash covers."""

    def __init__(self, objects: Objects, slot: Slot, files: Mapping[str, str], wanted: str) -> None:
        self._objects = objects
        self._slot = slot
        self._files = files
        self._wanted = wanted
        self.hashed = 0

    def __iter__(self) -> Iterator[bytes]:
        digest, size = sha256(), 0
        for number, (name, oid) in enumerate(self._files.items()):
            blocks = self._objects.blocks(oid)
            if blocks is None:
                raise checkpoints.missing_part(self._slot, name, oid)
            for block in itertools.chain([b"\n"] if number else [], blocks):
                digest.update(block)
                size += len(block)
                yield block
            if self._wanted and not self.hashed and "sha256:" + digest.copy().hexdigest() == self._wanted:
                self.hashed = size


def _is_lines(objects: Objects, first: str, agent: Agent | None) -> bool:
    """Tell whether the parts of a transcript are lines, by its first part; an unknown agent's, by their form."""
    beginning = objects.beginning(first, contents.MOST)
    return long_transcripts.is_lines(agent, beginning) if agent is not None else transcripts.is_lines(beginning)
