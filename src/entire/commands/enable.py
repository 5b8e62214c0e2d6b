"""``entire enable``: settings, git hooks, agent hooks; under a second and without a network."""

from __future__ import annotations

import click

from entire.model.requests import LOCAL, PROJECT, STRATEGIES, EnableRequest
from entire.model.value import replace
from entire.ui import group, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views import AgentHooksView, EnableView, GitHooksView, HookLineView


@click.command("enable", cls=group.Command)
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="Watch this agent and ask nothing; repeatable.")
@click.option("--strategy", type=click.Choice(STRATEGIES), help="When steps become checkpoints.")
@click.option("--local", "target", flag_value=LOCAL, help="Write .entire/settings.local.json (this clone).")
@click.option("--project", "target", flag_value=PROJECT, help="Write .entire/settings.json (the team's).")
@click.option(
    "--push-sessions/--skip-push-sessions",
    "push",
    default=None,
    help="Let `git push` also push checkpoints, or keep them on this machine.",
)
@click.option(
    "--user", is_flag=True, help="Put the agent's hooks into your own settings: they act in every enabled repository."
)
@click.option("-f", "--force", is_flag=True, help="Write all hooks anew.")
@click.option("--telemetry", is_flag=False, flag_value="true", hidden=True, help="Accepted; there is none.")
def command(
    agents: tuple[str, ...],
    strategy: str | None,
    target: str | None,
    push: bool | None,
    user: bool,
    force: bool,
    telemetry: str | None,  # noqa: ARG001
) -> int:
    """Start keeping the sessions of this repository.

    Asks which agents to watch and whether checkpoints are pushed; with --agent, or without a terminal, it asks nothing
    and keeps everything on this machine.

    Example: entire enable --agent claude-code
    """
    return run(EnableRequest(agents=agents, strategy=strategy or "", target=target or "", push_sessions=push, user=user,
                             force=force))  # fmt: skip


def run(request: EnableRequest) -> int:
    """Enable the repository of the current directory."""
    workspace = Workspace.find()
    top = workspace.place.top
    interactive = not request.agents and prompts.can_ask()
    if interactive:
        workspace.check_enable(request)
        request = _ask(workspace, request)
    view = workspace.enable(request)
    lines = [*_agents(view, top), *_git_hooks(view.git, top)]
    if interactive and view.git.lines:
        text.write(lines)
        lines = []
        if prompts.confirm("Shall I add these lines? They do nothing in repositories without Entire."):
            lines = [_added(one, top) for one in workspace.add_hook_lines()]
    text.write([*lines, *_settings(view, top)])
    return 0


def _ask(workspace: Workspace, request: EnableRequest) -> EnableRequest:
    """Ask for the agents, and whether checkpoints are pushed if that was not chosen yet."""
    known = [one for one in workspace.agents(user=request.user) if one.takes_hooks]
    options = [(one.name, f"{one.type}: {one.description}") for one in known]
    preset = [one.name for one in known if one.is_suggested]
    agents = prompts.choose("Which agents do you use here?", options, preset=preset)
    request = replace(request, agents=tuple(agents), only_these=True)
    chosen = workspace.settings
    if request.push_sessions is None and (chosen is None or chosen.push_sessions is None):
        push = prompts.confirm("Shall `git push` also push checkpoints (prompts, transcripts) to your remote?")
        request = replace(request, push_sessions=push)
    return request


def _agents(view: EnableView, top: str) -> list[str]:
    lines = [f"{one.agent}: {_written(one)} {text.path(one.path, top)}" for one in view.agents]
    return lines + [f"{one.agent}: hooks removed from {text.path(one.path, top)}" for one in view.removed]


def _written(hooks: AgentHooksView) -> str:
    return f"{text.count(hooks.count, 'hook')} written to" if hooks.count else "hooks are in"


def _git_hooks(hooks: GitHooksView, top: str) -> list[str]:
    """Tell where the git hooks are, and the lines that hook files of others need."""
    lines = [f"git: hooks in {text.path(hooks.folder, top)}"]
    if hooks.chained:
        lines.append(f"git: what was there before runs after ours ({', '.join(hooks.chained)})")
    lines += [f"git: an earlier hook was kept as {text.path(path, top)}" for path in hooks.set_aside]
    if hooks.managers and not hooks.refused:
        lines.append(f"git: {', '.join(hooks.managers)} may overwrite our hooks; `entire status` tells if so")
    if hooks.lines:
        lines += [f"git: {hooks.refused}", "git: commits are linked once these files have these lines:"]
        lines += [f"  {text.path(one.path, top)}:  {one.line}" for one in hooks.lines]
    return lines


def _added(line: HookLineView, top: str) -> str:
    shown = text.path(line.path, top)
    if line.is_added:
        return f"git: added the line to {shown}"
    return f"git: {shown} is no shell script: call our hook from it yourself"


def _settings(view: EnableView, top: str) -> Sequence[str]:
    lines = [f"settings: written to {text.path(path, top)}" for path in view.settings_files]
    push = "stay on this machine (`entire enable --push-sessions` changes that)"
    if view.push_sessions:
        push = "`git push` also pushes them (prompts and transcripts, secrets removed)"
    agents = " and ".join(one.agent for one in view.agents)
    return [*(lines or ["settings: as they were"]), f"checkpoints: {push}",
            f"Ready. Work with {agents} and commit as before."]  # fmt: skip
