"""The directory of agents: which there are, and an adapter of each. Only the room of the agent asked for is loaded.

A hook or command makes one, with what it may start. Built-in agents come first, then those of installed packages, then
plugins: git's hooks never look for them, and an agent's hook for its own only.
"""

from __future__ import annotations

import os

from entire.agents import registry
from entire.agents.registry import BUILTIN, AgentEntry
from entire.errors import EntireError, UsageError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from entire.agents.contract import Agent, AgentFactory, HookInstaller
    from entire.layout import Place
    from entire.model.health import HooksHealth
    from entire.model.session import Session
    from entire.plugin_host.inventory.discovery import Executable
    from entire.plugin_host.language.protocol import Info
    from entire.plugin_host.plugins import PluginInventory

_UNNAMED_TYPES = ("", "Agent")  # what the Go CLI wrote for an agent that it did not know


class Installed(Value):
    """Our hooks in an agent's configuration, and their state. The first of ``paths`` names our commands; a plugin need
    not tell any.
    """

    agent_type: str
    installer: HookInstaller
    scope: str
    paths: tuple[str, ...]
    health: HooksHealth
    plugin: str = ""
    """The executable of an agent connected by a plugin."""


class AgentDirectory:
    """The agents that one hook or command knows. ``close`` it: plugins may still run."""

    def __init__(self, inventory: PluginInventory | None) -> None:
        """``inventory``: the plugins that may be looked for and started; None: no plugin."""
        self._inventory = inventory
        self.starts_plugins = inventory is not None
        self._known: dict[str, AgentEntry] = {}

    @classmethod
    def with_plugins(
        cls, place: Place | None, *, hook_of: str = "", session_id: Callable[[], str] = str
    ) -> AgentDirectory:
        """Return the agents for a command, in a worktree or outside of any, with the plugins that this person lets it
        start; for a hook of the agent ``hook_of``, no plugin of another name is looked for.
        """
        from entire import settings
        from entire.plugin_host.plugins import PluginInventory

        def is_switched_on() -> bool:
            from entire.git import tracked  # most hooks of plugins need not ask

            return place is not None and any(map(tracked.is_own, settings.plugin_switches(place)))

        return cls(PluginInventory(place, os.environ, is_switched_on=is_switched_on, hook_of=hook_of,
                                   session_id=session_id))  # fmt: skip

    @classmethod
    def without_plugins(cls) -> AgentDirectory:
        """Return a directory for what waits for no plugin: git's hooks, built-in agents' hooks, and who only reads."""
        return cls(None)

    def __enter__(self) -> AgentDirectory:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes of plugins that still run."""
        if self._inventory is not None:
            self._inventory.close()

    # ------------------------------------------------------------ plugins

    @property
    def plugins(self) -> PluginInventory:
        """The plugins, which a directory without any does not have."""
        assert self._inventory is not None
        return self._inventory

    def may_start(self, name: str) -> bool:
        """Tell whether the plugin called ``name`` may be started."""
        return self._inventory is not None and self._inventory.may_start(name)

    def limit_time(self) -> None:
        """Let what is still asked take little time: the repository's lock is about to be held."""
        if self._inventory is not None:
            self._inventory.limit_time()

    def check_plugin(self, info: Info) -> None:
        """Raise EntireError if what a plugin says of itself clashes with another agent."""
        _check_beside(_entry_of(info, ""), [entry for entry in self.entries() if entry.name != info.name])

    # ------------------------------------------------------------ entries

    def entries(self) -> list[AgentEntry]:
        """Return the entries of all agents; of plugins, only of those that may run and can be used."""
        entries = [*BUILTIN.values(), *_of_packages().values()]
        for executable in self._inventory.find_all() if self._inventory is not None else ():
            try:
                entries.append(_plugin_entry(self.plugins, executable, entries))
            except EntireError:
                pass  # ``maintenance.plugins`` reports it
        return entries

    def find(self, name: str) -> AgentEntry:
        """Return the entry of the agent called ``name``; raises UsageError if there is none, or it is a plugin that may
        not run, and PluginError if the plugin cannot be used.
        """
        if name not in self._known:
            self._known[name] = registry.find(name) or self._find_other(name)
        return self._known[name]

    def describe(self, name: str) -> AgentEntry:
        """Return the entry of the agent called ``name``; if it cannot be used, one that has only a name and a type: it
        need not be installed if it calls another one's hooks.
        """
        try:
            return self.find(name)
        except EntireError:
            return AgentEntry(name=name, type=registry.OTHER_TYPES.get(name, name), target="")

    def find_by_type(self, agent_type: str) -> AgentEntry | None:
        """Return the entry of the agent that metadata calls ``agent_type``, or None if it is not installed."""
        if agent_type in _UNNAMED_TYPES:
            return BUILTIN[registry.UNNAMED]
        own = next((entry for entry in BUILTIN.values() if entry.type == agent_type), None)
        return own or next((entry for entry in self.entries() if entry.type == agent_type), None)

    def is_taken(self, name: str) -> bool:
        """Tell whether a name belongs to another agent, or to git's hooks, so no plugin can have it."""
        return registry.is_reserved(name) or name in _of_packages()

    def protected_dirs(self) -> frozenset[str]:
        """Return the folders in a repository that belong to an agent, also to a plugin that cannot run now."""
        enabled = self._inventory.enabled().values() if self._inventory is not None else ()
        return frozenset(name for agent in (*self.entries(), *enabled) for name in agent.protected_dirs)

    def spoken_names(self, name: str) -> list[str]:
        """Return what people call built-in agents, and the agent called ``name``, at the start of a prompt."""
        others = (self.describe(name),) if name and name not in BUILTIN else ()
        return [entry.spoken_name for entry in (*BUILTIN.values(), *others) if entry.spoken_name]

    def problems(self) -> list[str]:
        """Load the agents of installed packages and return what is wrong with them, a sentence each."""
        from entire.directory import packages

        problems = list(packages.search().problems)
        for name in _of_packages():
            try:
                self.make(name)
            except EntireError as error:
                problems.append(error.message)
        return problems

    def _find_other(self, name: str) -> AgentEntry:
        of_packages = _of_packages()
        if name in of_packages:
            return of_packages[name]
        if self._inventory is not None and name not in registry.RESERVED:
            executable = self._inventory.find(name)
            if executable is not None:
                return _plugin_entry(self._inventory, executable, (*BUILTIN.values(), *of_packages.values()))
        known = [entry.name for entry in self.entries()]
        raise UsageError(f"there is no agent called {name!r}", hint=f"known agents: {', '.join(known)}", unknown=name,
                         known=known)  # fmt: skip

    # ------------------------------------------------------------ adapters

    def make(self, name: str, metadata: Mapping[str, str] = {}) -> Agent:
        """Return a new adapter for a session with this metadata.

        Raises UsageError if there is no such agent, or it is a plugin that may not run, EntireError if a package's
        agent or a plugin cannot be used.
        """
        entry = self.find(name)
        if self._inventory is not None and entry.is_plugin:
            return self._inventory.agent(name, metadata)
        return _load(entry, metadata)

    def make_if_possible(self, name: str, metadata: Mapping[str, str] = {}) -> Agent | None:
        """Return a new adapter of the agent called ``name``, or None if it cannot be loaded."""
        try:
            return self.make(name, metadata)
        except EntireError:
            return None

    def make_by_type(self, agent_type: str, metadata: Mapping[str, str] = {}) -> Agent | None:
        """Return a new adapter of the agent that metadata calls ``agent_type``, or None if it cannot be loaded."""
        entry = self.find_by_type(agent_type)
        return self.make_if_possible(entry.name, metadata) if entry is not None else None

    def agent_of(self, session: Session) -> Agent | None:
        """Return a new adapter for a session; None if its agent cannot be loaded, or is a plugin that must not be
        started now.
        """
        if session.connection.is_external and not self.may_start(session.agent.name):
            return None
        if not session.agent.name:
            return self.make_by_type(session.agent.type, dict(session.connection.metadata))
        return self.make_if_possible(session.agent.name, dict(session.connection.metadata))

    def agents(self) -> list[Agent]:
        """Return an adapter for each agent that can be loaded."""
        made = (self.make_if_possible(entry.name) for entry in self.entries())
        return [agent for agent in made if agent is not None]

    # ------------------------------------------------------------ hooks

    def installed(self, root: str) -> list[Installed]:
        """Return where our hooks are installed, completely or in part, in the worktree ``root`` or for this user."""
        from entire.agents import capabilities
        from entire.model.health import HookStatus

        installed = []
        for agent in self.agents():
            installer = capabilities.hook_installer(agent)
            entry = self.find(agent.name)
            for scope in ("project", "user") if installer is not None else ():
                assert installer is not None
                paths, health = installer.hook_config_paths(root, scope), installer.hooks_health(root, scope)
                if health.status is HookStatus.UNKNOWN and not self._may_be_installed(agent.name, scope, paths):
                    continue
                if health.status is not HookStatus.MISSING:
                    installed.append(Installed(agent_type=agent.type, installer=installer, scope=scope, paths=paths,
                                           health=health, plugin=entry.target if entry.is_plugin else ""))  # fmt: skip
        return installed

    def _may_be_installed(self, name: str, scope: str, paths: Sequence[str]) -> bool:
        """Tell whether hooks that cannot be checked may be there: a file of theirs, or ``enable``, says so."""
        if self._inventory is not None and scope == "project" and name in self._inventory.enabled():
            return True
        return any(_may_name(name, path) for path in paths)


