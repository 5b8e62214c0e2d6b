"""The journal of one worktree: its snapshots, who may have changed it between them, and why commits were not linked.

``<git dir>/entire/journal.json`` is authoritative; the commits of ``refs/entire/journal/<worktree>`` protect the
snapshots' trees from garbage collection. ``snapshot.json`` beside it remembers the blobs of the files that differ from
HEAD, so the next snapshot stores only what changed. Entries that no commit can need any more move to
``past.jsonl``, where a rewind finds them for two weeks. ``live`` exists while the git hooks have something to do here,
``running`` while a turn is in progress, which may commit in other worktrees: the hooks check for both before they start
an interpreter.
"""

from __future__ import annotations

import os
import time

from entire import files
from entire.errors import CorruptError
from entire.model import jsontext
from entire.model.session import KEPT_SECONDS, Entry
from entire.model.turns import NO_MARK, NO_TURN, STASH_MARK, RunningTurn, TurnKey, TurnMark
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from entire.layout import LogEnd, Place
    from entire.model.turns import Unreported

    Reports = dict[TurnKey, list[str]]
    Dropped = tuple[Entry, Reports]

RETAINED = "refs/entire/kept"
"""Prefix of the refs to steps that a commit condensed, followed by worktree, base commit and milliseconds."""
_MAX_ENTRIES = 300
_MAX_REASONS = 50
_MAX_TREES = 8
_MAX_AGENT_PATHS = 5000
_MAX_OVERSIZED = 500
_MAX_STASHED = 1000
_PAST_BYTES = 4 << 20  # size of past.jsonl from which lines older than two weeks are removed
NO_FILE = "000000"
_BROKEN = (CorruptError, TypeError, ValueError, KeyError, AttributeError)
_FACTS = 6  # per file in a snapshot
_TYPES: dict[type, tuple[str, ...]] = {
    dict: ("reports", "shadows", "weights", "trees", "guests"),
    list: ("entries", "settled_at", "sessions", "made", "aside", "reasons", "kept", "unseen", "identity"),
}


class Snapshot(Value):
    """A worktree as a tree object: HEAD's tree and all that differs from it.

    ``files`` maps a path to [mode, blob id, size, mtime, ctime, inode]; mode ``000000`` is a deleted file.
    """

    head: str = ""
    head_tree: str = ""
    branch: str = ""
    tree: str = ""  # '' until it is written
    time: float = 0.0
    files: dict[str, list[Any]] = {}
    left_out: tuple[str, ...] = ()  # untracked files above the size limit
    untracked: tuple[str, ...] = ()
    reflog: LogEnd = (-1, "")  # where HEAD's reflog ended
    stashes: tuple[str, ...] = ()  # the commits of the stash, oldest first

    def has(self, path: str) -> bool:
        """Tell whether the worktree has something at a path that HEAD has not, or lacks what HEAD has."""
        return path in self.files or path in self.left_out


class RetainedSteps(Value):
    """The steps on one base commit, retained when a commit condensed them."""

    ref: str
    tip: str
    time: float  # when they were condensed
    size: int = 0  # bytes of files that may be in no commit, by the journal's estimate

    @property
    def worktree_id(self) -> str:
        return self.ref.removeprefix(RETAINED + "/").split("/")[0]

    @property
    def base(self) -> str:
        return self.ref.split("/")[-2]

    def to_json(self) -> list[Any]:
        return [self.ref, self.tip, self.time, self.size]


def _without(entry: Entry, gone: Collection[str]) -> Entry:
    """Return an entry in which the user takes the place of these sessions."""
    is_theirs = entry.by.session_id in gone
    return replace(
        entry,
        by=NO_TURN if is_theirs else entry.by,
        running=tuple(turn for turn in entry.running if turn.key.session_id not in gone),
        mark=NO_MARK if is_theirs else entry.mark,
        unreported={
            path: (moment, NO_TURN if key.session_id in gone else key)
            for path, (moment, key) in entry.unreported.items()
        },
    )


