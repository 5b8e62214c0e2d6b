"""The plugins on PATH."""

from __future__ import annotations

import os

from entire import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from entire.layout import Place
    from entire.model.views.setup import PluginView


class Plugins:
    """The plugins on PATH, and which of them may run. Needs no repository; in one, its own plugins are refused."""

    def __init__(self, place: Place | None, forget: Callable[[], None] = lambda: None) -> None:
        """``forget`` drops what a workspace knows of its agents."""
        self._place = place
        self._forget = forget

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Plugins:
        """Return the plugins as the worktree that contains a path may use them (default: the current directory)."""
        return cls(layout.find(os.getcwd() if path is None else os.fspath(path)))

    def listing(self) -> list[PluginView]:
        """Return every plugin on PATH, by name. Only those that may run are asked what they are."""
        from entire.maintenance import plugins

        return plugins.listing(self._place)

    def plugin(self, name: str) -> PluginView:
        """Return the plugin called ``name``; raises UsageError if there is none on PATH."""
        from entire.maintenance import plugins

        return plugins.find(self._place, name)

    def allowed(self, name: str) -> str:
        """Return the path of a plugin that may run; raises UsageError if there is none, or it may not."""
        from entire.maintenance import plugins

        return plugins.allowed(self._place, name)

    def allow(self, name: str, path: str = "", folders: Sequence[str] = ()) -> PluginView:
        """Let a plugin run, as long as its file and its interpreter stay the same; ``path`` is the file that the user
        has seen. Its sessions may be in ``folders`` outside of the home folder.

        Raises EntireError if the plugin cannot be used.
        """
        from entire.maintenance import plugins

        self._forget()
        return plugins.allow(self._place, name, path, folders)

    def deny(self, name: str) -> None:
        """Keep a plugin from running, also where settings allow every plugin."""
        from entire.maintenance import plugins

        self._forget()
        plugins.deny(self._place, name)
