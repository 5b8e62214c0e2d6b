"""Finds the folder where git looks for hooks, and where it is configured."""

from __future__ import annotations

import os

from entire.git import run
from entire.model.value import Value


class HooksFolder(Value):
    """The hooks folder as an absolute path; ``scope`` is git's name for where ``core.hooksPath`` is set, or ''."""

    path: str
    common_dir: str
    scope: str = ""
    origin: str = ""
    tracked: bool = False  # git tracks files in it: it belongs to the team


def folder(root: str) -> HooksFolder:
    """Return the hooks folder of the worktree with root ``root``."""
    lines = run.lines(root, "rev-parse", "--git-path", "hooks", "--git-common-dir")
    path, common_dir = (os.path.normpath(os.path.join(root, line)) for line in lines)
    output = run.git(root, "config", "--show-scope", "--show-origin", "--get", "core.hooksPath", ok=(0, 1)).stdout
    if not output.strip():
        return HooksFolder(path=path, common_dir=common_dir)
    scope, origin, *_ = [*output.decode("utf-8", "surrogateescape").split("\t"), ""]
    return HooksFolder(path=path, common_dir=common_dir, scope=scope, origin=origin, tracked=_is_tracked(root, path))


def _is_tracked(root: str, path: str) -> bool:
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    if inside == os.pardir or inside.startswith(os.pardir + os.sep):
        return False
    return bool(run.git(root, "ls-files", "-z", "--", f":(top,literal){inside}").stdout)
