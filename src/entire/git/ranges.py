"""Ranges of commits: what a name such as ``main..topic`` means, where a branch began, and what changed since."""

from __future__ import annotations

from entire.git import history, run
from entire.model.ids import Argument
from entire.model.value import Value

_DEFAULTS = ("origin/HEAD", "origin/main", "origin/master", "main", "master", "@{upstream}")
"""Names of the branch from which others begin, the surest first."""


class Counted(Value):
    """A path that changed, with its lines; None for a binary file."""

    path: str
    old_path: str
    added: int | None
    removed: int | None
    is_counted: bool = True


def parse(where: str, name: str) -> tuple[str, str]:
    """Return the commits before and at the end of a range: ``A..B``, ``A...B``, ``A`` for ``A..HEAD``.

    What is not found is ''.
    """
    mark = "..." if "..." in name else ".."
    first, separator, last = name.partition(mark)
    base = history.resolve(where, first or "HEAD")
    head = history.resolve(where, (last or "HEAD") if separator else "HEAD")
    if mark == "..." and base and head:
        base = history.fork_point(where, base, head)
    return base, head


def since_fork(where: str) -> tuple[str, str]:
    """Return where the current branch began, as far as the names of branches tell, and HEAD; '' if unknown."""
    head, own = history.resolve(where, "HEAD"), history.branch(where)
    nothing = ""
    for name in _DEFAULTS:
        other = history.resolve(where, name) if name != own else ""
        base = history.fork_point(where, other, head) if other and head else ""
        if base and base != head:
            return base, head
        nothing = nothing or base
    return nothing, head


def counted(where: str, base: str, head: str) -> list[Counted]:
    """Return the paths that changed from where two commits parted to the second."""
    fork = history.fork_point(where, base, head) or base
    options = ("--numstat", "-z", "-r", "-M", "--no-ext-diff", "--no-textconv")
    done = run.git(where, "diff", *options, Argument(fork), Argument(head), "--")
    words = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    files = []
    while len(words) > 1:
        added, removed, path = words[0].split("\t", 2)
        old = path
        if not path:  # a renamed file: both names follow
            old, path = words[1:3]
        words = words[1 if words[0].split("\t", 2)[2] else 3 :]
        files.append(Counted(path=path, old_path=old, added=_number(added), removed=_number(removed)))
    return files


def named(where: str, base: str, head: str) -> list[Counted]:
    """Return what ``counted`` does, without the numbers and without looking for renamed files: reads no file."""
    fork = history.fork_point(where, base, head) or base
    options = ("-z", "-r", "--name-only", "--no-renames")
    done = run.git(where, "diff-tree", *options, Argument(fork), Argument(head), "--")
    paths = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return [Counted(path=path, old_path=path, added=None, removed=None, is_counted=False) for path in paths]


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None
