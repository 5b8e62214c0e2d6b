"""The plugins that may run in a repository: which the user allowed, and whether settings allow all of them."""

from __future__ import annotations

import os

from entire import settings
from entire.agents.external.plugins import Plugins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.layout import Place


def of(place: Place | None) -> Plugins:
    """Return the plugins for one command, in a worktree or outside of any."""
    return Plugins(place, os.environ, is_switched_on=lambda: bool(place and switches(place)))


def of_hook(place: Place, name: str, session_id: Callable[[], str] = str) -> Plugins:
    """Return the plugins for one hook of the agent ``name``: no other is looked for."""
    return Plugins(place, os.environ, is_switched_on=lambda: bool(switches(place)), hook_of=name,
                   session_id=session_id)  # fmt: skip


def switches(place: Place) -> list[str]:
    """Return the files that let every plugin run: settings of this user that no commit brought here."""
    return [path for path in settings.plugin_switches(place) if _is_own(path)]


def tracked_switches(place: Place) -> list[str]:
    """Return the files that would let every plugin run, were they not tracked."""
    return [path for path in settings.plugin_switches(place) if not _is_own(path)]


def _is_own(path: str) -> bool:
    from entire.git import tracked  # most hooks of plugins need not ask

    return tracked.is_own(path)