def retained_from_json(value: list[Any]) -> RetainedSteps:
    ref, tip, time, size = value
    return RetainedSteps(ref=str(ref), tip=str(tip), time=float(time), size=int(size))


class Attribution:
    """Who changed what: the snapshots since the last commits, and which paths agents changed."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.entries = [_entry_from_json(entry) for entry in value.get("entries", [])]
        # Each is a number of entries after which no work was uncommitted.
        self.quiet_at = [int(at) for at in value.get("settled_at", [])]
        self.reports: dict[TurnKey, list[str]] = {  # paths that a turn's tools reported
            TurnKey(turn): paths for turn, paths in value.get("reports", {}).items()
        }
        self.agent_paths: dict[str, None] = dict.fromkeys(value.get("made", []))
        self.stashed_paths: dict[str, None] = dict.fromkeys(value.get("aside", []))  # that a stash removed
        self.oversized_paths: dict[str, None] = dict.fromkeys(value.get("unseen", []))  # too large for a snapshot
        self.visiting_sessions: dict[str, list[str]] = value.get("guests", {})  # and the paths they changed here
        self.dropped: list[Dropped] = []  # entries that the next save moves to the past

    @property
    def tree(self) -> str:
        """The tree of the last snapshot; '' without one."""
        return next((entry.tree for entry in reversed(self.entries) if not entry.commit), "")

    def note(self, entry: Entry) -> None:
        """Add an entry; drop the oldest if there are too many."""
        self.entries.append(entry)
        surplus = len(self.entries) - _MAX_ENTRIES
        if surplus > 0:
            self.drop(surplus)

    def drop(self, count: int) -> None:
        """Move the oldest entries to the past, with the tools' reports about their paths."""
        for entry in self.entries[:count]:
            paths = set(entry.paths)
            reports = {turn: [path for path in self.reports.get(turn, ()) if path in paths] for turn in entry.turns()}
            self.dropped.append((entry, reports))
        del self.entries[:count]
        self.quiet_at = [at - count for at in self.quiet_at if at > count]

    def entries_without(self, *commits: str) -> list[Entry]:
        """Return the entries without those of some commits. The first entry stays: all others build on it."""
        gone = {*commits} - {""}
        return [entry for at, entry in enumerate(self.entries) if not (at and entry.commit in gone)]

    def entries_without_commits(self, *commits: str) -> list[Entry]:
        """Return the entries, those of some commits as what was made and left again: what they had has its writers."""
        return [
            replace(entry, mark=STASH_MARK) if at and entry.commit and entry.commit in commits else entry
            for at, entry in enumerate(self.entries)
        ]

    def forget_commit(self, commit: str) -> None:
        """Remove a commit's entries: it was amended."""
        gone = [at for at, entry in enumerate(self.entries) if at and commit and entry.commit == commit]
        self.entries = self.entries_without(commit)
        self.quiet_at = [mark - sum(at < mark for at in gone) for mark in self.quiet_at]

    def uncommit(self, commits: Collection[str], paths: Collection[str]) -> None:
        """Note that these paths of some commits are uncommitted again."""
        for at, entry in enumerate(self.entries):
            if entry.commit in commits:
                self.entries[at] = replace(entry, paths=tuple(path for path in entry.paths if path not in paths))

    def forget_sessions(self, gone: Collection[str]) -> None:
        """Attribute these sessions' work to the user."""
        self.entries = [_without(entry, gone) for entry in self.entries]
        self.reports = {turn: paths for turn, paths in self.reports.items() if turn.session_id not in gone}
        changed = {path for entry in self.entries if entry.by or entry.running for path in entry.paths}
        self.agent_paths = dict.fromkeys(path for path in self.agent_paths if path in changed)

    def note_quiet(self) -> None:
        """Note that no work is uncommitted now. An amend goes back at most two such moments: drop older entries."""
        self.quiet_at.append(len(self.entries))
        if len(self.quiet_at) > 2:
            oldest = self.quiet_at[-3]
            if oldest > 1:
                self.drop(oldest - 1)
            self.quiet_at = self.quiet_at[-2:]

    def note_agent_paths(self, paths: Iterable[str]) -> None:
        self.agent_paths.update(dict.fromkeys(paths))
        for path in list(self.agent_paths)[: max(0, len(self.agent_paths) - _MAX_AGENT_PATHS)]:
            del self.agent_paths[path]

    def to_json(self) -> dict[str, Any]:
        """Return the keys of the journal's file; reports of turns that no entry names are left out."""
        known = {turn for entry in self.entries for turn in entry.turns()}
        return {
            "entries": [_entry_json(entry) for entry in self.entries],
            "settled_at": self.quiet_at,
            "made": list(self.agent_paths),
            "aside": list(self.stashed_paths)[-_MAX_STASHED:],
            "reports": {turn: paths for turn, paths in self.reports.items() if turn in known},
            "guests": self.visiting_sessions,
            "unseen": list(self.oversized_paths)[-_MAX_OVERSIZED:],
        }


