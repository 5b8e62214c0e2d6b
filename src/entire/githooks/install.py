"""Installs and removes our git hook scripts, and keeps other hooks running.

We write only to a repository's own hooks folder. If ``core.hooksPath`` is global, system-wide, a tracked folder, or
husky's (which husky regenerates), our scripts go to ``<common git dir>/entire/hooks``, and the report lists the lines
that call them. A hook that a manager calls for us is installed already: another one above it would make a circle.
"""

from __future__ import annotations

import os
import sys

from entire import files, process
from entire.errors import EntireError
from entire.githooks import inspection, lines, managers, scripts
from entire.githooks.inspection import has_marker, is_ours, read
from entire.githooks.scripts import BACKUP, NAMES
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.githooks.inspection import Hook, HookProblem, Inspection

_MODE = 0o755


class LineToAdd(Value):
    """A line that a hook file needs which we do not write; ``present``: the file has it already."""

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


class HookRemoval(Value):
    """What ``uninstall`` did."""

    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()  # earlier hooks that run again
    moved: tuple[str, ...] = ()  # where earlier hooks are now that another program has replaced
    edited: tuple[str, ...] = ()  # files of others from which our line was removed
    left: tuple[str, ...] = ()  # files of others that still call our script


# ---------------------------------------------------------------- install


def install(root: str, *, command: str = "") -> Report:
    """Install all hooks for the repository of a worktree; writes nothing if they are up to date.

    ``command`` is the absolute path of ``entire``, stored for programs that start git with a minimal PATH.
    """
    state = inspection.inspect(root)
    if command:
        _write_if_new(os.path.join(state.folder.common_dir, "entire", "command"), os.fsencode(command) + b"\n", 0o644)
    folder = state.private if state.refused else state.folder.path
    states = {hook.name: _install_hook(state, hook) for hook in state.hooks}
    return Report(
        folder=folder,
        written=tuple(name for name, (written, _) in states.items() if written),
        unchanged=tuple(name for name, (written, _) in states.items() if not written),
        chained=tuple(name for name in NAMES if os.access(_backup(folder, name), os.X_OK)),
        set_aside=tuple(aside for _, aside in states.values() if aside),
        managers=state.managers,
        refused=state.refused,
        lines=_lines(state) if state.refused else (),
    )


def own_command() -> str:
    """Return the absolute path of ``entire``: beside this interpreter, else on PATH; '' if it is in neither."""
    folders = [os.path.dirname(sys.executable), *os.get_exec_path()]
    candidates = (os.path.join(folder, "entire") for folder in folders)
    return next((os.path.abspath(path) for path in candidates if os.path.isfile(path) and os.access(path, os.X_OK)), "")


def repair(state: Inspection) -> None:
    """Write the scripts that are missing or outdated where no file of another program is concerned."""
    command = os.path.join(state.folder.common_dir, "entire", "command")
    if not os.path.exists(command) and own_command():
        files.write(command, os.fsencode(own_command()) + b"\n")
    harmless = {problem.hook for problem in state.problems if problem.harmless}
    for hook in state.hooks:
        if hook.name in harmless:
            _install_hook(state, hook)


def _install_hook(state: Inspection, hook: Hook) -> tuple[bool, str]:
    """Install one hook; return whether anything was written, and the name of a file set aside, if any."""
    private, aside = os.path.join(state.private, hook.name), ""
    if state.refused:
        return _write_if_new(private, scripts.text(hook.name), _MODE), ""
    target = hook.script or hook.path
    for path in _copies(hook.path):
        if path != target and is_ours(read(path)):
            os.unlink(path)  # it would run twice, or stand where a manager wants to put a hook
    if not hook.script:
        aside = _make_room(hook.path)
    return _write_if_new(target, scripts.text(hook.name), _MODE), aside


def _copies(path: str) -> list[str]:
    """Return the names that our script may have besides its own: a manager renamed it, or it was chained."""
    return [path + end for end in (BACKUP, *managers.RENAMED)]


def _make_room(path: str) -> str:
    """Rename a hook of another program to be chained; return the name of the file that was set aside for it, if any."""
    current, backup, aside = read(path), path + BACKUP, ""
    if is_ours(current):  # it could not be read when the hooks were inspected
        return ""
    if has_marker(current):  # a mix of hooks: keep it, but do not chain to it, or our part would run twice
        aside = _free_name(backup)
        _rename(path, aside)
    elif current is not None or os.path.islink(path):
        if os.path.lexists(backup) and read(backup) == current:
            os.unlink(backup)
        elif os.path.lexists(backup):
            aside = _free_name(backup)
            _rename(backup, aside)
        _rename(path, backup)
    return aside


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


def _write_if_new(path: str, content: bytes, mode: int) -> bool:
    try:
        if not os.path.islink(path) and os.stat(path).st_mode & 0o777 == mode and read(path) == content:
            return False
    except OSError:
        pass
    _remove_leftovers(path)
    files.write(path, content, mode=mode)
    os.chmod(path, mode)
    return True


