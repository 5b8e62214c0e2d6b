"""The worktrees of a repository as git knows them, also those whose folder is not there at the moment."""

from __future__ import annotations

import os

from entire import files
from entire.git import run
from entire.model.value import Value


class Worktree(Value):
    """A worktree. ``name`` is that of its folder below ``.git/worktrees``, '' for the main one."""

    path: str
    name: str = ""
    head: str = ""  # '' before the first commit, and in a bare repository
    branch: str = ""  # the full ref, '' when HEAD is detached
    is_there: bool = True  # its folder exists


def find_all(where: str, common_dir: str) -> list[Worktree]:
    """Return all worktrees, the main one first. Those that git has been told to remove are not among them."""
    names = _names(common_dir)
    said = run.git(where, "worktree", "list", "--porcelain").stdout.decode("utf-8", "surrogateescape")
    found = []
    for number, block in enumerate(said.strip("\n").split("\n\n")):
        facts = dict(line.partition(" ")[::2] for line in block.split("\n"))
        path, head = facts.get("worktree", ""), facts.get("HEAD", "")
        found.append(
            Worktree(
                path=path,
                name=names.get(os.path.realpath(path), "") if number else "",
                head=head if head.strip("0") else "",
                branch=facts.get("branch", ""),
                is_there=os.path.isdir(path),
            )
        )
    known = {one.name for one in found}
    rest = [Worktree(path=path, name=name, is_there=os.path.isdir(path)) for path, name in names.items()]
    return found + [one for one in rest if one.name not in known]


def _names(common_dir: str) -> dict[str, str]:
    """Return the names of the linked worktrees by the path of their folders."""
    folder = os.path.join(common_dir, "worktrees")
    found = {}
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return {}
    for name in names:
        try:
            pointer = files.read(os.path.join(folder, name, "gitdir"))
        except OSError:
            continue
        if pointer:  # absolute, or from its own folder (worktree.useRelativePaths)
            found[os.path.realpath(os.path.join(folder, name, os.fsdecode(pointer).strip(), os.pardir))] = name
    return found
