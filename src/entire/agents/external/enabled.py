"""The plugins whose hooks ``enable`` installed in this repository: one that can no longer run is missed by that."""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place


def read(place: Place) -> dict[str, str]:
    """Return the plugins' types by name."""
    try:
        stored = files.read_json(_path(place)) or {}
    except (EntireError, OSError):
        return {}
    return {name: agent_type for name, agent_type in stored.items() if isinstance(agent_type, str)}


def add(place: Place, name: str, agent_type: str) -> None:
    files.write_json(_path(place), {**read(place), name: agent_type})


def remove(place: Place, name: str) -> None:
    found = read(place)
    if found.pop(name, None) is not None:
        files.write_json(_path(place), found)


def _path(place: Place) -> str:
    return os.path.join(place.common_own_dir, "plugins-enabled.json")
