"""Finds plugins: executable files ``entire-agent-<name>`` in the absolute folders of PATH.

Relative, empty and ``.`` entries are ignored, as they mean another folder in every repository. A plugin that belongs
to the repository, or that other users can replace, is never used: the next one on PATH of that name is.
"""

from __future__ import annotations

import os
import stat

from entire import process
from entire.model.value import Value, replace
from entire.plugin_host.language import protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MOST = 256  # bytes of a first line that systems read
_DEPTH = 4  # interpreters that are scripts themselves, as those of version managers
INVALID, INSIDE, SHADOWED = "invalid", "inside the repository", "shadowed"
"""Kinds of plugins that cannot be used."""


class Executable(Value):
    """A plugin's file as it was found on PATH. ``problem`` says why it cannot be used, to follow "it"; ``kind`` says
    that in a word.
    """

    name: str
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    """Changes with the content, too, and no program can set it."""
    inode: int
    problem: str = ""
    kind: str = ""

    @property
    def real_path(self) -> str:
        """The file itself, where ``path`` is a link."""
        return os.path.realpath(self.path)


def find(name: str, env: Mapping[str, str], *, outside: Sequence[str] = ()) -> Executable | None:
    """Return the first plugin of this name on PATH that can be used: it lies in none of the folders ``outside``; the
    first one that cannot be used if there is no other.
    """
    first = None
    for folder in _folders(env) if protocol.is_name(name) else ():
        executable = _look(name, folder, outside)
        if executable is not None and not executable.problem:
            return executable
        first = first or executable
    return first


def find_all(env: Mapping[str, str], *, outside: Sequence[str] = ()) -> list[Executable]:
    """Return every plugin on PATH by name, also those that cannot be used; of two usable ones, the first is."""
    executables: list[Executable] = []
    usable: dict[str, str] = {}
    for folder in _folders(env):
        for name in _names(folder):
            executable = _look(name, folder, outside)
            if executable is None:
                continue
            first = usable.setdefault(name, executable.path) if not executable.problem else ""
            if first and first != executable.path:
                executable = replace(executable, problem=f"comes after {first} on PATH", kind=SHADOWED)
            executables.append(executable)
    return sorted(executables, key=lambda executable: executable.name)


def _folders(env: Mapping[str, str]) -> Iterator[str]:
    """Return the absolute folders of PATH, each once: `/bin` may be a link to `/usr/bin`."""
    seen = set()
    for entry in env.get("PATH", "").split(os.pathsep):
        if os.path.isabs(entry) and (real := os.path.realpath(entry)) not in seen:
            seen.add(real)
            yield entry.rstrip("/") or "/"


def _names(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name.removeprefix(protocol.PREFIX) for name in names if name.startswith(protocol.PREFIX))


def _look(name: str, folder: str, outside: Sequence[str]) -> Executable | None:
    """Return the plugin in a folder; None if there is no such file, or it is not executable."""
    path = os.path.join(folder, protocol.PREFIX + name)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) or not os.access(path, os.X_OK):
        return None
    kind, problem = _problem(name, path, outside)
    return Executable(name=name, path=path, size=status.st_size, mtime_ns=status.st_mtime_ns,
                      ctime_ns=status.st_ctime_ns, inode=status.st_ino, problem=problem, kind=kind)  # fmt: skip


def _problem(name: str, path: str, outside: Sequence[str]) -> tuple[str, str]:
    """Return why a file cannot be used: the kind, and the words that follow "it"."""
    if not protocol.is_name(name):
        return INVALID, "has a name that is not valid: use lower-case letters, digits and `.`, `_`, `-`"
    folder, file = os.path.split(path)
    places = dict.fromkeys((os.path.join(os.path.realpath(folder), file), os.path.realpath(path)))
    tops = [os.path.realpath(top).rstrip("/") + "/" for top in outside]
    if any(place.startswith(top) for place in places for top in tops):
        return INSIDE, "lies inside the repository"
    for place in places:
        open_path = _open_path(place)
        if open_path:
            return INVALID, f"can be replaced by other users: they can write {open_path}"
    return "", ""


def _open_path(path: str) -> str:
    """Return the file or the first folder above it that every user can write; '' if there is none."""
    while True:
        mode = os.lstat(path).st_mode
        is_protected = stat.S_ISLNK(mode) or (stat.S_ISDIR(mode) and mode & stat.S_ISVTX)
        if mode & stat.S_IWOTH and not is_protected:
            return path
        parent = os.path.dirname(path)
        if parent == path:
            return ""
        path = parent


# ---------------------------------------------------------------- what runs a plugin's file


def interpreters(path: str, env: Mapping[str, str]) -> list[str]:
    """Return the paths of the programs that run a file: the interpreter that its first line names (with
    ``/usr/bin/env X``, the X on PATH), and that interpreter's own. Empty for a program that runs by itself.

    '' stands for one that is not there, or that a relative path names: it would be another one in each repository.
    """
    paths: list[str] = []
    while path and len(paths) < _DEPTH:
        named = _named(path, env)
        if named is None:
            return paths
        path = named
        paths.append(path)
    return paths


def _named(path: str, env: Mapping[str, str]) -> str | None:
    """Return the interpreter that a file names; None if it names none."""
    try:
        with open(path, "rb") as file:
            head = file.read(_MOST)
    except OSError:
        return None
    if not head.startswith(b"#!"):
        return None
    words = os.fsdecode(head[2:].partition(b"\n")[0]).split()
    if not words or not os.path.isabs(words[0]):
        return ""
    if os.path.basename(words[0]) != "env":
        return words[0]
    name = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
    return process.find(name, env.get("PATH", os.defpath))
