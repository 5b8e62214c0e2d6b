"""The bundled demo agent, connected by a plugin instead of the built-in adapter: an executable
``entire-agent-demo-plugin`` that runs ``python -m entire_demo_plugin "$@"``.

It shows what ``entire.plugin`` makes of an adapter, and lets the whole way of a plugin be tried without another agent.
"""

from __future__ import annotations

from entire.agents.demo.agent import Demo
from entire.plugin import HookStatus
from entire.plugin import main as serve


class DemoPlugin(Demo):
    """The built-in adapter under another name: its hooks call that, and so do its sessions."""

    name = "demo-plugin"
    type = "Demo Agent (plugin)"
    description = "The bundled demo agent, connected by a plugin"
    protected_dirs = (".demo-agent",)
    caller_env_vars = ("DEMO_AGENT_SESSION_ID",)
    session_variable = "DEMO_AGENT_SESSION_ID"

    def detect(self, root: str) -> bool:
        """Tell whether its hooks are there: the agent itself is the built-in adapter's to detect."""
        return any(self.hooks_health(root, scope).status is not HookStatus.MISSING for scope in ("project", "user"))


def main() -> None:
    """Answer one call."""
    serve(DemoPlugin)
