"""What plugins said of themselves, cached by the identity of their file, so a hook need not ask.

The file ``$XDG_CACHE_HOME/entire/plugins/<name>.json`` may be deleted at any time; where it cannot be written, plugins
are asked each time.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.plugin_host.inventory import trust
from entire.plugin_host.language import protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from entire.plugin_host.inventory.discovery import Executable
    from entire.plugin_host.language.protocol import Info

_MAX_ROOTS = 50  # repositories whose session folder is remembered


class Answers:
    """One plugin's cached answers."""

    def __init__(self, executable: Executable, env: Mapping[str, str]) -> None:
        self._executable = executable
        folder = trust.base_folder(env, "XDG_CACHE_HOME", ".cache")
        self._path = os.path.join(folder, "entire", "plugins", executable.name + ".json") if folder else ""
        self._known: dict[str, Any] | None = None

    def info(self, ask: Callable[[], bytes], *, fresh: bool = False) -> Info:
        """Return the plugin's ``info``; ``ask`` runs it, if the file is not the one that answered last, or ``fresh``.

        Raises PluginError if the answer cannot be used.
        """
        known = {} if fresh else self._read()
        text = known.get("info")
        if isinstance(text, str):
            try:
                return protocol.parse_info(text.encode("utf-8", "surrogatepass"), self._executable.name)
            except protocol.PluginError:
                pass  # another version of entire accepted it
        data = ask()
        info = protocol.parse_info(data, self._executable.name)
        self._write({"info": data.decode("utf-8")})
        return info

    def session_dir(self, root: str, ask: Callable[[], str], *, fresh: bool = False) -> str:
        """Return the session folder of the repository ``root``; ``ask`` runs the plugin if it is not known, or
        ``fresh``.
        """
        dirs = self._read().get("session_dirs")
        known = dirs.get(root) if isinstance(dirs, dict) and not fresh else None
        if isinstance(known, str):
            return known
        folder = ask()
        rest = list(dirs.items())[-_MAX_ROOTS + 1 :] if isinstance(dirs, dict) else []
        if folder:
            self._write({**self._read(), "session_dirs": {**dict(rest), root: folder}})
        return folder

    def _read(self) -> dict[str, Any]:
        """Return what the same file answered before."""
        if self._known is None:
            self._known = self._stored()
        return self._known

    def _stored(self) -> dict[str, Any]:
        try:
            known = (files.read_json(self._path) if self._path else None) or {}
        except (EntireError, OSError):
            return {}
        stamp = {"path": self._executable.path, **trust.stamp(self._executable)}
        return known if all(known.get(key) == value for key, value in stamp.items()) else {}

    def _write(self, answers: dict[str, Any]) -> None:
        self._known = answers
        try:
            files.write_json(self._path, {**answers, "path": self._executable.path, **trust.stamp(self._executable)})
        except (EntireError, OSError, ValueError):
            pass
