"""Promises about the agent's own configuration: our entries go in and out, and nothing else changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire.plugin import EntireError, HookStatus
from entire_plugin_kit.promise import Noted, Skipped, same
from entire_plugin_kit.rig import ConfigSample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire_plugin_kit.rig import Rig

SCOPES = ("project", "user")
_OF_USER = {"kept by the user": {"deep": [1, 2, {"x": None}], "text": "\u00fc"}}
_MADE_UP = (
    ConfigSample(name="nothing"),
    ConfigSample(name="made up", data=json.dumps(_OF_USER, indent=3, ensure_ascii=False).encode() + b"\n\n"),
    ConfigSample(name="made up and broken", data=b'{"the user made": "a mistake here",\n', is_broken=True),
)
"""For every agent; those with data where hooks are in a JSON file."""
_NOTES = ("notes.txt", ".hidden/settings.json")
"""Files of the user's that no agent has anything to do with."""

State = dict[str, tuple[int, bytes]]


def is_installed(agent: Any, root: Path, scope: str) -> bool:
    """Tell whether all our entries are there; whether the agent runs them may be its user's to decide."""
    return agent.hooks_health(str(root), scope).status in (HookStatus.INSTALLED, HookStatus.UNTRUSTED)


def installs_and_leaves_no_trace(rig: Rig, folder: Path) -> None:
    """Over every sample of the user's configuration, in every scope: installing adds our hooks and changes no other
    file, a second time changes nothing, `force` rewrites them, and uninstalling restores every byte, mode and folder.
    """
    remarks = set()
    for sample, scope, root in _each(rig, folder, is_broken=False):
        agent: Any = rig.adapter()
        where = (sample.name, scope)
        before = _state(root)
        assert not is_installed(agent, root, scope), where
        same(agent.uninstall_hooks(str(root), scope), 0, where)
        same(_changed(before, root), [], where)
        for force in (False, True):
            assert agent.install_hooks(str(root), scope, force=force) > 0, where
            assert is_installed(agent, root, scope), where
            installed = _state(root)
            same([name for name in _changed(before, root) if not _may_change(name, agent, root, scope)], [], where)
            same(agent.install_hooks(str(root), scope, force=False), 0, where)
            same(_changed(installed, root), [], where)
        assert agent.uninstall_hooks(str(root), scope) > 0, where
        assert not is_installed(agent, root, scope), where
        if changed := _changed(before, root):
            is_strict = sample not in _MADE_UP or _paths(agent, root, scope)
            same([] if not is_strict else changed, [], where)
            same(_meant(_state(root)), _meant(before), where)
            remarks.add("the user's JSON file has its entries back, but is laid out in another way than before")
    if remarks:
        raise Noted("; ".join(sorted(remarks)))


def installs_commands_that_hooks_understand(rig: Rig, folder: Path) -> None:
    """What is installed calls `entire hooks` with the agent's name and its verbs, and with no other."""
    agent: Any = rig.adapter()
    written = _written(rig, folder, SCOPES[0])
    if not written:
        raise Skipped("installing writes no file below the home or the repository")
    text = "\n".join(data.decode("utf-8", "replace") for data in written.values())
    called = set(re.findall(r"entire[\"',\s]+hooks[\"',\s]+([a-z0-9._-]+)[\"',\s]+([a-z0-9._-]+)", text))
    if not called and not _paths(agent, folder, SCOPES[0]):
        raise Noted(f"no `entire hooks {agent.name} HOOK` is found in what is installed")
    assert called
    same({name for name, _ in called}, {agent.name})
    assert {verb for _, verb in called} <= set(agent.hook_names), called


def refuses_a_broken_configuration(rig: Rig, folder: Path) -> None:
    """A configuration that cannot be understood is refused with an error that says what is wrong, and not changed,
    neither by installing nor by uninstalling.
    """
    for sample, scope, root in _each(rig, folder, is_broken=True):
        agent: Any = rig.adapter()
        before = _state(root)
        for force in (False, True):
            error = _refusal(agent, root, scope, force=force)
            assert error is not None, sample.name
            assert error.message, sample.name
            assert error.hint or not _paths(agent, root, scope), sample.name
        assert not is_installed(agent, root, scope), sample.name
        try:
            agent.uninstall_hooks(str(root), scope)
        except EntireError:
            pass
        same(_changed(before, root), [], (sample.name, scope))


