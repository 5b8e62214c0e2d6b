"""Which checkpoints a commit has: those that its message names, and those that are recorded for its id, without those
that a person has unlinked. A trailer names one. An id elsewhere in the message may only be quoted: it counts if the
commit has content of that checkpoint, as a squash has.

A commit that no hook saw has no trailer, and history is never rewritten. Its link is in the checkpoint's own record
(``lineage.json``), and in an index on the checkpoints branch. Each entry is a file without content, so every way
to join two branches file by file keeps the entries of both::

    links/commits/<2 digits of the commit>/<other digits>-<number>-<checkpoint id>
    links/patches/<2 digits of its patch id>/<other digits>-<number>-<checkpoint id>

The number orders the checkpoints of one commit. Commits whose messages name their checkpoints are not in the index.
``entire unlink`` and ``entire link`` count what they did to a commit and a checkpoint; the highest count decides, an
odd one unlinks::

    links/unlinked/<2 digits of the commit>/<other digits>-<count>-<checkpoint id>
"""

from __future__ import annotations

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
    Counts = dict[CheckpointId, int]

FOLDER = "links"
_COMMITS, _PATCHES, _UNLINKED = f"{FOLDER}/commits", f"{FOLDER}/patches", f"{FOLDER}/unlinked"
_FILE = "100644"


class Linked(Value):
    """A commit with its checkpoints. ``foreign_ids``: links in a newer form, which do not lead to our branch;
    ``unlinked_ids``: checkpoints that a person has unlinked from it.
    """

    commit: Logged
    checkpoint_ids: tuple[CheckpointId, ...]
    foreign_ids: tuple[str, ...] = ()
    unlinked_ids: tuple[CheckpointId, ...] = ()


class CheckpointLinks:
    """Answers which checkpoints commits have, from the checkpoints branches at ``tips`` (refs or commits).

    Reads each part of the index once: make a new one after the branch has moved.
    """

    def __init__(self, where: str, objects: Objects, tips: Sequence[str]) -> None:
        self._where = where
        self._objects = objects
        self._tips = tips
        self._shards: dict[str, Shard] = {}
        self._known: dict[str, set[str]] = {}  # the parts of the index that exist
        self._unlinked: dict[str, dict[str, Counts]] = {}  # by the first digits of the commits
        self._quoted: dict[tuple[str, CheckpointId], bool] = {}  # whether an id in a commit's body is only quoted

    def of(self, commit: Commit | Logged) -> list[CheckpointId]:
        """Return the checkpoints of a commit: those that its message names, then those recorded for its id."""
        gone = self.unlinked(commit.oid)
        ids = dict.fromkeys([*self._named(commit), *self._find(_COMMITS, commit.oid)])
        return [checkpoint_id for checkpoint_id in ids if checkpoint_id not in gone]

    def _named(self, commit: Commit | Logged) -> list[CheckpointId]:
        """Return the checkpoints that a commit's message names, without those that it only quotes."""
        ids = named(commit)
        certain = trailers.trailing_ids(_text(commit)) if ids else []
        return [name for name in ids if name in certain or not self._is_quoted(commit, name)]

    def _is_quoted(self, commit: Commit | Logged, checkpoint_id: CheckpointId) -> bool:
        key = commit.oid, checkpoint_id
        if key not in self._quoted:
            from entire.store import quoted_ids

            self._quoted[key] = quoted_ids.is_quoted(self._where, self._objects, self._tips, commit, checkpoint_id)
        return self._quoted[key]

    def recorded(self, oid: str) -> list[CheckpointId]:
        """Return the checkpoints that are recorded for a commit's id."""
        gone = self.unlinked(oid)
        return [checkpoint_id for checkpoint_id in self._find(_COMMITS, oid) if checkpoint_id not in gone]

    def unlinked(self, oid: str) -> list[CheckpointId]:
        """Return the checkpoints that a person has unlinked from a commit."""
        return [checkpoint_id for checkpoint_id, count in self.counts(oid).items() if count % 2]

    def counts(self, oid: str) -> Counts:
        """Return how often a person has unlinked a commit from checkpoints, or linked it again."""
        return self._counted(oid[:2]).get(oid[2:], {})

    def unlinked_commits(self) -> dict[str, list[CheckpointId]]:
        """Return the commits that a person has unlinked, with the checkpoints; usually there are none."""
        oids = [folder + rest for folder in sorted(self._names(_UNLINKED)) for rest in self._counted(folder)]
        return {oid: ids for oid in oids if (ids := self.unlinked(oid))}

    def is_recorded(self, oid: str) -> bool:
        """Tell whether anything is recorded for a commit's id, also that a person has unlinked it."""
        return bool(self._find(_COMMITS, oid) or self.counts(oid))

    def recorded_commits(self) -> list[str]:
        """Return the commits for whose ids checkpoints are recorded."""
        return list(self._all())

    def of_patch(self, patch_id: str) -> list[CheckpointId]:
        """Return the checkpoints of recorded commits that made the same change."""
        return self._find(_PATCHES, patch_id)

    def has_patches(self) -> bool:
        """Tell whether any commit is recorded, so a copy of it can be found by its patch id."""
        return bool(self._names(_PATCHES))

    def linked(self, commits: Iterable[Logged]) -> list[Linked]:
        """Return these commits, in order, with their checkpoints; some may have none."""
        return [
            Linked(commit=commit, checkpoint_ids=tuple(self.of(commit)),
                   foreign_ids=tuple(trailers.ulid_ids(commit.message)),
                   unlinked_ids=tuple(self.unlinked(commit.oid)))
            for commit in commits
        ]  # fmt: skip

    def log(
        self, *, start: str = "", limit: int = 0, first_parent: bool = False, checkpoint_id: str = ""
    ) -> list[Linked]:
        """Return the commits with checkpoints, or with ``checkpoint_id``, newest first.

        Searches what ``start`` reaches, or without it what any branch, tag or HEAD reaches.
        """
        from entire.git import history  # not for hooks, which look at one commit

        text = checkpoint_id or trailers.CHECKPOINT
        most = limit + len(self.unlinked_commits()) if limit else 0  # those are found, and left out afterwards
        commits = history.containing(self._where, text, start=start, limit=most, first_parent=first_parent)
        wanted = [oid for oid, ids in self._all().items() if not checkpoint_id or checkpoint_id in ids]
        if wanted:
            since = commits[-1].committed if limit and len(commits) == most else 0
            reached = history.reached(self._where, start=start, first_parent=first_parent, since=since)
            order = {oid: at for at, oid in enumerate(reached)}
            known = {commit.oid for commit in commits}
            more = history.show(self._where, [oid for oid in wanted if oid in order and oid not in known])
            commits = sorted([*commits, *more], key=lambda commit: order.get(commit.oid, len(order)))
        linked = [one for one in self.linked(commits) if _is_wanted(one, checkpoint_id)]
        return linked[:limit] if limit else linked

    def _all(self) -> Shard:
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
            self._known[folder] = {entry.name for entry in self._entries(folder)}
        return self._known[folder]

    def _shard(self, folder: str) -> Shard:
        if folder not in self._shards:
            self._shards[folder] = _parse(self._entries(folder))
        return self._shards[folder]

    def _counted(self, folder: str) -> dict[str, Counts]:
        """Return the counts of the commits whose ids start with these two digits, by the rest of their ids."""
        if folder not in self._unlinked:
            entries = self._entries(f"{_UNLINKED}/{folder}") if folder in self._names(_UNLINKED) else []
            self._unlinked[folder] = _parse_counts(entries)
        return self._unlinked[folder]

    def _entries(self, folder: str) -> list[TreeEntry]:
        return [entry for tip in self._tips for entry in self._objects.tree(f"{tip}:{folder}")]


