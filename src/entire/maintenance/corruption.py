"""Checks for damage to Entire's own files and refs. Like ``checks``, they only read."""

from __future__ import annotations

import fcntl
import os
import time

from entire import files
from entire.errors import CorruptError
from entire.git import bulk
from entire.git.read import parse_tree
from entire.maintenance import locks
from entire.maintenance.checks import ERROR, NOTE, SHOWN, WARNING, finding
from entire.maintenance.repository import is_committing
from entire.model.ids import HEX
from entire.model.value import Value
from entire.recording import pending
from entire.store import checkpoints, sessions, steps, transcripts
from entire.store.journal import Journal
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.layout import Place
    from entire.maintenance.checks import Case
    from entire.model.views.maintenance import FindingView

_FOLDERS = 32  # of the checkpoints branch whose files are looked up at once: one has a 256th of all checkpoints
_LOCKED = 3.0  # seconds; no hook holds the lock that long
_OWNER = "check its owner and mode; a command run with sudo may have changed them"


# ---------------------------------------------------------------- files and locks


def permissions(case: Case) -> Iterator[FindingView]:
    """Find folders and files that Entire must write and cannot."""
    place = case.place
    ours = _own_folders(place)
    common = [os.path.join(place.common_dir, name) for name in ("objects", "refs")]
    reported: list[str] = []
    for path in dict.fromkeys([place.git_dir, place.common_dir, *common, *ours, place.entire_dir, place.logs_dir]):
        if not os.path.lexists(path) or any(path.startswith(above + os.sep) for above in reported):
            continue
        if not os.path.isdir(path):
            yield finding(ERROR, f"{path} is not a folder", "move it away; the next hook recreates the folder")
        elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            reported.append(path)
            yield finding(ERROR, f"{path} is not writable", _OWNER)
        elif path in ours:
            yield from _locked_files(path)


def _own_folders(place: Place) -> list[str]:
    return [place.own_dir, place.common_own_dir, os.path.join(place.common_own_dir, "sessions"), place.sessions_dir]


def can_read(place: Place) -> bool:
    """Tell whether our own folders can be read; if not, most other checks make no sense."""
    return all(os.access(path, os.R_OK | os.X_OK) for path in _own_folders(place) if os.path.isdir(path))


def _locked_files(folder: str) -> Iterator[FindingView]:
    names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    bad = [name for name in names if os.path.isfile(name) and not os.access(name, os.R_OK | os.W_OK)]
    for path in bad[:SHOWN]:
        yield finding(ERROR, f"{path} is not readable and writable", _OWNER)


def lock(case: Case) -> Iterator[FindingView]:
    """Find a process that has held our lock for too long."""
    path = case.place.lock_file
    deadline = time.monotonic() + _LOCKED
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    break
            time.sleep(0.05)
        inode = os.fstat(fd).st_ino
    finally:
        os.close(fd)
    holder = _locking_process(inode)
    who = f"process {holder}" if holder else "another process"
    yield finding(
        ERROR,
        f"{who} has held Entire's lock for longer than any hook needs",
        "see what it is doing; the lock is released when it ends",
    )


