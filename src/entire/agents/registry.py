"""The table of agents, and the lookup that loads only the room of the agent asked for.

Built-in agents come first, then those of installed packages: each entry point in the group ``entire.agents`` names an
``AgentEntry``. Searching packages is slow, so a hook does it only for a name that is not built in. Plugins come last,
and only for callers that pass ``plugins``: git's hooks never look for them, and an agent's hook for its own only.
"""

from __future__ import annotations

import os
import sys

from entire.errors import EntireError, UsageError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence
    from importlib.metadata import EntryPoint

    from entire.agents.contract import Agent, AgentFactory, HookInstaller
    from entire.agents.external.inventory.discovery import Executable
    from entire.agents.external.language.protocol import Info
    from entire.agents.external.plugins import Plugins
    from entire.model.health import HooksHealth

GROUP = "entire.agents"
SESSION_FORM = r"[^\W_][\w.:@+=,~-]*"
_RESERVED = ("git",)  # `entire hooks git` is for git's hooks


class AgentEntry(Value):
    """What must be known about an agent without loading its room."""

    name: str
    """Name on the command line, as in ``entire hooks <name> <verb>``."""
    type: str
    """Name in metadata and for people."""
    aliases: tuple[str, ...] = ()
    """Other names that the command line understands, of built-in agents only."""
    target: str
    """``module:Class`` of the adapter; see ``AgentFactory`` in the contract. Of a plugin, its executable."""
    description: str = ""
    protected_dirs: tuple[str, ...] = ()
    """The agent's own folders in a repository; a rewind never restores or deletes them."""
    project_variable: str = ""
    """Environment variable that names the folder the agent was started in."""
    session_variable: str = ""
    """Environment variable with the session id in programs the agent starts; git hooks read built-in agents' only."""
    caller_variables: tuple[str, ...] = ()
    """Environment variables that are set in programs the agent starts, whatever their value; of plugins only."""
    private_variables: tuple[str, ...] = ()
    """Environment variables with which a program could speak to the running agent in a person's name: no program of
    ours needs them.
    """
    session_dir_variable: str = ""
    """Environment variable with which a test harness sets the agent's session folder."""
    session_form: str = SESSION_FORM
    """Every session id of the agent matches this regular expression; no other id gets into its resume command."""
    program: str = ""
    """The program that must be on PATH for ``enable`` to offer the agent by itself; '' if it is always offered."""
    setup_note: str = ""
    """What ``enable`` writes besides hooks, for people; '' if nothing."""
    tested_versions: tuple[str, ...] = ()
    """The versions with which our tests run, oldest first; empty where nothing tells a version."""
    spoken_name: str = ""
    """What people call the agent at the start of a prompt; omitted from a step's subject."""

    @property
    def is_plugin(self) -> bool:
        return os.path.isabs(self.target)


BUILTIN = {
    entry.name: entry
    for entry in (
        AgentEntry(
            name="claude-code",
            type="Claude Code",
            target="entire.agents.claude_code.agent:ClaudeCode",
            description="Anthropic's coding agent for the terminal",
            protected_dirs=(".claude",),
            project_variable="CLAUDE_PROJECT_DIR",
            session_variable="CLAUDE_CODE_SESSION_ID",
            private_variables=("CLAUDE_CODE_MESSAGING_TOKEN",),
            session_dir_variable="ENTIRE_TEST_CLAUDE_PROJECT_DIR",
            session_form="[0-9A-Za-z][0-9A-Za-z_-]*",
            setup_note="permissions.deny: Read(./.entire/metadata/**), so that it takes no old transcript for code",
            tested_versions=("2.1.197", "2.1.332"),
            spoken_name="claude",
        ),
        AgentEntry(
            name="demo",
            type="Demo Agent",
            target="entire.agents.demo.agent:Demo",
            description="The bundled demo agent; follows simple instructions without a model or network",
            protected_dirs=(".demo-agent",),
            session_variable="DEMO_AGENT_SESSION_ID",
            program="entire-demo-agent",
        ),
        AgentEntry(
            name="gemini",
            aliases=("gemini-cli",),
            type="Gemini CLI",
            target="entire.agents.gemini.agent:Gemini",
            description="Google's coding agent for the terminal",
            protected_dirs=(".gemini",),
            project_variable="GEMINI_PROJECT_DIR",
            private_variables=("GEMINI_CLI_IDE_AUTH_TOKEN",),
            session_dir_variable="ENTIRE_TEST_GEMINI_PROJECT_DIR",
            session_form="(?!latest$|[0-9]+$)[0-9A-Za-z][0-9A-Za-z_-]*",  # these resume another session
            tested_versions=("0.61.0",),
            spoken_name="gemini",
        ),
    )
}
DEFAULT = "claude-code"
"""The agent that ``enable`` chooses when it detects none."""
UNNAMED = "claude-code"
"""The agent of a session state or record that names none: the first one the Go CLI supported."""
_OTHER_TYPES = {"cursor": "Cursor"}
"""Types of agents that call the hooks of others, and need not be installed themselves."""
_UNNAMED_TYPES = ("", "Agent")  # what the Go CLI wrote for an agent that it did not know


