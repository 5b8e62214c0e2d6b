"""Our entries in Codex's hooks files, and what keeps the agent from running them.

The agent reads ``hooks.json`` in ``$CODEX_HOME``, and in the ``.codex`` folder of a project that the user trusts; in a
linked worktree, that of the main checkout. Events that a version does not know are ignored (observed on 0.118.0 and
0.171.0).
"""

from __future__ import annotations

import os

from entire.agents import hookfiles, toml_text, transcripts
from entire.agents.codex import notify, trust
from entire.agents.hookfiles import Entry, Table
from entire.model.health import HooksHealth, HookStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TIMEOUT = 60  # seconds, after which the agent goes on without the hook
_AT_THE_END = 3  # the most it grants at the end of a session and after an interruption


def _entry(event: str, verb: str, timeout: int = _TIMEOUT) -> Entry:
    # A changed entry must be trusted again.
    return Entry(event=event, command=hookfiles.command("codex", verb), timeout=timeout)


TABLE = Table(
    entries=(
        _entry("SessionStart", "session-start"),
        _entry("UserPromptSubmit", "user-prompt-submit"),
        _entry("Stop", "stop"),
        _entry("Interrupt", "interrupt", _AT_THE_END),
        _entry("SubagentStart", "subagent-start"),
        _entry("SubagentStop", "subagent-stop"),
        _entry("PreCompact", "pre-compact"),
        _entry("SessionEnd", "session-end", _AT_THE_END),
    ),
)


def main_checkout(root: str) -> str:
    """Return the main checkout of a linked worktree, else ``root`` itself."""
    line = transcripts.head(os.path.join(root, ".git"), 1 << 12).decode("utf-8", "surrogateescape")
    folder = os.path.join(root, line.removeprefix("gitdir:").strip()) if line.startswith("gitdir:") else ""
    common, _, _ = folder.rpartition(f"{os.sep}worktrees{os.sep}")
    return os.path.normpath(os.path.dirname(common)) if os.path.basename(common) == ".git" else root


def obstacle(root: str, project: str, user: str, env: Mapping[str, str]) -> HooksHealth | None:  # noqa: ARG001
    """Return what keeps the agent from running any hook, None if nothing does."""
    config = os.path.join(os.path.dirname(user), trust.CONFIG)
    told = toml_text.values(config)
    if not trust.are_hooks_off(told):
        return None
    if notify.is_ours(told):
        return HooksHealth(status=HookStatus.INSTALLED)
    detail = f"remove `hooks = false` from `[features]` in {config} to record sessions"
    if notify.is_free(told):
        detail += "; or record them only when a turn ends: `entire enable --agent codex --user --trust-hooks`"
    return HooksHealth(status=HookStatus.DISABLED, detail=detail)