def _refusal(agent: Any, root: Path, scope: str, *, force: bool) -> EntireError | None:
    """Return why hooks are not installed, None if they are."""
    try:
        agent.install_hooks(str(root), scope, force=force)
    except EntireError as error:
        return error
    return None


# ---------------------------------------------------------------- places


def _each(rig: Rig, folder: Path, *, is_broken: bool) -> Iterator[tuple[ConfigSample, str, Path]]:
    """Yield each sample in each scope, with a repository, in a home of their own."""
    named = [scope for scope in SCOPES if _paths(rig.adapter(), folder, scope)]
    for scope in named or SCOPES[:1]:
        own = [name for name, data in _written(rig, folder / scope, scope).items() if _is_object(data)]
        for number, sample in enumerate((*_MADE_UP, *rig.configs)):
            if sample.is_broken is not is_broken or not _fits(sample, scope, own):
                continue
            with _place(folder / scope / str(number)) as root:
                _lay_out(sample, rig.adapter(), root, scope, own)
                yield sample, scope, root


def _fits(sample: ConfigSample, scope: str, own: list[str]) -> bool:
    """Tell whether a sample is one for a scope, in which hooks are in some JSON files."""
    if sample.repository or sample.home:  # a repository as it was captured
        return scope == SCOPES[0]
    return sample not in _MADE_UP or sample.data is None or bool(own)


@contextmanager
def _place(folder: Path) -> Iterator[Path]:
    """Make a repository below a home of its own, with files of the user's, and go there."""
    before, here = dict(os.environ), Path.cwd()
    root = folder / "root"
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--template=", root], check=True, capture_output=True)
    for place in (folder, root):
        for name in _NOTES:
            _write(place / name, b"the user's\n")
    os.environ |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config")}
    os.chdir(root)
    try:
        yield root
    finally:
        os.environ.update(before)
        os.chdir(here)


def _lay_out(sample: ConfigSample, agent: Any, root: Path, scope: str, own: list[str]) -> None:
    """Write the files of a sample."""
    from entire_plugin_kit.fixtures import filled

    if sample.data is not None:
        files = _paths(agent, root, scope) or tuple(root.parent / name for name in own)
        for file in files[:1]:
            _write(file, sample.data)
    for place, contents in ((root, sample.repository), (root.parent, sample.home)):
        for name, content in contents.items():
            _write(place / name, filled(content).encode())


def _written(rig: Rig, folder: Path, scope: str) -> dict[str, bytes]:
    """Return the files that installing writes over nothing, by their paths in the home."""
    with _place(folder / "trial") as root:
        agent: Any = rig.adapter()
        before = _state(root)
        agent.install_hooks(str(root), scope, force=False)
        paths = [root.parent / name for name in _changed(before, root)]
        contents = {str(path.relative_to(root.parent)): path.read_bytes() for path in paths if path.is_file()}
        agent.uninstall_hooks(str(root), scope)
        return contents


def _paths(agent: Any, root: Path, scope: str) -> tuple[Path, ...]:
    """Return the files that hold the hooks; a plugin of version 1 names none."""
    return tuple(map(Path, agent.hook_config_paths(str(root), scope)))


def _may_change(name: str, agent: Any, root: Path, scope: str) -> bool:
    """Tell whether installing may change a file or make it."""
    path, named = root.parent / name, _paths(agent, root, scope)
    if named:
        return any(path == file or path in file.parents for file in named)
    return path not in [place / note for place in (root, root.parent) for note in _NOTES]


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _state(root: Path) -> State:
    """Return every file and folder below the home, with modes and bytes."""
    return {
        str(path.relative_to(root.parent)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in sorted(root.parent.rglob("*"))
    }


def _changed(before: State, root: Path) -> list[str]:
    """Return what is new, gone or different."""
    after = _state(root)
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _meant(state: State) -> dict[str, object]:
    """Return what files hold, whatever the layout of their JSON."""
    return {name: json.loads(data) if _is_object(data) else (mode, data) for name, (mode, data) in state.items()}


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except ValueError:
        return False