def _may_name(name: str, path: str) -> bool:
    """Tell whether a file may hold hooks that Entire wrote: it does, or cannot be read."""
    from entire.agents import configfile

    try:
        return f"entire hooks {name} ".encode() in (configfile.read(path) or b"")
    except EntireError:
        return True


def _of_packages() -> Mapping[str, AgentEntry]:
    from entire.directory import packages

    return packages.search().entries


def _plugin_entry(inventory: PluginInventory, executable: Executable, known: Sequence[AgentEntry]) -> AgentEntry:
    """Return a plugin's entry; raises EntireError if it may not run, or cannot be used beside the known agents."""
    inventory.check(executable)
    return _check_beside(_entry_of(inventory.info(executable), executable.path), known)


def _entry_of(info: Info, path: str) -> AgentEntry:
    return AgentEntry(
        name=info.name,
        type=info.type,
        target=path,
        description=info.description,
        protected_dirs=info.protected_dirs,
        project_variable=info.project_variable,
        session_variable=info.session_variable,
        caller_variables=(*info.caller_env_vars, *((info.session_variable,) if info.session_variable else ())),
        spoken_name=info.spoken_name,
    )


def _check_beside(entry: AgentEntry, known: Sequence[AgentEntry]) -> AgentEntry:
    """Return a plugin's entry; raises EntireError if it cannot join the known ones."""
    from entire.directory import packages

    try:
        packages.check(entry.name, entry, known)
    except EntireError as error:
        hint = "rename or remove the plugin"
        raise EntireError(f"the plugin {entry.name} is ignored: {error.message}", hint=hint) from error
    return entry


def _load(entry: AgentEntry, metadata: Mapping[str, str]) -> Agent:
    module_name, _, class_name = entry.target.partition(":")
    try:
        factory: AgentFactory = getattr(__import__(module_name, fromlist=[class_name]), class_name)
        agent = factory(metadata=metadata)
        if (agent.name, agent.type) != (entry.name, entry.type):
            raise ValueError(f"its adapter calls itself {agent.name!r}, {agent.type!r}")
    except (Exception, SystemExit) as error:
        if entry.name in BUILTIN:
            raise
        from entire.directory import packages

        hint = "reinstall or remove its package"
        raise EntireError(f"the agent {entry.name!r} cannot be loaded: {packages.describe(error)}",
                          hint=hint) from error  # fmt: skip
    return agent