def _locking_process(inode: int) -> str:
    """Return the id of the process that locks a file; '' if unknown (known on Linux only)."""
    try:
        lines = (files.read("/proc/locks") or b"").decode("ascii", "replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5].rpartition(":")[2] == str(inode):
            return words[4]
    return ""


def broken_files(case: Case) -> Iterator[FindingView]:
    for path, loss in broken_paths(case).items():
        hint = f"`entire doctor --fix` renames it to *.broken; {loss}"
        yield finding(ERROR, f"{path} is corrupt", hint, fixable=True)


def broken_paths(case: Case) -> dict[str, str]:
    """Return our corrupt files, and what is lost with each."""
    broken = dict.fromkeys(_broken_journal(case.place), "attribution of uncommitted work is lost")
    if not (_is_json(case.place.pending_file) and _is_pending(case.place)):
        broken[case.place.pending_file] = "the last commit may stay without its checkpoint"
    for name in sessions.ids(case.place):
        for path in (sessions.own_path(case.place, name), sessions.go_path(case.place, name)):
            if not _is_state(path, name):
                broken[path] = "the session is restored from its second file, or else starts over"
    return broken


def _broken_journal(place: Place) -> list[str]:
    try:
        return _ReadOnlyJournal(place).broken
    except OSError:
        paths = (os.path.join(place.own_dir, name) for name in ("journal.json", "snapshot.json"))
        return [path for path in paths if not _is_json(path)]


class _ReadOnlyJournal(Journal):
    """A journal that records which of its files are broken instead of renaming them."""

    def __init__(self, place: Place) -> None:
        self.broken: list[str] = []
        super().__init__(place)
        assert self.snapshot is not None  # the property reads its file on first use

    def _put_aside(self, path: str) -> None:
        self.broken.append(path)


def _is_json(path: str) -> bool:
    try:
        files.read_json(path)
    except CorruptError:
        return False
    except OSError:  # reported by `permissions`; a folder in place of the file counts as broken
        return not os.path.isdir(path)
    return True


def _is_pending(place: Place) -> bool:
    if is_committing(place):
        return True
    try:
        pending.read(place)
    except CorruptError:
        return False
    except OSError:  # as above
        pass
    return True


def _is_state(path: str, session_id: str) -> bool:
    if not _is_json(path):
        return False
    try:
        value = files.read_json(path)
        return value is None or sessions.from_own(value).session_id == session_id
    except OSError:
        return True
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def unfinished(case: Case) -> Iterator[FindingView]:
    """Find interrupted transactions, and those of which a command could not be taken back."""
    for interrupted in transaction.find_all(case.place):
        problem = transaction.problem(case.place, interrupted.id)
        if not interrupted.is_settled:
            yield finding(
                ERROR,
                f"`entire {interrupted.command}` was interrupted ({interrupted.title})",
                "`entire doctor --fix` finishes it or rolls it back",
                fixable=True,
            )
        elif problem:
            yield finding(WARNING, problem, "check the conversation in its agent; `entire clean --all` forgets this")


# ---------------------------------------------------------------- refs and the journal


def broken_refs(case: Case) -> Iterator[FindingView]:
    """Find refs of ours that cannot be resolved."""
    for ref in lost_refs(case):
        yield finding(
            ERROR,
            f"{ref} points to a commit that is missing",
            "`entire doctor --fix` deletes the ref; nothing can be read from it",
            fixable=True,
        )
    for path in garbled_refs(case.place):
        yield finding(
            ERROR,
            f"{path} holds no object id (probably after a system crash)",
            "`entire doctor --fix` deletes it; until then git warns about it",
            fixable=True,
        )
    local = case.repository.refs.get(checkpoints.LOCAL_REF)
    if local and bulk.missing(case.place.top, [local]):
        yield finding(
            ERROR,
            f"{checkpoints.LOCAL_REF} points to a commit that is missing",
            "fetch it from a remote or another clone: "
            f"`git fetch REMOTE +{checkpoints.LOCAL_REF}:{checkpoints.LOCAL_REF}`",
        )


def standing_locks(case: Case) -> Iterator[FindingView]:
    """Find locks that git left: those on refs of ours, and the user's, which are never removed."""
    for lock in locks.find(case.place, case.now):
        if lock.is_stale:
            message = f"{lock.path} is a stale lock of a git process that was killed; it blocks updates of the ref"
            yield finding(ERROR, message, "`entire doctor --fix` deletes it, and so does the next hook", fixable=True)
        elif lock.is_old or not lock.is_ours:
            yield finding(WARNING if lock.is_old else NOTE, lock.problem, lock.remedy)


def lost_refs(case: Case) -> dict[str, str]:
    """Return our refs, except those of checkpoints, whose commits are missing."""
    ours = {
        ref: oid
        for ref, oid in case.repository.refs.items()
        if ref.startswith("refs/entire/") or steps.parse_branch(ref) is not None
    }
    gone = set(bulk.missing(case.place.top, sorted(set(ours.values())))) if ours else set()
    return {ref: oid for ref, oid in ours.items() if oid in gone}


def garbled_refs(place: Place) -> list[str]:
    """Return the files of our refs that hold no object id; git itself only warns about them."""
    paths = []
    for path in _ref_files(place):
        data = files.read(path)
        if not path.endswith(".lock") and data is not None and not _is_oid(data.strip()):
            paths.append(path)
    return paths


def _ref_files(place: Place) -> list[str]:
    """Return the loose files below ``refs/entire`` and of branches named like ours, with their locks."""
    paths = []
    for top in ("refs/entire", "refs/heads/entire"):
        for folder, _, names in os.walk(os.path.join(place.common_dir, top)):
            paths += [os.path.join(folder, name) for name in names]
    named = {path: os.path.relpath(path, place.common_dir).removesuffix(".lock") for path in paths}
    return sorted(path for path, ref in named.items() if steps.is_ours(ref))


def _is_oid(data: bytes) -> bool:
    text = data.decode("ascii", "replace")
    return text.startswith("ref: ") or (len(text) in (40, 64) and HEX.issuperset(text) and bool(text.strip("0")))


class Lost(Value):
    """Records that refer to missing git objects: someone deleted our refs, and git collected what they held."""

    snapshots: int = 0  # the journal's oldest entries, up to the last one without its tree
    steps: tuple[str, ...] = ()  # shadow branches whose recorded tips are missing
    files: int = 0  # missing contents of files in the last snapshot
    sessions: tuple[str, ...] = ()  # sessions with missing parts of their transcripts
    tip: bool = False  # the commit that protects the snapshots from garbage collection


def find_lost(case: Case, journal: Journal) -> Lost:
    contents = [str(facts[1]) for facts in journal.snapshot.files.values() if facts[1]]
    parts = {session.session_id: transcripts.part_ids(session) for session in case.repository.states}
    entries = journal.attribution.entries
    needed = [
        *(entry.tree for entry in entries),
        *journal.retention.shadow_tips.values(),
        journal.retention.tip,
        *contents,
        *(oid for oids in parts.values() for oid in oids),
    ]
    gone = set(bulk.missing(case.place.top, sorted({oid for oid in needed if oid})))
    return Lost(
        snapshots=max((number for number, entry in enumerate(entries, 1) if entry.tree in gone), default=0),
        steps=tuple(name for name, tip in journal.retention.shadow_tips.items() if tip in gone),
        files=sum(oid in gone for oid in contents),
        sessions=tuple(session_id for session_id, oids in parts.items() if not gone.isdisjoint(oids)),
        tip=journal.retention.tip in gone,
    )


def lost_objects(case: Case) -> Iterator[FindingView]:
    """Find records in the journal and session states whose git objects are missing, or may soon be collected."""
    journal = Journal(case.place)
    lost = find_lost(case, journal)
    if lost.snapshots:
        message = f"{lost.snapshots} of {len(journal.attribution.entries)} snapshots of the worktree are missing in git"
        hint = "`entire doctor --fix` drops them; work recorded only there is no longer attributed to a session"
        yield finding(ERROR, message, hint, fixable=True)
    if lost.files:
        message = f"contents of the last snapshot are missing in git: {lost.files}"
        hint = "`entire doctor --fix` resets it; the next snapshot stores the contents again"
        yield finding(ERROR, message, hint, fixable=True)
    for name in lost.steps:
        message = f"the last step on {name} is missing in git"
        yield finding(ERROR, message, "`entire doctor --fix` starts that branch over at the next step", fixable=True)
    for session_id in lost.sessions:
        message = f"session {session_id}: parts of its stored transcript are missing in git"
        hint = "`entire doctor --fix` makes the next step store the whole transcript again"
        yield finding(ERROR, message, hint, fixable=True)
    if journal.retention.tip and not lost.snapshots and (lost.tip or journal.ref not in case.repository.refs):
        message = f"{journal.ref} is missing: git may collect the snapshots of the worktree"
        yield finding(WARNING, message, "`entire doctor --fix` writes it again", fixable=True)


# ---------------------------------------------------------------- checkpoints


def missing_files(case: Case) -> Iterator[FindingView]:
    """Find files and folders on the checkpoints branches whose objects git lacks."""
    if bulk.fetches_missing(case.place.top):
        return
    absent: dict[str, str] = {}
    for ref, tip in checkpoints.tips(case.place.top).items():
        absent.update({f"{ref}:{path}": oid for path, oid in _missing_below(case.place.top, tip).items()})
    for path, oid in list(absent.items())[: SHOWN * 4]:
        yield finding(ERROR, checkpoints.missing_object(path, oid), checkpoints.REFETCH)
    if len(absent) > SHOWN * 4:
        yield finding(ERROR, f"{len(absent) - SHOWN * 4} more files are missing in git", checkpoints.REFETCH)


def _missing_below(top: str, commit: str) -> dict[str, str]:
    """Return the missing objects of a commit's tree: path to object id. Reads trees only, some of the folders at a
    time: there may be 100,000 checkpoints.
    """
    root = f"{commit}^{{tree}}"
    tree = next(bulk.get(top, [root]))
    if tree is None:
        return {"": root}
    entries = parse_tree(tree.data, len(tree.oid) // 2)
    folders = {f"{entry.name}/": entry.oid for entry in entries if entry.mode == "040000"}
    missing = _missing_in(top, {}, {entry.name: entry.oid for entry in entries if entry.mode != "040000"})
    for start in range(0, len(folders), _FOLDERS):
        missing.update(_missing_in(top, dict(list(folders.items())[start : start + _FOLDERS]), {}))
    return missing


def _missing_in(top: str, level: dict[str, str], blobs: dict[str, str]) -> dict[str, str]:
    """Return what is missing of files, and of folders with all that is in them. Reads a level at a time."""
    missing: dict[str, str] = {}
    while level:
        deeper: dict[str, str] = {}
        for (path, name), tree in zip(level.items(), bulk.get(top, list(level.values())), strict=True):
            if tree is None:
                missing[path.rstrip("/")] = name
                continue
            for entry in parse_tree(tree.data, len(tree.oid) // 2):
                if entry.mode == "040000":
                    deeper[f"{path}{entry.name}/"] = entry.oid
                else:
                    blobs[path + entry.name] = entry.oid
        level = deeper
    gone = set(bulk.missing(top, list(dict.fromkeys(blobs.values()))))
    return {**missing, **{path: oid for path, oid in blobs.items() if oid in gone}}
