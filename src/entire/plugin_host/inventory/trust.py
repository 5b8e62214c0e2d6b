"""What the user allowed plugins to do: each is remembered by the paths and contents of its file and interpreters.

The file is ``$XDG_CONFIG_HOME/entire/plugins.json``: the user's own, never part of a repository.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import CorruptError, EntireError
from entire.model.choice import Choice
from entire.model.digest import sha256
from entire.plugin_host.inventory import discovery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from entire.plugin_host.inventory.discovery import Executable

_CHUNK = 1 << 20


class Trust(Choice):
    """What the user decided about a plugin."""

    ALLOWED = "allowed"
    BY_SETTINGS = "allowed by settings"  # the user's settings allow every plugin
    DENIED = "denied"
    CHANGED = "changed"  # allowed, but the file or an interpreter of it has another path or content since
    UNKNOWN = "not allowed"  # not decided


USABLE = (Trust.ALLOWED, Trust.BY_SETTINGS)


class Decisions:
    """The user's decisions. Raises CorruptError if the file cannot be understood: then no plugin may run."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.path = _path(env)
        self._env = env

    def decide(self, executable: Executable, is_switched_on: Callable[[], bool]) -> Trust:
        """Return what the user decided; ``is_switched_on`` tells whether settings allow every plugin."""
        known = self._read()
        if executable.name in known["denied"]:
            return Trust.DENIED
        allowed = known["allowed"].get(executable.name)
        if isinstance(allowed, dict) and self._is_same(executable, allowed):
            return Trust.ALLOWED
        if is_switched_on():
            return Trust.BY_SETTINGS
        return Trust.UNKNOWN if allowed is None else Trust.CHANGED

    def denied(self) -> list[str]:
        """Return the plugins that the user has denied; none if the decisions cannot be read."""
        try:
            return [name for name in self._read()["denied"] if isinstance(name, str)]
        except CorruptError:
            return []

    def folders(self, name: str) -> list[str]:
        """Return the folders outside of home in which a plugin may keep sessions."""
        try:
            allowed = self._read()["allowed"].get(name)
        except CorruptError:
            return []
        return _folders(allowed)

    def allow(self, executable: Executable, digest: str = "", folders: Sequence[str] = ()) -> None:
        """Remember that a plugin may run, and may keep sessions in these folders outside of home as well; with
        ``digest``, only if its content is still that.
        """
        actual = hash_of(executable)
        if digest and actual != digest:
            raise EntireError(f"{executable.path} changed meanwhile, so it was not allowed", hint="run it again")
        run_by = self._run_by(executable)
        self._change(lambda known: _set_allowed(known, executable, actual, run_by, folders))

    def deny(self, name: str) -> None:
        """Remember that a plugin of this name may not run, even if settings allow every plugin."""
        self._change(lambda known: _set_denied(known, name))

    def other_interpreter(self, executable: Executable) -> str:
        """Return what runs a plugin's file instead of what ran it when it was allowed; '' for the same, or if that is
        not known.
        """
        allowed = self._read()["allowed"].get(executable.name)
        return self._other_interpreter(executable, allowed) if isinstance(allowed, dict) else ""

    def _other_interpreter(self, executable: Executable, allowed: dict[str, Any]) -> str:
        known = allowed.get("interpreters")
        if not isinstance(known, list):
            return ""
        paths = discovery.interpreters(executable.path, self._env)
        others = [path for path, one in zip(paths, known, strict=False) if not _is_unchanged(path, one)]
        if len(paths) != len(known) and not others:
            others = paths[len(known) :] or ["no interpreter"]
        return (others[0] or "another program") if others else ""

    def _run_by(self, executable: Executable) -> list[dict[str, Any]]:
        paths = discovery.interpreters(executable.path, self._env)
        if "" in paths:
            raise EntireError(f"the interpreter that the first line of {executable.path} names is not found",
                              hint="name one in an absolute folder of PATH")  # fmt: skip
        return [{"path": path, **_stamp(path), "sha256": _hash(path)} for path in paths]

    def _is_same(self, executable: Executable, allowed: dict[str, Any]) -> bool:
        """Tell whether this is the file that was allowed, run by what ran it then. Content decides where something was
        written since.
        """
        if not self._is_same_file(executable, allowed):
            return False
        if "interpreters" in allowed:
            return not self._other_interpreter(executable, allowed)
        try:  # an earlier version remembered none
            run_by = self._run_by(executable)
            self._change(lambda known: _set_interpreters(known, executable, allowed.get("sha256"), run_by), timeout=0)
        except (EntireError, OSError):
            pass
        return True

    def _is_same_file(self, executable: Executable, allowed: dict[str, Any]) -> bool:
        path = allowed.get("path")
        if path != executable.path and (not isinstance(path, str) or os.path.realpath(path) != executable.real_path):
            return False
        if all(allowed.get(key) == value for key, value in stamp(executable).items()):
            return True
        digest = allowed.get("sha256")
        if allowed.get("size") != executable.size:
            return False
        try:
            if not digest or digest != hash_of(executable):
                return False
        except EntireError:
            return False
        try:
            # Saves the next hook the reading; this one waits for nobody.
            self._change(lambda known: _set_stamp(known, executable, digest), timeout=0)
        except EntireError:
            pass
        return True

    def _read(self) -> dict[str, Any]:
        try:
            known = (files.read_json(self.path) if self.path else None) or {}
        except (EntireError, OSError) as error:
            message = error.message if isinstance(error, EntireError) else f"cannot read {self.path}: {error}"
            raise CorruptError(f"no plugin may run: {message}", hint=_HINT.format(self.path)) from error
        known = {**known, "allowed": known.get("allowed", {}), "denied": known.get("denied", [])}
        if not isinstance(known["allowed"], dict) or not isinstance(known["denied"], list):
            message = f"no plugin may run: {self.path} has values of wrong types"
            raise CorruptError(message, hint=_HINT.format(self.path))
        return known

    def _change(self, edit: Callable[[dict[str, Any]], None], *, timeout: float = 20.0) -> None:
        if not self.path:
            raise EntireError("there is no home directory to remember the decision in", hint="set HOME")
        path = os.path.realpath(self.path)  # a link stays a link
        try:
            with files.Lock(path + ".lock", timeout=timeout):
                known = self._read()
                before = files.json_bytes(known)
                edit(known)
                if files.json_bytes(known) != before:
                    files.write_json(path, known)
        except OSError as error:
            hint = "check the permissions and try again"
            raise EntireError(f"cannot write {self.path}: {error.strerror}", hint=hint) from error


