"""Works out what is forgotten: new content of blobs, new histories, new refs and files. Moves nothing."""

from __future__ import annotations

import itertools
import os
import re

from entire import contents
from entire.audit import own_files, sources
from entire.errors import EntireError
from entire.forgetting.values import Secret
from entire.git import additions, history, promised
from entire.git.pack import Pack
from entire.index import database, digests
from entire.model.value import Value
from entire.store import checkpoints, forgotten
from entire.store.checkpoints import LOCAL_REF
from entire.store.rewriting import BlobRewrite, Rewriter
from entire.undo import folder as undo_folder
from entire.undo import transaction
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from entire.audit.sources import AuditSource
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.transcripts import Content

COMMAND = "forget"
_BATCH = 32
_RECORDS = ("/metadata.json", "/lineage.json", "/journal.json")
_ID = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])")
_SESSION_LINE = re.compile(rb"^Entire-Session: *(.*?) *$", re.MULTILINE)
_TRAILER = re.compile(rb"^Entire-[A-Za-z-]+:")


class ForgetNotes(Notes):
    """What ``forget`` notes for its undo."""

    command = COMMAND
    left: Mapping[str, str] = {}  # the digests of the files that it left


class ForgetTarget(Value):
    """What is forgotten: a secret, or checkpoints and sessions by their ids."""

    secret: Secret | None = None
    checkpoints: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()


class ForgetPlan(Value):
    """What changes. ``refs``: old and new tip; ``files``: new content, None to delete."""

    refs: Mapping[str, tuple[str, str]]
    files: Mapping[str, Content | None]
    logs: Mapping[str, bytes]  # rewritten on the spot: they change all the time, so no undo restores them
    others: tuple[str, ...]  # new tips of what remotes are known to have besides
    record: forgotten.Record
    texts: int
    commits: int
    steps: int
    checkpoints: tuple[str, ...]
    sessions: tuple[str, ...]
    has_index: bool
    own_files: int
    removed_sessions: tuple[str, ...] = ()
    removed_checkpoints: tuple[str, ...] = ()


