"""The table of built-in agents: what must be known of each without loading its room.

It alone serves git's hooks and the start of every process; ``directory`` tells which agents there are.
"""

from __future__ import annotations

import os

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from entire.agents.contract import HookSource

SESSION_FORM = r"[^\W_][\w.:@+=,~-]*"
RESERVED = ("git",)  # `entire hooks git` is for git's hooks


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
    payloads: str = ""
    """The module that translates hook calls without the adapter (``HookSource``): many calls mean nothing. '' for
    agents of packages and plugins, whose adapter does.
    """
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
    setup_note: str = ""
    """What ``enable`` writes besides hooks, for people; '' if nothing."""
    only_at_top: bool = False
    """The agent reads a project's hooks only if it starts at the top of the repository, and in no folder below."""
    tested_versions: tuple[str, ...] = ()
    """The versions with which our tests run, oldest first; empty where nothing tells a version."""
    spoken_name: str = ""
    """What people call the agent at the start of a prompt; omitted from a step's subject."""

    @property
    def is_plugin(self) -> bool:
        return os.path.isabs(self.target)

    def project_dir(self, env: Mapping[str, str]) -> str:
        """Return the folder the agent was started in, from its environment variable, or ''."""
        return env.get(self.project_variable, "") if self.project_variable else ""

    def session_dir(self, env: Mapping[str, str]) -> str:
        """Return the session folder that a test harness set for the agent, or ''."""
        return env.get(self.session_dir_variable, "") if self.session_dir_variable else ""


BUILTIN = {
    entry.name: entry
    for entry in (
        AgentEntry(
            name="claude-code",
            type="Claude Code",
            target="entire.agents.claude_code.agent:ClaudeCode",
            payloads="entire.agents.claude_code.payloads",
            description="Anthropic's coding agent for the terminal",
            protected_dirs=(".claude",),
            project_variable="CLAUDE_PROJECT_DIR",
            session_variable="CLAUDE_CODE_SESSION_ID",
            private_variables=("CLAUDE_CODE_MESSAGING_TOKEN",),
            session_dir_variable="ENTIRE_TEST_CLAUDE_PROJECT_DIR",
            session_form="[0-9A-Za-z][0-9A-Za-z_-]*",
            setup_note="permissions.deny: Read(./.entire/metadata/**), so it takes no old transcript for code",
            only_at_top=True,
            tested_versions=("2.1.197", "2.1.332"),
            spoken_name="claude",
        ),
        AgentEntry(
            name="codex",
            type="Codex",
            target="entire.agents.codex.agent:Codex",
            payloads="entire.agents.codex.payloads",
            description="OpenAI's coding agent for the terminal",
            protected_dirs=(".codex",),
            session_variable="CODEX_SESSION_ID",
            session_dir_variable="ENTIRE_TEST_CODEX_SESSION_DIR",
            session_form="[0-9A-Za-z][0-9A-Za-z_-]*",
            tested_versions=("0.118.0", "0.171.0"),
            spoken_name="codex",
        ),
        AgentEntry(
            name="copilot-cli",
            aliases=("copilot",),
            type="Copilot CLI",
            target="entire.agents.copilot.agent:Copilot",
            payloads="entire.agents.copilot.payloads",
            description="GitHub's coding agent for the terminal",
            protected_dirs=(".github/hooks",),
            session_variable="COPILOT_AGENT_SESSION_ID",
            session_dir_variable="ENTIRE_TEST_COPILOT_SESSION_DIR",
            session_form="[0-9A-Za-z][0-9A-Za-z_-]*",
            tested_versions=("1.0.102",),
            spoken_name="copilot",
        ),
        AgentEntry(
            name="demo",
            type="Demo Agent",
            target="entire.agents.demo.agent:Demo",
            payloads="entire.agents.demo.payloads",
            description="The bundled demo agent; follows simple instructions without a model or network",
            protected_dirs=(".demo-agent",),
            session_variable="DEMO_AGENT_SESSION_ID",
        ),
        AgentEntry(
            name="gemini",
            aliases=("gemini-cli",),
            type="Gemini CLI",
            target="entire.agents.gemini.agent:Gemini",
            payloads="entire.agents.gemini.payloads",
            description="Google's coding agent for the terminal",
            protected_dirs=(".gemini",),
            project_variable="GEMINI_PROJECT_DIR",
            private_variables=("GEMINI_CLI_IDE_AUTH_TOKEN",),
            only_at_top=True,
            session_dir_variable="ENTIRE_TEST_GEMINI_PROJECT_DIR",
            session_form="(?!latest$|[0-9]+$)[0-9A-Za-z][0-9A-Za-z_-]*",  # these resume another session
            tested_versions=("0.61.0",),
            spoken_name="gemini",
        ),
        AgentEntry(
            name="opencode",
            type="OpenCode",
            target="entire.agents.opencode.agent:OpenCode",
            payloads="entire.agents.opencode.payloads",
            description="The open source coding agent for the terminal",
            protected_dirs=(".opencode",),
            session_variable="OPENCODE_SESSION_ID",
            session_dir_variable="ENTIRE_TEST_OPENCODE_DIR",
            session_form="[0-9A-Za-z][0-9A-Za-z_-]*",
            setup_note="beside plugins, OpenCode installs a package of its own; a start without network waits for that",
            tested_versions=("1.18.33",),
            spoken_name="opencode",
        ),
        AgentEntry(
            name="pi",
            type="Pi",
            target="entire.agents.pi.agent:Pi",
            payloads="entire.agents.pi.payloads",
            description="Mario Zechner's coding agent for the terminal",
            protected_dirs=(".pi",),
            session_dir_variable="ENTIRE_TEST_PI_SESSION_DIR",
            session_form="[0-9A-Za-z][0-9A-Za-z_-]*",
            only_at_top=True,
            tested_versions=("0.73.1",),
            spoken_name="pi",
        ),
    )
}
DEFAULT = "claude-code"
"""The agent that ``enable`` chooses when it detects none."""
EXAMPLE = "demo"
"""The agent to try and to read: ``enable`` takes it by name, but offers it only where its hooks are."""

