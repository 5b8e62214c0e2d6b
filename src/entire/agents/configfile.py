"""Reads and writes an agent's configuration files: a file keeps its mode.

In a worktree no link is followed, since a cloned repository may bring it. Elsewhere, as in a home, a link stays a link.
"""

from __future__ import annotations

import os

from entire import files, tree_files
from entire.errors import EntireError

_MARK = b"\xef\xbb\xbf"
_DEEPEST = 4  # folders from a file up to an agent's, whose name begins with a dot


def read(path: str) -> bytes | None:
    """Return a file's bytes, None if there is no file; raises EntireError if it cannot be read."""
    top = tree_files.top_of(path)
    try:
        return tree_files.read(top, path) if top else _read_private(path)
    except files.RefusedFileError as error:
        raise EntireError(f"cannot read {path}: {error}", hint=tree_files.REMEDY) from error
    except OSError as error:
        hint = "check its permissions and try again"
        raise EntireError(f"cannot read {path}: {error.strerror}", hint=hint) from error


def write(path: str, data: bytes | None) -> bool:
    """Write a file, or with None delete it and the folders of an agent's it is in, if they are empty; return False if
    nothing changes.
    """
    top = tree_files.top_of(path)
    target = path if top else os.path.realpath(path)
    old = read(target)
    if data == old:
        return False
    try:
        if data is None:
            _delete(top, path)
            return True
        if top:
            tree_files.write(top, path, data)
            return True
        mode = os.stat(target).st_mode & 0o7777 if old is not None else 0o644
        os.makedirs(os.path.dirname(target), exist_ok=True)
        files.write(target, data, mode=mode)
        if os.stat(target).st_mode & 0o7777 != mode and old is not None:
            os.chmod(target, mode)  # the umask removed some bits
    except OSError as error:
        hint = "check its permissions and try again"
        raise EntireError(f"cannot write {path}: {error.strerror}", hint=hint) from error
    return True


def read_text(path: str) -> str | None:
    """Return a file's text without a byte order mark, None if it is missing or blank; raises ValueError if it is not
    UTF-8.
    """
    data = read(path)
    if data is None or not data.strip():
        return None
    return data.decode("utf-8").removeprefix("\ufeff")


def write_text(path: str, text: str, *, empty: str) -> bool:
    """Write a file's text, with the byte order mark it had; '' deletes it. A link stays: its file becomes ``empty``."""
    if not text and not os.path.islink(path):
        return write(path, None)
    mark = _MARK if (read(path) or b"").startswith(_MARK) else b""
    return write(path, mark + (text or empty).encode())


def _read_private(path: str) -> bytes | None:
    try:
        with files.open_regular(path) as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _delete(top: str, path: str) -> None:
    folders = [os.path.dirname(path)]
    while len(folders) < _DEEPEST and not os.path.basename(folders[-1]).startswith("."):
        folders.append(os.path.dirname(folders[-1]))
    if not os.path.basename(folders[-1]).startswith("."):  # up to `.github` of `.github/hooks`
        del folders[1:]
    if top:
        tree_files.remove(top, path)
        for folder in folders:
            tree_files.remove_empty(top, folder)
        return
    files.remove(path)
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:
            return
