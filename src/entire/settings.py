"""Reads and edits the settings shared with the Go CLI, and our own options (formats.md section 7).

Reading is tolerant: an unknown key or a wrong type is a warning, never a failure. Editing keeps unknown keys and adds
none that the Go CLI would refuse, because it refuses the whole file, which would stop the hooks of a teammate's clone.
"""

from __future__ import annotations

import os

from entire import tree_files
from entire.model import jsontext
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from entire.layout import Place

MANUAL_COMMIT = "manual-commit"
AUTO_COMMIT = "auto-commit"
STRATEGIES = (MANUAL_COMMIT, AUTO_COMMIT)
"""The strategies that this version implements; settings may name others."""
LEVELS = ("debug", "info", "warn", "error")
MAX_UNTRACKED_BYTES = 10 * 1024 * 1024
KEEP_STEPS_DAYS = 14
KEEP_STEPS_BYTES = 512 * 1024 * 1024
COMMIT_HOOK_SECONDS = 30  # agents wait a minute for a hook of theirs
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
"""The Go CLI's top-level keys, those of its later versions included."""
_MEANINGS: dict[type, str] = {bool: "true or false", str: "a text", dict: "an object"}


class Settings(Value):
    """The settings of one worktree, merged from all files. ``warnings`` name what could not be understood."""

    enabled: bool = True
    strategy: str = MANUAL_COMMIT
    log_level: str = "info"
    push_sessions: bool | None = None  # None: not chosen yet, so nothing leaves the machine
    push_sessions_file: str = ""  # the settings file that decides push_sessions
    options: Mapping[str, Any] = {}  # strategy_options
    max_untracked_bytes: int = MAX_UNTRACKED_BYTES  # larger untracked files are left out of steps
    keep_steps_days: int = KEEP_STEPS_DAYS  # how long condensed steps stay available as points
    keep_steps_bytes: int = KEEP_STEPS_BYTES  # up to this many bytes of changed files
    commit_hook_seconds: int = COMMIT_HOOK_SECONDS  # how long the git hooks of a turn's commit may take together
    warnings: tuple[str, ...] = ()


def load(place: Place, env: Mapping[str, str] | None = None) -> Settings | None:
    """Return the settings of a worktree, or None without a settings file: then Entire is not enabled.

    The worktree's ``settings.json`` is overridden by the main worktree's local settings, then by its own local
    settings: a choice made in the main worktree holds in all worktrees unless one overrides it.
    """
    warnings: list[str] = []
    files = (place.settings, place.main_local_settings, place.local_settings)
    found = [_read(path, warnings) for path in files if path]
    if all(value is None for value in found):
        return None
    if (found[0] or {}).get(_PLUGIN_SWITCH):
        warnings.append(f"{place.settings}: {_PLUGIN_SWITCH} has no effect in a file that a team shares: "
                        "run `entire plugin allow NAME` for each plugin you trust")  # fmt: skip
    merged: dict[str, Any] = {}
    push_file = ""
    for path, value in zip(filter(None, files), found, strict=True):
        _merge(merged, value or {})
        if "push_sessions" in (value or {}).get("strategy_options", {}):
            push_file = path
    strategy = merged.get("strategy", MANUAL_COMMIT)
    if strategy not in STRATEGIES:
        warnings.append(f"this version does not support the strategy {strategy!r}: it works as {MANUAL_COMMIT}")
    options = merged.get("strategy_options", {})
    push = options.get("push_sessions")
    if push is not None and not isinstance(push, bool):
        warnings.append("strategy_options.push_sessions must be true or false: nothing is pushed")
        push = None
    return Settings(
        enabled=merged.get("enabled", True),
        strategy=strategy,
        log_level=_level(merged.get("log_level", ""), os.environ if env is None else env),
        push_sessions=push,
        push_sessions_file=push_file,
        options=options,
        **_own_options(place.own_options, warnings),
        warnings=tuple(warnings),
    )


def pushes_checkpoints(place: Place, found: Settings) -> bool:
    """Tell whether ``git push`` pushes checkpoints: settings say so, and ``enable`` ran with them in this clone.

    So settings that a teammate commits push nothing of a user who has not seen them.
    """
    return found.push_sessions is True and os.path.exists(place.push_marker)


