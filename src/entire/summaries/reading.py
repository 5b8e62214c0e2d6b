"""Finds digests: reads the conversations of checkpoints, each once, and the files as they were committed."""

from __future__ import annotations

import itertools

from entire import parallel
from entire.errors import PartialCloneError
from entire.git import history
from entire.git.read import SMALL
from entire.model.digests import DigestView, PartDigest
from entire.queries import checkpoints
from entire.queries.transcripts.stored_transcripts import StoredTranscripts
from entire.summaries import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from entire.model.views.checkpoints import CheckpointView, PartView
    from entire.queries.checkpoints import Sketch
    from entire.store.catalog import Catalog
    from entire.store.checkpoints import Slot

    Pair = tuple[Sketch, Slot]
    Key = tuple[str, ...]

_POINTER = b"version https://git-lfs.github.com/spec/"
_MAX_FILE = 1 << 20


def of_checkpoint(catalog: Catalog, checkpoint: CheckpointView) -> DigestView:
    """Return the digest of a checkpoint. What cannot be read is left out."""
    with catalog.shared(StoredTranscripts) as transcripts:
        stored = checkpoints.stored(catalog, transcripts.objects, checkpoint.id)
        reader = _DigestReader(catalog, transcripts)
        slots = {slot.number: slot for slot in stored.slots}
        parts = [reader.part(checkpoint, part, slots[part.slot], stored.tree) for part in checkpoint.parts]
    return DigestView(checkpoint_id=checkpoint.id, parts=tuple(parts))


def of_checkpoints(catalog: Catalog, names: Sequence[str]) -> dict[str, tuple[CheckpointView, DigestView]]:
    """Return those of the checkpoints that are stored and readable, with their digests."""
    with catalog.shared(StoredTranscripts) as transcripts:
        sketches = checkpoints.sketches(catalog, transcripts, names)
        reader = _DigestReader(catalog, transcripts)
        ordered = _later_first(list(sketches.values()), transcripts)
        reader.read_ahead(ordered)
        parts: dict[str, dict[int, PartView]] = {name: {} for name in sketches}
        digests: dict[str, dict[int, PartDigest]] = {name: {} for name in sketches}
        for sketch, slot in ordered:
            parts[sketch.frame.id][slot.number], digests[sketch.frame.id][slot.number] = reader.both(sketch, slot)
        return {
            name: (
                sketch.view(parts[name], sketch.tasks(transcripts)),
                DigestView(checkpoint_id=name,
                           parts=tuple(digests[name][part.slot] for part in sketch.frame.parts)),
            )
            for name, sketch in sketches.items()
        }  # fmt: skip


def _later_first(sketches: Sequence[Sketch], transcripts: StoredTranscripts) -> list[Pair]:
    """Return the sessions of checkpoints, one session after the other, each from its longest state down."""
    slots = [(sketch, slot) for sketch in sketches for slot in sketch.stored.slots]
    transcripts.expect(slot for _, slot in slots)
    return sorted(slots, key=lambda pair: (pair[1].session_id, -transcripts.size(pair[1])))


class _DigestReader:
    """Finds the digests of sessions' parts, and keeps them."""

    def __init__(self, catalog: Catalog, transcripts: StoredTranscripts) -> None:
        self._catalog = catalog
        self._transcripts = transcripts
        self._commits: dict[str, str] = {}

    def read_ahead(self, ordered: Sequence[Pair]) -> None:
        """Let several processes read what no command has read yet, if it is long, and take what they find."""
        new = [pair for pair in ordered if not self._is_known(*pair)]
        copies = parallel.processors()
        if copies < 2 or sum(self._transcripts.size(slot) for _, slot in new) < parallel.LONG:
            return
        by_session = [list(pairs) for _, pairs in itertools.groupby(new, key=lambda pair: pair[1].session_id)]
        for found in parallel.results(by_session, self._find, copies):
            for key, value in found:
                self._transcripts.digests.put(value, *key)

    def _find(self, pairs: Iterable[Pair]) -> Iterator[list[tuple[Key, object]]]:
        with StoredTranscripts(self._catalog) as transcripts:
            reader = _DigestReader(self._catalog, transcripts)
            reader._commits = self._commits
            for pair in pairs:
                transcripts.expect([pair[1]])
                reader.both(*pair)
                yield transcripts.digests.take()

    def _is_known(self, sketch: Sketch, slot: Slot) -> bool:
        """Tell whether nothing needs to be read for a digest, or what is found in its transcript is not kept."""
        key = self._key(sketch.frame, slot, sketch.stored.tree)
        return self._transcripts.digests.has(*key) or not self._transcripts.may_keep(slot)

    def both(self, sketch: Sketch, slot: Slot) -> tuple[PartView, PartDigest]:
        """Return a session's part of a checkpoint, with its prompts, and its digest."""
        part = sketch.part(self._transcripts, slot)
        return part, self.part(sketch.frame, part, slot, sketch.stored.tree)

    def part(self, checkpoint: CheckpointView, part: PartView, slot: Slot, tree: str) -> PartDigest:
        """Return the digest of a session's part. ``tree``: the checkpoint's."""
        key = self._key(checkpoint, slot, tree)
        known = self._transcripts.digests.get(*key)
        may_keep = self._transcripts.may_keep(slot)
        if isinstance(known, PartDigest) and may_keep:
            return known
        read = self._transcripts.of_slot(slot)
        texts = _Committed(self._transcripts, self._commit(checkpoint))
        made = digest.of_part(checkpoint, part, read.since(part.start), texts.of)
        if may_keep and read.is_there and not texts.are_missing:
            self._transcripts.digests.put(made, *key)
        return made

    def _key(self, checkpoint: CheckpointView, slot: Slot, tree: str) -> Key:
        return "digest", tree, str(slot.number), self._commit(checkpoint)

    def _commit(self, checkpoint: CheckpointView) -> str:
        """Return the checkpoint's newest commit that is still here, '' if none is."""
        if checkpoint.id not in self._commits:
            recorded = history.show(self._catalog.place.top, checkpoint.recorded_commits)
            newest = recorded[-1].oid if recorded else next((linked.oid for linked in checkpoint.commits), "")
            self._commits[checkpoint.id] = newest
        return self._commits[checkpoint.id]


class _Committed:
    """The texts of files in a commit; ``are_missing``: this partial clone lacks them."""

    def __init__(self, transcripts: StoredTranscripts, commit: str) -> None:
        self._objects = transcripts.objects
        self._commit = commit
        self.are_missing = False

    def of(self, paths: Sequence[str]) -> dict[str, str | None]:
        """Return the texts of files, None for those that the commit lacks.

        Files whose stored form is not what an agent writes (binary, large, kept elsewhere) are left out.
        """
        names = sorted(path for path in paths if "\n" not in path) if self._commit else []
        try:
            blobs = self._objects.get_all([f"{self._commit}:{path}" for path in names], SMALL)
        except PartialCloneError:
            self.are_missing = True
            return {}
        texts: dict[str, str | None] = {}
        for path, blob in zip(names, blobs, strict=True):
            if blob is None:
                texts[path] = None
            elif blob.type == "blob" and len(blob.data) <= _MAX_FILE and not _is_foreign(blob.data):
                texts[path] = blob.data.decode("utf-8", "replace")
        return texts


def _is_foreign(data: bytes) -> bool:
    return b"\0" in data or data.startswith(_POINTER)
