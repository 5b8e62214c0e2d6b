"""``entire enable``: settings, git hooks, agent hooks; under a second and without a network."""

from __future__ import annotations

import os
import shutil
import sys

import click

from entire import files, layout, settings
from entire.agents import capabilities, registry
from entire.errors import UsageError
from entire.githooks import install
from entire.ui import group, prompts, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.agents.contract import Agent
    from entire.githooks.install import LineToAdd
    from entire.layout import Place
    from entire.settings import Settings


@click.command("enable", cls=group.Command)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help=f"Watch this agent ({', '.join(registry.BUILTIN)}, ...) and ask nothing; repeatable.",
)
@click.option(
    "--strategy",
    type=click.Choice([settings.MANUAL_COMMIT, settings.AUTO_COMMIT]),
    help="When steps become checkpoints.",
)
@click.option("--local", "target", flag_value="local", help="Write .entire/settings.local.json (this clone).")
@click.option("--project", "target", flag_value="project", help="Write .entire/settings.json (the team's).")
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

    Example: entire enable
    """
    return run(agents, strategy=strategy or "", target=target or "", push=push, user=user, force=force)


def run(
    names: Sequence[str], *, strategy: str = "", target: str = "", push: bool | None = None, user: bool = False,
    force: bool = False,
) -> int:  # fmt: skip
    """Enable the repository of the current directory."""
    place = layout.here()
    if strategy and strategy not in settings.STRATEGIES:
        raise UsageError(f"this version cannot carry out the strategy {strategy}", hint="use --strategy manual-commit")
    scope = "user" if user else "project"
    interactive = not names and prompts.can_ask()
    agents = _choose_agents(place, names, scope, interactive=interactive)
    before = settings.load(place)
    push = _choose_push(before, push, interactive=interactive)
    _look(place, before=True)
    lines = [_install_agent(place, agent, scope, force=force) for agent in agents]
    if interactive:
        lines += _remove_others(place, agents, scope)
    lines += _install_git_hooks(place, interactive=interactive)
    written = _write_settings(place, target, strategy, push)
    _write_ignore(place)
    _write_marker(place, push)
    _look(place, before=False)
    lines += [f"settings: written to {_shown(place, path)}" for path in written] or ["settings: as they were"]
    text.write([*lines, *_explain_push(push), f"Ready. Work with {_names(agents)} and commit as before."])
    return 0


def _choose_agents(place: Place, names: Sequence[str], scope: str, *, interactive: bool) -> list[Agent]:
    """Return the agents named; else those chosen on a terminal; else those that are here already."""
    if names:
        return [registry.make(name) for name in dict.fromkeys(names)]
    pairs = [(agent, capabilities.hook_installer(agent)) for agent in registry.agents()]
    able = [(agent, installer) for agent, installer in pairs if installer is not None]
    preset = [agent.name for agent, installer in able if installer.are_hooks_installed(place.top, scope)]
    if not preset:
        preset = [agent.name for agent, _ in able if agent.detect(place.top)] or [registry.DEFAULT]
    if interactive:
        lines = [registry.find(agent.name) for agent, _ in able]
        options = [(line.name, f"{line.type}: {line.description}") for line in lines]
        preset = prompts.choose("Which agents do you use here?", options, preset=preset)
    return [registry.make(name) for name in preset]


def _choose_push(before: Settings | None, push: bool | None, *, interactive: bool) -> bool:
    """Return the choice made now, else the one made before, else no: nothing leaves the machine unasked."""
    if push is not None:
        return push
    if before is not None and before.push_sessions is not None:
        return before.push_sessions
    if interactive:
        return prompts.confirm("Shall `git push` also push checkpoints (prompts, transcripts) to your remote?")
    return False


def _install_agent(place: Place, agent: Agent, scope: str, *, force: bool) -> str:
    installer = capabilities.hook_installer(agent)
    if installer is None:
        raise UsageError(f"{agent.type} has no hooks to install", hint="choose another agent with --agent")
    count = installer.install_hooks(place.top, scope, force=force)
    path = _shown(place, installer.hook_config_path(place.top, scope))
    done = f"{text.count(count, 'hook')} written to" if count else "hooks are in"
    return f"{agent.type}: {done} {path}"


def _remove_others(place: Place, chosen: Sequence[Agent], scope: str) -> list[str]:
    """Take the hooks out of agents that are no longer wanted."""
    lines = []
    names = {agent.name for agent in chosen}
    for agent in [agent for agent in registry.agents() if agent.name not in names]:
        installer = capabilities.hook_installer(agent)
        if installer is not None and installer.uninstall_hooks(place.top, scope):
            lines.append(
                f"{agent.type}: hooks removed from {_shown(place, installer.hook_config_path(place.top, scope))}"
            )
    return lines


def _install_git_hooks(place: Place, *, interactive: bool) -> list[str]:
    """Install the git hooks; where git looks in a folder that is not the repository's own, show the lines it needs."""
    report = install.install(place.top, command=_own_command())
    lines = [f"git: hooks in {_shown(place, report.folder)}"]
    if report.chained:
        lines.append(f"git: what was there before runs after ours ({', '.join(report.chained)})")
    lines += [f"git: an earlier hook was kept as {_shown(place, path)}" for path in report.set_aside]
    if report.managers and not report.refused:
        lines.append(f"git: {', '.join(report.managers)} may overwrite our hooks; `entire status` tells if so")
    missing = [one for one in report.lines if not one.present]
    if not missing:
        return lines
    lines += [f"git: {report.refused}", "git: commits are linked once these files have these lines:"]
    lines += [f"  {_shown(place, one.path)}:  {one.line}" for one in missing]
    if interactive:
        text.write(lines)
        lines = []
        if prompts.confirm("Shall I add these lines? They do nothing in repositories without Entire."):
            lines = [_add_line(place, one) for one in missing]
    return lines


