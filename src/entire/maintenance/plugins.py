"""Plugins: which are on PATH, which may run, and what keeps those that are used here from working."""

from __future__ import annotations

import os

from entire import settings
from entire.directory import AgentDirectory
from entire.errors import CorruptError, EntireError, UsageError
from entire.git import tracked
from entire.model.value import replace
from entire.model.views.setup import PluginProblemView, PluginView
from entire.plugin_host.inventory import problems, trust
from entire.plugin_host.inventory.discovery import INVALID, SHADOWED
from entire.plugin_host.inventory.trust import USABLE
from entire.plugin_host.language import protocol
from entire.recording import liveness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from entire.layout import Place
    from entire.model.session import Session
    from entire.plugin_host.inventory.discovery import Executable


def listing(place: Place | None) -> list[PluginView]:
    """Return every plugin on PATH. Only those that may run are asked what they are."""
    with AgentDirectory.with_plugins(place) as agents:
        return [_view(agents, executable) for executable in agents.plugins.find_all()]


def find(place: Place | None, name: str) -> PluginView:
    """Return the plugin called ``name``; raises UsageError if there is none."""
    with AgentDirectory.with_plugins(place) as agents:
        return _view(agents, _executable(agents, name))


def allowed(place: Place | None, name: str) -> str:
    """Return the path of a plugin that may run; raises UsageError if there is none, or it may not."""
    with AgentDirectory.with_plugins(place) as agents:
        executable = _executable(agents, name)
        agents.plugins.check(executable)
        return executable.path


def allow(place: Place | None, name: str, path: str = "", folders: Sequence[str] = ()) -> PluginView:
    """Let a plugin run, from now on and in every repository, as long as its file and its interpreter stay the same.

    ``path`` is the file that the user has seen; ``folders`` are outside of home, for its sessions. Raises EntireError
    if the plugin cannot be used.
    """
    if relative := next((folder for folder in folders if not os.path.isabs(folder)), ""):
        raise UsageError(f"{relative} is not an absolute path", hint="give the folder in full")
    with AgentDirectory.with_plugins(place) as agents:
        executable = _executable(agents, name)
        _check_file(executable, path)
        digest = trust.hash_of(executable)
        agents.check_plugin(agents.plugins.info(executable, fresh=True))
        agents.plugins.allow(executable, digest, [os.path.normpath(folder) for folder in folders])
        if place is not None:
            problems.forget(place, name)
        return _view(agents, executable)


def _check_file(executable: Executable, path: str) -> None:
    """Raise EntireError if a file cannot be allowed, or is not the one that the user has seen."""
    if path and executable.path != path:
        raise EntireError(f"{executable.path} is now the first plugin {executable.name} on PATH", hint="run it again")
    if executable.problem:
        raise EntireError(f"{executable.path} is not allowed: it {executable.problem}", hint=_HINTS.get(
            executable.kind, "move it to a folder of your own, outside of repositories"))  # fmt: skip


def deny(place: Place | None, name: str) -> None:
    """Keep a plugin from running, also where settings allow every plugin; it need not be on PATH."""
    with AgentDirectory.with_plugins(place) as agents:
        if agents.is_taken(name):
            raise UsageError(f"{name} is not a plugin: {_TAKEN}", hint=_LIST)
        if not protocol.is_name(name):
            raise UsageError(f"{name!r} is not the name of a plugin", hint=_LIST)
        agents.plugins.deny(name)


_LIST = "run `entire plugin list` to see all plugins"
_TAKEN = "the name belongs to git, a built-in agent or a package's"
_HINTS = {INVALID: "correct that, or remove it from your PATH"}


def _executable(agents: AgentDirectory, name: str) -> Executable:
    if agents.is_taken(name):
        raise UsageError(
            f"{name} is not a plugin: {_TAKEN}", hint="run `entire enable --agent NAME` to record an agent"
        )
    executable = agents.plugins.find(name)
    if executable is None:
        raise UsageError(f"there is no plugin {name!r} on PATH", hint=(
            f"put an executable `{protocol.PREFIX}{name}` into a folder of your PATH, written there in full"
            if protocol.is_name(name) else "names have lower-case letters, digits and `.`, `_`, `-`"))  # fmt: skip
    return executable


