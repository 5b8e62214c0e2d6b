"""Whether and how Entire records here."""

from __future__ import annotations

from entire.model import requests
from entire.workspace.opened import Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views.setup import AgentHooksView, AgentView, DisableView, EnableView, HookLineView, UninstallView
    from entire.model.views.status import HookView


class Setup(Subject):
    """Whether and how Entire records here."""

    def agents(self, *, user: bool = False) -> list[AgentView]:
        """Return the supported agents; with ``user``, with the state of their user-wide hooks."""
        from entire.maintenance import setup

        return setup.agents(self._opened.place, self._opened.agents, user=user)

    def check(self, request: requests.EnableRequest) -> None:
        """Raise UsageError if ``enable`` would refuse a request."""
        from entire.maintenance import setup

        with self._opened.agents as agents:
            setup.check(request, agents)

    def is_push_chosen(self) -> bool:
        """Tell whether this user has chosen, in this clone, if checkpoints are pushed."""
        from entire.maintenance import setup

        return setup.is_push_chosen(self._opened.place)

    def are_refs_hidden(self) -> bool:
        """Tell whether git's settings keep our refs out of what ``git log`` shows."""
        from entire.git import hidden_refs

        return hidden_refs.are_hidden(self._opened.place.top)

    def hide_refs(self, *, hide: bool) -> list[str]:
        """Keep our refs out of what ``git log`` shows, or show them again; return the names of git's settings.

        The settings are this clone's; ``uninstall`` removes them.
        """
        from entire.git import hidden_refs

        return hidden_refs.hide(self._opened.place.top) if hide else hidden_refs.show(self._opened.place.top)

    def enable(self, request: requests.EnableRequest | None = None) -> EnableView:
        """Start recording sessions; raises UsageError, before anything is written, if the request is invalid."""
        from entire.maintenance import setup

        try:
            with self._opened.agents as agents:
                return setup.enable(self._opened.place, request or requests.EnableRequest(), agents)
        finally:
            self._opened.reload()

    def remove_agents(self, names: Sequence[str], *, user: bool = False) -> tuple[AgentHooksView, ...]:
        """Remove the hooks of agents from this repository, or with ``user`` those for all; return what was removed.

        Raises UsageError, before anything is removed, for a name that no agent has.
        """
        from entire.maintenance import setup

        return setup.remove_agents(self._opened.place, names, self._opened.agents, user=user)

    def add_hook_lines(self) -> tuple[HookLineView, ...]:
        """Add the missing lines that ``enable`` returned to hook files; return them with ``is_added`` set.

        A hook file that is not a shell script is not changed.
        """
        from entire.maintenance import setup

        return setup.add_hook_lines(self._opened.place)

    def git_hooks(self) -> HookView:
        """Return whether the git hooks run, so commits are linked, and what to do if they do not."""
        from entire.queries import status

        return status.git_hooks(self._opened.place)

    def disable(self, request: requests.DisableRequest | None = None) -> DisableView:
        """Stop recording sessions; hooks stay installed and do nothing."""
        from entire.maintenance import setup

        try:
            return setup.disable(self._opened.place, request or requests.DisableRequest())
        finally:
            self._opened.reload()

    def uninstall(self, request: requests.UninstallRequest) -> UninstallView:
        """Remove hooks, settings, session states and steps. Checkpoints stay. This cannot be undone."""
        from entire.maintenance import uninstall

        try:
            return uninstall.uninstall(self._opened.place, request, self._opened.agents)
        finally:
            self._opened.reload()