class _Packages(Value):
    """The agents from installed packages, and what is wrong with those that cannot be used."""

    entries: Mapping[str, AgentEntry]
    problems: tuple[str, ...] = ()


_METADATA = (".dist-info", "egg-info")  # ends of the names of packages' metadata folders
_searched: dict[tuple[str, ...], _Packages] = {}  # by sys.path


# ---------------------------------------------------------------- entries of the table


def entries(plugins: Plugins | None = None) -> list[AgentEntry]:
    """Return the entries of all agents, built-in ones first, then packages', then those of plugins that may run."""
    found = [*BUILTIN.values(), *_packages().entries.values()]
    if plugins is not None:
        for executable in plugins.find_all():
            try:
                found.append(_plugin_entry(executable, plugins, found))
            except EntireError:
                pass  # ``maintenance.plugins`` reports it
    return found


def find(name: str, plugins: Plugins | None = None) -> AgentEntry:
    """Return the entry of the agent called ``name``; raises UsageError if there is none, or it is a plugin that may
    not run, and PluginError if the plugin cannot be used.
    """
    entry = (plugins.entries.get(name) if plugins is not None else None) or _entry(name)
    if entry is not None:
        return entry
    executable = plugins.find(name) if plugins is not None and name not in _RESERVED else None
    if executable is None or plugins is None:
        known = [entry.name for entry in entries(plugins)]
        raise UsageError(f"there is no agent called {name!r}", hint=f"known agents: {', '.join(known)}", unknown=name,
                         known=known)  # fmt: skip
    entry = plugins.entries[name] = _plugin_entry(executable, plugins, entries())
    return entry


def is_reserved(name: str) -> bool:
    """Tell whether a name is a built-in agent's, or has a meaning of its own: no other agent can have it."""
    return name in _RESERVED or name in BUILTIN or _by_alias(name) is not None


def type_of(name: str, plugins: Plugins | None = None) -> str:
    """Return the type of the agent called ``name``, which need not be installed if it calls another one's hooks."""
    entry = _find_if_possible(name, plugins)
    return entry.type if entry is not None else _OTHER_TYPES.get(name, name)


def find_by_type(agent_type: str, plugins: Plugins | None = None) -> AgentEntry | None:
    """Return the entry of the agent that metadata calls ``agent_type``, or None if it is not installed."""
    if agent_type in _UNNAMED_TYPES:
        return BUILTIN[UNNAMED]
    for entry in BUILTIN.values():
        if entry.type == agent_type:
            return entry
    return next((entry for entry in entries(plugins) if entry.type == agent_type), None)


def protected_dirs(plugins: Plugins | None = None) -> frozenset[str]:
    """Return the folders in a repository that belong to an agent, also to a plugin that cannot run now."""
    installed = plugins.enabled().values() if plugins is not None else ()
    return frozenset(name for agent in (*entries(plugins), *installed) for name in agent.protected_dirs)


def spoken_names(name: str = "", plugins: Plugins | None = None) -> list[str]:
    """Return what people call built-in agents, and the agent called ``name``, at the start of a prompt."""
    own = _find_if_possible(name, plugins) if name and name not in BUILTIN else None
    found = (*BUILTIN.values(), own) if own is not None else BUILTIN.values()
    return [entry.spoken_name for entry in found if entry.spoken_name]


def project_dir(name: str, env: Mapping[str, str], plugins: Plugins | None = None) -> str:
    """Return the folder the agent was started in, from its environment variable, or ''."""
    entry = _find_if_possible(name, plugins)
    return env.get(entry.project_variable, "") if entry is not None and entry.project_variable else ""


def session_dir(name: str, env: Mapping[str, str]) -> str:
    """Return the session folder that a test harness set for the agent, or ''."""
    entry = _entry(name)
    return env.get(entry.session_dir_variable, "") if entry is not None and entry.session_dir_variable else ""


def session_variables() -> list[str]:
    """Return the environment variables with which built-in agents name their session to the programs they start."""
    return [entry.session_variable for entry in BUILTIN.values() if entry.session_variable]


def take_private(env: MutableMapping[str, str]) -> list[str]:
    """Take the values that built-in agents keep from others out of an environment, and return them."""
    names = (name for entry in BUILTIN.values() for name in entry.private_variables)
    return [env.pop(name) for name in names if name in env]


