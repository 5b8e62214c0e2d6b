"""The table of agents, and the lookup that loads only the room of the agent asked for.

Built-in agents come first, then those of installed packages: each entry point in the group ``entire.agents`` names an
``AgentEntry``. Searching packages is slow, so a hook does it only for a name that is not built in.
"""

from __future__ import annotations

import os
import sys

from entire.errors import EntireError, UsageError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

    from entire.agents.contract import Agent, AgentFactory, HookInstaller
    from entire.model.health import HooksHealth

GROUP = "entire.agents"
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
    """``module:Class`` of the adapter; see ``AgentFactory`` in the contract."""
    description: str = ""
    protected_dirs: tuple[str, ...] = ()
    """The agent's own folders in a repository; a rewind never restores or deletes them."""
    project_variable: str = ""
    """Environment variable that names the folder the agent was started in."""
    session_variable: str = ""
    """Environment variable that holds the session id in programs the agent starts.

    Git hooks read it for built-in agents only; they recognise other agents by the process that started git.
    """
    session_dir_variable: str = ""
    """Environment variable with which a test harness sets the agent's session folder."""
    spoken_name: str = ""
    """What people call the agent at the start of a prompt; omitted from a step's subject."""


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
            session_dir_variable="ENTIRE_TEST_CLAUDE_PROJECT_DIR",
            spoken_name="claude",
        ),
        AgentEntry(
            name="demo",
            type="Demo Agent",
            target="entire.agents.demo.agent:Demo",
            description="The bundled demo agent; follows simple instructions without a model or network",
            protected_dirs=(".demo-agent",),
            session_variable="DEMO_AGENT_SESSION_ID",
        ),
        AgentEntry(
            name="gemini",
            aliases=("gemini-cli",),
            type="Gemini CLI",
            target="entire.agents.gemini.agent:Gemini",
            description="Google's coding agent for the terminal",
            protected_dirs=(".gemini",),
            project_variable="GEMINI_PROJECT_DIR",
            session_dir_variable="ENTIRE_TEST_GEMINI_PROJECT_DIR",
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


def entries() -> list[AgentEntry]:
    """Return the entries of all agents, built-in ones first."""
    return [*BUILTIN.values(), *_packages().entries.values()]


def find(name: str) -> AgentEntry:
    """Return the entry of the agent called ``name``; raises UsageError if there is none."""
    entry = _entry(name)
    if entry is None:
        raise UsageError(
            f"there is no agent called {name!r}", hint="known agents: " + ", ".join(entry.name for entry in entries())
        )
    return entry


def type_of(name: str) -> str:
    """Return the type of the agent called ``name``, which need not be installed if it calls another one's hooks."""
    entry = _entry(name)
    return entry.type if entry is not None else _OTHER_TYPES.get(name, name)


def find_by_type(agent_type: str) -> AgentEntry | None:
    """Return the entry of the agent that metadata calls ``agent_type``, or None if it is not installed."""
    if agent_type in _UNNAMED_TYPES:
        return BUILTIN[UNNAMED]
    for entry in BUILTIN.values():
        if entry.type == agent_type:
            return entry
    return next((entry for entry in _packages().entries.values() if entry.type == agent_type), None)


def protected_dirs() -> frozenset[str]:
    """Return the folders in a repository that belong to an agent."""
    return frozenset(name for entry in entries() for name in entry.protected_dirs)


def spoken_names() -> list[str]:
    return [entry.spoken_name for entry in BUILTIN.values() if entry.spoken_name]


def project_dir(name: str, env: Mapping[str, str]) -> str:
    """Return the folder the agent was started in, from its environment variable, or ''."""
    entry = _entry(name)
    return env.get(entry.project_variable, "") if entry is not None and entry.project_variable else ""


def session_dir(name: str, env: Mapping[str, str]) -> str:
    """Return the session folder that a test harness set for the agent, or ''."""
    entry = _entry(name)
    return env.get(entry.session_dir_variable, "") if entry is not None and entry.session_dir_variable else ""


def session_variables() -> list[str]:
    """Return the environment variables with which built-in agents name their session to the programs they start."""
    return [entry.session_variable for entry in BUILTIN.values() if entry.session_variable]


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


def _by_alias(name: str) -> AgentEntry | None:
    return next((entry for entry in BUILTIN.values() if name in entry.aliases), None)


# ---------------------------------------------------------------- adapters


def make(name: str, metadata: Mapping[str, str] = {}) -> Agent:
    """Return a new adapter for a session with this metadata.

    Raises UsageError if there is no such agent, EntireError if a package's agent cannot be loaded.
    """
    entry = find(name)
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


def make_by_type(agent_type: str, metadata: Mapping[str, str] = {}) -> Agent | None:
    """Return a new adapter of the agent that metadata calls ``agent_type``, or None if it cannot be loaded."""
    entry = find_by_type(agent_type)
    return _make_if_possible(entry, metadata) if entry is not None else None


def agents() -> list[Agent]:
    """Return an adapter for each agent that can be loaded."""
    return [agent for entry in entries() if (agent := _make_if_possible(entry, {})) is not None]


def _make_if_possible(entry: AgentEntry, metadata: Mapping[str, str]) -> Agent | None:
    try:
        return make(entry.name, metadata)
    except EntireError:
        return None


class Installed(Value):
    """Our hooks in an agent's configuration, and their state. The first of ``paths`` names our commands."""

    agent_type: str
    installer: HookInstaller
    scope: str
    paths: tuple[str, ...]
    health: HooksHealth


def installed(root: str) -> list[Installed]:
    """Return where our hooks are installed, completely or in part, in the worktree ``root`` or for this user."""
    from entire.agents import capabilities
    from entire.model.health import HookStatus

    found = []
    for agent in agents():
        installer = capabilities.hook_installer(agent)
        for scope in ("project", "user") if installer is not None else ():
            assert installer is not None
            paths, health = installer.hook_config_paths(root, scope), installer.hooks_health(root, scope)
            if health.status is HookStatus.UNKNOWN and not any(_may_name(agent.name, path) for path in paths):
                continue
            if health.status is not HookStatus.MISSING:
                found.append(
                    Installed(agent_type=agent.type, installer=installer, scope=scope, paths=paths, health=health)
                )
    return found


def _may_name(name: str, path: str) -> bool:
    """Tell whether a file may hold hooks that Entire wrote: it does, or cannot be read."""
    from entire import files

    try:
        return f"entire hooks {name} ".encode() in (files.read(path) or b"")
    except OSError:
        return True


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
    except NotADirectoryError:
        return True  # a zip file
    except OSError:
        return False
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
    lists = (entry.protected_dirs, entry.aliases)
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