def is_enabled(place: Place) -> bool:
    found = load(place)
    return found is not None and found.enabled


def edit(
    data: bytes | None, *, strategy: str = "", enabled: bool | None = None, push_sessions: bool | None = None
) -> bytes:
    """Return a settings file with the given fields set; everything else stays, in its order.

    A file that is not a JSON object is replaced: neither the Go CLI nor we could read it.
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
    """Return ``.entire/.gitignore`` with the missing lines added."""
    old = data or b""
    present = {line.strip() for line in old.decode("utf-8", "replace").splitlines()}
    missing = [line for line in IGNORED if line not in present]
    if not missing:
        return old
    gap = b"" if not old or old.endswith(b"\n") else b"\n"
    return old + gap + "".join(f"{line}\n" for line in missing).encode()


def says(data: bytes | None, key: str) -> object:
    """Return a settings file's value of a top-level key, or None."""
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
    """Return a settings file's valid keys: None without a file, {} from a broken one."""
    try:
        data = _content(path)
    except OSError as error:
        warnings.append(f"{path} cannot be read: {error.strerror}")
        return {}
    if data is None:
        return None
    value = _parse(data)
    if value is None:
        warnings.append(f"{path} holds no JSON object and is ignored")
        return {}
    known = {}
    for key, entry in value.items():
        kind = _TYPES.get(key)
        if kind is None:
            warnings.append(f"{path}: unknown key {key!r} (the Go CLI refuses the whole file for it)")
        elif entry is not None and not isinstance(entry, kind):
            warnings.append(f"{path}: {key} should be {_MEANINGS[kind]} and is ignored")
        elif entry is not None:
            known[key] = entry
    return known


def _merge(under: dict[str, Any], over: dict[str, Any]) -> None:
    """Override one file by another; empty strings do not count, ``strategy_options`` merge one level deep."""
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


def plugin_switches(place: Place) -> list[str]:
    """Return the files of this clone that say ``external_agents``: true, which lets every plugin run.

    ``settings.json`` belongs to the team, so it never counts. Whether git tracks one of these files, which makes it the
    team's too, is for the caller to ask.
    """
    paths = (place.own_options, place.local_settings, place.main_local_settings)
    return [path for path in paths if path and _says_external_agents(path)]


def _says_external_agents(path: str) -> bool:
    try:
        return says(_content(path), _PLUGIN_SWITCH) is True
    except OSError:
        return False


def _content(path: str) -> bytes | None:
    """Read a file in the ``.entire`` folder of a worktree; raises OSError if it is refused or cannot be read."""
    return tree_files.read(tree_files.own_top(path), path)


_PLUGIN_SWITCH = "external_agents"
_OWN_OPTIONS = {
    "commit_hook_seconds": (COMMIT_HOOK_SECONDS, "a number of seconds"),
    "keep_steps_bytes": (KEEP_STEPS_BYTES, "a number of bytes"),
    "keep_steps_days": (KEEP_STEPS_DAYS, "a number of days"),
    "max_untracked_bytes": (MAX_UNTRACKED_BYTES, "a number of bytes"),
}
"""The numbers in ``.entire/entire.json``, whole and from 0: default and meaning."""


def _own_options(path: str, warnings: list[str]) -> dict[str, int]:
    """Read ``.entire/entire.json``, as in ``{"max_untracked_bytes": 10485760}``; 0 leaves out every untracked file."""
    found = {name: default for name, (default, _) in _OWN_OPTIONS.items()}
    try:
        data = _content(path)
    except OSError as error:
        warnings.append(f"{path} cannot be read: {error.strerror}")
        return found
    if data is None:
        return found
    value = _parse(data)
    if value is None:
        warnings.append(f"{path} holds no JSON object and is ignored")
        return found
    for name, (_, meaning) in _OWN_OPTIONS.items():
        number = value.get(name, found[name])
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            found[name] = number
        else:
            warnings.append(f"{path}: {name} should be {meaning} and is ignored")
    if not isinstance(value.get(_PLUGIN_SWITCH, False), bool):
        warnings.append(f"{path}: {_PLUGIN_SWITCH} should be true or false and is ignored")
    return found
