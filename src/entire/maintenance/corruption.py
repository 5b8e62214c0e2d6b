"""Damage to our own files and refs, as the doctor finds it; like ``checks``, it writes nothing."""

from __future__ import annotations

import fcntl
import os
import time

from entire import files
from entire.errors import CorruptError
from entire.git import bulk
from entire.maintenance.checks import ERROR, SHOWN, WARNING, finding
from entire.model.ids import HEX
from entire.model.value import Value
from entire.store import checkpoints, sessions, steps
from entire.store.journal import Journal
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.layout import Place
    from entire.maintenance.checks import Case
    from entire.model.views import FindingView

_LOCKED = 3.0  # no hook of ours holds the lock for so long
_STALE_LOCK = 3600.0
_OWNER = "check its owner and mode; a command run with sudo leaves files of another owner"


# ---------------------------------------------------------------- files and locks


def permissions(case: Case) -> Iterator[FindingView]:
    """Folders and files that we have to write."""
    place = case.place
    ours = _own_folders(place)
    common = [os.path.join(place.common_dir, name) for name in ("objects", "refs")]
    told: list[str] = []
    for path in dict.fromkeys([place.git_dir, place.common_dir, *common, *ours, place.entire_dir, place.logs_dir]):
        if not os.path.lexists(path) or any(path.startswith(above + os.sep) for above in told):
            continue
        if not os.path.isdir(path):
            yield finding(ERROR, f"{path} is no folder", "move it away; hooks make it anew")
        elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            told.append(path)
            yield finding(ERROR, f"{path} cannot be written", _OWNER)
        elif path in ours:
            yield from _locked_files(path)


def _own_folders(place: Place) -> list[str]:
    return [place.own_dir, place.common_own_dir, os.path.join(place.common_own_dir, "sessions"), place.sessions_dir]


def can_read(place: Place) -> bool:
    """Tell whether our own folders can be read; nothing else can be told until then."""
    return all(os.access(path, os.R_OK | os.X_OK) for path in _own_folders(place) if os.path.isdir(path))


def _locked_files(folder: str) -> Iterator[FindingView]:
    names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    bad = [name for name in names if os.path.isfile(name) and not os.access(name, os.R_OK | os.W_OK)]
    for path in bad[:SHOWN]:
        yield finding(ERROR, f"{path} cannot be read and written", _OWNER)


def lock(case: Case) -> Iterator[FindingView]:
    """A process that holds our lock for long."""
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
    holder = _holder(inode)
    who = f"process {holder}" if holder else "another process"
    yield finding(
        ERROR,
        f"{who} holds our lock for longer than any hook does",
        "see what it does; once it has ended, the lock is free",
    )


def _holder(inode: int) -> str:
    """Return the process that holds a lock on a file, where the system tells (Linux)."""
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
    """Our own files that are no JSON, or not what they should be."""
    for path, lost in broken_paths(case).items():
        yield finding(ERROR, f"{path} cannot be understood", f"it is put aside as *.broken; {lost}", fixable=True)


def broken_paths(case: Case) -> dict[str, str]:
    """Return our files that cannot be understood, and what is lost with each."""
    found = dict.fromkeys(_broken_journal(case.place), "who made what since the last commit is not known then")
    if not _is_json(case.place.pending_file):
        found[case.place.pending_file] = "the commit that was being made may stay without its checkpoint"
    for name in sessions.ids(case.place):
        for path in (sessions.own_path(case.place, name), sessions.go_path(case.place, name)):
            if not _is_state(path, name):
                found[path] = "the session is known by its other file, or begins anew"
    return found


def _broken_journal(place: Place) -> list[str]:
    try:
        return _Probe(place).broken
    except OSError:
        paths = (os.path.join(place.own_dir, name) for name in ("journal.json", "snapshot.json"))
        return [path for path in paths if not _is_json(path)]


class _Probe(Journal):
    """A journal that tells which of its files are broken, and touches none."""

    def __init__(self, place: Place) -> None:
        self.broken: list[str] = []
        super().__init__(place)
        assert self.snapshot is not None  # it is read when it is asked for

    def _put_aside(self, path: str) -> None:
        self.broken.append(path)


def _is_json(path: str) -> bool:
    try:
        files.read_json(path)
    except CorruptError:
        return False
    except OSError:  # `permissions` tells of it; a folder in place of a file is as good as broken
        return not os.path.isdir(path)
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
    """Transactions that a kill left half-done."""
    for one in transaction.find_all(case.place):
        if not one.is_settled:
            yield finding(
                ERROR,
                f"`entire {one.command}` was killed half-way ({one.title})",
                "it is brought to its end",
                fixable=True,
            )


# ---------------------------------------------------------------- refs and the journal


