"""Turns blobs into files of a worktree and back, without touching the user's index: a rewind uses it.

Git itself writes the files (into a folder of ours), so line endings, clean and smudge filters, executable bits
and symbolic links are the same as after a checkout.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import GitError
from entire.git import run
from entire.model.ids import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_CONFLICTS = 127  # merge-file's status is the number of conflicts up to here; beyond, an error


def stage(top: str, entries: Mapping[str, tuple[str, str]], folder: str) -> None:
    """Write tree entries (path to mode and blob id) as files below ``folder``, as a checkout in ``top`` would.

    Raises GitError if an object is missing or a filter fails.
    """
    index = os.path.join(folder, os.pardir, f"index.{os.getpid()}")
    index = os.path.normpath(index)
    env = run.environment(GIT_INDEX_FILE=index)
    lines = [
        f"{mode} {oid} 0\t".encode() + path.encode("utf-8", "surrogateescape") for path, (mode, oid) in entries.items()
    ]
    try:
        run.git(top, "update-index", "-z", "--index-info", stdin=b"\0".join([*lines, b""]), env=env)
        run.git(top, "checkout-index", "--all", f"--prefix={folder}/", env=env, timeout=None)
    finally:
        files.remove(index)
        files.remove(index + ".lock")


def ignored(top: str, paths: Collection[str]) -> set[str]:
    """Return the paths that git ignores here. Paths in the index are never ignored, nor are those behind a symbolic
    link or in a submodule, which git does not examine.
    """
    candidates = [path for path in paths if not _is_behind_link(top, path)]
    if not candidates:
        return set()
    try:
        return _paths(run.git(top, "check-ignore", "-z", "--stdin", stdin=_stdin(candidates), ok=(0, 1)).stdout)
    except GitError as error:
        if "is in submodule" not in str(error):
            raise
    half = len(candidates) // 2
    return ignored(top, candidates[:half]) | ignored(top, candidates[half:]) if half else set()


def ignored_by(git_dir: str, rules: str, paths: Collection[str]) -> set[str]:
    """Return the paths that the ``.gitignore`` files of the folder ``rules`` ignore."""
    if not paths:
        return set()
    os.makedirs(rules, exist_ok=True)
    where = ("--git-dir", git_dir, "--work-tree", rules)
    done = run.git(rules, *where, "check-ignore", "--no-index", "-z", "--stdin", stdin=_stdin(paths), ok=(0, 1))
    return _paths(done.stdout)


def _is_behind_link(top: str, path: str) -> bool:
    at = path.find("/")
    while at > 0:
        if os.path.islink(os.path.join(top, path[:at])):
            return True
        at = path.find("/", at + 1)
    return False


def _stdin(paths: Collection[str]) -> bytes:
    return b"\0".join(path.encode("utf-8", "surrogateescape") for path in paths)


def _paths(answer: bytes) -> set[str]:
    return {path for path in answer.decode("utf-8", "surrogateescape").split("\0") if path}


def in_commits(top: str, revs: Sequence[str], paths: Collection[str], *, since: float = 0.0) -> set[str]:
    """Return the paths that commits changed: those that ``revs`` reach (``^name`` excludes), made since a moment."""
    if not paths or not revs:
        return set()
    done = run.git(top, "log", "-z", "--format=", "--name-only", "--no-renames", "-m",
                   *([f"--since=@{int(since)}"] if since else []), *map(Argument, revs), "--")  # fmt: skip
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return {path for name in names for path in (name, name.removeprefix("\n"))} & set(paths)


def merge(top: str, folder: str, mine: bytes, base: bytes, theirs: bytes, labels: Sequence[str]) -> tuple[bytes, bool]:
    """Merge two changes of a file three-way, as git does; return the result and whether it has conflicts.

    ``labels`` name mine, base and theirs in the conflict markers; ``folder`` holds three temporary files.
    """
    paths = [os.path.join(folder, name) for name in ("mine", "base", "theirs")]
    try:
        for path, data in zip(paths, (mine, base, theirs), strict=True):
            files.write(path, data, mode=0o600)
        named = [word for label in labels for word in ("-L", label)]
        done = run.git(top, "merge-file", "--stdout", *named, "--", *paths, ok=range(_CONFLICTS + 1))
    finally:
        for path in paths:
            files.remove(path)
    return done.stdout, done.status > 0


def is_binary(content: bytes) -> bool:
    """Tell whether git treats the content as binary."""
    return b"\0" in content[:8000]


def store(top: str, content: bytes) -> str:
    """Store the content unchanged as a blob; return its id."""
    return run.git(top, "hash-object", "-w", "--stdin", stdin=content).stdout.decode("ascii").strip()


def diff_folders(folder: str, before: str, after: str, *, colour: bool) -> bytes:
    """Return git's diff between two folders below ``folder``."""
    color = "always" if colour else "never"
    options = ("--no-index", "--no-prefix", "--no-ext-diff", "--no-textconv", f"--color={color}")
    env = {**run.environment(), "GIT_CEILING_DIRECTORIES": folder}
    return run.git(folder, "diff", *options, "--", before, after, ok=(0, 1), env=env).stdout


def index_at(top: str, commit: str, index: str) -> None:
    """Make an index file (a copy of the user's) match a commit; cached data of unchanged files is kept."""
    run.git(top, "read-tree", "--reset", Argument(commit), env=run.environment(GIT_INDEX_FILE=index), timeout=None)
