"""Installs and removes our git hook scripts, and keeps other hooks running.

We write only to a repository's own hooks folder. If ``core.hooksPath`` is global, system-wide, a tracked folder, or
husky's (which husky regenerates), our scripts go to ``<common git dir>/entire/hooks``, and the report lists the lines
that call them.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.git import hooks
from entire.githooks import scripts
from entire.githooks.scripts import BACKUP, MARKER, NAMES
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.hooks import HooksFolder

_MODE = 0o755
_MANAGERS = (
    ("husky", b"husky"),
    ("lefthook", b"lefthook"),
    ("pre-commit", b"pre-commit.com"),
    ("overcommit", b"overcommit"),
)
_OWN_SCOPES = ("", "local", "worktree")


class LineToAdd(Value):
    """A line that the user must add to a hook file we do not write; ``present``: the file has it already."""

    path: str
    line: str
    present: bool = False


class Report(Value):
    """What ``install`` found and did. ``refused``: why we do not write to the folder; then ``lines`` are needed."""

    folder: str
    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    chained: tuple[str, ...] = ()  # hooks whose earlier script runs after ours
    set_aside: tuple[str, ...] = ()  # files kept under a numbered name because the backup's name was taken
    managers: tuple[str, ...] = ()  # hook managers found; they may overwrite our hooks
    refused: str = ""
    lines: tuple[LineToAdd, ...] = ()


class Removal(Value):
    """What ``uninstall`` did. ``left``: hooks that another program has replaced, and files with our line."""

    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def install(root: str, *, command: str = "") -> Report:
    """Install all hooks for the repository of a worktree; writes nothing if they are up to date.

    ``command`` is the absolute path of ``entire``, stored for programs that start git with a minimal PATH.
    """
    found = hooks.folder(root)
    if command:
        _write_if_new(os.path.join(found.common_dir, "entire", "command"), os.fsencode(command) + b"\n", 0o644)
    refused = _refusal(found)
    folder = _private_folder(found) if refused else found.path
    states = {name: _install_hook(folder, name) for name in NAMES}
    return Report(
        folder=folder,
        written=tuple(name for name, (state, _) in states.items() if state),
        unchanged=tuple(name for name, (state, _) in states.items() if not state),
        chained=tuple(name for name in NAMES if os.access(_backup(folder, name), os.X_OK)),
        set_aside=tuple(aside for _, aside in states.values() if aside),
        managers=_managers(found, root),
        refused=refused,
        lines=_lines(found) if refused else (),
    )


def _private_folder(found: HooksFolder) -> str:
    return os.path.join(found.common_dir, "entire", "hooks")


def _refusal(found: HooksFolder) -> str:
    """Return why the hooks folder is not the repository's own; '' if it is."""
    if found.scope not in _OWN_SCOPES:
        return f"core.hooksPath is not set for this repository alone ({found.scope}, {found.origin})"
    if found.tracked:
        return "core.hooksPath is a folder that this repository tracks"
    if _is_husky(found.path):
        return "core.hooksPath is a folder that husky manages"
    if os.path.exists(found.path) and not os.path.isdir(found.path):
        return f"core.hooksPath is not a folder: {found.path}"
    return ""


def _is_husky(path: str) -> bool:
    return ".husky" in path.split(os.sep)[-2:]


def _lines(found: HooksFolder) -> tuple[LineToAdd, ...]:
    """Return the lines for the files that git runs in place of ours. Husky's own hooks call files one level up."""
    if os.path.exists(found.path) and not os.path.isdir(found.path):
        return ()
    folder = (
        os.path.dirname(found.path) if os.path.basename(found.path) == "_" and _is_husky(found.path) else found.path
    )
    return tuple(
        LineToAdd(
            path=path, line=scripts.line_to_add(name), present=f"entire/hooks/{name}".encode() in (_read(path) or b"")
        )
        for name in NAMES
        for path in [os.path.join(folder, name)]
    )


def _managers(found: HooksFolder, root: str) -> tuple[str, ...]:
    """Return the hook managers in use, known by their scripts, folders and settings."""
    texts = [
        _read(os.path.join(found.path, name + end)) or b"" for name in (*NAMES, "pre-commit") for end in ("", BACKUP)
    ]
    managers = [name for name, mark in _MANAGERS if any(mark in text for text in texts)]
    if _is_husky(found.path) or os.path.isdir(os.path.join(root, ".husky")):
        managers.append("husky")
    if any(os.path.exists(os.path.join(root, name)) for name in ("lefthook.yml", ".lefthook.yml", "lefthook.toml")):
        managers.append("lefthook")
    return tuple(dict.fromkeys(managers))


def _install_hook(folder: str, name: str) -> tuple[bool, str]:
    """Install one hook; return whether anything was written, and the name of a file set aside, if any."""
    path, backup, aside = os.path.join(folder, name), _backup(folder, name), ""
    current = _read(path)
    if _is_ours(_read(backup)):
        os.unlink(backup)  # never chain to a hook with the marker: it would run twice
    if _has_marker(current) and not _is_ours(
        current
    ):  # a mix of hooks: keep it, but do not chain to it, or our part would run twice
        aside = _free_name(backup)
        _rename(path, aside)
    elif (current is not None or os.path.islink(path)) and not _is_ours(current):
        if os.path.lexists(backup):
            aside = _free_name(backup)
            _rename(backup, aside)
        _rename(path, backup)
    return _write_if_new(path, scripts.text(name), _MODE), aside


