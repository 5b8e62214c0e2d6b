"""Reads a worktree's status, once per event, and stores the blobs of its files."""

from __future__ import annotations

import os

from entire.errors import GitError
from entire.git import run
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_STATUS = ("status", "--porcelain=v2", "--branch", "-z", "-uall", "--no-renames", "--ignore-submodules=dirty")
_MANY_PATHS = 400  # longer lists gain nothing from a pathspec, and command lines are limited


class Dirty(Value):
    """A path that differs from HEAD. ``oid`` is set if the index already holds the worktree's content.

    ``in_head``: HEAD's mode and blob id of a path that is untracked only because it was removed from the index.
    """

    path: str
    mode: str  # in the worktree; "000000" if there is no file
    oid: str = ""
    tracked: bool = True
    in_head: tuple[str, str] | None = None


class Status(Value):
    """HEAD's commit ('' before the first), its branch ('' if detached), and all paths that differ from it.

    ``staged``: the blob ids of the paths whose index entry differs from HEAD, zeros for a deletion.
    """

    head: str
    branch: str
    dirty: tuple[Dirty, ...]
    staged: dict[str, str] = {}


def read(top: str) -> Status:
    """Return the status of the worktree with root ``top``: tracked changes, and untracked files not ignored."""
    return parse(run.git(top, *_STATUS, timeout=600).stdout)


def changed(top: str, paths: Sequence[str]) -> set[str]:
    """Return those of these paths that differ from HEAD; none if ``top`` is not a worktree any more."""
    return set(of(top, paths))


def of(top: str, paths: Sequence[str]) -> dict[str, Dirty]:
    """Return those of these paths that differ from HEAD, and how; none if ``top`` is not a worktree any more."""
    limit = ["--", *paths] if len(paths) <= _MANY_PATHS else []
    done = run.git(top, "--literal-pathspecs", *_STATUS, *limit, ok=(0, 128), timeout=600)
    wanted = set(paths)
    return {dirty.path: dirty for dirty in parse(done.stdout).dirty if dirty.path in wanted}


def parse(data: bytes) -> Status:
    """Parse ``git status --porcelain=v2 --branch -z --no-renames``."""
    head = branch = ""
    dirty: dict[str, Dirty] = {}
    unstaged: dict[str, tuple[str, str]] = {}
    staged: dict[str, str] = {}
    for line in data.decode("utf-8", "surrogateescape").split("\0"):
        kind = line[:2]
        if kind == "1 ":
            _, states, _, head_mode, index_mode, work_mode, head_oid, index_oid, path = line.split(" ", 8)
            same = states[1] == "."
            if states[0] != ".":
                staged[path] = index_oid
            if states[0] == "D":
                unstaged[path] = (head_mode, head_oid)
            dirty[path] = Dirty(path=path, mode=index_mode if same else work_mode, oid=index_oid if same else "")
        elif kind == "u ":
            *_, work_mode, _, _, _, path = line.split(" ", 10)
            dirty[path] = Dirty(path=path, mode=work_mode)
        elif kind == "? ":
            if not line.endswith("/"):  # nested repositories are left alone
                path = line[2:]
                dirty[path] = Dirty(path=path, mode="", tracked=False, in_head=unstaged.get(path))
        elif line.startswith("# branch.oid "):
            head = line[13:] if line[13:] != "(initial)" else ""
        elif line.startswith("# branch.head "):
            branch = line[14:] if line[14:] != "(detached)" else ""
    return Status(head=head, branch=branch, dirty=tuple(dirty.values()), staged=staged)


def store_files(top: str, paths: Sequence[str], variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Store files as ``git add`` would (clean filters, line endings); return their blob ids. Skip missing files.

    ``variables`` of ``git.scratch`` store them elsewhere.
    """
    env = run.environment(**(variables or {}))
    oids_by_path: dict[str, str] = {}
    rest = list(paths)
    while rest:
        stdin = b"".join(_stdin_path(path) + b"\n" for path in rest)
        done = run.git(top, "hash-object", "-w", "--stdin-paths", stdin=stdin, ok=(0, 1, 128), timeout=600, env=env)
        oids = done.stdout.decode("ascii").split()
        oids_by_path.update(zip(rest, oids, strict=False))
        if done.status == 0:
            break
        culprit = rest[len(oids)] if len(oids) < len(rest) else ""
        if not culprit or (
            os.access(os.path.join(top, culprit), os.R_OK) and os.path.isfile(os.path.join(top, culprit))
        ):
            raise GitError("git hash-object failed: " + done.stderr.decode("utf-8", "replace").strip())
        rest = rest[len(oids) + 1 :]
    return oids_by_path


def _stdin_path(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    if raw[:1] != b'"' and b"\n" not in raw and b"\r" not in raw[-1:]:
        return raw
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n").replace(b"\r", b"\\r") + b'"'
