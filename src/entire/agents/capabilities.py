"""Optional capabilities: each function returns the agent, typed as having that capability, or None if it lacks it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from entire.agents import contract
    from entire.agents.contract import Agent

NAMES = (
    "file_watcher",
    "hook_installer",
    "hook_responder",
    "session_lister",
    "session_resumer",
    "subagent_extractor",
    "text_generator",
    "token_calculator",
    "transcript_analyzer",
    "transcript_preparer",
)


def _capability(name: str) -> Callable[[Agent], Any]:
    return lambda agent: agent if name in agent.capabilities else None


file_watcher: Callable[[Agent], contract.FileWatcher | None] = _capability("file_watcher")
hook_installer: Callable[[Agent], contract.HookInstaller | None] = _capability("hook_installer")
hook_responder: Callable[[Agent], contract.HookResponder | None] = _capability("hook_responder")
session_lister: Callable[[Agent], contract.SessionLister | None] = _capability("session_lister")
session_resumer: Callable[[Agent], contract.SessionResumer | None] = _capability("session_resumer")
subagent_extractor: Callable[[Agent], contract.SubagentExtractor | None] = _capability("subagent_extractor")
text_generator: Callable[[Agent], contract.TextGenerator | None] = _capability("text_generator")
token_calculator: Callable[[Agent], contract.TokenCalculator | None] = _capability("token_calculator")
transcript_analyzer: Callable[[Agent], contract.TranscriptAnalyzer | None] = _capability("transcript_analyzer")
transcript_preparer: Callable[[Agent], contract.TranscriptPreparer | None] = _capability("transcript_preparer")
