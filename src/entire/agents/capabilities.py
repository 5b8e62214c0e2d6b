"""Optional capabilities of agents: each function returns the agent typed as more than an ``Agent``, or None."""

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
    "session_resumer",
    "subagent_extractor",
    "text_generator",
    "token_calculator",
    "transcript_analyzer",
    "transcript_preparer",
)


def _ask_for(name: str) -> Callable[[Agent], Any]:
    return lambda agent: agent if name in agent.capabilities else None


file_watcher: Callable[[Agent], contract.FileWatcher | None] = _ask_for("file_watcher")
hook_installer: Callable[[Agent], contract.HookInstaller | None] = _ask_for("hook_installer")
hook_responder: Callable[[Agent], contract.HookResponder | None] = _ask_for("hook_responder")
session_resumer: Callable[[Agent], contract.SessionResumer | None] = _ask_for("session_resumer")
subagent_extractor: Callable[[Agent], contract.SubagentExtractor | None] = _ask_for("subagent_extractor")
text_generator: Callable[[Agent], contract.TextGenerator | None] = _ask_for("text_generator")
token_calculator: Callable[[Agent], contract.TokenCalculator | None] = _ask_for("token_calculator")
transcript_analyzer: Callable[[Agent], contract.TranscriptAnalyzer | None] = _ask_for("transcript_analyzer")
transcript_preparer: Callable[[Agent], contract.TranscriptPreparer | None] = _ask_for("transcript_preparer")