def named(commit: Commit | Logged) -> list[CheckpointId]:
    """Return the checkpoints that a commit's own message names, or only quotes."""
    return trailers.checkpoint_ids(_text(commit))


def _text(commit: Commit | Logged) -> str:
    message = commit.message
    return message if isinstance(message, str) else message.decode("utf-8", "surrogateescape")


def missing(commit: Commit | Logged, ids: Iterable[CheckpointId]) -> list[CheckpointId]:
    """Return the checkpoints among ``ids`` that a commit's message does not name."""
    present = named(commit)
    return [checkpoint_id for checkpoint_id in dict.fromkeys(ids) if checkpoint_id not in present]


def changes(objects: Objects, base: str, commit: Commit, ids: Iterable[CheckpointId], patch_id: str = "") -> Changes:
    """Return the changes that add a commit to the index in ``base``: its checkpoints that its message does not name."""
    known = CheckpointLinks("", objects, [base] if base else [])
    wanted = missing(commit, ids)
    entries: Changes = {}
    for folder, key in ((_COMMITS, commit.oid), (_PATCHES, patch_id)):
        present = known._find(folder, key)
        fresh = [checkpoint_id for checkpoint_id in wanted if key and checkpoint_id not in present]
        for number, checkpoint_id in enumerate(fresh, len(present)):
            entries[f"{folder}/{key[:2]}/{key[2:]}-{number:03}-{checkpoint_id}"] = (_FILE, trusted(b""))
    return entries


def toggled(known: CheckpointLinks, oid: str, ids: Iterable[CheckpointId]) -> Changes:
    """Return the changes that unlink a commit from checkpoints that ``known`` does not have as unlinked, and link it
    again to the others. ``known`` must read all branches, so the new count is the highest.
    """
    counts = known.counts(oid)
    return {
        f"{_UNLINKED}/{oid[:2]}/{oid[2:]}-{counts.get(checkpoint_id, 0) + 1:03}-{checkpoint_id}": (_FILE, trusted(b""))
        for checkpoint_id in dict.fromkeys(ids)
    }


def _parse_counts(entries: Iterable[TreeEntry]) -> dict[str, Counts]:
    """Return the highest count of each checkpoint in a folder of the index, by the rest of the commit's id."""
    by_rest: dict[str, Counts] = {}
    for entry in sorted(entries, key=lambda entry: entry.name):
        rest, *words = entry.name.split("-")
        if len(words) == 2 and words[0].isascii() and words[0].isdigit() and is_checkpoint_id(words[1]):
            counts, checkpoint_id = by_rest.setdefault(rest, {}), CheckpointId(words[1])
            counts[checkpoint_id] = max(int(words[0]), counts.get(checkpoint_id, 0))
    return by_rest


def _parse(entries: Iterable[TreeEntry]) -> Shard:
    """Return the checkpoints in a folder of the index, by the rest of the commit or patch id."""
    by_rest: Shard = {}
    for name in sorted({entry.name for entry in entries}):
        rest, *words = name.split("-")
        if len(words) == 2 and is_checkpoint_id(words[1]):
            ids = by_rest.setdefault(rest, [])
            if words[1] not in ids:
                ids.append(CheckpointId(words[1]))
    return by_rest


def _is_wanted(linked: Linked, checkpoint_id: str) -> bool:
    return (
        checkpoint_id in linked.checkpoint_ids if checkpoint_id else bool(linked.checkpoint_ids or linked.foreign_ids)
    )
