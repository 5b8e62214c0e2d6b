"""The lines that call our scripts from hook files of others: added with the user's consent, removed by uninstall."""

from __future__ import annotations

import os

from entire import files, tree_files
from entire.githooks import inspection, scripts

_NEW = b"#!/bin/sh\n"


def add(path: str, name: str) -> bool:
    """Add our line to a hook file: at the top, before any `exit`; in pre-push at the end, because it shares stdin.

    Returns False, and writes nothing, if the file is not a shell script, or if a link leads to it in the worktree.
    ``remove`` restores the bytes.
    """
    top = tree_files.top_of(path)
    if top and tree_files.refusal(top, path):
        return False
    old = files.read(path)
    head, newline, rest = (_NEW if old is None else old).partition(b"\n")
    if head.startswith(b"#!") and b"sh" not in head.rsplit(b"/", 1)[-1]:
        return False
    line = scripts.line_to_add(name).encode()
    whole = head + newline + rest
    is_cut = bool(whole) and not whole.endswith(b"\n")
    if name == "pre-push" or (is_cut and not newline and head.startswith(b"#!")):
        new = whole + b"\n" + line if is_cut else whole + line + b"\n"
    elif head.startswith(b"#!"):
        new = head + b"\n" + line + b"\n" + rest
    else:
        new = line + b"\n" + whole
    _write(path, new, os.stat(path).st_mode & 0o777 if old is not None else 0o755)
    return True


def remove(path: str, name: str) -> bool:
    """Remove our line where it is as ``add`` wrote it, and a file that holds nothing else; return whether it was."""
    old = inspection.read(path) or b""
    line = scripts.line_to_add(name).encode()
    if line not in old or tree_files.link_to(path):
        return False
    new = old.removesuffix(b"\n" + line)
    new = b"".join(other for other in new.splitlines(keepends=True) if other != line + b"\n")
    if new == old:
        return False
    if new == _NEW:
        os.unlink(path)
    else:
        _write(path, new, os.stat(path).st_mode & 0o777)
    return True


def _write(path: str, content: bytes, mode: int) -> None:
    top = tree_files.top_of(path)
    if top:
        tree_files.write(top, path, content, mode=mode)
        return
    path = os.path.realpath(path)
    files.write(path, content, mode=mode)
    os.chmod(path, mode)