def broken_refs(case: Case) -> Iterator[FindingView]:
    """Refs of ours that point nowhere, and locks on them that nobody holds any more."""
    for ref in lost_refs(case):
        yield finding(
            ERROR,
            f"{ref} points to a commit that is missing",
            "it is deleted: nothing can be read from it",
            fixable=True,
        )
    for path in garbled_refs(case.place):
        yield finding(
            ERROR,
            f"{path} holds no object id (a crash of the machine leaves such)",
            "it is deleted: git complains of it everywhere",
            fixable=True,
        )
    for path in stale_locks(case):
        yield finding(
            ERROR, f"{path} was left by a git that was killed: the ref cannot be moved", "it is deleted", fixable=True
        )
    local = case.repository.refs.get(checkpoints.LOCAL_REF)
    if local and bulk.missing(case.place.top, [local]):
        yield finding(
            ERROR,
            f"{checkpoints.LOCAL_REF} points to a commit that is missing",
            "fetch it from a remote or another clone: "
            f"`git fetch REMOTE +{checkpoints.LOCAL_REF}:{checkpoints.LOCAL_REF}`",
        )
    index_lock = os.path.join(case.place.git_dir, "index.lock")
    if _age(index_lock, case.now) > _STALE_LOCK:
        yield finding(
            WARNING,
            f"{index_lock} is there for more than an hour",
            "if no git runs any more, delete it; git refuses to commit until then",
        )


def lost_refs(case: Case) -> dict[str, str]:
    """Return our refs, those of checkpoints left out, whose commits are missing."""
    ours = {
        ref: oid
        for ref, oid in case.repository.refs.items()
        if ref.startswith("refs/entire/") or steps.parse_branch(ref) is not None
    }
    gone = set(bulk.missing(case.place.top, sorted(set(ours.values())))) if ours else set()
    return {ref: oid for ref, oid in ours.items() if oid in gone}


def garbled_refs(place: Place) -> list[str]:
    """Return files of our refs that hold no object id; git itself only warns of them."""
    found = []
    for path in _ref_files(place):
        data = files.read(path)
        if not path.endswith(".lock") and data is not None and not _is_oid(data.strip()):
            found.append(path)
    return found


def stale_locks(case: Case) -> list[str]:
    """Return locks on our refs that are too old to be held by a git that runs."""
    return [one for one in _ref_files(case.place) if one.endswith(".lock") and _age(one, case.now) > _STALE_LOCK]


def _ref_files(place: Place) -> list[str]:
    """Return the files of our refs: those below ``refs/entire``, and branches named like ours."""
    found = []
    for folder in ("refs/entire", "refs/heads/entire"):
        for where, _, names in os.walk(os.path.join(place.common_dir, folder)):
            found += [os.path.join(where, name) for name in names]
    inside = {one: os.path.relpath(one, place.common_dir).removesuffix(".lock") for one in found}
    return sorted(
        one
        for one, ref in inside.items()
        if ref.startswith("refs/entire/") or ref == checkpoints.LOCAL_REF or steps.parse_branch(ref) is not None
    )


def _is_oid(data: bytes) -> bool:
    text = data.decode("ascii", "replace")
    return text.startswith("ref: ") or (len(text) in (40, 64) and HEX.issuperset(text) and bool(text.strip("0")))


def _age(path: str, now: float) -> float:
    try:
        return now - os.lstat(path).st_mtime
    except OSError:
        return 0.0


class Lost(Value):
    """What is remembered of objects that are missing in git: a person deleted refs of ours, and git collected them."""

    looks: int = 0  # the journal's oldest entries, up to the last one without its tree
    steps: tuple[str, ...] = ()  # branches whose tips are remembered
    files: int = 0  # of the last look, whose content in git would be used again
    sessions: tuple[str, ...] = ()  # with parts of their transcripts
    tip: bool = False  # the commit that keeps the looks


def lost(case: Case, journal: Journal) -> Lost:
    """Return what is missing."""
    contents = [str(facts[1]) for facts in journal.snapshot.files.values() if facts[1]]
    parts = {one.session_id: [str(part[0]) for part in one.parts] for one in case.repository.states}
    asked = [one.tree for one in journal.attribution.entries] + [
        *journal.retention.shadow_tips.values(),
        journal.retention.tip,
        *contents,
    ]
    asked += [oid for oids in parts.values() for oid in oids]
    gone = set(bulk.missing(case.place.top, sorted({oid for oid in asked if oid})))
    return Lost(
        looks=max((number for number, one in enumerate(journal.attribution.entries, 1) if one.tree in gone), default=0),
        steps=tuple(name for name, tip in journal.retention.shadow_tips.items() if tip in gone),
        files=sum(oid in gone for oid in contents),
        sessions=tuple(session_id for session_id, oids in parts.items() if not gone.isdisjoint(oids)),
        tip=journal.retention.tip in gone,
    )


def lost_objects(case: Case) -> Iterator[FindingView]:
    """What the journal and the states remember and git does not have, or would soon collect."""
    journal = Journal(case.place)
    found = lost(case, journal)
    if found.looks:
        said = f"{found.looks} of {len(journal.attribution.entries)} looks at the work tree are missing in git"
        hint = "they are forgotten; what sessions made before counts as a person's"
        yield finding(ERROR, said, hint, fixable=True)
    if found.files:
        said = f"contents of the last look are missing in git: {found.files}"
        yield finding(ERROR, said, "what differs from HEAD is stored again at the next look", fixable=True)
    for name in found.steps:
        yield finding(ERROR, f"the last step on {name} is missing in git", "its next step begins anew", fixable=True)
    for session_id in found.sessions:
        said = f"session {session_id}: parts of its stored transcript are missing in git"
        yield finding(ERROR, said, "the transcript is stored again with the next step", fixable=True)
    if journal.retention.tip and not found.looks and (found.tip or journal.ref not in case.repository.refs):
        said = f"{journal.ref} is missing: git may collect the looks at the work tree"
        yield finding(WARNING, said, "it is written again", fixable=True)
