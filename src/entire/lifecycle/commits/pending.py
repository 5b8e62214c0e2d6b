"""The pending record: what prepare-commit-msg decided, until post-commit has carried it out (linking.md section 3).

Written before the trailer is, so that no trailer ever stays without a checkpoint: if post-commit never runs, the next
hook or command in the work tree completes the record from the commit, or drops it if the commit never came.
"""

from __future__ import annotations

import os

from entire import files
from entire.attribution.replay import PathLines
from entire.errors import CorruptError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.layout import Place


class Pending(Value):
    """A decided commit. ``id`` is a new checkpoint's, ``update`` that of one to extend; both empty: not linked,
    ``reason`` why.
    """

    kind: str  # plain, amend, squash, reset, merge, revert
    head: str  # HEAD before the commit, '' for the first
    tree: str
    moment: float
    id: str = ""
    update: str = ""
    ids: tuple[str, ...] = ()  # all that the message shall carry
    sessions: dict[str, list[str]] = {}  # session -> its turns with new content ([]: its agent made the commit)
    ends: dict[str, list[Any]] = {}  # session -> where its transcript ended, if it had no turn in progress
    left: dict[str, list[str]] = {}  # path -> owners of what stays open
    lines: tuple[PathLines, ...] = ()
    paths: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    patch_id: str = ""
    reason: str = ""
    pid: int = 0  # of the git command, with its start: as long as it runs, the commit may still come
    started: str = ""


def load(place: Place) -> Pending | None:
    """Return the record, None without one; a broken one is put aside."""
    try:
        value = files.read_json(place.pending_file)
        return None if value is None else _from_json(value)
    except (CorruptError, LookupError, TypeError, ValueError, AttributeError):
        os.replace(place.pending_file, place.pending_file + ".broken")
        return None


def save(place: Place, pending: Pending) -> None:
    """Write the record."""
    value: dict[str, Any] = dict(pending.__dict__)
    value["lines"] = [
        [one.path, one.status, one.binary, one.added, one.removed, one.path_owner, one.old_path]
        for one in pending.lines
    ]
    files.write_json(place.pending_file, value)


def drop(place: Place) -> None:
    """Remove the record."""
    files.remove(place.pending_file)


def _from_json(value: dict[str, Any]) -> Pending:
    known = {name: value[name] for name in Pending._fields if name in value}
    known["lines"] = tuple(
        PathLines(
            path=one[0],
            status=one[1],
            binary=one[2],
            added=tuple((a, b, c) for a, b, c in one[3]),
            removed=one[4],
            path_owner=one[5],
            old_path=one[6],
        )
        for one in value["lines"]
    )
    for name in ("ids", "paths", "running"):
        known[name] = tuple(known.get(name, ()))
    return Pending(**known)