def calling_session(env: Mapping[str, str]) -> str:
    """Return the session id that a built-in agent set in git's environment, or ''."""
    caller = _caller(env)
    return env[caller.session_variable] if caller is not None else ""


def calling_agent(env: Mapping[str, str]) -> str:
    """Return the type of the agent whose session ``calling_session`` returns, or ''."""
    caller = _caller(env)
    return caller.type if caller is not None else ""


def _caller(env: Mapping[str, str]) -> AgentEntry | None:
    return next((entry for entry in BUILTIN.values() if env.get(entry.session_variable)), None)


def _entry(name: str) -> AgentEntry | None:
    return BUILTIN.get(name) or _by_alias(name) or _packages().entries.get(name)


def _find_if_possible(name: str, plugins: Plugins | None) -> AgentEntry | None:
    try:
        return find(name, plugins)
    except EntireError:
        return None


def _by_alias(name: str) -> AgentEntry | None:
    return next((entry for entry in BUILTIN.values() if name in entry.aliases), None)


# ---------------------------------------------------------------- adapters


def make(name: str, metadata: Mapping[str, str] = {}, plugins: Plugins | None = None) -> Agent:
    """Return a new adapter for a session with this metadata.

    Raises UsageError if there is no such agent, or it is a plugin that may not run, EntireError if a package's agent
    or a plugin cannot be used.
    """
    entry = find(name, plugins)
    if entry.is_plugin and plugins is not None:
        return plugins.agent(name, metadata)
    module_name, _, class_name = entry.target.partition(":")
    try:
        factory: AgentFactory = getattr(__import__(module_name, fromlist=[class_name]), class_name)
        agent = factory(metadata=metadata)
        if (agent.name, agent.type) != (entry.name, entry.type):
            raise ValueError(f"its adapter calls itself {agent.name!r}, {agent.type!r}")
    except (Exception, SystemExit) as error:
        if name in BUILTIN:
            raise
        hint = "reinstall or remove its package"
        raise EntireError(f"the agent {name!r} cannot be loaded: {_describe(error)}", hint=hint) from error
    return agent


def make_by_type(agent_type: str, metadata: Mapping[str, str] = {}, plugins: Plugins | None = None) -> Agent | None:
    """Return a new adapter of the agent that metadata calls ``agent_type``, or None if it cannot be loaded."""
    entry = find_by_type(agent_type, plugins)
    return _make_if_possible(entry, metadata, plugins) if entry is not None else None


def agents(plugins: Plugins | None = None) -> list[Agent]:
    """Return an adapter for each agent that can be loaded."""
    return [agent for entry in entries(plugins) if (agent := _make_if_possible(entry, {}, plugins)) is not None]


def _make_if_possible(entry: AgentEntry, metadata: Mapping[str, str], plugins: Plugins | None) -> Agent | None:
    try:
        return make(entry.name, metadata, plugins)
    except EntireError:
        return None


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


def installed(root: str, plugins: Plugins | None = None) -> list[Installed]:
    """Return where our hooks are installed, completely or in part, in the worktree ``root`` or for this user."""
    from entire.agents import capabilities
    from entire.model.health import HookStatus

    found = []
    executables = {entry.name: entry.target for entry in entries(plugins) if entry.is_plugin}
    for agent in agents(plugins):
        installer = capabilities.hook_installer(agent)
        for scope in ("project", "user") if installer is not None else ():
            assert installer is not None
            paths, health = installer.hook_config_paths(root, scope), installer.hooks_health(root, scope)
            if health.status is HookStatus.UNKNOWN and not _may_be_installed(agent.name, scope, paths, plugins):
                continue
            if health.status is not HookStatus.MISSING:
                found.append(
                    Installed(
                        agent_type=agent.type,
                        installer=installer,
                        scope=scope,
                        paths=paths,
                        health=health,
                        plugin=executables.get(agent.name, ""),
                    )
                )
    return found


def _may_be_installed(name: str, scope: str, paths: Sequence[str], plugins: Plugins | None) -> bool:
    """Tell whether hooks that cannot be checked may be there: a file of theirs, or ``enable``, says so."""
    if plugins is not None and scope == "project" and name in plugins.enabled():
        return True
    return any(_may_name(name, path) for path in paths)


def _may_name(name: str, path: str) -> bool:
    """Tell whether a file may hold hooks that Entire wrote: it does, or cannot be read."""
    from entire.agents import configfile
    from entire.errors import EntireError

    try:
        return f"entire hooks {name} ".encode() in (configfile.read(path) or b"")
    except EntireError:
        return True


# ---------------------------------------------------------------- plugins


def is_plugin(name: str, plugins: Plugins | None) -> bool:
    """Tell whether an agent is a plugin that may run."""
    entry = _find_if_possible(name, plugins)
    return entry is not None and entry.is_plugin


