"""Which of our scripts git reaches, through which file, and what is in the way. Writes nothing."""

from __future__ import annotations

import os

from entire import files, tree_files
from entire.git import hooks
from entire.githooks import managers, scripts
from entire.githooks.scripts import BACKUP, MARKER, NAMES
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.git.hooks import HooksFolder

_OWN_SCOPES = ("", "local", "worktree")


class Hook(Value):
    """One git hook. ``path``: the file that git, or husky for git, runs; '' if ``core.hooksPath`` is not a folder."""

    name: str
    path: str
    script: str = ""  # ours that git reaches: the file itself, one that a manager renamed, or the one a line calls
    manager: str = ""  # whose script the file is


class HookProblem(Value):
    """Why one of our hooks does not run as it should. ``installable``: ``enable`` and ``doctor --fix`` repair it.

    ``harmless``: repairing it touches no file of another program, so a hook may.
    """

    hook: str
    message: str
    remedy: str
    installable: bool = True
    harmless: bool = False
    is_outdated: bool = False  # it runs, but is not this version's


class Inspection(Value):
    """The git hooks of a worktree. ``refused``: why we do not write to git's hooks folder; '' if we do."""

    folder: HooksFolder
    refused: str
    hooks: tuple[Hook, ...]
    managers: tuple[str, ...]
    settings: tuple[str, ...]  # files of managers

    @property
    def private(self) -> str:
        """The folder of the scripts that lines in files of others call."""
        return private_folder(self.folder.common_dir)

    @property
    def problems(self) -> list[HookProblem]:
        return [problem for hook in self.hooks for problem in _problems(self, hook)] or self._no_folder()

    def _no_folder(self) -> list[HookProblem]:
        if any(hook.path for hook in self.hooks):
            return []
        return [HookProblem(hook="", message=self.refused, remedy="correct `core.hooksPath`", installable=False)]

    def examined(self) -> list[str]:
        """Return the files on which the result depends."""
        paths = [*self.folder.config_files, *self.settings]
        for hook in self.hooks:
            renamed = [hook.path + end for end in managers.RENAMED]
            paths += [hook.path, *renamed, hook.path + BACKUP, os.path.join(self.private, hook.name)]
        return list(dict.fromkeys(paths))


def private_folder(common_dir: str) -> str:
    return os.path.join(common_dir, "entire", "hooks")


def inspect(root: str) -> Inspection:
    """Examine the git hooks of the worktree with root ``root``."""
    folder = hooks.folder(root)
    refused = _refusal(root, folder)
    settings = managers.settings_files(root)
    states = tuple(_hook(folder, name, refused=bool(refused), settings=settings) for name in NAMES)
    in_use = [hook.manager for hook in states if hook.manager]
    backups = [manager_of(read(hook.path + BACKUP)) for hook in states if hook.path]
    in_use += [manager.name for manager in (*backups, _of_pre_commit(folder)) if manager is not None]
    in_use += ["husky"] if managers.is_husky(folder.path) else []
    return Inspection(
        folder=folder,
        refused=refused,
        hooks=states,
        managers=tuple(dict.fromkeys([*in_use, *managers.configured(root)])),
        settings=tuple(settings),
    )


def _of_pre_commit(folder: HooksFolder) -> managers.Manager | None:
    """Return the manager of git's most common hook, which we do not use."""
    return manager_of(read(os.path.join(folder.path, "pre-commit")))


def _refusal(root: str, folder: HooksFolder) -> str:
    """Return why the hooks folder is not the repository's own; '' if it is."""
    if folder.scope not in _OWN_SCOPES:
        return f"core.hooksPath is not set for this repository alone ({folder.scope}, {folder.origin})"
    if managers.is_husky(folder.path):
        return "core.hooksPath is a folder that husky manages"
    if folder.tracked:
        return "core.hooksPath is a folder that this repository tracks"
    if _is_no_folder(folder.path):
        return f"core.hooksPath is not a folder: {folder.path}"
    link = tree_files.link_to(folder.path)
    return f"core.hooksPath leads through a symbolic link: {os.path.relpath(link, root)}" if link else ""


def _is_no_folder(path: str) -> bool:
    return os.path.exists(path) and not os.path.isdir(path)


def _hook(hooks_folder: HooksFolder, name: str, *, refused: bool, settings: list[str]) -> Hook:
    if _is_no_folder(hooks_folder.path):
        return Hook(name=name, path="")
    folder = hooks_folder.path
    if os.path.basename(folder) == "_" and managers.is_husky(folder):  # its own hooks call files one level up
        folder = os.path.dirname(folder)
    path = os.path.join(folder, name)
    content = read(path)
    manager = manager_of(content)
    script = _script(path, content, os.path.join(private_folder(hooks_folder.common_dir), name), settings)
    if manager is None and managers.is_husky(hooks_folder.path) and refused:
        return Hook(name=name, path=path, script=script, manager="husky")
    return Hook(name=name, path=path, script=script, manager=manager.name if manager is not None else "")


