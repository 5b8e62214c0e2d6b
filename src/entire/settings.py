"""Reads and edits the settings that we share with the Go CLI, and the options that are ours (formats.md section 7).

Reading is tolerant, because the Go CLI is not: an unknown key or a wrong type is a warning, never a failure. Editing
keeps every foreign key and adds none that the Go CLI would refuse: it would stop every hook of a team mate who uses it.
"""

from __future__ import annotations

import os

from entire.model import jsontext
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from entire.layout import Place

MANUAL_COMMIT = "manual-commit"
AUTO_COMMIT = "auto-commit"
STRATEGIES = (MANUAL_COMMIT,)
"""Those that this version can carry out; settings may name others."""
LEVELS = ("debug", "info", "warn", "error")
MAX_UNTRACKED_BYTES = 10 * 1024 * 1024
KEEP_STEPS_DAYS = 14
KEEP_STEPS_BYTES = 512 * 1024 * 1024
IGNORED = ("tmp/", "settings.local.json", "metadata/", "logs/", "entire.json")

_TYPES: dict[str, type] = {
    "absolute_git_hook_path": bool,
    "commit_linking": str,
    "enabled": bool,
    "external_agents": bool,
    "local_dev": bool,
    "log_level": str,
    "redaction": dict,
    "strategy": str,
    "strategy_options": dict,
    "telemetry": bool,
}
"""What the Go CLI knows at the top level; the later ones are read without a warning."""


class Settings(Value):
    """What counts in one worktree, all files taken together. ``warnings`` tell what could not be understood."""

    enabled: bool = True
    strategy: str = MANUAL_COMMIT
    log_level: str = "info"
    push_sessions: bool | None = None  # None: nobody chose, so nothing leaves the machine
    options: Mapping[str, Any] = {}  # strategy_options
    max_untracked_bytes: int = MAX_UNTRACKED_BYTES  # bigger untracked files are left out of steps
    keep_steps_days: int = KEEP_STEPS_DAYS  # so long steps that a commit condensed stay points to go back to
    keep_steps_bytes: int = KEEP_STEPS_BYTES  # and up to so many bytes of changed files
    warnings: tuple[str, ...] = ()


def load(place: Place, env: Mapping[str, str] | None = None) -> Settings | None:
    """Return the settings of a worktree, or None without a settings file: then Entire is not enabled.

    On top of the worktree's ``settings.json`` come the local settings of the main worktree, then its own, so that a
    choice made in the main worktree holds in all of them until one says otherwise.
    """
    warnings: list[str] = []
    files = (place.settings, place.main_local_settings, place.local_settings)
    found = [_read(path, warnings) for path in files if path]
    if all(value is None for value in found):
        return None
    merged: dict[str, Any] = {}
    for value in found:
        _merge(merged, value or {})
    strategy = merged.get("strategy", MANUAL_COMMIT)
    if strategy not in STRATEGIES:
        warnings.append(f"this version does not know the strategy {strategy!r}")
    options = merged.get("strategy_options", {})
    push = options.get("push_sessions")
    if push is not None and not isinstance(push, bool):
        warnings.append("strategy_options.push_sessions is neither true nor false: nothing is pushed")
        push = None
    return Settings(
        enabled=merged.get("enabled", True),
        strategy=strategy,
        log_level=_level(merged.get("log_level", ""), os.environ if env is None else env),
        push_sessions=push,
        options=options,
        **_own_options(place.own_options, warnings),
        warnings=tuple(warnings),
    )


def is_enabled(place: Place) -> bool:
    """Tell whether hooks act in this worktree."""
    found = load(place)
    return found is not None and found.enabled


def edit(
    data: bytes | None, *, strategy: str = "", enabled: bool | None = None, push_sessions: bool | None = None
) -> bytes:
    """Return the new content of a settings file: the given fields set, everything else as it was, in its order.

    A file that is no JSON object is replaced, since neither the Go CLI nor we could read anything from it.
    """
    value = _parse(data) or {}
    if strategy:
        value["strategy"] = strategy
    if enabled is not None:
        value["enabled"] = enabled
    if push_sessions is not None:
        options = value.get("strategy_options")
        value["strategy_options"] = {**(options if isinstance(options, dict) else {}), "push_sessions": push_sessions}
    import json

    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def ignore_lines(data: bytes | None) -> bytes:
    """Return the content of ``.entire/.gitignore``: what was there, and the lines that are missing."""
    old = data or b""
    present = {line.strip() for line in old.decode("utf-8", "replace").splitlines()}
    missing = [line for line in IGNORED if line not in present]
    if not missing:
        return old
    gap = b"" if not old or old.endswith(b"\n") else b"\n"
    return old + gap + "".join(f"{line}\n" for line in missing).encode()


def says(data: bytes | None, key: str) -> object:
    """Return what one settings file says about a top-level key, None if nothing."""
    return (_parse(data) or {}).get(key)


def _parse(data: bytes | None) -> dict[str, Any] | None:
    if data is None:
        return None
    try:
        value = jsontext.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _read(path: str, warnings: list[str]) -> dict[str, Any] | None:
    """Return a settings file's known keys of the right type; None without a file, nothing from a broken one."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        warnings.append(f"{path} cannot be read: {error.strerror}")
        return {}
    value = _parse(data)
    if value is None:
        warnings.append(f"{path} holds no JSON object: it is ignored")
        return {}
    kept = {}
    for key, entry in value.items():
        kind = _TYPES.get(key)
        if kind is None:
            warnings.append(f"{path}: unknown key {key!r} (the Go CLI refuses the whole file for it)")
        elif entry is not None and not isinstance(entry, kind):
            warnings.append(f"{path}: {key!r} should be {kind.__name__}, it is ignored")
        elif entry is not None:
            kept[key] = entry
    return kept


def _merge(under: dict[str, Any], over: dict[str, Any]) -> None:
    """Put one file on top of another: empty strings do not count, ``strategy_options`` merge one level deep."""
    for key, entry in over.items():
        if key == "strategy_options":
            under[key] = {**under.get(key, {}), **entry}
        elif entry != "":
            under[key] = entry


def _level(chosen: str, env: Mapping[str, str]) -> str:
    for level in (env.get("ENTIRE_LOG_LEVEL", ""), chosen):
        name = {"warning": "warn"}.get(level.lower(), level.lower())
        if name in LEVELS:
            return name
    return "info"


_OWN_OPTIONS = {
    "keep_steps_bytes": (KEEP_STEPS_BYTES, "a number of bytes"),
    "keep_steps_days": (KEEP_STEPS_DAYS, "a number of days"),
    "max_untracked_bytes": (MAX_UNTRACKED_BYTES, "a number of bytes"),
}
"""What ``.entire/entire.json`` may say, as whole numbers from 0: the default, and what it is."""


def _own_options(path: str, warnings: list[str]) -> dict[str, int]:
    """Read our own options: ``{"max_untracked_bytes": 10485760}``; 0 leaves every untracked file out."""
    found = {name: default for name, (default, _) in _OWN_OPTIONS.items()}
    try:
        with open(path, "rb") as file:
            value = _parse(file.read())
    except OSError:
        return found
    if value is None:
        warnings.append(f"{path} holds no JSON object: it is ignored")
        return found
    for name, (_, what) in _OWN_OPTIONS.items():
        number = value.get(name, found[name])
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            found[name] = number
        else:
            warnings.append(f"{path}: {name} should be {what}, it is ignored")
    return found
