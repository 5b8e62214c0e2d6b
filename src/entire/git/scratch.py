"""A repository in another folder that sees the objects of this one: what git writes there changes nothing here."""

from __future__ import annotations

import os

from entire import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

_SHA256 = b"[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n"


def make(folder: str, place: Place, oid_size: int) -> dict[str, str]:
    """Make one in an empty folder; return the variables that let a git command in the worktree write its objects there.

    ``oid_size``: the number of hex digits of object ids.
    """
    own = os.path.join(folder, ".git")
    seen = _quote(os.path.join(place.common_dir, "objects"))
    for name in ("objects/info", "refs"):
        os.makedirs(os.path.join(own, name))
    files.write(os.path.join(own, "objects/info/alternates"), os.fsencode(seen) + b"\n")
    files.write(os.path.join(own, "config"), b"" if oid_size == 40 else _SHA256)
    cut_off = files.read(os.path.join(place.common_dir, "shallow"))
    if cut_off is not None:
        files.write(os.path.join(own, "shallow"), cut_off)
    files.write(os.path.join(own, "HEAD"), b"ref: refs/heads/main\n")
    return {"GIT_OBJECT_DIRECTORY": os.path.join(own, "objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES": seen}


def _quote(path: str) -> str:
    """Quote a path as git reads it in a list of object folders."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
