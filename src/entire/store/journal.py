"""The journal of one work tree: every look at it, who may have changed it since, and what commits had to do with it.

``<git dir>/entire/journal.json`` is the truth; the looks' trees are kept from being collected by the commits of
``refs/entire/journal/<worktree>``. ``snapshot.json`` beside it remembers the blobs of the files that differ from
HEAD, so that the next look stores only what changed. Entries that no commit can need any more go to ``past.jsonl``,
where a rewind finds them for two weeks. ``live`` is there while the git hooks have something to do here (they look for
it before they start an interpreter).
"""

from __future__ import annotations

import os
import time

from entire import files
from entire.errors import CorruptError
from entire.model import jsontext
from entire.model.session import KEPT_SECONDS, WEAK, Entry
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.layout import Place

_MAX_ENTRIES = 300
_MAX_REASONS = 50
_MAX_TREES = 8
_MAX_MADE = 5000
_MAX_UNSEEN = 500
_PAST_BYTES = 4 << 20  # of past.jsonl, before what is older than two weeks is taken out of it
NO_FILE = "000000"
_BROKEN = (CorruptError, TypeError, ValueError, KeyError, AttributeError)
_FACTS = 6  # of a file in a snapshot
_TYPES: dict[type, tuple[str, ...]] = {
    dict: ("reports", "shadows", "weights", "trees", "guests"),
    list: ("entries", "settled_at", "sessions", "made", "aside", "reasons", "kept", "unseen", "identity"),
}


class Snapshot(Value):
    """A work tree as a tree object: HEAD's tree and all that differs from it.

    ``files`` maps a path to [mode, blob id, size, mtime, ctime, inode]; mode ``000000`` is a deleted file.
    """

    head: str = ""
    head_tree: str = ""
    branch: str = ""
    tree: str = ""  # '' until it is written
    time: float = 0.0
    files: dict[str, list[Any]] = {}
    left_out: tuple[str, ...] = ()  # untracked files above the size bound
    untracked: tuple[str, ...] = ()


