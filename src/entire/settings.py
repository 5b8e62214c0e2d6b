"""Reads and edits the settings shared with the Go CLI, and our own options (formats.md section 7).

Reading is tolerant: an unknown key or a wrong type is a warning, never a failure. Editing keeps unknown keys and adds
none that the Go CLI would refuse, because it refuses the whole file, which would stop the hooks of a teammate's clone.
"""

from __future__ import annotations

import os

from entire import files, tree_files
from entire.model import jsontext
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
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
_SHARED = b"settings.json"  # stands for the worktree's in what is remembered
IGNORED = ("tmp/", "settings.local.json", "metadata/", "logs/", "entire.json")


class Key(Value):
    """A key of a settings file. ``widens``: the value that reaches further than recording on this machine; of a number,
    all above the default. A file that git tracks only proposes that: see ``Proposal``.
    """

    name: str
    kind: type
    default: int = 0
    meaning: str = ""
    widens: object = None

    def asks_for_more(self, value: object) -> bool:
        if self.kind is int:
            return isinstance(value, int) and value > self.default
        return self.widens is not None and value == self.widens


_STRATEGY = Key(name="strategy", kind=str, widens=AUTO_COMMIT)
_PUSH = Key(name="strategy_options.push_sessions", kind=bool, widens=True)
_PLUGINS = Key(name="external_agents", kind=bool, widens=True)
KEYS = (
    Key(name="enabled", kind=bool),
    _STRATEGY,
    Key(name="log_level", kind=str),
    Key(name="strategy_options", kind=dict),
    _PUSH,
    _PLUGINS,
    *(Key(name=name, kind=bool) for name in ("absolute_git_hook_path", "local_dev", "telemetry")),
    Key(name="commit_linking", kind=str),
    Key(name="redaction", kind=dict),
)
"""The Go CLI's keys, those of its later versions included."""
OWN_KEYS = (
    Key(name="max_untracked_bytes", kind=int, default=MAX_UNTRACKED_BYTES, meaning="a number of bytes"),
    Key(name="keep_steps_days", kind=int, default=KEEP_STEPS_DAYS, meaning="a number of days"),
    Key(name="keep_steps_bytes", kind=int, default=KEEP_STEPS_BYTES, meaning="a number of bytes"),
    Key(name="commit_hook_seconds", kind=int, default=COMMIT_HOOK_SECONDS, meaning="a number of seconds"),
    _PLUGINS,
)
"""The keys of ``.entire/entire.json``; numbers are whole and from 0."""
_TYPES: dict[str, type] = {key.name: key.kind for key in KEYS if "." not in key.name}
_MEANINGS: dict[type, str] = {bool: "true or false", str: "a text", dict: "an object"}


class Proposal(Value):
    """What a settings file asks for beyond recording on this machine, and no choice of this person is remembered for.

    It is followed only if git does not track the file (see ``recording.proposals``): no commit can bring it.
    """

    key: str
    value: object
    file: str


class Settings(Value):
    """The settings of one worktree, merged from all files. ``warnings`` name what could not be understood.

    What ``proposals`` name is not in effect, except that ``push_sessions`` is what the files say.
    """

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
    proposals: tuple[Proposal, ...] = ()

    @property
    def asked_strategy(self) -> str:
        """The strategy that the files name, also if it is only proposed."""
        return next((str(each.value) for each in self.proposals if each.key == _STRATEGY.name), self.strategy)


