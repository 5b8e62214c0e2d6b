"""Finds forgotten content that new checkpoints reintroduce: a teammate's agent may say it again.

Runs when a remote's checkpoints are fetched or joined, and in ``doctor``; never in the hooks of turns and commits. Only
commits that were not searched before are read, and none where nothing was forgotten.
"""

from __future__ import annotations

from entire import files, layout
from entire.git import additions, history, promised
from entire.git.pack import Pack
from entire.model.value import replace
from entire.store import checkpoints, forgotten, redactor_of
from entire.store.rewriting import BlobRewrite, Rewriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.git.read import Objects
    from entire.layout import Place
    from entire.redact.memory_file import MemoryFile
    from entire.store.forgotten import Record

_BATCH = 32
_CHECKED = 16  # tips of remotes whose commits are known; of an older one, all would be read again


def find(place: Place, objects: Objects, tips: Sequence[str], *, is_dry: bool = True) -> Record:
    """Look through what is new in the tips; return the record of what was forgotten with what has to go of it.

    Its ``commits`` has each tip that holds something again. Nothing is written, or without ``is_dry`` only objects.
    """
    record = forgotten.read(place.common_dir)
    new = [tip for tip in tips if tip and tip not in record.commits and tip not in record.checked]
    if not record.time or not new:
        return record
    seen = [oid for oid in (*record.checked, *record.commits) if objects.commit(oid) is not None]
    revisions = [*new, *(f"^{oid}" for oid in seen)]
    if promised.missing(place.top, revisions):  # a partial clone: ``audit`` and ``forget`` fetch what they read
        return record
    search = _Search(place, objects, record)
    search.read(place.top, revisions)
    if not search.is_any:
        return replace(record, checked=_joined(new, record.checked))
    pack = Pack(place.top, history.oid_size(place.top), is_dry=is_dry)
    change = BlobRewrite(blobs={**record.blobs, **search.written(pack)}, commits=record.commits,
                    checkpoints=frozenset(record.checkpoints), sessions=frozenset(record.sessions))  # fmt: skip
    rewriter = Rewriter(objects, pack, change, search.message)
    rewriter.rewrite(place.top, [*new, *(f"^{oid}" for oid in seen if oid in record.checked)])
    pack.flush()
    more = replace(record, commits=rewriter.commits, blobs=change.blobs, origins=tuple(rewriter.origins))
    clean = [tip for tip in new if tip not in rewriter.commits]
    return replace(forgotten.joined(record, more), checked=_joined(clean, record.checked))


def note(where: str, objects: Objects, *tips: str) -> Record:
    """Look through what is new in the tips, and remember the answer; return the record of what was forgotten."""
    place = layout.find(where)
    if place is None:
        return forgotten.Record()
    record = find(place, objects, tips, is_dry=False)
    if record == forgotten.read(place.common_dir):
        return record
    with files.Lock(place.lock_file):
        known = forgotten.read(place.common_dir)
        if known.time == record.time:  # else more was forgotten meanwhile, so nothing is known to be clean
            files.write(forgotten.path(place.common_dir), forgotten.data(record), mode=0o600)
    return record


def _joined(new: Sequence[str], old: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*new, *old)))[:_CHECKED]


class _Search:
    """Looks through blobs and messages for what was forgotten."""

    def __init__(self, place: Place, objects: Objects, record: Record) -> None:
        from entire.redact.memory_file import MemoryFile

        self._redactor = redactor_of(place)
        self._memory: MemoryFile = MemoryFile(place.forgotten_secrets)
        self._objects = objects
        self._sessions = frozenset(record.sessions)
        self._blobs: dict[str, bytes] = {}
        self.is_any = False

    def read(self, where: str, revisions: Sequence[str]) -> None:
        names: dict[str, str] = {}
        for added in additions.find(where, revisions):
            self.is_any |= self._holds(added.message.encode("utf-8", "surrogateescape"))
            names.update({oid: path for path, oid in added.blobs})
        for oid, path, data in self._contents(names):
            if self._holds(data):
                self._blobs[oid] = self._without(path, data)
            is_metadata = path.endswith("/metadata.json") and self._sessions
            value = checkpoints.parse_object(data) if is_metadata else None
            self.is_any |= value is not None and value.get("session_id") in self._sessions
        self.is_any |= bool(self._blobs)

    def _contents(self, names: dict[str, str]) -> Iterator[tuple[str, str, bytes]]:
        oids = list(names) if self._memory.count or self._sessions else []
        for start in range(0, len(oids), _BATCH):
            batch = oids[start : start + _BATCH]
            for oid, blob in zip(batch, self._objects.get_all(batch), strict=True):
                if blob is not None:
                    yield oid, names[oid], blob.data

    def _holds(self, data: bytes) -> bool:
        return bool(self._memory.count) and self._memory.is_in(data)

    def _without(self, path: str, data: bytes) -> bytes:
        """Return a blob as redaction would store it now, which remembers what was forgotten."""
        is_lines = path.rpartition("/")[2].startswith("full.jsonl")
        own = self._redactor
        new = (own.redact_jsonl if is_lines else own.redact_json if path.endswith(".json") else own.redact)(data)
        return new if not self._holds(new) else own.redact(b"[REDACTED:forgotten]\n")

    def message(self, _oid: str, message: bytes) -> bytes:
        return self._redactor.redact(message) if self._holds(message) else message

    def written(self, pack: Pack) -> dict[str, str]:
        """Write the new blobs; return them by the ids of the old ones."""
        return {oid: pack.add("blob", data) for oid, data in self._blobs.items()}
