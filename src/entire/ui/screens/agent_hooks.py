"""What happened to agents' hooks, for people."""

from __future__ import annotations

from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views.setup import AgentHooksView


def changes(installed: Sequence[AgentHooksView], removed: Sequence[AgentHooksView], top: str) -> list[str]:
    """Return what was written where, and what was removed."""
    lines = []
    for hooks in installed:
        if hooks.plugin:
            where = f" in {_files(hooks, top)}" if hooks.path else ""
            lines.append(f"{hooks.agent}: {_installed(hooks)}{where} by the plugin {text.full_path(hooks.plugin)}")
        elif hooks.path:
            lines.append(f"{hooks.agent}: {_written(hooks)} {_files(hooks, top)}")
            lines += [f"  {hooks.note}"] if hooks.note else []
            lines += [f"  for sessions that start in a folder below: `{hooks.below}`"] if hooks.below else []
        if hooks.problem:
            lines.append(f"{hooks.agent}: {hooks.problem}")
    for hooks in removed:
        where = f"by the plugin {text.full_path(hooks.plugin)}" if hooks.plugin else f"from {_files(hooks, top)}"
        lines.append(f"{hooks.agent}: hooks removed {where}")
    return lines


def _installed(hooks: AgentHooksView) -> str:
    return f"{text.count(hooks.count, 'hook')} installed" if hooks.count else "hooks already installed"


def _files(hooks: AgentHooksView, top: str) -> str:
    return " and ".join(text.path(path, top) for path in (hooks.path, *hooks.other_paths))


def _written(hooks: AgentHooksView) -> str:
    return f"{text.count(hooks.count, 'hook')} written to" if hooks.count else "hooks already in"


def remedies(installed: Sequence[AgentHooksView]) -> list[str]:
    """Return what is left to do until sessions are recorded."""
    lines = []
    for hooks in installed:
        if hooks.problem:
            lines += [f"Sessions of {hooks.agent} are not recorded until you do this:", f"  {text.plain(hooks.remedy)}"]
    return lines
