"""What ``enable`` wrote into files of the worktree, such as an agent's settings: these lines are nobody's work.

A commit that contains them counts them neither as an agent's nor as a person's. Other lines of the same files count.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import CorruptError
from entire.model.setup_lines import SetupLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.layout import Place

_NAME = "setup.json"
_ENCODING = ("utf-8", "surrogateescape")


def load(place: Place) -> dict[str, SetupLines]:
    """Return what was noted, by path from the worktree's root; nothing if the file is damaged."""
    try:
        value = files.read_json(os.path.join(place.common_own_dir, _NAME)) or {}
        return {
            path: SetupLines(added=tuple(map(_bytes, added)), removed=tuple(map(_bytes, removed)))
            for path, (added, removed) in value.items()
        }
    except (CorruptError, TypeError, ValueError, AttributeError):
        return {}


def note(place: Place, path: str, before: bytes | None, after: bytes | None) -> None:
    """Note that ``enable`` changed a file; one outside the worktree does not matter."""
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(place.top))
    if before == after or after is None or name.startswith(os.pardir):
        return
    old, new = (before or b"").splitlines(keepends=True), after.splitlines(keepends=True)
    noted = load(place)
    earlier = noted.get(name, SetupLines())
    others = _without(new, [*earlier.added, *_without(new, old)])
    noted[name] = SetupLines(added=tuple(_without(new, others)), removed=(*earlier.removed, *_without(old, new)))
    value = {
        path: [[line.decode(*_ENCODING) for line in kind] for kind in (lines.added, lines.removed)]
        for path, lines in noted.items()
    }
    files.write_json(os.path.join(place.common_own_dir, _NAME), value)


def _without(lines: Iterable[bytes], others: Iterable[bytes]) -> list[bytes]:
    """Return ``lines`` without those of ``others``, each as often as it is there."""
    rest = list(others)
    remaining = []
    for line in lines:
        if line in rest:
            rest.remove(line)
        else:
            remaining.append(line)
    return remaining


def _bytes(line: str) -> bytes:
    return line.encode(*_ENCODING)
