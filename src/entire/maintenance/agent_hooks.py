"""The hooks of all agents in one repository, or for its user: which there are; installs and removes them."""

from __future__ import annotations

from entire.agents import capabilities, configfile, registry
from entire.directory import AgentDirectory
from entire.maintenance import agent_setup
from entire.model.health import HookStatus
from entire.model.value import replace
from entire.model.views.setup import AgentHooksView, AgentView
from entire.plugin_host.inventory import enabled
from entire.store import setup_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from entire.agents.contract import Agent
    from entire.agents.registry import AgentEntry
    from entire.layout import Place


class AgentHooks:
    """The hooks of the agents that a command knows in a worktree. Scope is ``project`` or ``user``."""

    def __init__(self, place: Place, agents: AgentDirectory) -> None:
        self._place = place
        self.agents = agents

    def views(self, scope: str) -> list[AgentView]:
        """Return the known agents, with the state of their hooks."""
        views = [self._view(agent, scope) for agent in self.agents.agents()]
        suggested = [view.name for view in views if view.has_hooks]
        suggested = suggested or [view.name for view in views if view.takes_hooks and view.is_detected]
        suggested = suggested or [registry.DEFAULT]
        return [replace(view, is_suggested=view.name in suggested) for view in views]

    def _view(self, agent: Agent, scope: str) -> AgentView:
        entry, status = self.agents.find(agent.name), self._status(agent, scope)
        has_hooks = _are_there(status)
        return AgentView(
            name=agent.name,
            type=agent.type,
            description=entry.description,
            takes_hooks=capabilities.hook_installer(agent) is not None,
            has_hooks=has_hooks,
            hooks_status=status.value,
            is_detected=agent.detect(self._place.top),
            needs_trust=status is not HookStatus.INSTALLED and _trusting(agent) is not None,
            is_offered=has_hooks or agent.name != registry.EXAMPLE,
        )

    def _status(self, agent: Agent, scope: str) -> HookStatus:
        installer = capabilities.hook_installer(agent)
        return installer.hooks_health(self._place.top, scope).status if installer is not None else HookStatus.MISSING

    def of_user(self) -> tuple[AgentHooksView, ...]:
        """Return the hooks in the user's own agent settings, which act in every enabled repository."""
        return tuple(
            AgentHooksView(agent=hooks.agent_type, scope=hooks.scope, path=hooks.paths[0] if hooks.paths else "",
                           other_paths=hooks.paths[1:])
            for hooks in self.agents.installed(self._place.top)
            if hooks.scope == "user"
        )  # fmt: skip

    def plugins(self) -> list[str]:
        """Return the plugins with hooks in this repository: they say so, or ``enable`` installed them."""
        names = [entry.name for entry in self.agents.entries() if entry.is_plugin]
        telling = [name for name in names if _are_there(self._status(self.agents.make(name), "project"))]
        return sorted({*telling, *self.agents.plugins.enabled()})

    def others(self, chosen: Sequence[Agent]) -> list[str]:
        """Return the agents that are not chosen; of plugins that may run, only those with hooks here."""
        built_in = {agent.name for agent in AgentDirectory.without_plugins().agents()}
        usable = {entry.name for entry in self.agents.entries()}
        with_hooks = usable.intersection(self.plugins())
        return sorted((built_in | with_hooks).difference(agent.name for agent in chosen))

    # ------------------------------------------------------------ changing

    def install(self, agent: Agent, scope: str, *, force: bool, trust: bool = False) -> AgentHooksView:
        """Install an agent's hooks; the view says what is wrong with them. ``trust``: the user trusts them."""
        installer = capabilities.hook_installer(agent)
        if installer is None:
            problem, remedy = _no_installer(agent)
            return AgentHooksView(agent=agent.type, scope=scope, path="", problem=problem, remedy=remedy)
        paths = installer.hook_config_paths(self._place.top, scope)
        before = {path: configfile.read(path) for path in paths}
        count = agent_setup.install(installer, self._place.top, scope, force=force)
        for path, data in before.items():
            setup_lines.note(self._place, path, data, configfile.read(path))
        if trust and (give := _trusting(installer)) is not None:
            give(self._place.top, scope)
        health = installer.hooks_health(self._place.top, scope)
        problem = agent_setup.problem(health)
        entry = self.agents.find(agent.name)
        if entry.is_plugin and scope == "project":
            enabled.add(self._place, entry.name, enabled.Enabled(protected_dirs=entry.protected_dirs))
        is_everywhere = not entry.only_at_top or self._status(agent, "user") is HookStatus.INSTALLED
        return replace(_hooks_view(entry, scope, paths, count), problem=problem and f"hooks {problem}",
                       remedy=agent_setup.remedy(health),
                       below="" if is_everywhere else f"entire enable --agent {entry.name} --user")  # fmt: skip

    def remove(self, names: Iterable[str], scopes: Sequence[str]) -> tuple[AgentHooksView, ...]:
        """Remove the hooks of agents; return what was removed."""
        removed = []
        for name in names:
            agent = self.agents.make(name)
            installer = capabilities.hook_installer(agent)
            for scope in scopes if installer is not None else ():
                assert installer is not None
                paths = installer.hook_config_paths(self._place.top, scope)
                count = agent_setup.uninstall(installer, self._place.top, scope)
                if count:
                    removed.append(_hooks_view(self.agents.find(agent.name), scope, paths, count))
            if "project" in scopes:
                enabled.remove(self._place, name)
        return tuple(removed)


def _trusting(agent: object) -> Callable[[str, str], int] | None:
    give: Callable[[str, str], int] | None = getattr(agent, "trust_hooks", None)  # optional
    return give


def _are_there(status: HookStatus) -> bool:
    return status not in (HookStatus.MISSING, HookStatus.UNKNOWN)


def _hooks_view(entry: AgentEntry, scope: str, paths: Sequence[str], count: int) -> AgentHooksView:
    return AgentHooksView(agent=entry.type, scope=scope, path=paths[0] if paths else "", other_paths=tuple(paths[1:]),
                          count=count, plugin=entry.target if entry.is_plugin else "",
                          note=entry.setup_note)  # fmt: skip


def _no_installer(agent: Agent) -> tuple[str, str]:
    """Return what is the matter with an agent for which no hooks can be installed, and what to do."""
    if not agent.hook_names:
        return "its plugin declares no hooks", "update the plugin: without the capability `hooks`, nothing is recorded"
    verbs = ", ".join(agent.hook_names)
    return (
        "its hooks must be installed by hand",
        f"let its hooks call `entire hooks {agent.name} VERB` (verbs: {verbs})",
    )
