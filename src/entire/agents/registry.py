"""From names to agents. The built-in table holds strings, so that a hook loads only its own agent's room."""

from __future__ import annotations

from entire import files
from entire.agents import powers
from entire.errors import UsageError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.contract import Agent, HookInstaller

BUILTIN = {
    "claude-code": "entire.agents.claude_code.agent:ClaudeCode",
    "demo": "entire.agents.demo.agent:Demo",
}


def find(name: str) -> Agent:
    """Return the agent called ``name``; raises UsageError if there is none."""
    target = BUILTIN.get(name)
    if target is None:
        raise UsageError(f"there is no agent called {name!r}", hint="known agents: " + ", ".join(BUILTIN))
    module_name, _, class_name = target.partition(":")
    module = __import__(module_name, fromlist=[class_name])
    agent: Agent = getattr(module, class_name)()
    return agent


class Installed(Value):
    """Hooks of ours in an agent's configuration; ``is_whole``: all of them, as this version writes them."""

    agent_type: str
    installer: HookInstaller
    scope: str
    path: str
    is_whole: bool


def installed(root: str) -> list[Installed]:
    """Return where agents have hooks of ours, for the work tree ``root`` or for this user, whole or in part."""
    found = []
    for name in BUILTIN:
        agent = find(name)
        installer = powers.hook_installer(agent)
        for scope in ("project", "user") if installer is not None else ():
            assert installer is not None
            path = installer.hook_config_path(root, scope)
            is_whole = installer.are_hooks_installed(root, scope)
            if is_whole or f"entire hooks {name} ".encode() in (files.read(path) or b""):
                found.append(
                    Installed(agent_type=agent.type, installer=installer, scope=scope, path=path, is_whole=is_whole)
                )
    return found


def find_by_type(agent_type: str) -> Agent | None:
    """Return the agent whose ``type`` metadata records name, or None for one that this installation does not know."""
    for name in BUILTIN:
        agent = find(name)
        if agent.type == agent_type:
            return agent
    return None