OTHER_TYPES = {"cursor": "Cursor"}
"""Types of agents without an adapter whose sessions may be stored here, by others or by an earlier version."""
UNNAMED = "claude-code"
"""The agent of a session state or record that names none: the first one the Go CLI supported."""


def find(name: str) -> AgentEntry | None:
    """Return the entry of the built-in agent with this name or alias."""
    return BUILTIN.get(name) or next((entry for entry in BUILTIN.values() if name in entry.aliases), None)


def hook_source(entry: AgentEntry) -> HookSource:
    """Return the module that translates the hook calls of a built-in agent."""
    source: HookSource = __import__(entry.payloads, fromlist=["parse_hook"])
    return source


def is_reserved(name: str) -> bool:
    """Tell whether a name is a built-in agent's, or has a meaning of its own: no other agent can have it."""
    return name in RESERVED or find(name) is not None


def session_variables() -> list[str]:
    """Return the environment variables with which built-in agents name their session to the programs they start."""
    return [entry.session_variable for entry in BUILTIN.values() if entry.session_variable]


def calling_session(env: Mapping[str, str]) -> tuple[str, str]:
    """Return the session id that a built-in agent set in git's environment, and its type; empty if none did."""
    named = ((env.get(entry.session_variable, ""), entry.type) for entry in BUILTIN.values())
    return next((caller for caller in named if caller[0]), ("", ""))


def take_private(env: MutableMapping[str, str]) -> list[str]:
    """Take the values that built-in agents keep from others out of an environment, and return them."""
    names = (name for entry in BUILTIN.values() for name in entry.private_variables)
    return [env.pop(name) for name in names if name in env]
