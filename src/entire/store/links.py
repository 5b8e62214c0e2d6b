"""Which checkpoints a commit has: those that its message names, and those that are recorded for its id.

A commit that no hook saw has no trailer, and history is never rewritten. Its link is in the checkpoint's own record
(``lineage.json``), and in an index on the checkpoints branch. Each entry is a file without content, so that every way
to join two branches file by file keeps the entries of both::

    links/commits/<2 digits of the commit>/<other digits>-<number>-<checkpoint id>
    links/patches/<2 digits of its patch id>/<other digits>-<number>-<checkpoint id>

The number orders the checkpoints of one commit. Commits whose messages name their checkpoints are not in the index.
"""

from __future__ import annotations

from entire.git import history
from entire.model import trailers
from entire.model.ids import CheckpointId, is_checkpoint_id
from entire.model.value import Value
from entire.redact import trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from entire.git.history import Logged
    from entire.git.read import Commit, Objects, TreeEntry
    from entire.store.checkpoint_writer import Changes

    Shard = dict[str, list[CheckpointId]]

FOLDER = "links"
_COMMITS, _PATCHES = f"{FOLDER}/commits", f"{FOLDER}/patches"
_FILE = "100644"


class Linked(Value):
    """A commit with its checkpoints. ``foreign_ids``: links in a newer form, which do not lead to our branch."""

    commit: Logged
    checkpoint_ids: tuple[CheckpointId, ...]
    foreign_ids: tuple[str, ...] = ()


class Links:
    """Answers which checkpoints commits have, from the checkpoints branches at ``tips`` (refs or commits).

    Reads each part of the index once: make a new one after the branch has moved.
    """

    def __init__(self, where: str, objects: Objects, tips: Sequence[str]) -> None:
        self._where = where
        self._objects = objects
        self._tips = tips
        self._shards: dict[str, Shard] = {}
        self._known: dict[str, set[str]] = {}  # the parts of the index that exist

    def of(self, commit: Commit | Logged) -> list[CheckpointId]:
        """Return the checkpoints of a commit: those that its message names, then those recorded for its id."""
        return list(dict.fromkeys([*named(commit), *self.recorded(commit.oid)]))

    def recorded(self, oid: str) -> list[CheckpointId]:
        """Return the checkpoints that are recorded for a commit's id."""
        return self._find(_COMMITS, oid)

    def of_patch(self, patch_id: str) -> list[CheckpointId]:
        """Return the checkpoints of recorded commits that made the same change."""
        return self._find(_PATCHES, patch_id)

    def has_patches(self) -> bool:
        """Tell whether any commit is recorded, so that a copy of it can be found by its patch id."""
        return bool(self._names(_PATCHES))

    def linked(self, commits: Iterable[Logged]) -> list[Linked]:
        """Return these commits, in order, with their checkpoints; some may have none."""
        return [
            Linked(commit=commit, checkpoint_ids=tuple(self.of(commit)),
                   foreign_ids=tuple(trailers.ulid_ids(commit.message)))
            for commit in commits
        ]  # fmt: skip

    def log(
        self, *, start: str = "", limit: int = 0, first_parent: bool = False, checkpoint_id: str = ""
    ) -> list[Linked]:
        """Return the commits with checkpoints, or with ``checkpoint_id``, newest first.

        Searches what ``start`` reaches, or without it what any branch, tag or HEAD reaches.
        """
        text = checkpoint_id or trailers.CHECKPOINT
        found = history.containing(self._where, text, start=start, limit=limit, first_parent=first_parent)
        wanted = [oid for oid, ids in self._all().items() if not checkpoint_id or checkpoint_id in ids]
        if wanted:
            since = found[-1].committed if limit and len(found) == limit else 0
            reached = history.reached(self._where, start=start, first_parent=first_parent, since=since)
            order = {oid: at for at, oid in enumerate(reached)}
            known = {commit.oid for commit in found}
            more = history.show(self._where, [oid for oid in wanted if oid in order and oid not in known])
            found = sorted([*found, *more], key=lambda commit: order.get(commit.oid, len(order)))
        linked = [one for one in self.linked(found) if _is_wanted(one, checkpoint_id)]
        return linked[:limit] if limit else linked

    def _all(self) -> Shard:
        """Return the checkpoints of all recorded commits."""
        return {
            name + rest: ids
            for name in sorted(self._names(_COMMITS))
            if len(name) == 2
            for rest, ids in self._shard(f"{_COMMITS}/{name}").items()
        }

    def _find(self, folder: str, key: str) -> list[CheckpointId]:
        return self._shard(f"{folder}/{key[:2]}").get(key[2:], []) if key[:2] in self._names(folder) else []

    def _names(self, folder: str) -> set[str]:
        """Return the parts that a folder of the index has: usually none, and then no commit needs a look."""
        if folder not in self._known:
            entries = [entry for tip in self._tips for entry in self._objects.tree(f"{tip}:{folder}")]
            self._known[folder] = {entry.name for entry in entries}
        return self._known[folder]

    def _shard(self, folder: str) -> Shard:
        if folder not in self._shards:
            entries = [entry for tip in self._tips for entry in self._objects.tree(f"{tip}:{folder}")]
            self._shards[folder] = _parse(entries)
        return self._shards[folder]


def named(commit: Commit | Logged) -> list[CheckpointId]:
    """Return the checkpoints that a commit's own message names."""
    message = commit.message
    return trailers.checkpoint_ids(message if isinstance(message, str) else message.decode("utf-8", "surrogateescape"))


def missing(commit: Commit, ids: Iterable[CheckpointId]) -> list[CheckpointId]:
    """Return the checkpoints among ``ids`` that a commit's message does not name."""
    present = named(commit)
    return [checkpoint_id for checkpoint_id in dict.fromkeys(ids) if checkpoint_id not in present]


def changes(objects: Objects, base: str, commit: Commit, ids: Iterable[CheckpointId], patch_id: str = "") -> Changes:
    """Return the changes that add a commit to the index in ``base``: its checkpoints that its message does not name."""
    known = Links("", objects, [base] if base else [])
    wanted = missing(commit, ids)
    found: Changes = {}
    for folder, key in ((_COMMITS, commit.oid), (_PATCHES, patch_id)):
        present = known.recorded(key) if folder == _COMMITS else known.of_patch(key)
        fresh = [checkpoint_id for checkpoint_id in wanted if key and checkpoint_id not in present]
        for number, checkpoint_id in enumerate(fresh, len(present)):
            found[f"{folder}/{key[:2]}/{key[2:]}-{number:03}-{checkpoint_id}"] = (_FILE, trusted(b""))
    return found


def _parse(entries: Iterable[TreeEntry]) -> Shard:
    """Return the checkpoints in a folder of the index, by the rest of the commit or patch id."""
    found: Shard = {}
    for name in sorted({entry.name for entry in entries}):
        rest, *words = name.split("-")
        if len(words) == 2 and is_checkpoint_id(words[1]):
            ids = found.setdefault(rest, [])
            if words[1] not in ids:
                ids.append(CheckpointId(words[1]))
    return found


def _is_wanted(linked: Linked, checkpoint_id: str) -> bool:
    return (
        checkpoint_id in linked.checkpoint_ids if checkpoint_id else bool(linked.checkpoint_ids or linked.foreign_ids)
    )
