"""Notices that git no longer reaches our scripts: a clone without hooks, a hook that another program replaced.

The result of an examination is stored with the state of each file that it depends on, so a hook pays a few calls
of ``stat``. Only a change makes it examine again.
"""

from __future__ import annotations

import os

from entire import __version__, files
from entire.errors import CorruptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.layout import Place

_NAME = "hooks.json"


def check(place: Place, *, repair: bool) -> list[str]:
    """Return what keeps commits of this worktree from being linked.

    ``repair`` writes scripts that are missing or outdated where no file of another program is concerned; without it,
    these are not in the result. A caller that repairs holds the repository's lock.
    """
    known = _stored(place)
    if known is not None:
        return known
    from entire.githooks import inspection, install

    inspected = inspection.inspect(place.top)
    problems = inspected.problems
    is_repairable = any(problem.harmless for problem in problems)
    try:
        if repair and is_repairable:
            install.repair(inspected)
    finally:
        if repair or not is_repairable:
            inspected = inspection.inspect(place.top) if is_repairable else inspected
            _store(place, inspected.examined(), [problem.message for problem in inspected.problems])
    return [problem.message for problem in inspected.problems if repair or not problem.harmless]


def _stored(place: Place) -> list[str] | None:
    """Return the result of the last examination; None if something changed since."""
    try:
        stored = files.read_json(os.path.join(place.own_dir, _NAME)) or {}
    except CorruptError:
        return None
    states = stored.get("files")
    if stored.get("version") != __version__ or stored.get("place") != place.git_dir:
        return None  # the scripts may differ, or this is a copy of the repository whose files were looked at
    if not isinstance(states, dict) or any(_state(path) != state for path, state in states.items()):
        return None
    problems = stored.get("problems")
    return [str(problem) for problem in problems] if isinstance(problems, list) else None


def _store(place: Place, paths: list[str], problems: list[str]) -> None:
    states = {path: _state(path) for path in [*_config_files(place), *paths]}
    stored = {"version": __version__, "place": place.git_dir, "files": states, "problems": problems}
    files.write_json(os.path.join(place.own_dir, _NAME), stored)


def _config_files(place: Place) -> list[str]:
    """Return where git's configuration may be, also where there is none yet."""
    home = os.path.expanduser("~")
    user = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return [
        os.path.join(place.common_dir, "config"),
        os.path.join(place.git_dir, "config.worktree"),
        os.path.join(home, ".gitconfig"),
        os.path.join(user, "git", "config"),
        "/etc/gitconfig",
    ]


def _state(path: str) -> list[Any] | None:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return [facts.st_mtime_ns, facts.st_size, facts.st_mode]
