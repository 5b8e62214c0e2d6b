"""Promises about the agent's own configuration: our entries go in and out, and nothing else changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from entire.errors import EntireError
from entire.model.health import HookStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.testing.promises.rig import ConfigSample, Rig

SCOPES = ("project", "user")


def paths(agent: Any, root: Path, scope: str) -> tuple[Path, ...]:
    """Return the files that hold the hooks."""
    return tuple(map(Path, agent.hook_config_paths(str(root), scope)))


def is_installed(agent: Any, root: Path, scope: str) -> bool:
    return bool(agent.hooks_health(str(root), scope).status is HookStatus.INSTALLED)


def _given(rig: Rig, folder: Path, *, broken: bool) -> Iterator[tuple[ConfigSample, str, Path]]:
    """Yield each sample in each scope, with a root, in a home of their own."""
    home = os.environ["HOME"]
    try:
        for number, sample in enumerate(rig.configs):
            for scope in SCOPES if sample.is_broken is broken else ():
                root = folder / f"{number}-{scope}" / "root"
                root.mkdir(parents=True)
                os.environ["HOME"] = str(root.parent)
                file = paths(rig.adapter(), root, scope)[0]
                if sample.data is not None:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(sample.data)
                yield sample, scope, root
    finally:
        os.environ["HOME"] = home


def _state(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file and folder below the root and the home, with modes and bytes."""
    return {
        str(path): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in sorted(root.parent.rglob("*"))
    }


def installs_and_leaves_no_trace(rig: Rig, folder: Path) -> None:
    """Over every sample of the user's configuration, in both scopes: installing adds our hooks, a second time changes
    nothing, `force` rewrites them, and uninstalling restores every byte, mode and folder.
    """
    for sample, scope, root in _given(rig, folder, broken=False):
        agent: Any = rig.adapter()
        where = (sample.name, scope)
        before = _state(root)
        assert not is_installed(agent, root, scope), where
        assert agent.uninstall_hooks(str(root), scope) == 0, where
        assert _state(root) == before, where
        count = agent.install_hooks(str(root), scope, force=False)
        assert count > 0, where
        assert is_installed(agent, root, scope), where
        installed = _state(root)
        assert set(installed) - set(before) <= _allowed(agent, root, scope), where
        assert agent.install_hooks(str(root), scope, force=False) == 0, where
        assert _state(root) == installed, where
        assert agent.install_hooks(str(root), scope, force=True) > 0, where
        assert is_installed(agent, root, scope), where
        assert agent.uninstall_hooks(str(root), scope) > 0, where
        assert _state(root) == before, where
        assert not is_installed(agent, root, scope), where


def _allowed(agent: Any, root: Path, scope: str) -> set[str]:
    found = set()
    for path in paths(agent, root, scope):
        found |= {str(path), *(str(parent) for parent in path.parents)}
    return found


def installs_commands_that_hooks_understand(rig: Rig, folder: Path) -> None:
    """What is installed calls `entire hooks` with the agent's name and its verbs, and with no other."""
    import re

    agent: Any = rig.adapter()
    agent.install_hooks(str(folder), "project", force=False)
    text = "".join(path.read_text() for path in paths(agent, folder, "project"))
    called = set(re.findall(rf"entire hooks {re.escape(agent.name)} ([a-z][a-z-]*)", text))
    assert called
    assert called <= set(agent.hook_names)
    assert "entire hooks" not in text.replace(f"entire hooks {agent.name} ", "")


def refuses_a_broken_configuration(rig: Rig, folder: Path) -> None:
    """A configuration that cannot be understood is refused with an error that says what to do, and not changed, neither
    by installing nor by uninstalling.
    """
    for sample, scope, root in _given(rig, folder, broken=True):
        agent: Any = rig.adapter()
        before = _state(root)
        for force in (False, True):
            with pytest.raises(EntireError) as caught:
                agent.install_hooks(str(root), scope, force=force)
            assert caught.value.message, sample.name
            assert caught.value.hint, sample.name
        assert not is_installed(agent, root, scope), sample.name
        try:
            agent.uninstall_hooks(str(root), scope)
        except EntireError:
            pass
        assert _state(root) == before, (sample.name, scope)