class Journal:
    """What is remembered of one work tree. Load it, change it, save it under the repository's lock."""

    def __init__(self, place: Place, *, repair: bool = False) -> None:
        """Load it. A broken file counts as none; ``repair`` puts it aside (reading alone writes nothing)."""
        self._path = os.path.join(place.own_dir, "journal.json")
        self._snapshot_path = os.path.join(place.own_dir, "snapshot.json")
        self._live_path = os.path.join(place.own_dir, "live")
        self._past_path = os.path.join(place.own_dir, "past.jsonl")
        self._repair = repair
        self._snapshot: Snapshot | None = None
        self._is_new = False
        self._dropped: list[bytes] = []
        self.ref = f"refs/entire/journal/{place.worktree_id}"
        try:
            self._fill(files.read_json(self._path) or {})
        except _BROKEN:
            self._put_aside(self._path)
            self._fill({})

    def _put_aside(self, path: str) -> None:
        if self._repair:
            files.put_aside(path)

    def _fill(self, value: dict[str, Any]) -> None:
        for kind, names in _TYPES.items():
            if not all(isinstance(value.get(name, kind()), kind) for name in names):
                raise TypeError(kind)
        self.tip = str(value.get("tip", ""))  # the journal's last commit
        self.entries = [_entry_from_json(one) for one in value.get("entries", [])]
        self.settled_at = [
            int(one) for one in value.get("settled_at", [])
        ]  # entries at which nothing was open any more
        self.sessions = [str(one) for one in value.get("sessions", [])]  # of this work tree, live or lately so
        self.made: dict[str, None] = dict.fromkeys(value.get("made", []))  # paths that turns changed
        self.aside: dict[str, None] = dict.fromkeys(value.get("aside", []))  # of these, those that a stash took away
        self.reports: dict[str, list[str]] = value.get("reports", {})  # session/turn -> paths its tools reported
        self.reasons: list[dict[str, Any]] = value.get("reasons", [])  # commits near a session that were not linked
        self.shadows: dict[str, str] = value.get("shadows", {})  # shadow branch -> its tip as we left it
        self.weights: dict[str, int] = value.get("weights", {})  # shadow branch -> bytes of files that its steps hold
        self.kept: list[list[Any]] = value.get("kept", [])  # [ref, tip, time, bytes] of steps that a commit condensed
        self.unseen: dict[str, None] = dict.fromkeys(value.get("unseen", []))  # too big for a look at some time
        self.chain_since = float(value.get("chain_since", 0.0))  # when the ref's chain of looks began
        self.last_scan = float(value.get("last_scan", 0.0))
        self.is_live = bool(value.get("live", False))
        self.trees: dict[str, str] = value.get("trees", {})  # commit -> tree, of the last few commits: saves asking git
        self.guests: dict[str, list[str]] = value.get(
            "guests", {}
        )  # sessions of other work trees: their paths in this one
        self.followed = str(value.get("followed", ""))  # HEAD, if our hooks saw each commit since the last look
        self.identity: list[Any] = value.get("identity", ["", 0.0])  # who writes our commits, and when git was asked

    @property
    def snapshot(self) -> Snapshot:
        """The last look."""
        if self._snapshot is None:
            try:
                self._snapshot = _snapshot_from_json(files.read_json(self._snapshot_path) or {})
            except _BROKEN:
                self._put_aside(self._snapshot_path)
                self._snapshot = Snapshot()
            if self._snapshot.tree != self.tree:  # one of the two files is lost or older: only the trees can tell
                self._snapshot = replace(self._snapshot, tree="")
        return self._snapshot

    @snapshot.setter
    def snapshot(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._is_new = True
        self.followed = ""

    @property
    def tree(self) -> str:
        """The tree of the last look; '' without one."""
        return next((entry.tree for entry in reversed(self.entries) if not entry.commit), "")

    def follow(self, commit: str, parents: Sequence[str]) -> None:
        """Note that our hooks saw a commit; one on top of what is known leaves nothing to be found out at the next
        look.
        """
        if self.snapshot.head and tuple(parents[:1]) == (self.followed or self.snapshot.head,):
            self.followed = commit

    def note(self, entry: Entry) -> None:
        """Add an entry; the oldest go when there are too many."""
        self.entries.append(entry)
        surplus = len(self.entries) - _MAX_ENTRIES
        if surplus > 0:
            self.drop(surplus)

    def drop(self, count: int) -> None:
        """Move the oldest entries to the past, each with what tools had reported of its paths."""
        for entry in self.entries[:count]:
            paths = set(entry.paths)
            turns = {turn.removeprefix(WEAK) for turn in (entry.by, *entry.running) if turn}
            reports = {turn: [one for one in self.reports.get(turn, ()) if one in paths] for turn in turns}
            value = {"entry": _entry_json(entry), "reports": reports}
            self._dropped.append(
                jsontext.dumps(value, ensure_ascii=False, compact=True).encode("utf-8", "surrogateescape")
            )
        del self.entries[:count]
        self.settled_at = [at - count for at in self.settled_at if at > count]

    def entries_without(self, commit: str) -> list[Entry]:
        """Return the entries as if a commit had not been made; the first one stays, it is what all others build on."""
        return [one for at, one in enumerate(self.entries) if not (at and commit and one.commit == commit)]

    def forget_commit(self, commit: str) -> None:
        """Take back what a commit settled: it was amended."""
        gone = [at for at, one in enumerate(self.entries) if at and commit and one.commit == commit]
        self.entries = self.entries_without(commit)
        self.settled_at = [mark - sum(at < mark for at in gone) for mark in self.settled_at]

    def settle(self) -> None:
        """Note that nothing is open now; two commits back is as far as an amend can look."""
        self.settled_at.append(len(self.entries))
        if len(self.settled_at) > 2:
            oldest = self.settled_at[-3]
            if oldest > 1:
                self.drop(oldest - 1)
            self.settled_at = self.settled_at[-2:]

    def note_made(self, paths: list[str]) -> None:
        """Remember paths that a turn changed."""
        self.made.update(dict.fromkeys(paths))
        for path in list(self.made)[: max(0, len(self.made) - _MAX_MADE)]:
            del self.made[path]

    def note_reason(self, commit: str, reason: str, moment: float) -> None:
        """Remember why a commit was not linked."""
        self.reasons = [one for one in self.reasons if one.get("commit") != commit]
        self.reasons.append({"commit": commit, "reason": reason, "time": moment})
        del self.reasons[:-_MAX_REASONS]

    def save(self, *, live: bool) -> None:
        """Write the journal and the marker for the git hooks."""
        self.is_live = live
        if self._dropped:  # first: killed after it, an entry is in both places, and reading takes it once
            files.append(self._past_path, b"".join(b"\n" + line for line in self._dropped))
            self._dropped = []
            _shorten(self._past_path)
        files.write(self._path, self._dump(), mode=0o600)
        if self._is_new:  # last: killed before it, the next look finds the same changes again and the same tree
            files.write_json(self._snapshot_path, dict(self.snapshot.__dict__))
            self._is_new = False
        if os.path.isdir(self._live_path):
            files.put_aside(self._live_path)
        if not live:
            files.remove(self._live_path)
        elif not os.path.exists(self._live_path):
            files.write(self._live_path, b"")

    def forms(self, *, live: bool) -> list[tuple[str, bytes | None]]:
        """Return the files that ``save`` writes where neither a look nor the past is new: path and content."""
        self.is_live = live
        return [(self._path, self._dump()), (self._live_path, b"" if live else None)]

    def _dump(self) -> bytes:
        known = {turn.removeprefix(WEAK) for entry in self.entries for turn in (entry.by, *entry.running) if turn}
        return files.json_bytes({
            "version": 1, "tip": self.tip, "entries": [_entry_json(one) for one in self.entries],
            "settled_at": self.settled_at, "sessions": self.sessions, "made": list(self.made),
            "aside": [path for path in self.aside if path in self.made],
            "reports": {turn: paths for turn, paths in self.reports.items() if turn in known},
            "reasons": self.reasons, "shadows": self.shadows, "last_scan": self.last_scan, "live": self.is_live,
            "trees": dict(list(self.trees.items())[-_MAX_TREES:]), "identity": self.identity,
            "followed": self.followed,
            "guests": self.guests, "kept": self.kept, "unseen": list(self.unseen)[-_MAX_UNSEEN:],
            "chain_since": self.chain_since,
            "weights": {name: weight for name, weight in self.weights.items() if name in self.shadows},
        })  # fmt: skip


def _snapshot_from_json(value: dict[str, Any]) -> Snapshot:
    known = {name: value[name] for name in Snapshot._fields if name in value}
    for name in ("left_out", "untracked"):
        known[name] = tuple(known.get(name, ()))
    for name, one in known.items():
        if not isinstance(one, type(Snapshot._defaults[name]) if name != "time" else (int, float)):
            raise TypeError(name)
    if not all(isinstance(facts, list) and len(facts) == _FACTS for facts in known.get("files", {}).values()):
        raise TypeError("files")
    return Snapshot(**known)


def past(place: Place) -> list[tuple[Entry, dict[str, list[str]]]]:
    """Return the entries that a journal dropped, the oldest first, each with the reports of its turns."""
    found: dict[tuple[float, str, str], tuple[Entry, dict[str, list[str]]]] = {}
    for line in files.read_lines(os.path.join(place.own_dir, "past.jsonl")):
        try:
            value = jsontext.loads(line.decode("utf-8", "surrogateescape"))
            entry = _entry_from_json(value["entry"])
            found[entry.time, entry.tree, entry.commit] = (entry, value["reports"])
        except (*_BROKEN, RecursionError):
            continue  # a line that a kill has cut
    return list(found.values())


def _shorten(path: str) -> None:
    """Take out of the past what is older than two weeks, once the file is big."""
    try:
        if os.stat(path).st_size < _PAST_BYTES:
            return
    except OSError:
        return
    lines = (files.read(path) or b"").split(b"\n")
    oldest = time.time() - KEPT_SECONDS
    kept = [line for line in lines if _time_of(line) >= oldest]
    while sum(map(len, kept)) > _PAST_BYTES:
        del kept[: len(kept) // 4 + 1]
    files.write(path, b"\n".join(kept), mode=0o600)


def _time_of(line: bytes) -> float:
    try:
        return float(jsontext.loads(line.decode("utf-8", "surrogateescape"))["entry"][1])
    except (*_BROKEN, RecursionError):
        return 0.0


def _entry_json(entry: Entry) -> list[Any]:
    return [entry.tree, entry.time, entry.by, list(entry.running), entry.commit, list(entry.paths), entry.mark,
            entry.head]  # fmt: skip


def _entry_from_json(value: list[Any]) -> Entry:
    tree, moment, by, running, commit, paths, *more = value
    mark, head, *_ = [*more, "", ""]
    return Entry(tree=tree, time=moment, by=by, running=tuple(running), commit=commit, paths=tuple(paths), mark=mark,
                 head=head)  # fmt: skip