def _add_line(place: Place, wanted: LineToAdd) -> str:
    """Put our line into a hook file: first, so that no `exit` hides it; last in pre-push, which shares its input."""
    old = files.read(wanted.path)
    head, newline, rest = (old or b"#!/bin/sh\n").partition(b"\n")
    if head.startswith(b"#!") and b"sh" not in head.rsplit(b"/", 1)[-1]:
        return f"git: {_shown(place, wanted.path)} is no shell script: call our hook from it yourself"
    line = wanted.line.encode() + b"\n"
    if os.path.basename(wanted.path) == "pre-push":
        whole = old or b"#!/bin/sh\n"
        new = whole + (b"" if whole.endswith(b"\n") else b"\n") + line
    elif head.startswith(b"#!"):
        new = head + b"\n" + line + rest
    else:
        new = line + head + newline + rest
    mode = os.stat(wanted.path).st_mode & 0o777 if old is not None else 0o755
    path = os.path.realpath(wanted.path)
    files.write(path, new, mode=mode)
    os.chmod(path, mode)
    return f"git: added the line to {_shown(place, wanted.path)}"


def _write_settings(place: Place, target: str, strategy: str, push: bool) -> list[str]:
    """Write what was chosen; where local settings say otherwise, there too. Return the files written.

    Without ``--local`` and ``--project`` a shared file that is already there belongs to the team: it is left alone.
    """
    shared = files.read(place.settings)
    if not target:
        target = "project" if shared is None else "local"
    written = []
    if target == "project":
        keep = strategy or ("" if settings.says(shared, "strategy") else settings.MANUAL_COMMIT)
        wanted = settings.edit(shared, strategy=keep, enabled=True, push_sessions=push)
        written += _write_if_new(place.settings, shared, wanted)
    now = settings.load(place)
    if target == "local" or not _agrees(now, strategy, push):
        if not _agrees(now, strategy, push):
            local = files.read(place.local_settings)
            wanted = settings.edit(local, strategy=strategy, enabled=True, push_sessions=push)
            written += _write_if_new(place.local_settings, local, wanted)
    return written


def _agrees(now: Settings | None, strategy: str, push: bool) -> bool:
    return now is not None and now.enabled and now.push_sessions is push and strategy in ("", now.strategy)


def _write_if_new(path: str, old: bytes | None, new: bytes) -> list[str]:
    if old == new:
        return []
    files.write(path, new)
    return [path]


def _write_ignore(place: Place) -> None:
    path = os.path.join(place.entire_dir, ".gitignore")
    old = files.read(path)
    new = settings.ignore_lines(old)
    if new != old:
        files.write(path, new)


def _write_marker(place: Place, push: bool) -> None:
    """Leave what the pre-push script looks for before it starts an interpreter."""
    if push:
        files.write(place.push_marker, b"")
    else:
        files.remove(place.push_marker)


def _look(place: Place, *, before: bool) -> None:
    """Take over what the Go Entire CLI left open, so that the next commit finds it; our own changes are no turn's."""
    if os.path.isdir(place.sessions_dir):
        from entire.lifecycle.go_takeover import sessions

        if before:
            sessions.import_everywhere(place)
        sessions.record_own_changes(place, before=before)


def _own_command() -> str:
    """Return the absolute path of the ``entire`` command: the one beside this interpreter, else the one on the PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "entire")
    if os.access(beside, os.X_OK):
        return beside
    return os.path.abspath(found) if (found := shutil.which("entire")) else ""


def _shown(place: Place, path: str) -> str:
    inside = path.startswith(place.top + os.sep)
    return text.plain(os.path.relpath(path, place.top) if inside else path)


def _names(agents: Sequence[Agent]) -> str:
    return " and ".join(agent.type for agent in agents)


def _explain_push(push: bool) -> list[str]:
    if push:
        return ["checkpoints: `git push` also pushes them (prompts and transcripts, secrets removed)"]
    return ["checkpoints: stay on this machine (`entire enable --push-sessions` changes that)"]
