"""``entire enable``: settings, git hooks, agent hooks; in under a second and without network access."""

from __future__ import annotations

import os
import shlex
import sys

import click

from entire.errors import EntireError
from entire.model.requests import LOCAL, PROJECT, STRATEGIES, EnableRequest
from entire.model.value import replace
from entire.ui.console import completion, group, prompts, text
from entire.ui.screens import agent_hooks
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views.setup import EnableView, GitHooksView, HookLineView, PluginView
    from entire.model.views.status import HookView


_HIDE = "Hide Entire's refs in `git log` (log.excludeDecoration of this clone, and `git log-all` without them)?"
_SUBJECT = "Enable Entire"
_CAN_BE_ALLOWED = ("not allowed", "changed")  # states of plugins


@click.command("enable", cls=group.Command)
@click.option("--agent", "agents", multiple=True, metavar="NAME", shell_complete=completion.agents,
              help="Record this agent and ask nothing; repeatable.")  # fmt: skip
@click.option("--strategy", type=click.Choice(STRATEGIES), help="Who commits: you, or Entire after each turn.")
@click.option("--local", "target", flag_value=LOCAL, help="Write .entire/settings.local.json (this clone).")
@click.option("--project", "target", flag_value=PROJECT, help="Write .entire/settings.json (the team's).")
@click.option(
    "--push-sessions/--skip-push-sessions",
    "push",
    default=None,
    help="Push checkpoints with `git push`, or keep them on this machine.",
)
@click.option("--user", is_flag=True, help="Install the agent's hooks user-wide: they act in every enabled repository.")
@click.option(
    "--hide-refs/--no-hide-refs",
    "hide",
    default=None,
    help="Hide Entire's refs in `git log` by settings of this clone, or show them again.",
)
@click.option("-f", "--force", is_flag=True, help="Rewrite all hooks.")
@click.option("--trust-hooks", "trust", is_flag=True,
              help="Tell agents that run only trusted hooks that you trust ours, and no others.")  # fmt: skip
@click.option(
    "--telemetry", is_flag=False, flag_value="true", hidden=True, help="Accepted and ignored: there is no telemetry."
)
def command(
    agents: tuple[str, ...],
    strategy: str | None,
    target: str | None,
    push: bool | None,
    user: bool,
    hide: bool | None,
    force: bool,
    trust: bool,
    telemetry: str | None,  # noqa: ARG001
) -> int:
    """Start recording sessions in this repository.

    Asks which agents to record and, the first time, whether to push checkpoints, and to hide Entire's refs in `git
    log`. With --agent, or without a terminal, it asks nothing: checkpoints stay on this machine unless you chose to
    push them here before, or say so with --push-sessions.

    Example: entire enable --local --skip-push-sessions
    """
    return run(EnableRequest(agents=agents, strategy=strategy or "", target=target or "", push_sessions=push, user=user,
                             force=force, trust_hooks=trust), hide_refs=hide)  # fmt: skip


def run(request: EnableRequest, *, hide_refs: bool | None = None) -> int:
    workspace = Workspace.find()
    top = workspace.place.top
    interactive = not request.agents and prompts.can_ask()
    is_first = not workspace.setup.is_push_chosen()
    if interactive:
        workspace.setup.check(request)
        request = _ask(workspace, request)
    view = workspace.setup.enable(request)
    text.write(map(text.plain, view.warnings), sys.stderr)
    lines = [*agent_hooks.changes(view.agents, view.removed, top), *_git_hooks(view.git, top)]
    to_commit = list(view.to_commit)
    if interactive and view.git.lines:
        text.write([*lines, *(f"  {line.path}:  {line.line}" for line in view.git.lines)])
        lines = []
        if prompts.confirm("Add these lines? They do nothing in repositories without Entire."):
            added = workspace.setup.add_hook_lines()
            lines = [_added(line, top) for line in added]
            to_commit += [line.path for line in added if line.is_to_commit]
    if interactive and is_first and hide_refs is None and not workspace.setup.are_refs_hidden():
        hide_refs = prompts.confirm(_HIDE) or None
    hooks = workspace.setup.git_hooks()
    lines += [*_settings(view, workspace), *_hidden(workspace, hide_refs), *_commit(to_commit)]
    text.write([*lines, *_outcome(view, hooks)])
    return 0 if hooks.is_installed else 1


