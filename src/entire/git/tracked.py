"""Which files are the repository's own."""

from __future__ import annotations

import os

from entire.errors import EntireError, GitError
from entire.git import run


def is_tracked(top: str, path: str) -> bool:
    """Tell whether a file of the worktree ``top`` came, or will go, with a commit: it is in the index or in HEAD.

    Letter case does not count, as some file systems ignore it. A file in a repository of its own is tracked by that.
    """
    inner, _, _ = path.partition("/")
    if os.path.lexists(os.path.join(top, inner, ".git")):
        return True
    where = ("--", f":(top,icase){inner}")
    try:
        done = run.git(top, "ls-files", "-z", "--with-tree=HEAD", *where)
    except GitError:
        if run.git(top, "rev-parse", "-q", "--verify", "HEAD", ok=(0, 1)).status == 0:
            raise
        done = run.git(top, "ls-files", "-z", *where)  # no commit yet
    names = {os.fsdecode(name).casefold() for name in done.stdout.split(b"\0") if name}
    return not names.isdisjoint((path.casefold(), inner.casefold()))


def is_own(path: str) -> bool:
    """Tell whether a file in ``.entire`` is of the person who works here: no commit brought it, no link leads to it.

    False where git cannot tell.
    """
    folder = os.path.dirname(path)
    top = os.path.dirname(folder)
    if not os.path.isfile(path) or os.path.islink(path) or os.path.islink(folder):
        return False
    try:
        return not is_tracked(top, os.path.relpath(path, top))
    except EntireError:
        return False
