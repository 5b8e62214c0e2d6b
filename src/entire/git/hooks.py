"""Finds the folder where git looks for hooks, and where it is configured."""

from __future__ import annotations

import os

from entire.git import run
from entire.model.value import Value, replace


class HooksFolder(Value):
    """The hooks folder as an absolute path; ``scope`` is git's name for where ``core.hooksPath`` is set, or ''."""

    path: str
    common_dir: str
    scope: str = ""
    origin: str = ""
    tracked: bool = False  # git tracks files in it: it belongs to the team
    config_files: tuple[str, ...] = ()  # the files that git reads its configuration from


def folder(root: str) -> HooksFolder:
    """Return the hooks folder of the worktree with root ``root``."""
    lines = run.lines(root, "rev-parse", "--git-path", "hooks", "--git-common-dir")
    path, common_dir = (os.path.normpath(os.path.join(root, line)) for line in lines)
    output = run.git(root, "config", "--list", "--show-scope", "--show-origin", "-z").stdout
    fields = output.decode("utf-8", "surrogateescape").split("\0")
    entries = list(zip(fields[::3], fields[1::3], fields[2::3], strict=False))
    hooks = HooksFolder(
        path=path, common_dir=common_dir, config_files=_config_files(root, [origin for _, origin, _ in entries])
    )
    chosen = [entry for entry in entries if entry[2].partition("\n")[0] == "core.hookspath"]
    if not chosen:
        return hooks
    scope, origin, _ = chosen[-1]
    return replace(hooks, scope=scope, origin=origin, tracked=_is_tracked(root, path))


def _config_files(root: str, origins: list[str]) -> tuple[str, ...]:
    """Return the files among the origins of git's settings."""
    paths = [origin.removeprefix("file:") for origin in origins if origin.startswith("file:")]
    return tuple(dict.fromkeys(os.path.normpath(os.path.join(root, path)) for path in paths))


def _is_tracked(root: str, path: str) -> bool:
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    if inside == os.pardir or inside.startswith(os.pardir + os.sep):
        return False
    return bool(run.git(root, "ls-files", "-z", "--", f":(top,literal){inside}").stdout)