def _remove_leftovers(path: str) -> None:
    """Remove what a process left that was killed while it wrote this file."""
    folder, start = os.path.dirname(path), f"{os.path.basename(path)}.tmp"
    names = os.listdir(folder) if os.path.isdir(folder) else []
    for name in names:
        pid = name.removeprefix(start)
        if name.startswith(start) and pid.isdigit() and process.look(int(pid)) is None:
            files.remove(os.path.join(folder, name))


def _lines(state: Inspection) -> tuple[LineToAdd, ...]:
    return tuple(
        LineToAdd(path=hook.path, line=scripts.line_to_add(hook.name), present=bool(hook.script))
        for hook in state.hooks
        if hook.path
    )


def missing_lines(root: str) -> list[LineToAdd]:
    """Return the lines that hook files lack; none if we write to git's hooks folder ourselves."""
    state = inspection.inspect(root)
    return [line for line in _lines(state) if not line.present] if state.refused else []


def add_line(addition: LineToAdd) -> bool:
    """Add our line to a hook file; returns False, and writes nothing, if the file is not a shell script."""
    return lines.add(addition.path, os.path.basename(addition.path))


def problems(root: str) -> list[HookProblem]:
    """Return what keeps our hooks from running; empty if nothing does. Writes nothing."""
    return inspection.inspect(root).problems


# ---------------------------------------------------------------- uninstall


def uninstall(root: str) -> HookRemoval:
    """Remove our hooks and lines, and put the earlier hooks back, with their bytes and mode."""
    state = inspection.inspect(root)
    folders = [os.path.join(state.folder.common_dir, "hooks"), *_worktree_folders(state.folder.common_dir)]
    if not state.refused and state.folder.path not in folders:
        folders.append(state.folder.path)
    paths = [os.path.join(folder, name) for folder in folders for name in NAMES]
    parts = [_remove_hook(path) for path in paths]
    others = {hook.path: hook.name for hook in state.hooks if hook.path}
    others |= {managers.husky_file(root, name): name for name in NAMES}
    others |= {path: os.path.basename(path) for path in paths}
    edited = [path for path, name in others.items() if _take_line_out(path, name)]
    left = [path for path in (*others, *state.settings) if _still_calls(path)]
    for name in NAMES:
        files.remove(os.path.join(state.private, name))
    files.remove(os.path.join(state.folder.common_dir, "entire", "command"))
    _remove_folder(state.private)
    return HookRemoval(
        removed=_join(part.removed for part in parts),
        restored=_join(part.restored for part in parts),
        moved=_join(part.moved for part in parts),
        edited=tuple(edited),
        left=tuple(left),
    )


def _join(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(path for part in parts for path in part)


def _worktree_folders(common_dir: str) -> list[str]:
    """Return the folders of linked worktrees where the Go CLI writes hooks, although git never looks there."""
    base = os.path.join(common_dir, "worktrees")
    names = sorted(os.listdir(base)) if os.path.isdir(base) else []
    return [os.path.join(base, name, "hooks") for name in names]


def _take_line_out(path: str, name: str) -> bool:
    try:
        return lines.remove(path, name)
    except (EntireError, OSError):  # another user's file: it is among those that still call our script
        return False


def _still_calls(path: str) -> bool:
    content = read(path)
    return inspection.calls_any(content) or (has_marker(content) and not is_ours(content))


def _remove_hook(path: str) -> HookRemoval:
    """Remove our script under each of its names; the latest hook that it replaced takes its place."""
    removed = [own for own in (path, *_copies(path)) if is_ours(read(own))]
    for own in removed:
        os.unlink(own)
    restored: list[str] = []
    moved: list[str] = []
    for earlier in _backups(path):
        if os.path.lexists(path) and read(earlier) == read(path):  # a manager installed it again
            os.unlink(earlier)
            continue
        target = next((place for place in _places(path, earlier, removed) if not os.path.lexists(place)), "")
        (restored if target else moved).append(target or _unused_name(path))
        _rename(earlier, (restored if target else moved)[-1])
    return HookRemoval(removed=tuple(removed), restored=tuple(restored), moved=tuple(moved))


def _places(path: str, earlier: str, removed: list[str]) -> list[str]:
    """Return where an earlier hook runs again: under git's name, or where a manager called ours."""
    manager = managers.of_script(read(path))
    if manager is None or not manager.calls_renamed or managers.of_script(read(earlier)) == manager:
        return [path]
    return [path, *(own for own in removed if own == path + manager.renamed)]


def _unused_name(path: str) -> str:
    return path + ".old" if not os.path.lexists(path + ".old") else _free_name(path + ".old")


def _backups(path: str) -> list[str]:
    """Return the earlier hooks that were renamed for ours, the latest first."""
    folder, name = os.path.split(path + BACKUP)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    numbers = sorted((int(end) for other in names if (end := other.removeprefix(name + ".")).isdigit()), reverse=True)
    backups = [path + BACKUP, *(f"{path}{BACKUP}.{number}" for number in numbers)]
    return [backup for backup in backups if os.path.lexists(backup)]


def _remove_folder(path: str) -> None:
    try:
        os.rmdir(path)
    except OSError:
        pass
