"""Lists a repository's worktrees as git knows them, including those whose folder is missing."""

from __future__ import annotations

import os

from entire import layout
from entire.git import run
from entire.model.value import Value


class Worktree(Value):
    """A worktree. ``name`` is its folder's name below ``.git/worktrees``, '' for the main one."""

    path: str
    name: str = ""
    head: str = ""  # '' before the first commit, and in a bare repository
    branch: str = ""  # the full ref, '' if HEAD is detached
    is_there: bool = True  # its folder exists


def find_all(where: str, common_dir: str) -> list[Worktree]:
    """Return all worktrees, the main one first, without those removed by ``git worktree remove``."""
    names = {os.path.realpath(top): name for name, top in layout.linked_worktrees(common_dir).items()}
    output = run.git(where, "worktree", "list", "--porcelain").stdout.decode("utf-8", "surrogateescape")
    worktrees = []
    for number, block in enumerate(output.strip("\n").split("\n\n")):
        facts = dict(line.partition(" ")[::2] for line in block.split("\n"))
        path, head = facts.get("worktree", ""), facts.get("HEAD", "")
        worktrees.append(
            Worktree(
                path=path,
                name=names.get(os.path.realpath(path), "") if number else "",
                head=head if head.strip("0") else "",
                branch=facts.get("branch", ""),
                is_there=os.path.isdir(path),
            )
        )
    known = {worktree.name for worktree in worktrees}
    rest = [Worktree(path=path, name=name, is_there=os.path.isdir(path)) for path, name in names.items()]
    return worktrees + [worktree for worktree in rest if worktree.name not in known]
