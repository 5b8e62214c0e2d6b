"""The plugins whose hooks ``enable`` installed in this repository; not all of them need be able to run any more."""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from entire.layout import Place


class Enabled(Value):
    """What a plugin said of itself when its hooks were installed."""

    protected_dirs: tuple[str, ...] = ()


def read(place: Place) -> dict[str, Enabled]:
    """Return the plugins by name."""
    try:
        stored = files.read_json(_path(place)) or {}
    except (EntireError, OSError):
        return {}
    return {name: _enabled(fields) for name, fields in stored.items() if isinstance(fields, dict)}


def add(place: Place, name: str, plugin: Enabled) -> None:
    _write(place, {**read(place), name: plugin})


def remove(place: Place, name: str) -> None:
    plugins = read(place)
    if plugins.pop(name, None) is not None:
        _write(place, plugins)


def _enabled(fields: dict[str, Any]) -> Enabled:
    dirs = fields.get("protected_dirs")
    return Enabled(
        protected_dirs=tuple(path for path in dirs if isinstance(path, str)) if isinstance(dirs, list) else ()
    )


def _write(place: Place, plugins: Mapping[str, Enabled]) -> None:
    stored = {name: {"protected_dirs": list(plugin.protected_dirs)} for name, plugin in plugins.items()}
    files.write_json(_path(place), stored)


def _path(place: Place) -> str:
    return os.path.join(place.common_own_dir, "plugins-enabled.json")