class Planner:
    """Reads everything that is stored, once, and rewrites what has to change into a pack."""

    def __init__(self, place: Place, objects: Objects, target: ForgetTarget, *, is_dry: bool) -> None:
        self.place = place
        self.target = target
        self._objects = objects
        self._scratch = contents.Scratch()
        self._pack = Pack(place.top, history.oid_size(place.top), is_dry=is_dry)
        self._blobs: dict[str, str] = {}
        self._checkpoints: dict[str, None] = dict.fromkeys(sorted(target.checkpoints))
        self._sessions: dict[str, None] = dict.fromkeys(sorted(target.sessions))

    def plan(self, *, now: float) -> ForgetPlan:
        """Return the changes; their objects are written, unless this is a dry run."""
        local = sources.local(self.place.top)
        branch = [source for source in local if source.kind == sources.CHECKPOINT]
        steps = [source for source in local if source.kind != sources.CHECKPOINT]
        others, undo_tips = self._other_tips(branch), _undo_tips(self.place, self._objects)
        self._replace_blobs([*branch, *steps, *others, *undo_tips])
        stored = self._rewritten([*branch, *others], steps=False)
        said = self._rewritten([*steps, *undo_tips], steps=True)
        undone = self._rewritten(undo_tips, steps=False)
        self._pack.flush()
        moved = {**undone.commits, **said.commits, **stored.commits}
        emptied = {name for name, has_others in stored.reduced.items() if not has_others}
        removed = tuple(sorted(self.target.checkpoints | emptied))
        record = forgotten.Record(commits=stored.commits, blobs=self._blobs, origins=tuple(stored.origins), time=now,
                                  checkpoints=removed, sessions=tuple(self.target.sessions))  # fmt: skip
        files, logs = self._files({**moved, **self._blobs})
        return ForgetPlan(
            refs={source.ref: (source.tip, moved[source.tip]) for source in local if source.tip in moved},
            files=files, logs=logs,
            others=tuple(moved.get(source.tip, source.tip) for source in others),
            record=forgotten.joined(forgotten.read(self.place.common_dir), record),
            texts=len(self._blobs), commits=len(stored.commits), steps=len(said.commits),
            checkpoints=tuple({**self._checkpoints, **stored.reduced}), sessions=tuple(self._sessions),
            has_index=self._is_in_index(), own_files=self._count_own_files(steps),
            removed_checkpoints=removed, removed_sessions=tuple(self.target.sessions),
        )  # fmt: skip

    def _rewritten(self, audited: Sequence[AuditSource], *, steps: bool) -> Rewriter:
        """Rewrite the histories of the checkpoints branches among some sources, or those of the steps."""
        change = BlobRewrite(blobs=self._blobs, checkpoints=self.target.checkpoints, sessions=self.target.sessions)
        rewriter = Rewriter(self._objects, self._pack, change, self._message)
        tips = [source.tip for source in audited if (source.kind != sources.CHECKPOINT) == steps]
        rewriter.rewrite(self.place.top, tips, steps=steps)
        return rewriter

    def _other_tips(self, branch: Sequence[AuditSource]) -> list[AuditSource]:
        """Return the checkpoints branches of remotes that have what the local one has not."""
        tips = checkpoints.tips(self.place.top)
        tips.pop(LOCAL_REF, None)
        known = [source.tip for source in branch]
        return [sources.AuditSource(ref=ref, tip=tip, kind=sources.CHECKPOINT) for ref, tip in tips.items()
                if not known or history.count(self.place.top, tip, f"^{known[0]}")]  # fmt: skip

    def _replace_blobs(self, audited: Sequence[AuditSource]) -> None:
        """Fill the map of blobs that change, and note which checkpoints and sessions have them."""
        places: dict[str, list[tuple[str, str, str]]] = {}
        for source in audited:
            for added in additions.find(self.place.top, [source.tip], source.folders):
                for path, oid in added.blobs:
                    places.setdefault(oid, []).append((source.kind, path, added.message))
        tips = [source.tip for source in audited]
        promised.fetch(self.place.top, tips, [oid for oid, at in places.items() if self._reads(at[0][1])])
        names = list(places)
        for start in range(0, len(names) if self.target.secret is not None else 0, _BATCH):
            batch = names[start : start + _BATCH]
            for oid, blob in zip(batch, self._objects.get_all(batch), strict=True):
                if blob is not None:
                    self._replace_blob(oid, blob.data, places[oid])
        self._pack.flush()

    def _reads(self, path: str) -> bool:
        """Tell whether a file must be read: any, for a secret; else those that tell what is in a checkpoint."""
        return self.target.secret is not None or path.endswith((".json", "content_hash.txt"))

    def _replace_blob(self, oid: str, data: bytes, places: Sequence[tuple[str, str, str]]) -> None:
        new = self._removed(places[0][1], data, is_record=places[0][1].endswith(_RECORDS))
        if new == data:
            return
        self._blobs[oid] = self._pack.add("blob", new)
        for kind, path, message in places:
            checkpoint = sources.checkpoint_of(path) if kind == sources.CHECKPOINT else ""
            session = sources.session_of(path, message)
            self._checkpoints.update({checkpoint: None} if checkpoint else {})
            self._sessions.update({session: None} if session else {})

    def _removed(self, name: str, data: bytes, *, is_record: bool) -> bytes:
        """Return a file's content without the secret; raises UsageError if a record of ours would be none then."""
        secret = self.target.secret
        new = secret.removed(name, data) if secret is not None else data
        if secret is not None and is_record and new != data:
            secret.check_record(data)
        return new

    def _message(self, _oid: str, message: bytes) -> bytes:
        """Return a commit's message without the secret; of a step of a forgotten session only the trailers."""
        if self.target.secret is not None:
            return self.target.secret.removed("message", message)
        named = _SESSION_LINE.search(message)
        is_step = b"\nEntire-Metadata" in message and b"\nEntire-Agent" not in message
        if named is not None and is_step and named[1].decode("utf-8", "replace") in self.target.sessions:
            lines = [line for line in message.split(b"\n") if _TRAILER.match(line)]
            return b"\n".join((b"Forgotten", b"", *lines, b""))
        return message

    def _files(self, ids: Mapping[str, str]) -> tuple[dict[str, Content | None], dict[str, bytes]]:
        """Return the files and the logs that change: without the secret, and with the new ids of objects and states."""
        names = {old.encode(): new.encode() for old, new in ids.items()}
        record = forgotten.path(self.place.common_dir)
        changed: dict[str, Content | None] = {}
        logs: dict[str, bytes] = {}
        for kind, path in _own_files(self.place):
            data = _read(path)
            if data is None or path == record:
                continue
            new = self._without(kind, path, data)
            if kind == own_files.LOG:
                logs.update({path: bytes(new)} if new != data else {})
                continue
            new = self._scratch.keep(_renamed(new, names)) if names else new
            if new != data:
                changed[path] = new
                names[contents.digest(data).encode()] = contents.digest(new).encode()  # undo points name states
        return changed, logs

    def _without(self, kind: str, path: str, data: Content) -> Content:
        """Return a file of ours without the secret."""
        if self.target.secret is None:
            return data
        is_record = kind == own_files.STATE or path.endswith(_RECORDS)
        texts = own_files.texts(data)
        try:
            return self._scratch.keep(self._removed(path, text, is_record=is_record) for text in texts)
        except OSError as error:
            raise _unreadable(path, error) from error

    def _is_in_index(self) -> bool:
        folder = os.path.join(self.place.common_own_dir, database.FOLDER)
        secret = self.target.secret
        if secret is None:
            return any(os.path.isfile(os.path.join(folder, kept.NAME)) for kept in (database, digests))
        bodies = itertools.chain(database.bodies(folder), digests.bodies(folder))
        return any(secret.is_in(body.encode("utf-8", "replace")) for body in bodies)

    def _count_own_files(self, steps: Sequence[AuditSource]) -> int:
        """Return how many of the user's own files in steps hold the secret: they are not changed."""
        secret = self.target.secret
        if secret is None:
            return 0
        paths: dict[str, str] = {}
        for source in steps:
            for added in additions.find(self.place.top, [source.tip]):
                paths.update({oid: path for path, oid in added.blobs if not path.startswith(sources.SAID + "/")})
        names, count = list(paths), 0
        for start in range(0, len(names), _BATCH):
            blobs = self._objects.get_all(names[start : start + _BATCH])
            count += sum(blob is not None and secret.is_in(blob.data) for blob in blobs)
        return count


