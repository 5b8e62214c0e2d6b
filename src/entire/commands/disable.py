"""``entire disable``."""

from __future__ import annotations

import sys

import click

from entire.errors import UsageError
from entire.model.requests import DisableRequest, UninstallRequest
from entire.ui.console import group, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views.setup import AgentHooksView, UninstallView


@click.command("disable", cls=group.Command)
@click.option("--project", is_flag=True, help="Write .entire/settings.json, for the whole team.")
@click.option("--uninstall", is_flag=True, help="Remove hooks, settings, session states and steps; keep checkpoints.")
@click.option("--user", is_flag=True, help="With --uninstall: also remove hooks from your user-wide agent settings.")
@click.option("-f", "--force", is_flag=True, help="With --uninstall: do not ask.")
def command(project: bool, uninstall: bool, user: bool, force: bool) -> int:
    """Stop recording sessions in this repository.

    Hooks stay installed but do nothing; `entire enable` resumes recording.

    Example: entire disable
    """
    return run(project=project, uninstall=uninstall, user=user, force=force)


def run(*, project: bool = False, uninstall: bool = False, user: bool = False, force: bool = False) -> int:
    workspace = Workspace.find()
    if user and not uninstall:
        raise UsageError("--user needs --uninstall", hint="run `entire disable --uninstall --user`")
    if not uninstall:
        return _disable(workspace, DisableRequest(project=project))
    if not force and not _confirm(workspace):
        text.write(["Nothing was removed."])
    else:
        done = workspace.setup.uninstall(UninstallRequest(user=user))
        text.write(_summary(done, workspace.place.top))
        if done.failures:
            text.write(_failures(done), sys.stderr)
            return 1
    return 0


def _failures(done: UninstallView) -> list[str]:
    """Return the hooks that plugins could not remove, with what they said, and how to remove them by hand."""
    lines = []
    for failure in done.failures:
        lines += [f"entire: the hooks of {failure.name} could not be removed: {text.plain(failure.problem)}"]
        lines += [text.plain(line) for line in failure.output.splitlines()]
        lines += [f"hint: everything else was removed; run this by hand: {text.plain(failure.command)}"]
    return lines


def _disable(workspace: Workspace, request: DisableRequest) -> int:
    done = workspace.setup.disable(request)
    if done.is_set_up:
        shown = " and ".join(text.path(path, workspace.place.top) for path in done.settings_files)
        text.write([f"Entire is disabled here ({shown}). Run `entire enable` to enable it again."])
    else:
        text.write(["Entire was never enabled here, so it stays disabled."])
    return 0


def _confirm(workspace: Workspace) -> bool:
    if not prompts.can_ask():
        raise UsageError("removing Entire from the repository needs your confirmation", hint="add --force")
    uncommitted = workspace.sessions.uncommitted()
    if uncommitted:
        text.write([f"{text.count(len(uncommitted), 'session')} with uncommitted steps, which will be lost."])
    place = workspace.place
    if place.worktree_name:
        text.write(_shared(place.main_top))
    return prompts.confirm("Remove hooks, settings, session states and steps from this repository?")


def _summary(done: UninstallView, top: str) -> list[str]:
    lines = [f"{hooks.agent}: {_removed(hooks)} ({hooks.scope})" for hooks in done.agents]
    lines += [f"git hooks: {', '.join(done.git_hooks)}"] if done.git_hooks else []
    lines += [f"the line in {path}" for path in done.edited]
    lines += [f"steps: {text.count(done.step_branches, 'branch', 'branches')}"] if done.step_branches else []
    lines += ["settings and session states"]
    lines += [f"git settings: {', '.join(done.git_settings)}"] if done.git_settings else []
    branch = done.checkpoints_branch
    checkpoints = [f"Checkpoints stay on the branch {branch} (`git branch -D` deletes it)."] if branch else []
    return ["Removed:", *(f"  {line}" for line in lines), *_rest(done, top), *checkpoints, "Entire is disabled here."]


def _removed(hooks: AgentHooksView) -> str:
    """Return what was removed; a plugin does not tell how many hooks that were."""
    return f"hooks of the plugin {text.full_path(hooks.plugin)}" if hooks.plugin else text.count(hooks.count, "hook")


def _rest(done: UninstallView, top: str) -> list[str]:
    """Return what is still there, and where."""
    lines = [f"{path} runs again" for path in done.restored]
    lines += [f"An earlier hook that another program had replaced is now {path}" for path in done.moved]
    lines += [f"{path} still calls our hook, which does nothing now; remove that by hand" for path in done.left]
    if any(not path.startswith(top + "/") for path in done.edited):
        lines.append("Other repositories link their commits through these lines, too; `entire enable` there adds them.")
    for hooks in done.user_hooks:
        lines.append(f"{hooks.agent}: hooks stay in {hooks.path} for other repositories (`--user` removes them)")
    return lines + (_shared(done.shared_with) if done.shared_with else [])


def _shared(main: str) -> list[str]:
    """Return what an uninstall in a linked worktree means for the main one."""
    name = main or "the repository's other worktrees"
    return [
        f"Git hooks, session states and steps are shared with {name}: they are removed there, too.",
        f"Settings and agent hooks there stay; run `entire disable --uninstall` in {name} to stop recording there.",
    ]