class Retention:
    """Keeps snapshots and steps from garbage collection for a limited time."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.tip = str(value.get("tip", ""))  # the last commit of the journal's ref
        self.chain_since = float(value.get("chain_since", 0.0))  # when that ref's chain of snapshots began
        self.shadow_tips: dict[str, str] = value.get("shadows", {})  # shadow branch -> the tip we last wrote
        self.shadow_sizes: dict[str, int] = value.get("weights", {})  # shadow branch -> bytes of its steps' files
        self.steps = [retained_from_json(line) for line in value.get("kept", [])]

    def to_json(self) -> dict[str, Any]:
        return {
            "tip": self.tip,
            "chain_since": self.chain_since,
            "shadows": self.shadow_tips,
            "weights": {name: size for name, size in self.shadow_sizes.items() if name in self.shadow_tips},
            "kept": [steps.to_json() for steps in self.steps],
        }


class Caches:
    """Values that save asking git or reading files again; a wrong or missing one only costs time."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.trees: dict[str, str] = value.get("trees", {})  # commit -> tree, of the last few commits
        self.followed = str(value.get("followed", ""))  # HEAD, up to which all commits are known
        # Where HEAD's reflog ended then: the commits that it made since are those that were made here.
        self.reflog: LogEnd = (int(value.get("reflog", -1)), str(value.get("reflog_line", "")))
        self.last_scan = float(value.get("last_scan", 0.0))  # when the folder of session states was read
        self.identity: list[Any] = value.get("identity", ["", 0.0])  # the author of our commits, and when git was asked

    def to_json(self) -> dict[str, Any]:
        return {
            "trees": dict(list(self.trees.items())[-_MAX_TREES:]),
            "followed": self.followed,
            "reflog": self.reflog[0],
            "reflog_line": self.reflog[1],
            "last_scan": self.last_scan,
            "identity": self.identity,
        }