_HINT = "correct {0}, or delete it and allow your plugins again"


def _is_unchanged(path: str, known: Any) -> bool:
    """Tell whether an interpreter is the one that was remembered."""
    if not isinstance(known, dict) or known.get("path") != path:
        return False
    try:
        actual = _stamp(path)
        if all(known.get(key) == value for key, value in actual.items()):
            return True
        return bool(known.get("size") == actual["size"] and known.get("sha256") == _hash(path))
    except (OSError, EntireError):
        return False


def hash_of(executable: Executable) -> str:
    """Return the SHA-256 of a plugin's content; raises EntireError if it cannot be read."""
    return _hash(executable.path)


def _hash(path: str) -> str:
    digest = sha256()
    try:
        with open(path, "rb") as file:
            while data := file.read(_CHUNK):
                digest.update(data)
    except OSError as error:
        hint = "make it readable: Entire recognises it by its content"
        raise EntireError(f"cannot read {path}: {error.strerror}", hint=hint) from error
    return digest.hexdigest()


def _folders(allowed: object) -> list[str]:
    listed = allowed.get("folders") if isinstance(allowed, dict) else None
    return [folder for folder in listed if isinstance(folder, str) and os.path.isabs(folder)] if listed else []


def _set_allowed(
    known: dict[str, Any], executable: Executable, digest: str, run_by: list[dict[str, Any]], folders: Sequence[str]
) -> None:
    both = sorted({*_folders(known["allowed"].get(executable.name)), *folders})
    known["allowed"][executable.name] = {
        "path": executable.path, **stamp(executable), "sha256": digest, "interpreters": run_by
    }  # fmt: skip
    if both:
        known["allowed"][executable.name]["folders"] = both
    known["denied"] = [name for name in known["denied"] if name != executable.name]


def _set_denied(known: dict[str, Any], name: str) -> None:
    known["allowed"].pop(name, None)
    if name not in known["denied"]:
        known["denied"].append(name)


def _set_stamp(known: dict[str, Any], executable: Executable, digest: str) -> None:
    """Update a decision, unless it was taken back meanwhile."""
    allowed = known["allowed"].get(executable.name)
    if isinstance(allowed, dict) and allowed.get("sha256") == digest:
        allowed.update(stamp(executable))


def _set_interpreters(known: dict[str, Any], executable: Executable, digest: Any, run_by: list[dict[str, Any]]) -> None:
    allowed = known["allowed"].get(executable.name)
    if isinstance(allowed, dict) and allowed.get("sha256") == digest:
        allowed.setdefault("interpreters", run_by)


def stamp(executable: Executable) -> dict[str, int]:
    """Return what tells without reading that a file is still the same."""
    names = ("size", "mtime_ns", "ctime_ns", "inode")
    return {name: getattr(executable, name) for name in names}


def _stamp(path: str) -> dict[str, int]:
    status = os.stat(path)
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "ctime_ns": status.st_ctime_ns,
            "inode": status.st_ino}  # fmt: skip


def _path(env: Mapping[str, str]) -> str:
    base = base_folder(env, "XDG_CONFIG_HOME", ".config")
    return os.path.join(base, "entire", "plugins.json") if base else ""


def base_folder(env: Mapping[str, str], variable: str, default: str) -> str:
    """Return a base folder of the user, by the XDG rules; '' if there is no home directory."""
    folder = env.get(variable, "")
    if os.path.isabs(folder):
        return folder
    home = env.get("HOME") or os.path.expanduser("~")
    return os.path.join(home, default) if os.path.isabs(home) else ""
