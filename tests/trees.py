"""A folder's content as a plain value: every byte, mode and link, also of names that are not text."""

from __future__ import annotations

import os
import stat

Tree = dict[bytes, tuple[str, int, bytes]]  # path -> (kind, mode bits, content or link target)


def tree(root: str | os.PathLike[str], *, but: frozenset[bytes] = frozenset((b".git",))) -> Tree:
    """Return everything below a folder, folders too, without those named at its top."""
    top = os.fsencode(root)
    found: Tree = {}
    for folder, folders, names in os.walk(top):
        if folder == top:
            folders[:] = [name for name in folders if name not in but]
        for name in (*folders, *names):
            path = os.path.join(folder, name)
            found[os.path.relpath(path, top)] = entry(path)
    return found


def entry(path: bytes) -> tuple[str, int, bytes]:
    """Return what lies at a path."""
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return ("link", 0, os.readlink(path))
    if stat.S_ISDIR(mode):
        return ("folder", stat.S_IMODE(mode), b"")
    with open(path, "rb") as file:
        return ("file", stat.S_IMODE(mode), file.read())