class Journal:
    """What is remembered of one worktree. Load it, change it, and save it under the repository's lock."""

    def __init__(self, place: Place, *, repair: bool = False) -> None:
        """Load it. A broken file counts as missing; ``repair`` sets it aside (reading alone writes nothing)."""
        self._path = os.path.join(place.own_dir, "journal.json")
        self._snapshot_path = os.path.join(place.own_dir, "snapshot.json")
        self._live_path = os.path.join(place.own_dir, "live")
        self._running_path = running_path(place.git_dir)
        self._past_path = os.path.join(place.own_dir, "past.jsonl")
        self._repair = repair
        self._snapshot: Snapshot | None = None
        self._is_new = False
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
        self.attribution = Attribution(value)
        self.retention = Retention(value)
        self.caches = Caches(value)
        self.sessions = [str(name) for name in value.get("sessions", [])]  # of this worktree, live now or recently
        self.reasons: list[dict[str, Any]] = value.get("reasons", [])  # relevant commits that were not linked
        self.is_live = bool(value.get("live", False))

    @property
    def snapshot(self) -> Snapshot:
        if self._snapshot is None:
            try:
                self._snapshot = _snapshot_from_json(files.read_json(self._snapshot_path) or {})
            except _BROKEN:
                self._put_aside(self._snapshot_path)
                self._snapshot = Snapshot()
            # One of the two files is lost or older: write the tree again.
            if self._snapshot.tree != self.attribution.tree:
                self._snapshot = replace(self._snapshot, tree="")
        return self._snapshot

    @snapshot.setter
    def snapshot(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._is_new = True
        self.caches.followed = snapshot.head

    @property
    def followed(self) -> str:
        """HEAD's last known position; '' if none is known."""
        return self.caches.followed or self.snapshot.head

    def follow(self, commit: str, before: str, reflog: LogEnd) -> None:
        """Note a commit that our hooks saw, on top of HEAD's last known position (``before``) or in its place."""
        if before and before == self.followed:
            self.caches.followed, self.caches.reflog = commit, reflog

    def note_reason(self, commit: str, reason: str, moment: float) -> None:
        self.forget_reason(commit)
        self.reasons.append({"commit": commit, "reason": reason, "time": moment})
        del self.reasons[:-_MAX_REASONS]

    def forget_reason(self, commit: str) -> None:
        """Remove the reason of a commit that is linked after all."""
        self.reasons = [entry for entry in self.reasons if entry.get("commit") != commit]

    def save(self, *, live: bool, running: Sequence[str] | None = None) -> None:
        """Write the journal and the markers for the git hooks. ``running``: the sessions with a turn in progress; None
        leaves their marker as it is.
        """
        self.is_live = live
        dropped = self.attribution.dropped
        if dropped:  # first: after a kill an entry is in both places, and is read once
            files.append(self._past_path, b"".join(b"\n" + _past_line(*item) for item in dropped))
            self.attribution.dropped = []
            _shorten(self._past_path)
        files.write(self._path, self._dump(), mode=0o600)
        if self._is_new:  # last: after a kill the next snapshot finds the same changes and tree again
            files.write_json(self._snapshot_path, dict(self.snapshot.__dict__))
            self._is_new = False
        if os.path.isdir(self._live_path):
            files.put_aside(self._live_path)
        if not live:
            files.remove(self._live_path)
        elif not os.path.exists(self._live_path):
            files.write(self._live_path, b"")
        if running:
            files.write(self._running_path, "".join(f"{name}\n" for name in running).encode())
        elif running is not None:
            files.remove(self._running_path)

    def forms(self, *, live: bool) -> list[tuple[str, bytes | None]]:
        """Return path and content (None: delete) of what ``save`` writes without a new snapshot or dropped entries."""
        self.is_live = live
        return [(self._path, self._dump()), (self._live_path, b"" if live else None)]

    def _dump(self) -> bytes:
        return files.json_bytes({
            "version": 1,
            **self.attribution.to_json(),
            **self.retention.to_json(),
            **self.caches.to_json(),
            "sessions": self.sessions,
            "reasons": self.reasons,
            "live": self.is_live,
        })  # fmt: skip


def reasons_everywhere(place: Place) -> dict[str, str]:
    """Return why commits near a live session were not linked, by commit, from the journals of all worktrees."""
    folder = os.path.join(place.common_dir, "worktrees")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    reasons: dict[str, str] = {}
    for git_dir in (*(os.path.join(folder, name) for name in names), place.common_dir, place.git_dir):
        try:
            value = files.read_json(os.path.join(git_dir, "entire", "journal.json")) or {}
            reasons.update((str(entry["commit"]), str(entry["reason"])) for entry in value.get("reasons", []))
        except _BROKEN:  # ``doctor`` reports it
            continue
    return reasons


def running_path(git_dir: str) -> str:
    """Return the path of the marker that names the sessions with a turn in progress in the worktree of ``git_dir``."""
    return os.path.join(git_dir, "entire", "running")


def running_elsewhere(place: Place) -> list[str]:
    """Return the sessions with a turn in progress in the repository's other worktrees."""
    folder = os.path.join(place.common_dir, "worktrees")
    try:
        names = os.listdir(folder)
    except OSError:
        names = []
    ids: list[str] = []
    for git_dir in (place.common_dir, *(os.path.join(folder, name) for name in names)):
        if os.path.realpath(git_dir) != os.path.realpath(place.git_dir):
            ids += (files.read(running_path(git_dir)) or b"").decode("utf-8", "replace").split()
    return ids


def _past_line(entry: Entry, reports: Reports) -> bytes:
    value = {"entry": _entry_json(entry), "reports": reports}
    return jsontext.dumps(value, ensure_ascii=False, compact=True).encode("utf-8", "surrogateescape")


def _snapshot_from_json(value: dict[str, Any]) -> Snapshot:
    known = {name: value[name] for name in Snapshot._fields if name in value}
    for name in ("left_out", "untracked", "reflog", "stashes"):
        known[name] = tuple(known.get(name, Snapshot._defaults[name]))
    for name, field in known.items():
        if not isinstance(field, type(Snapshot._defaults[name]) if name != "time" else (int, float)):
            raise TypeError(name)
    if not all(isinstance(facts, list) and len(facts) == _FACTS for facts in known.get("files", {}).values()):
        raise TypeError("files")
    return Snapshot(**known)


def past(place: Place) -> list[Dropped]:
    """Return the entries that a journal dropped, oldest first, each with the reports of its turns."""
    by_key: dict[tuple[float, str, str], Dropped] = {}
    for line in files.read_lines(os.path.join(place.own_dir, "past.jsonl")):
        try:
            value = jsontext.loads(line.decode("utf-8", "surrogateescape"))
            entry = _entry_from_json(value["entry"])
            by_key[entry.time, entry.tree, entry.commit] = (
                entry,
                {TurnKey(turn): paths for turn, paths in value["reports"].items()},
            )
        except (*_BROKEN, RecursionError):
            continue  # a line cut off by a kill
    return list(by_key.values())


def _shorten(path: str) -> None:
    """Remove what is older than two weeks from the past, once the file is large."""
    try:
        if os.stat(path).st_size < _PAST_BYTES:
            return
    except OSError:
        return
    lines = (files.read(path) or b"").split(b"\n")
    oldest = time.time() - KEPT_SECONDS
    recent = [line for line in lines if _time_of(line) >= oldest]
    while sum(map(len, recent)) > _PAST_BYTES:
        del recent[: len(recent) // 4 + 1]
    files.write(path, b"\n".join(recent), mode=0o600)


def _time_of(line: bytes) -> float:
    try:
        return float(jsontext.loads(line.decode("utf-8", "surrogateescape"))["entry"][1])
    except (*_BROKEN, RecursionError):
        return 0.0


def _entry_json(entry: Entry) -> list[Any]:
    return [entry.tree, entry.time, entry.by, list(entry.running), entry.commit, list(entry.paths), entry.mark,
            entry.head, list(entry.brought), entry.unreported]  # fmt: skip


def _entry_from_json(value: list[Any]) -> Entry:
    tree, moment, by, running, commit, paths, *more = value
    mark, head = [*more[:2], "", ""][:2]
    brought = more[2] if more[2:] else ()
    unreported = unreported_from_json(more[3]) if more[3:] else {}
    return Entry(
        tree=tree,
        time=moment,
        by=TurnKey(by),
        running=tuple(map(RunningTurn, running)),
        commit=commit,
        paths=tuple(paths),
        mark=TurnMark(mark),
        head=head,
        brought=tuple(brought),
        unreported=unreported,
    )


def unreported_from_json(value: Mapping[str, Any]) -> Unreported:
    return {path: (float(moment), TurnKey(key)) for path, (moment, key) in value.items()}