def _script(path: str, content: bytes | None, private: str, settings: list[str]) -> str:
    """Return our script that git reaches through a hook file; '' if none."""
    name = os.path.basename(path)
    if is_ours(content):
        return path
    if calls(content, name):
        return private
    manager = manager_of(content)
    if manager is None:
        return ""
    if manager.calls_renamed and is_ours(read(path + manager.renamed)):
        return path + manager.renamed
    known = [text for text in map(read, settings) if calls(text, name)]
    return private if known else ""


# ---------------------------------------------------------------- contents


def read(path: str) -> bytes | None:
    """Return a hook's content; None if there is none, empty if it cannot be read (a folder, another user's file).

    A team's hook may be anything that a clone can bring: only regular files are read, and no endless ones.
    """
    try:
        with files.open_regular(path) as file:
            return file.read(tree_files.LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return b""


def has_marker(content: bytes | None) -> bool:
    return content is not None and MARKER.encode() in content


def is_ours(content: bytes | None) -> bool:
    """Tell whether a whole hook is ours or the Go CLI's: the marker is in the comment below the first line."""
    return content is not None and MARKER.encode() in b"\n".join(content.split(b"\n")[:3])


def manager_of(content: bytes | None) -> managers.Manager | None:
    """Return the manager that wrote a hook; our own script names them all."""
    return None if is_ours(content) else managers.of_script(content)


def calls(content: bytes | None, name: str) -> bool:
    """Tell whether a file of another program calls our script, other than in a comment."""
    wanted = f"entire/hooks/{name}".encode()
    lines = (content or b"").split(b"\n") if wanted in (content or b"") else []
    return any(wanted in line and not line.lstrip().startswith(b"#") for line in lines)


def calls_any(content: bytes | None) -> bool:
    return any(calls(content, name) for name in NAMES)


# ---------------------------------------------------------------- problems

_REINSTALL = "`entire doctor --fix` reinstalls it"


def _problems(inspection: Inspection, hook: Hook) -> Iterator[HookProblem]:
    if not hook.path:
        return
    if not hook.script:
        yield _unreached(inspection, hook)
        return
    content, name = read(hook.script), hook.name
    if content is None:
        yield _own_problem(name, f"the git hook {hook.script} is missing")
    elif content != scripts.text(name) and not (inspection.refused and hook.script == hook.path):
        yield _own_problem(name, f"the git hook {name} was written by another version of Entire", is_outdated=True)
    elif not os.access(hook.script, os.X_OK):
        yield _own_problem(name, f"the git hook {name} is not executable")
    if hook.path != hook.script and hook.manager != "husky" and not os.access(hook.path, os.X_OK):
        message = f"{hook.path} calls entire, but is not executable"
        yield HookProblem(hook=name, message=message, remedy=f"run `chmod +x {hook.path}`", installable=False)
    if is_ours(read(hook.path + BACKUP)):
        yield _own_problem(name, f"{name}{BACKUP} is an Entire hook and must not be chained")


def _own_problem(name: str, message: str, *, is_outdated: bool = False) -> HookProblem:
    """Return a problem with a script of our own, which can be written again."""
    remedy = f"{_REINSTALL}; so does an agent's next turn"
    return HookProblem(hook=name, message=message, remedy=remedy, harmless=True, is_outdated=is_outdated)


def _unreached(inspection: Inspection, hook: Hook) -> HookProblem:
    """Return what stands where git would have to find our script."""
    name, path, folder = hook.name, hook.path, os.path.dirname(hook.path)
    if inspection.refused:
        message = f"{hook.manager} runs {path}, which does not" if hook.manager else f"{path} does not"
        remedy = f"add to {path}:  {scripts.line_to_add(name)}"
        return HookProblem(hook=name, message=f"{message} call entire", remedy=remedy, installable=False)
    if not os.path.lexists(path):
        missing = _own_problem(name, f"the git hook {name} is missing from {folder}")
        is_inside = (folder + os.sep).startswith(inspection.folder.common_dir + os.sep)
        return missing if is_inside or os.path.isdir(folder) else replace(missing, remedy=_REINSTALL, harmless=False)
    other = hook.manager or "another program"
    remedy = f"`entire enable` puts Entire's hook before that of {other}, which still runs"
    return HookProblem(hook=name, message=f"the git hook {name} was replaced by {other}", remedy=remedy)
