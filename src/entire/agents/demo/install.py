"""Our hooks in the demo agent's settings: ``{"hooks": {EVENT: [{"command": ...}]}}``."""

from __future__ import annotations

from entire.agents import hookfiles
from entire.agents.demo.payloads import VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.health import HooksHealth


def obstacle(_root: str, _project: str, _user: str, _env: Mapping[str, str]) -> HooksHealth | None:
    """Return nothing: it has no switch."""


def table(name: str) -> hookfiles.Table:
    """Return an entry for each hook.

    ``name`` is the adapter's: the built-in one and the plugin share the file, each with its own entries.
    """
    entries = tuple(
        hookfiles.Entry(event=event, command=hookfiles.command(name, verb), is_flat=True)
        for event, verb in VERBS.items()
    )
    return hookfiles.Table(entries=entries, prefix=f"{hookfiles.PREFIX}hooks {name} ")


TABLE = table("demo")
