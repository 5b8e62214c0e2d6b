"""What is left of a forgotten checkpoint or session: its id and when it was forgotten, on the checkpoints branch.

``forgotten/checkpoints/<2 digits>/<10 digits>`` and ``forgotten/sessions/<id>`` (formats.md section 2.9): so every
clone can say what was forgotten rather than lost, and no join of two branches brings it back.
"""

from __future__ import annotations

import time

from entire.model.ids import CheckpointId
from entire.model.times import parse_time
from entire.store import checkpoints, gojson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from entire.git.read import Objects
    from entire.store.checkpoint_writer import Changes

_CHECKPOINTS, _SESSIONS = "forgotten/checkpoints", "forgotten/sessions"
_FILE = "100644"


def changes(names: Mapping[str, Sequence[str]], sessions: Iterable[str], now: float) -> Changes:
    """Return the changes that add tombstones to the branch; ``names`` has the sessions of each checkpoint."""
    when = {"forgotten_at": gojson.rfc3339(now)}
    contents = {_path(name): gojson.dumps({**when, "sessions": list(of)} if of else when) for name, of in names.items()}
    contents.update({f"{_SESSIONS}/{name}": gojson.dumps(when) for name in sessions})
    return {path: (_FILE, contents[path]) for path in sorted(contents)}


def checkpoint(objects: Objects, tips: Sequence[str], name: str) -> float:
    """Return when a checkpoint was forgotten, 0.0 if it was not."""
    return _time(objects, tips, _path(name)) if len(name) == 12 else 0.0


def are_there(objects: Objects, tips: Sequence[str]) -> bool:
    """Tell whether any checkpoint was forgotten."""
    return any(objects.oid(f"{tip}:{_CHECKPOINTS}") for tip in tips)


def sessions_of(objects: Objects, tips: Sequence[str], name: str) -> tuple[str, ...]:
    """Return the sessions that a forgotten checkpoint was of, as far as that is known."""
    value = _read(objects, tips, _path(name))
    ids = value.get("sessions") if value is not None else None
    return tuple(map(str, ids)) if isinstance(ids, list) else ()


def session(objects: Objects, tips: Sequence[str], name: str) -> float:
    """Return when a session was forgotten, 0.0 if it was not."""
    return _time(objects, tips, f"{_SESSIONS}/{name}") if name else 0.0


def day(moment: float) -> str:
    """Return the day of a moment here, as people write it."""
    return time.strftime("%Y-%m-%d", time.localtime(moment))


def all_of(objects: Objects, *tips: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids of the checkpoints and sessions that any of the tips calls forgotten."""
    names = {shard.name + entry.name for tip in tips for shard in objects.tree(f"{tip}:{_CHECKPOINTS}")
             for entry in objects.tree(shard.oid)}  # fmt: skip
    return frozenset(names), frozenset(entry.name for tip in tips for entry in objects.tree(f"{tip}:{_SESSIONS}"))


def _path(name: str) -> str:
    return f"{_CHECKPOINTS}/{CheckpointId(name).path}"


def _time(objects: Objects, tips: Sequence[str], path: str) -> float:
    value = _read(objects, tips, path)
    return (parse_time(str(value.get("forgotten_at", ""))) or 1.0) if value is not None else 0.0


def _read(objects: Objects, tips: Sequence[str], path: str) -> dict[str, Any] | None:
    values = (checkpoints.parse_object(objects.small_blob(f"{tip}:{path}")) for tip in tips)
    return next((value for value in values if value is not None), None)
