"""What went wrong with plugins in this repository, for ``status`` and ``doctor``: hooks fail silently.

One small file in the git directory; a plugin's first failure in a session is noted, later ones are only counted.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.layout import Place

_FILE = "plugin-problems.json"
_MAX_PLUGINS = 20
_WEEK = 7 * 24 * 3600.0
_MAX_MESSAGE = 1000


class Problem(Value):
    """A plugin's failure. ``count``: how often it failed in that session, since ``time``."""

    name: str
    session_id: str
    message: str
    time: float
    count: int = 1


def note(place: Place, name: str, session_id: str, message: str, *, now: float) -> bool:
    """Note a failure; return whether it is the plugin's first in the session. Never raises: the hook goes on.

    A session that is not known ('') counts as the last one.
    """
    problem = Problem(name=name, session_id=session_id, message=_line(message), time=now)
    problems = _read(place)
    last = problems.get(name)
    if last is not None and _is_same(last, problem) and now - last.time < _WEEK:
        problem = replace(last, count=last.count + 1)
    try:
        _write(place, {**problems, name: problem})
    except (EntireError, OSError):
        pass
    return problem.count == 1


def _is_same(last: Problem, problem: Problem) -> bool:
    """Tell whether a failure belongs to the session of the last one."""
    if problem.session_id or last.session_id:
        return problem.session_id in ("", last.session_id)
    return problem.message == last.message


def listed(place: Place, *, now: float) -> list[Problem]:
    """Return the failures of the last week, newest first."""
    recent = [problem for problem in _read(place).values() if now - problem.time < _WEEK]
    return sorted(recent, key=lambda problem: -problem.time)


def forget(place: Place, name: str) -> None:
    """Drop a plugin's failure: the user has looked after it."""
    problems = _read(place)
    if problems.pop(name, None) is not None:
        _write(place, problems)


def _read(place: Place) -> dict[str, Problem]:
    try:
        stored = files.read_json(_path(place)) or {}
    except (EntireError, OSError):
        return {}
    problems = {name: _problem(name, fields) for name, fields in stored.items() if isinstance(fields, dict)}
    return {name: problem for name, problem in problems.items() if problem is not None}


def _problem(name: str, fields: dict[str, Any]) -> Problem | None:
    session_id, message = fields.get("session", ""), fields.get("message", "")
    time, count = fields.get("time", 0.0), fields.get("count", 1)
    texts, numbers = isinstance(session_id, str) and isinstance(message, str), (int, float)
    if not texts or not isinstance(time, numbers) or not isinstance(count, int):
        return None
    return Problem(name=name, session_id=session_id, message=message, time=time, count=count)


def _write(place: Place, problems: dict[str, Problem]) -> None:
    newest = sorted(problems.values(), key=lambda problem: -problem.time)[:_MAX_PLUGINS]
    files.write_json(_path(place), {
        problem.name: {"session": problem.session_id, "message": problem.message, "time": problem.time,
                       "count": problem.count}
        for problem in newest
    })  # fmt: skip


def _path(place: Place) -> str:
    return os.path.join(place.common_own_dir, _FILE)


def _line(message: str) -> str:
    text = " ".join(message.split())
    return text if len(text) <= _MAX_MESSAGE else text[:_MAX_MESSAGE] + "…"
