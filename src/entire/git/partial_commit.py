"""Prepares a commit of some paths only, as ``git commit --only`` does, without touching the user's index.

What else is staged stays staged and is not committed. Two copies of the index are made: the one that the user's becomes
once the commit exists, and the one whose tree is committed.
"""

from __future__ import annotations

import os

from entire import files
from entire.git import diff, run
from entire.model.ids import Argument
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.git.diff import FileChange
    from entire.layout import Place

    Entries = Mapping[str, tuple[str, str] | None]  # path to mode and blob id; None: deleted

NEXT, COMMITTED = "next-index", "index"
_COPIED, _EMPTY = "copied-index", "empty-index"
NO_FILE = "000000"
_MANY_PATHS = 400  # for a command line


class StagedPaths(Value):
    """The paths whose index entry differs from HEAD, and those with a conflict."""

    changes: Mapping[str, FileChange] = {}
    unmerged: tuple[str, ...] = ()


class PreparedCommit(Value):
    """A commit that is prepared in a folder: ``index`` has the tree that is committed."""

    folder: str
    tree: str

    @property
    def index(self) -> str:
        """The index that a commit's hooks see."""
        return os.path.join(self.folder, COMMITTED)

    @property
    def next_index(self) -> str:
        """The user's index once the commit exists."""
        return os.path.join(self.folder, NEXT)

    @property
    def basis(self) -> str:
        """A copy of the user's index from which ``next_index`` is made; no file if there is no index."""
        return os.path.join(self.folder, _COPIED)


def staged(top: str, head: str, oid_size: int) -> StagedPaths:
    """Return what is staged. ``head``: HEAD's commit, '' before the first."""
    base = head or diff.EMPTY_TREE[oid_size]
    options = ("--no-renames", "--ita-invisible-in-index", "--ignore-submodules=none")  # the last against settings
    output = run.git(top, "diff-index", "--cached", "--raw", "-z", *options, Argument(base))
    changes = diff.parse_raw_z(output.stdout)
    return StagedPaths(
        changes={change.path: change for change in changes if change.status != "U"},
        unmerged=tuple(change.path for change in changes if change.status == "U"),
    )


def prepare(
    place: Place, folder: str, entries: Entries, others: Sequence[FileChange], *, oid_size: int
) -> PreparedCommit:
    """Prepare a commit of these entries in ``folder``. ``others``: what else is staged."""
    following, committed = os.path.join(folder, NEXT), os.path.join(folder, COMMITTED)
    _duplicate(_copy(place, folder), following)
    _update(place, following, entries, oid_size)
    _duplicate(following, committed)
    if others:
        _update(place, committed, {change.path: _before(change) for change in others}, oid_size)
    _refresh(place, following, entries)
    return PreparedCommit(folder=folder, tree=tree(place, os.path.join(folder, COMMITTED)))


def copy_with(place: Place, target: str, entries: Entries, oid_size: int) -> None:
    """Write a copy of the user's index with these entries to the file ``target``."""
    _duplicate(_index(place), target)
    _update(place, target, entries, oid_size)


def is_same_index(place: Place, prepared: PreparedCommit) -> bool:
    """Tell whether no other program has written the user's index since a commit was prepared."""
    return files.read(_index(place)) == files.read(prepared.basis)


def follow_index(place: Place, prepared: PreparedCommit, entries: Entries) -> None:
    """Prepare the user's next index again if another program has written the index in the meantime."""
    if not is_same_index(place, prepared):
        _duplicate(_copy(place, prepared.folder), prepared.next_index)
        _update(place, prepared.next_index, entries, len(prepared.tree))
        _refresh(place, prepared.next_index, entries)


def tree(place: Place, index: str) -> str:
    """Return the tree of an index that is ours."""
    return run.git(place.top, "write-tree", env=_environment(place, index)).stdout.decode("ascii").strip()


def _index(place: Place) -> str:
    return os.path.join(place.git_dir, "index")


def _copy(place: Place, folder: str) -> str:
    path = os.path.join(folder, _COPIED)
    if os.path.exists(_index(place)):
        _duplicate(_index(place), path)
        return path
    files.remove(path)  # before the first commit, with nothing staged
    empty = os.path.join(folder, _EMPTY)
    run.git(place.top, "read-tree", "--empty", env=_environment(place, empty))
    return empty


def _duplicate(source: str, target: str) -> None:
    """Copy an index with its time: git looks again at files that are not older than the index."""
    facts = os.stat(source)  # before the content: an older time only costs a look
    files.write(target, files.read(source) or b"", mode=0o600)
    os.utime(target, ns=(facts.st_mtime_ns, facts.st_mtime_ns))


def _before(change: FileChange) -> tuple[str, str] | None:
    return None if change.old_mode == NO_FILE else (change.old_mode, change.old_oid)


def _update(place: Place, index: str, entries: Entries, oid_size: int) -> None:
    removed = [b"0 %s\t%s\0" % (b"0" * oid_size, _raw(path)) for path, entry in entries.items() if entry is None]
    added = [b"%s %s\t%s\0" % (entry[0].encode(), entry[1].encode(), _raw(path))
             for path, entry in entries.items() if entry is not None]  # fmt: skip
    stdin = b"".join([*removed, *added])  # a file may take the place of a folder
    run.git(place.top, "update-index", "-z", "--add", "--replace", "--index-info", stdin=stdin,
            env=_environment(place, index))  # fmt: skip


def _refresh(place: Place, index: str, entries: Entries) -> None:
    """Note the times and sizes of these files in an index, as ``git commit`` does: commands like ``git diff-files``
    take a file without them for changed. Other files are looked at only if git refuses a path, or for very many.
    """
    env, paths = _environment(place, index), [path for path, entry in entries.items() if entry is not None]
    words = ("--literal-pathspecs", "add", "--refresh", "--", *paths)
    if not paths or (len(paths) <= _MANY_PATHS and not run.git(place.top, *words, ok=(0, 1, 128), env=env).status):
        return
    run.git(place.top, "update-index", "-q", "--ignore-submodules", "--refresh", ok=(0, 1), env=env)


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _environment(place: Place, index: str) -> dict[str, str]:
    return run.environment(GIT_INDEX_FILE=index, GIT_DIR=place.git_dir, GIT_WORK_TREE=place.top)