def load(place: Place, env: Mapping[str, str] | None = None) -> Settings | None:
    """Return the settings of a worktree, or None without a settings file: then Entire is not enabled.

    The worktree's ``settings.json`` is overridden by the main worktree's local settings, then by its own local
    settings: a choice made in the main worktree holds in all worktrees unless one overrides it.
    """
    warnings: list[str] = []
    paths = [path for path in (place.settings, place.main_local_settings, place.local_settings) if path]
    values = [_read(path, warnings) for path in paths]
    if all(value is None for value in values):
        return None
    if (values[0] or {}).get(_PLUGINS.name):
        warnings.append(f"{place.settings}: {_PLUGINS.name} has no effect in a file that a team shares: "
                        "run `entire plugin allow NAME` for each plugin you trust")  # fmt: skip
    merged: dict[str, Any] = {}
    push_file = strategy_file = ""
    for path, value in zip(paths, values, strict=True):
        _merge(merged, value or {})
        strategy_file = path if (value or {}).get("strategy") else strategy_file
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
    proposals = []
    if _STRATEGY.asks_for_more(strategy) and strategy_file not in _agreed(place):
        proposals.append(Proposal(key=_STRATEGY.name, value=strategy, file=strategy_file))
        strategy = MANUAL_COMMIT
    if _PUSH.asks_for_more(push) and not os.path.exists(place.push_marker):
        proposals.append(Proposal(key=_PUSH.name, value=push, file=push_file))
    return Settings(
        enabled=merged.get("enabled", True),
        strategy=strategy,
        log_level=_level(merged.get("log_level", ""), os.environ if env is None else env),
        push_sessions=push,
        push_sessions_file=push_file,
        options=options,
        **_own_options(place.own_options, warnings, proposals),
        warnings=tuple(warnings),
        proposals=tuple(proposals),
    )


def agree(place: Place, path: str) -> None:
    """Remember that this person chose ``auto-commit`` in a settings file, which may be committed from now on."""
    _write_agreed(place, _agreed(place) | {path})


def take_back(place: Place, paths: Iterable[str]) -> None:
    """Forget that this person chose ``auto-commit`` in these files."""
    known = _agreed(place)
    if known.intersection(paths):
        _write_agreed(place, known.difference(paths))


def _agreed(place: Place) -> set[str]:
    """Return the files in which ``enable`` wrote, or confirmed, ``auto-commit`` in this clone. ``settings.json`` is one
    for all worktrees, as the branch that they check out has it.
    """
    try:
        names = (files.read(place.agreed_file) or b"").split(b"\0")
    except OSError:
        return set()
    return {place.settings if name == _SHARED else os.fsdecode(name) for name in names if name}


def _write_agreed(place: Place, paths: Iterable[str]) -> None:
    names = sorted(_SHARED if path == place.settings else os.fsencode(path) for path in paths)
    files.write(place.agreed_file, b"\0".join(names))


def pushes_checkpoints(place: Place, settings: Settings) -> bool:
    """Tell whether ``git push`` pushes checkpoints: settings say so, and ``enable`` ran with them in this clone.

    So settings that a teammate commits push nothing of a user who has not seen them.
    """
    return settings.push_sessions is True and os.path.exists(place.push_marker)


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
    """Return a settings file's valid keys: None without a file, {} from a broken one.

    What a repository may have brought in its place switches nothing on.
    """
    try:
        data = _content(path)
    except files.RefusedFileError as error:
        warnings.append(f"{path} cannot be read, so it counts as disabled: {error}")
        return {"enabled": False}
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
        return says(_content(path), _PLUGINS.name) is True
    except OSError:
        return False


def _content(path: str) -> bytes | None:
    """Read a file in the ``.entire`` folder of a worktree; raises OSError if it is refused or cannot be read."""
    return tree_files.read(tree_files.own_top(path), path)


def _own_options(path: str, warnings: list[str], proposals: list[Proposal]) -> dict[str, int]:
    """Read ``.entire/entire.json``, as in ``{"max_untracked_bytes": 10485760}``; 0 leaves out every untracked file."""
    numbers = [key for key in OWN_KEYS if key.kind is int]
    options = {key.name: key.default for key in numbers}
    try:
        data = _content(path)
    except OSError as error:
        warnings.append(f"{path} cannot be read: {error.strerror}")
        return options
    if data is None:
        return options
    value = _parse(data)
    if value is None:
        warnings.append(f"{path} holds no JSON object and is ignored")
        return options
    for key in numbers:
        number = value.get(key.name, key.default)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            warnings.append(f"{path}: {key.name} should be {key.meaning} and is ignored")
        elif key.asks_for_more(number):
            proposals.append(Proposal(key=key.name, value=number, file=path))
        else:
            options[key.name] = number
    if not isinstance(value.get(_PLUGINS.name, False), bool):
        warnings.append(f"{path}: {_PLUGINS.name} should be true or false and is ignored")
    return options
