"""From names to agents. The built-in table holds strings, so that a hook loads only its own agent's room."""

from __future__ import annotations

from entire.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.contract import Agent

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


def find_by_type(agent_type: str) -> Agent | None:
    """Return the agent whose ``type`` metadata records name, or None for one that this installation does not know."""
    for name in BUILTIN:
        agent = find(name)
        if agent.type == agent_type:
            return agent
    return None