def _ask(workspace: Workspace, request: EnableRequest) -> EnableRequest:
    """Ask for the agents and, if not chosen yet, whether to push checkpoints."""
    known = [agent for agent in workspace.setup.agents(user=request.user) if agent.takes_hooks]
    unlisted = [agent.name for agent in known if not agent.is_offered]
    known = [agent for agent in known if agent.is_offered]
    options = [(agent.name, f"{agent.type}: {agent.description}") for agent in known]
    waiting = _waiting_plugins(workspace)
    options += [(name, f"a plugin that may not run yet; choosing it allows {text.full_path(plugin.path)}")
                for name, plugin in waiting.items()]  # fmt: skip
    preset = [agent.name for agent in known if agent.is_suggested]
    agents = prompts.choose("Which agents do you use in this repository?", options, preset=preset, unlisted=unlisted)
    for name in agents:
        if name in waiting:
            workspace.plugins.allow(name, waiting[name].path)
    request = replace(request, agents=tuple(agents), only_these=True)
    cautious = [agent.type for agent in known if agent.name in agents and agent.needs_trust]
    if cautious and not request.trust_hooks:
        question = f"{' and '.join(cautious)} runs only hooks that you trust. Trust those of Entire?"
        request = replace(request, trust_hooks=prompts.confirm(question))
    if request.push_sessions is None and not workspace.setup.is_push_chosen():
        request = replace(request, push_sessions=_ask_to_push(workspace))
    return request


def _waiting_plugins(workspace: Workspace) -> dict[str, PluginView]:
    """Return the plugins on PATH that may run once the user allows them; none if it is not known what may run."""
    try:
        listed = workspace.plugins.listing()
    except EntireError as error:
        text.write([f"Plugins are left out: {text.plain(error.message)}; {text.plain(error.hint)}"], sys.stderr)
        return {}
    return {plugin.name: plugin for plugin in listed if plugin.state in _CAN_BE_ALLOWED}


def _ask_to_push(workspace: Workspace) -> bool:
    settings = workspace.settings
    if settings is None or not settings.push_sessions:
        return prompts.confirm("Push checkpoints (prompts and transcripts) to your remote with every `git push`?")
    file = text.path(settings.push_sessions_file, workspace.place.top)
    text.write([f"{file}, shared by your team, pushes checkpoints (prompts and transcripts)."], sys.stderr)
    return prompts.confirm("Push yours, too, with every `git push`?", default=True)


def _git_hooks(hooks: GitHooksView, top: str) -> list[str]:
    lines = [f"git: hooks in {text.path(hooks.folder, top)}"]
    if hooks.chained:
        lines.append(f"git: existing hooks run after ours ({', '.join(hooks.chained)})")
    lines += [f"git: an existing hook was moved to {text.path(path, top)}" for path in hooks.set_aside]
    if hooks.managers and not hooks.refused:
        lines.append(f"git: {', '.join(hooks.managers)} may overwrite our hooks; `entire status` reports it")
    if hooks.lines:
        lines.append(f"git: {hooks.refused}; our hooks must be called from there")
    return lines


def _added(line: HookLineView, top: str) -> str:
    shown = text.path(line.path, top)
    if line.is_added:
        return f"git: added the line to {shown}"
    return f"git: {shown} is not a shell script: call our hook from it yourself"


def _settings(view: EnableView, workspace: Workspace) -> Sequence[str]:
    top, settings = workspace.place.top, workspace.settings
    lines = [f"settings: written to {text.path(path, top)}" for path in view.settings_files]
    push = "stay on this machine (`entire enable --push-sessions` pushes them)"
    if view.push_sessions and settings is not None:
        file = text.path(settings.push_sessions_file, top)
        push = f"`git push` also pushes them (prompts and transcripts, secrets removed), as {file} says"
    return [*(lines or ["settings: unchanged"]), f"checkpoints: {push}"]


def _hidden(workspace: Workspace, hide: bool | None) -> list[str]:
    """Hide our refs, or show them, if that is asked for; return what was set."""
    names = " and ".join(workspace.setup.hide_refs(hide=hide)) if hide is not None else ""
    verb = "hide" if hide else "no longer hide"
    return [f"git log: {names} {verb} Entire's refs in this clone"] if names else []


def _commit(paths: Sequence[str]) -> list[str]:
    """Return the command that commits what a team shares, for the current folder."""
    names = [shlex.quote(os.path.relpath(path)) for path in sorted(set(paths))]
    return [text.plain(f'to commit: git add {" ".join(names)} && git commit -m "{_SUBJECT}"')] if names else []


def _outcome(view: EnableView, hooks: HookView) -> list[str]:
    """Return the last lines: what to do, or what is missing until sessions are recorded and commits are linked."""
    lines = agent_hooks.remedies(view.agents)
    ready = " and ".join(agent.agent for agent in view.agents if not agent.problem)
    if not hooks.is_installed:
        steps = [f"  {remedy}" for remedy in hooks.remedies] or [f"  {hooks.problem}"]
        return [*lines, "Sessions are recorded, but commits are not linked until you do this:", *steps]
    then = ": what a turn changes is committed at its end." if view.commits_turns else " and commit as before."
    return [*lines, f"Ready. Work with {ready}{then}"] if ready else lines
