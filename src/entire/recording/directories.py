"""Makes the directory of agents for a hook or command, with the plugins that this person lets it start."""

from __future__ import annotations

import os

from entire import settings
from entire.directory import AgentDirectory
from entire.plugin_host.plugins import PluginInventory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.layout import Place


def make(place: Place | None, *, hook_of: str = "", session_id: Callable[[], str] = str) -> AgentDirectory:
    """Return the agents for one command, in a worktree or outside of any; for a hook of the agent ``hook_of``: no
    plugin of another name is looked for.
    """

    def is_switched_on() -> bool:
        from entire.git import tracked  # most hooks of plugins need not ask

        return place is not None and any(map(tracked.is_own, settings.plugin_switches(place)))

    return AgentDirectory(PluginInventory(place, os.environ, is_switched_on=is_switched_on, hook_of=hook_of,
                                          session_id=session_id))  # fmt: skip