def _backup(folder: str, name: str) -> str:
    return os.path.join(folder, name + BACKUP)


def _free_name(path: str) -> str:
    number = 1
    while os.path.lexists(f"{path}.{number}"):
        number += 1
    return f"{path}.{number}"


def _rename(old: str, new: str) -> None:
    try:
        os.rename(old, new)
    except OSError as error:
        raise EntireError(
            f"cannot rename {old}: {error.strerror}; no hook was lost", hint="check the permissions and try again"
        ) from error


def _read(path: str) -> bytes | None:
    """Return a hook's content; None if there is none, empty if it cannot be read (a folder, another user's file)."""
    try:
        return files.read(path)
    except OSError:
        return b""


def _has_marker(content: bytes | None) -> bool:
    return content is not None and MARKER.encode() in content


def _is_ours(content: bytes | None) -> bool:
    """Tell whether a whole hook is ours or the Go CLI's: the marker is in the comment below the first line."""
    return content is not None and MARKER.encode() in b"\n".join(content.split(b"\n")[:3])


def _write_if_new(path: str, content: bytes, mode: int) -> bool:
    try:
        if not os.path.islink(path) and os.stat(path).st_mode & 0o777 == mode and _read(path) == content:
            return False
    except OSError:
        pass
    files.write(path, content, mode=mode)
    os.chmod(path, mode)
    return True


def missing_lines(root: str) -> list[LineToAdd]:
    """Return the lines that hook files lack; none if we write to git's hooks folder ourselves."""
    found = hooks.folder(root)
    return [line for line in _lines(found) if not line.present] if _refusal(found) else []


def add_line(addition: LineToAdd) -> bool:
    """Add our line to a hook file: at the top, before any `exit`; in pre-push at the end, because it shares stdin.

    Returns False, and writes nothing, if the file is not a shell script.
    """
    old = files.read(addition.path)
    head, newline, rest = (old or b"#!/bin/sh\n").partition(b"\n")
    if head.startswith(b"#!") and b"sh" not in head.rsplit(b"/", 1)[-1]:
        return False
    line = addition.line.encode() + b"\n"
    if os.path.basename(addition.path) == "pre-push":
        whole = old or b"#!/bin/sh\n"
        new = whole + (b"" if whole.endswith(b"\n") else b"\n") + line
    elif head.startswith(b"#!"):
        new = head + b"\n" + line + rest
    else:
        new = line + head + newline + rest
    mode = os.stat(addition.path).st_mode & 0o777 if old is not None else 0o755
    path = os.path.realpath(addition.path)
    files.write(path, new, mode=mode)
    os.chmod(path, mode)
    return True


def uninstall(root: str) -> Removal:
    """Remove our hooks and restore the earlier ones, with their bytes and mode."""
    found = hooks.folder(root)
    removed: list[str] = []
    restored: list[str] = []
    left: list[str] = []
    folders = [os.path.join(found.common_dir, "hooks")]
    if _refusal(found):
        left += [line.path for line in _lines(found) if line.present]
    elif found.path not in folders:
        folders.append(found.path)
    for path in [os.path.join(folder, name) for folder in folders for name in NAMES]:
        content, backup = _read(path), path + BACKUP
        if _is_ours(content):
            os.unlink(path)
            removed.append(path)
        elif content is not None and (os.path.lexists(backup) or _has_marker(content)):
            left.append(path)
            continue
        if _is_ours(_read(backup)):
            os.unlink(backup)
        elif os.path.lexists(backup) and not os.path.lexists(path):
            _rename(backup, path)
            restored.append(path)
    for name in NAMES:
        files.remove(os.path.join(_private_folder(found), name))
    files.remove(os.path.join(found.common_dir, "entire", "command"))
    _remove_folder(_private_folder(found))
    return Removal(removed=tuple(removed), restored=tuple(restored), left=tuple(left))


def _remove_folder(path: str) -> None:
    try:
        os.rmdir(path)
    except OSError:
        pass


def health(root: str) -> list[str]:
    """Return messages about what keeps our hooks from running; empty if nothing does. Writes nothing."""
    found = hooks.folder(root)
    refused = _refusal(found)
    if refused:
        if not _lines(found):
            return [refused]
        missing = [line for line in _lines(found) if not line.present]
        problems = [f"{line.path} does not call entire: add the line  {line.line}" for line in missing]
        return problems + _script_problems(_private_folder(found))
    return _script_problems(found.path)


def _script_problems(folder: str) -> list[str]:
    problems = []
    for name in NAMES:
        path = os.path.join(folder, name)
        content = _read(path)
        if content is None:
            problems.append(f"the git hook {name} is missing from {folder}")
        elif not _is_ours(content):
            problems.append(f"the git hook {name} was replaced by another program")
        elif content != scripts.text(name):
            problems.append(f"the git hook {name} was written by another version of Entire")
        elif not os.access(path, os.X_OK):
            problems.append(f"the git hook {name} is not executable")
        if _is_ours(_read(_backup(folder, name))):
            problems.append(f"{name}{BACKUP} is an Entire hook and must not be chained")
    return problems
