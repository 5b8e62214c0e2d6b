"""Removes Entire from a repository: hooks, settings, session states, steps. Checkpoints and the user's files stay."""

from __future__ import annotations

import os
import shlex
import shutil

from entire import tree_files
from entire.directory import AgentDirectory
from entire.errors import EntireError
from entire.git import hidden_refs, read, refs
from entire.githooks import install
from entire.layout import METADATA_BRANCH
from entire.maintenance.agent_hooks import AgentHooks
from entire.model.views.setup import AgentHooksView, HooksLeftView, UninstallView
from entire.plugin_host.language.protocol import PREFIX, VERSION, PluginError
from entire.store import steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place
    from entire.model.requests import UninstallRequest

_OWN_NAMES = (".gitignore", "entire.json", "logs", "metadata", "settings.json", "settings.local.json", "tmp")
"""Our files in ``.entire/``; everything else there belongs to the user."""


def uninstall(place: Place, request: UninstallRequest, known: AgentDirectory) -> UninstallView:
    scopes = ("project", "user") if request.user else ("project",)
    with known:
        names = [agent.name for agent in AgentDirectory.without_plugins().agents()]
        agent_hooks = AgentHooks(place, known)
        agents = agent_hooks.remove(names, scopes)
        of_plugins, failures = _remove_plugin_hooks(place, agent_hooks, scopes)
        user_hooks = () if request.user else agent_hooks.of_user()
    hooks = install.uninstall(place.top)
    branches = _remove_refs(place)
    git_settings = hidden_refs.show(place.top)
    _remove_folders(place)
    has_checkpoints = refs.read(place.top, f"refs/heads/{METADATA_BRANCH}")
    return UninstallView(
        agents=(*agents, *of_plugins),
        failures=failures,
        git_hooks=hooks.removed,
        restored=hooks.restored,
        moved=hooks.moved,
        edited=hooks.edited,
        left=hooks.left,
        git_settings=tuple(git_settings),
        user_hooks=user_hooks,
        step_branches=branches,
        checkpoints_branch=METADATA_BRANCH if has_checkpoints else "",
        shared_with=place.main_top if place.worktree_name else "",
    )


def _remove_plugin_hooks(
    place: Place, hooks: AgentHooks, scopes: Sequence[str]
) -> tuple[tuple[AgentHooksView, ...], tuple[HooksLeftView, ...]]:
    """Let the plugins whose hooks are here remove them; return what was removed, and what was not."""
    removed: list[AgentHooksView] = []
    failures = []
    for name in hooks.plugins():
        try:
            removed += hooks.remove([name], scopes)
        except EntireError as error:
            output = error.errors if isinstance(error, PluginError) else ""
            failures.append(HooksLeftView(name=name, problem=error.message, output=output,
                                          command=_command(place, name, hooks.agents)))  # fmt: skip
    return tuple(removed), tuple(failures)


def _command(place: Place, name: str, known: AgentDirectory) -> str:
    executable = known.plugins.find(name)
    program = executable.path if executable is not None else PREFIX + name
    top = shlex.quote(place.top)
    return (
        f"cd {top} && ENTIRE_REPO_ROOT={top} ENTIRE_PROTOCOL_VERSION={VERSION} {shlex.quote(program)} uninstall-hooks"
    )


def _remove_refs(place: Place) -> int:
    """Delete shadow branches and our own refs, but no user's branch with a similar name; return the branch count."""
    candidates = refs.find(place.top, "refs/heads/entire", "refs/entire")
    with read.Objects(place.top) as objects:
        mine = {
            name: oid
            for name, oid in candidates.items()
            if not name.startswith("refs/heads/") or steps.is_shadow(objects, name, oid)
        }
    refs.move(place.top, [refs.RefMove(ref=name, new="", old=oid) for name, oid in mine.items()])
    return sum(name.startswith("refs/heads/") for name in mine)


def _remove_folders(place: Place) -> None:
    """Remove our folders from the git directories of all worktrees, and our files from ``.entire``."""
    worktrees = os.path.join(place.common_dir, "worktrees")
    try:
        linked = [os.path.join(worktrees, name, "entire") for name in os.listdir(worktrees)]
    except OSError:
        linked = []
    for folder in (place.sessions_dir, place.common_own_dir, place.own_dir, *linked):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        with tree_files.Folder(place.top, place.entire_dir) as opened:
            for name in _OWN_NAMES:
                try:
                    opened.remove(name)
                except OSError:  # it is a folder
                    shutil.rmtree(name, ignore_errors=True, dir_fd=opened.fd)
    except OSError:  # it is not there, or is a link
        pass
    tree_files.remove_empty(place.top, place.entire_dir)
