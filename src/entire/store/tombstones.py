"""What is left of a forgotten checkpoint or session: its id and when it was forgotten, on the checkpoints branch.

``forgotten/checkpoints/<2 digits>/<10 digits>`` and ``forgotten/sessions/<id>`` (formats.md section 2.9): so every
clone can say that something was forgotten rather than lost, and no join of two branches brings it back.
"""

from __future__ import annotations

import time

from entire.model.ids import CheckpointId
from entire.model.times import parse_time
from entire.store import checkpoints, gojson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from entire.git.read import Objects
    from entire.store.checkpoint_writer import Changes

_CHECKPOINTS, _SESSIONS = "forgotten/checkpoints", "forgotten/sessions"
_FILE = "100644"


def changes(names: Iterable[str], sessions: Iterable[str], now: float) -> Changes:
    """Return the changes that add tombstones to the branch."""
    content = gojson.dumps({"forgotten_at": gojson.rfc3339(now)})
    paths = [_path(name) for name in names] + [f"{_SESSIONS}/{name}" for name in sessions]
    return dict.fromkeys(sorted(paths), (_FILE, content))


def checkpoint(objects: Objects, tips: Sequence[str], name: str) -> float:
    """Return when a checkpoint was forgotten, 0.0 if it was not."""
    return _time(objects, tips, _path(name)) if len(name) == 12 else 0.0


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
    for tip in tips:
        value = checkpoints.parse_object(objects.blob(f"{tip}:{path}"))
        if value is not None:
            return parse_time(str(value.get("forgotten_at", ""))) or 1.0
    return 0.0
