"""``entire disable``."""

from __future__ import annotations

import click

from entire.errors import UsageError
from entire.model.requests import DisableRequest, UninstallRequest
from entire.ui import group, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views import UninstallView


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
    workspace = Workspace.find()
    if user and not uninstall:
        raise UsageError("--user goes with --uninstall", hint="`entire disable --uninstall --user`")
    if not uninstall:
        return _disable(workspace, DisableRequest(project=project))
    if not force and not _confirm(workspace):
        text.write(["Nothing was removed."])
    else:
        text.write(_removed(workspace.uninstall(UninstallRequest(user=user))))
    return 0


def _disable(workspace: Workspace, request: DisableRequest) -> int:
    done = workspace.disable(request)
    if done.is_set_up:
        shown = " and ".join(text.path(path, workspace.place.top) for path in done.settings_files)
        text.write([f"Entire is disabled here ({shown}). `entire enable` turns it on again."])
    else:
        text.write(["Entire was never enabled here: it is disabled."])
    return 0


def _confirm(workspace: Workspace) -> bool:
    if not prompts.can_ask():
        raise UsageError("this removes Entire from the repository, so it asks first", hint="add --force")
    uncommitted = workspace.uncommitted_sessions()
    if uncommitted:
        text.write([f"{text.count(len(uncommitted), 'session')} with steps that are in no commit yet: these steps go."])
    return prompts.confirm("Remove hooks, settings, session states and steps of this repository?")


def _removed(done: UninstallView) -> list[str]:
    lines = [f"{one.agent}: {text.count(one.count, 'hook')} ({one.scope})" for one in done.agents]
    lines += [f"git hooks: {', '.join(done.git_hooks)}"] if done.git_hooks else []
    lines += [f"the line that calls our hook stays in {name}: it does nothing now" for name in done.left]
    lines += [f"steps: {text.count(done.step_branches, 'branch', 'branches')}"] if done.step_branches else []
    lines += ["settings and session states"]
    branch = done.checkpoints_branch
    stay = [f"Checkpoints stay on the branch {branch} (`git branch -D` removes it)."] if branch else []
    return ["Removed:", *(f"  {line}" for line in lines), *stay, "Entire is disabled here."]
