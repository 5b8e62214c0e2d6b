"""Hook managers: how their scripts are recognised, where their settings are, and which renamed hooks they call."""

from __future__ import annotations

import os

from entire.model.value import Value


class Manager(Value):
    """A hook manager. ``renamed``: the ending it gives to a hook that was there before; ``calls_renamed``: and runs."""

    name: str
    mark: str  # text in the scripts that it writes
    settings: tuple[str, ...] = ()
    renamed: str = ""
    calls_renamed: bool = False


MANAGERS = (
    Manager(name="husky", mark="husky"),
    Manager(
        name="lefthook",
        mark="lefthook",
        settings=tuple(
            f"{dot}{name}.{kind}"
            for name in ("lefthook", "lefthook-local")
            for dot in ("", ".")
            for kind in ("yml", "yaml", "toml", "json")
        ),
        renamed=".old",
    ),
    Manager(
        name="pre-commit",
        mark="pre-commit.com",
        settings=(".pre-commit-config.yaml",),
        renamed=".legacy",
        calls_renamed=True,
    ),
    Manager(name="overcommit", mark="overcommit", settings=(".overcommit.yml",)),
)
RENAMED = tuple(manager.renamed for manager in MANAGERS if manager.renamed)
_HUSKY = ".husky"


def of_script(content: bytes | None) -> Manager | None:
    """Return the manager that wrote a hook; None for anything else."""
    return next((manager for manager in MANAGERS if manager.mark.encode() in (content or b"")), None)


def settings_files(root: str) -> list[str]:
    """Return the managers' settings files in a worktree that may name jobs of their hooks."""
    named = (os.path.join(root, name) for manager in MANAGERS for name in manager.settings)
    return [path for path in named if os.path.isfile(path)]


def configured(root: str) -> list[str]:
    """Return the managers whose settings are in a worktree."""
    named = [
        manager.name
        for manager in MANAGERS
        if any(os.path.isfile(os.path.join(root, name)) for name in manager.settings)
    ]
    return (["husky"] if os.path.isdir(os.path.join(root, _HUSKY)) else []) + named


def is_husky(path: str) -> bool:
    """Tell whether a hooks folder is husky's, which it writes again whenever it installs."""
    return _HUSKY in path.split(os.sep)[-2:]


def husky_file(root: str, name: str) -> str:
    """Return the file of a worktree that husky runs for a hook."""
    return os.path.join(root, _HUSKY, name)
