"""``entire disable``."""

from __future__ import annotations

import os
import shutil

import click

from entire import files, layout, settings
from entire.agents import capabilities, registry
from entire.errors import UsageError
from entire.git import read, refs
from entire.githooks import install
from entire.store import sessions, steps
from entire.ui import group, prompts, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

_OWN_NAMES = (".gitignore", "entire.json", "logs", "metadata", "settings.json", "settings.local.json", "tmp")
"""What we put into ``.entire/``; anything else in it is the user's."""


@click.command("disable", cls=group.Command)
@click.option("--project", is_flag=True, help="Write it into .entire/settings.json, for the whole team.")
@click.option("--uninstall", is_flag=True, help="Remove hooks, settings, session states and steps. Checkpoints stay.")
@click.option("--user", is_flag=True, help="With --uninstall: also remove the hooks from your own agent settings.")
@click.option("-f", "--force", is_flag=True, help="With --uninstall: do not ask.")
def command(project: bool, uninstall: bool, user: bool, force: bool) -> int:
    """Stop keeping the sessions of this repository.

    Hooks stay where they are and do nothing; `entire enable` goes on.

    Example: entire disable
    """
    return run(project=project, uninstall=uninstall, user=user, force=force)


def run(*, project: bool = False, uninstall: bool = False, user: bool = False, force: bool = False) -> int:
    """Disable the repository of the current directory, or remove Entire from it."""
    place = layout.here()
    if user and not uninstall:
        raise UsageError("--user goes with --uninstall", hint="`entire disable --uninstall --user`")
    return _uninstall(place, user=user, force=force) if uninstall else _disable(place, project=project)


def _disable(place: Place, *, project: bool) -> int:
    now = settings.load(place)
    if now is None:
        text.write(["Entire was never enabled here: it is disabled."])
        return 0
    written = []
    if project:
        written.append(_write(place.settings))
        now = settings.load(place)
    if not project or (now is not None and now.enabled):  # local settings win over shared ones
        written.append(_write(place.local_settings))
    shown = " and ".join(os.path.relpath(path, place.top) for path in written)
    text.write([f"Entire is disabled here ({shown}). `entire enable` turns it on again."])
    return 0


def _write(path: str) -> str:
    files.write(path, settings.edit(files.read(path), enabled=False))
    return path


def _uninstall(place: Place, *, user: bool, force: bool) -> int:
    open_work = [one for one in sessions.list_states(place) if one.steps and one.open_files]
    if not force:
        if not prompts.can_ask():
            raise UsageError("this removes Entire from the repository, so it asks first", hint="add --force")
        if open_work:
            text.write(
                [f"{text.count(len(open_work), 'session')} with steps that are in no commit yet: these steps go."]
            )
        if not prompts.confirm("Remove hooks, settings, session states and steps of this repository?"):
            text.write(["Nothing was removed."])
            return 0
    done = [*_remove_agent_hooks(place, user=user)]
    hooks = install.uninstall(place.top)
    done += [f"git hooks: {', '.join(hooks.removed)}"] if hooks.removed else []
    done += [f"the line that calls our hook stays in {name}: it does nothing now" for name in hooks.left]
    shadows = _remove_refs(place)
    done += [f"steps: {text.count(shadows, 'branch', 'branches')}"] if shadows else []
    _remove_folders(place)
    lines = ["Removed:", *(f"  {line}" for line in done), "  settings and session states"]
    if refs.read(place.top, f"refs/heads/{layout.METADATA_BRANCH}"):
        lines.append(f"Checkpoints stay on the branch {layout.METADATA_BRANCH} (`git branch -D` removes it).")
    text.write([*lines, "Entire is disabled here."])
    return 0


def _remove_agent_hooks(place: Place, *, user: bool) -> list[str]:
    done = []
    for agent in registry.agents():
        installer = capabilities.hook_installer(agent)
        for scope in ("project", "user") if user else ("project",):
            count = installer.uninstall_hooks(place.top, scope) if installer is not None else 0
            if count:
                done.append(f"{agent.type}: {text.count(count, 'hook')} ({scope})")
    return done


def _remove_refs(place: Place) -> int:
    """Delete shadow branches and our own refs; return how many branches. A person's branch may look like ours."""
    found = refs.find(place.top, "refs/heads/entire", "refs/entire")
    with read.Objects(place.top) as objects:
        mine = {
            name: oid
            for name, oid in found.items()
            if not name.startswith("refs/heads/") or steps.is_shadow(objects, name, oid)
        }
    refs.move(place.top, [refs.Move(ref=name, new="", old=oid) for name, oid in mine.items()])
    return sum(name.startswith("refs/heads/") for name in mine)


def _remove_folders(place: Place) -> None:
    """Remove our folders from the git directories of all worktrees, and what is ours in ``.entire``."""
    worktrees = os.path.join(place.common_dir, "worktrees")
    try:
        linked = [os.path.join(worktrees, name, "entire") for name in os.listdir(worktrees)]
    except OSError:
        linked = []
    for folder in (place.sessions_dir, place.common_own_dir, place.own_dir, *linked):
        shutil.rmtree(folder, ignore_errors=True)
    for name in _OWN_NAMES:
        path = os.path.join(place.entire_dir, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            files.remove(path)
    try:
        os.rmdir(place.entire_dir)
    except OSError:  # something of the user's is in it
        pass
