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
    prefix = f"{hookfiles.PREFIX}hooks {name} "
    # Silent and successful where `entire` is missing (formats.md section 11).
    commands = {event: f"{prefix}{verb} 2>/dev/null || true" for event, verb in VERBS.items()}
    return hookfiles.Table(
        entries=tuple(
            hookfiles.Entry(event=event, command=command, is_flat=True) for event, command in commands.items()
        ),
        prefix=prefix,
    )


TABLE = table("demo")