def _view(agents: AgentDirectory, executable: Executable) -> PluginView:
    view = PluginView(name=executable.name, path=executable.path, real_path=executable.real_path, state=executable.kind,
                      problem=executable.problem and f"it {executable.problem}")  # fmt: skip
    if executable.problem:
        return view
    if agents.is_taken(executable.name):
        return replace(view, state=SHADOWED, problem=_TAKEN)
    decided = agents.plugins.trust(executable)
    view = replace(view, state=decided.value, is_usable=decided in USABLE)
    if not view.is_usable:
        return view
    try:
        info = agents.plugins.info(executable)
        agents.check_plugin(info)
    except EntireError as error:
        return replace(view, state=INVALID, is_usable=False, problem=error.message)
    return replace(view, type=info.type, description=info.description, hook_names=info.hook_names,
                   capabilities=tuple(sorted(info.capabilities)))  # fmt: skip


# ---------------------------------------------------------------- problems

_SILENT_SECONDS = 24 * 3600.0  # after which a session of an unknown process is not expected to go on


def of_live_sessions(states: Iterable[Session], now: float) -> set[str]:
    """Return the plugins whose sessions may still go on."""
    return {
        state.agent.name
        for state in states
        if state.connection.is_external and liveness.is_alive(state, now, silence=_SILENT_SECONDS)
    }


def find_problems(place: Place, agents: AgentDirectory, used: Iterable[str], *, now: float) -> list[PluginProblemView]:
    """Return what keeps plugins from working in this repository: those whose hooks are installed, those that the user
    lets run, and those called ``used``, which name live sessions' agents.
    """
    noted = {failed.name: failed for failed in problems.listed(place, now=now)}
    names = sorted({*agents.plugins.enabled(), *_runnable(agents), *used, *noted})
    unusable = {name: problem for name in names if (problem := _problem(agents, name)) is not None}
    decided = [name for name in unusable if agents.plugins.is_denied(name)]
    past = [_failure(failed) for name, failed in noted.items() if name not in unusable]
    present = [
        _failure_now(name, message)
        for name, message in agents.plugins.failures.items()
        if name not in unusable and name not in noted
    ]
    return [*_ignored_switches(place), *(unusable[name] for name in unusable if name not in decided), *past, *present]


def are_waited_for(agents: AgentDirectory) -> bool:
    """Tell whether a plugin cannot run whose hooks are installed here, and which the user has not denied."""
    is_denied = agents.plugins.is_denied
    return any(not is_denied(name) and _problem(agents, name) is not None for name in agents.plugins.enabled())


def _runnable(agents: AgentDirectory) -> list[str]:
    """Return the plugins on PATH that the user lets run, whether or not they can."""
    try:
        return [executable.name for executable in agents.plugins.find_all() if _is_runnable(agents, executable)]
    except CorruptError:  # reported for each plugin that is used
        return []


def _is_runnable(agents: AgentDirectory, executable: Executable) -> bool:
    is_usable = not executable.problem and not agents.is_taken(executable.name)
    return is_usable and agents.plugins.trust(executable) in USABLE


def _problem(agents: AgentDirectory, name: str) -> PluginProblemView | None:
    try:
        if agents.plugins.find(name) is None:
            return PluginProblemView(
                name=name,
                problem=f"the plugin {name} is not on PATH any more, so its sessions are not recorded",
                hint=f"install {protocol.PREFIX}{name} again",
            )
        agents.find(name)
    except EntireError as error:
        return PluginProblemView(name=name, problem=error.message, hint=error.hint)
    return None


def _failure(failed: problems.Problem) -> PluginProblemView:
    times = f"{failed.count} times" if failed.count > 1 else "once"
    session = f" in session {failed.session_id}" if failed.session_id else ""
    return PluginProblemView(
        name=failed.name,
        problem=f"the plugin {failed.name} failed {times}{session}: {failed.message}",
        hint=f"run `entire plugin check {failed.name}`; `entire plugin allow {failed.name}` drops this report",
        is_past=True,
    )


def _failure_now(name: str, message: str) -> PluginProblemView:
    """Return a failure of this command, which is noted nowhere: reading writes nothing."""
    return PluginProblemView(
        name=name, problem=f"the plugin {name} failed: {message}", hint=f"run `entire plugin check {name}`"
    )


def failures(agents: AgentDirectory) -> tuple[str, ...]:
    """Return what plugins failed to answer in this command, and what to do, a line each."""
    failed = (_failure_now(name, message) for name, message in agents.plugins.failures.items())
    return tuple(f"{problem.problem}: {problem.hint}" for problem in failed)


def _ignored_switches(place: Place) -> Iterator[PluginProblemView]:
    for path in settings.plugin_switches(place):
        if not tracked.is_own(path):
            yield PluginProblemView(
                name="",
                problem=f"{path}: external_agents has no effect, because git tracks that file",
                hint="run `entire plugin allow NAME` for each plugin you trust",
            )


def forget_failures(place: Place, *, now: float) -> None:
    """Drop the reports of failed plugins."""
    for failed in problems.listed(place, now=now):
        problems.forget(place, failed.name)