def _renamed(data: Content, names: Mapping[bytes, bytes]) -> Iterator[bytes]:
    """Yield a file with the new ids of objects and states, in pieces that end where no id can go on."""
    rest = b""
    for block in contents.blocks(data):
        piece = rest + block
        end = len(piece.rstrip(b"0123456789abcdef"))
        rest, piece = piece[end:], piece[:end]
        yield _ID.sub(lambda found: names.get(found[0], found[0]), piece)
    yield _ID.sub(lambda found: names.get(found[0], found[0]), rest)


def _read(path: str) -> Content | None:
    try:
        return own_files.read(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: OSError) -> EntireError:
    hint = "delete it if it is not needed, and try again"
    return EntireError(f"cannot read {path}: {error.strerror}; nothing was changed", hint=hint)


def _own_files(place: Place) -> Iterator[tuple[str, str]]:
    """Yield our files, without the undo points of ``forget``: these exist to bring back what it removed."""
    own = [os.path.join(undo_folder.root(other), point.id) + os.sep for other in own_files.places(place)
           for point in transaction.find_all(other) if point.command == COMMAND]  # fmt: skip
    yield from (entry for entry in own_files.find(place) if not entry[1].startswith(tuple(own)))


def _undo_tips(place: Place, objects: Objects) -> list[AuditSource]:
    """Return what undo points would restore of our refs, so none brings back what is forgotten."""
    by_tip = {}
    for other in own_files.places(place):
        for point in transaction.find_all(other):
            for ref, *tips in point.moves if point.command != COMMAND else ():
                is_ours = ref.startswith(("refs/heads/entire/", "refs/entire/"))
                kind, folders = (sources.CHECKPOINT, ()) if ref == LOCAL_REF else (sources.STEP, (sources.SAID,))
                for tip in tips if is_ours else ():
                    if tip and objects.commit(tip) is not None:
                        by_tip[tip] = sources.AuditSource(ref=ref, tip=tip, kind=kind, folders=folders)
    return list(by_tip.values())