def caller_variables(name: str, plugins: Plugins | None) -> tuple[str, ...]:
    """Return the environment variables by which a plugin's agent can be recognised in programs that it starts."""
    entry = _find_if_possible(name, plugins)
    return entry.caller_variables if entry is not None else ()


def is_taken(name: str) -> bool:
    """Tell whether a name belongs to another agent, or to git's hooks, so that no plugin can have it."""
    return name in _RESERVED or _entry(name) is not None


def check_plugin(info: Info, plugins: Plugins) -> None:
    """Raise EntireError if what a plugin says of itself clashes with another agent."""
    _join(_entry_of(info, ""), [entry for entry in entries(plugins) if entry.name != info.name])


def _plugin_entry(executable: Executable, plugins: Plugins, known: list[AgentEntry]) -> AgentEntry:
    """Return a plugin's entry; raises EntireError if it may not run, or cannot be used beside the known agents."""
    plugins.check(executable)
    return _join(_entry_of(plugins.info(executable), executable.path), known)


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


def _join(entry: AgentEntry, known: list[AgentEntry]) -> AgentEntry:
    try:
        _check(entry.name, entry, known)
    except EntireError as error:
        hint = "rename or remove the plugin"
        raise EntireError(f"the plugin {entry.name} is ignored: {error.message}", hint=hint) from error
    return entry


# ---------------------------------------------------------------- agents of installed packages


def problems() -> list[str]:
    """Load the agents of installed packages and return what is wrong with them, a sentence each."""
    found = list(_packages().problems)
    for name in _packages().entries:
        try:
            make(name)
        except EntireError as error:
            found.append(error.message)
    return found


def _packages() -> _Packages:
    _read_path_files()
    key = tuple(sys.path)
    if key not in _searched:
        _searched[key] = _search()
    return _searched[key]


def _read_path_files() -> None:
    """Add what .pth files name to the import path: a hook starts without ``site``, which editable packages need."""
    if sys.flags.no_site and not _searched:
        import site

        for folder in [folder for folder in sys.path if folder.endswith("site-packages")]:
            site.addsitedir(folder)


def _search() -> _Packages:
    if not any(map(_may_offer_agents, sys.path)):
        return _Packages(entries={}, problems=())
    from importlib import metadata

    try:
        points = sorted(metadata.entry_points(group=GROUP), key=lambda point: (point.name, _package(point)))
    except Exception as error:  # a package's metadata may hold anything
        problem = f"installed packages cannot be searched for agents: {_describe(error)}"
        return _Packages(entries={}, problems=(problem,))
    found: dict[str, AgentEntry] = {}
    wrong = []
    for point in points:
        try:
            entry = point.load()
            _check(point.name, entry, [*BUILTIN.values(), *found.values()])
        except (Exception, SystemExit) as error:
            wrong.append(f"the agent {point.name!r} of the package {_package(point)} is ignored: {_describe(error)}")
        else:
            found[entry.name] = entry
    return _Packages(entries=found, problems=tuple(wrong))


def _may_offer_agents(folder: str) -> bool:
    """Tell whether a folder of the import path may contain a package with the entry point group.

    Saves the import of ``importlib.metadata``, about 30 ms, wherever no package offers an agent.
    """
    try:
        with os.scandir(folder or ".") as entries:
            packages = [entry.path for entry in entries if entry.name.lower().endswith(_METADATA)]
    except OSError as error:
        return isinstance(error, NotADirectoryError)  # a zip file
    return any(_mentions_group(os.path.join(package, "entry_points.txt")) for package in packages)


def _mentions_group(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return GROUP.encode() in file.read()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # importlib.metadata says what is wrong


def _check(name: str, entry: object, known: list[AgentEntry]) -> None:
    """Raise EntireError for an entry that cannot join the known ones in the table."""
    if not isinstance(entry, AgentEntry):
        raise EntireError("its entry point is not an AgentEntry")
    values = entry.__dict__.values()
    lists = (entry.protected_dirs, entry.aliases, entry.caller_variables)
    texts = [text for value in values for text in (value if isinstance(value, tuple) else (value,))]
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(value, tuple) for value in lists):
        raise EntireError("a field of its AgentEntry has the wrong type")
    if entry.name != name or not entry.type:
        raise EntireError(f"its AgentEntry has the name {entry.name!r} and the type {entry.type!r}")
    if name in _RESERVED or name in [taken for other in known for taken in (other.name, *other.aliases)]:
        raise EntireError("the name is taken")
    if entry.type in [other.type for other in known]:
        raise EntireError(f"the type {entry.type!r} is taken")


def _package(point: EntryPoint) -> str:
    return str(point.dist.name) if point.dist is not None else "?"


def _describe(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, EntireError) else f"{type(error).__name__}: {text}"
