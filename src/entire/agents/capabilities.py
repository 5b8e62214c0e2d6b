"""Optional capabilities: each function returns the agent, typed as having that capability, or None if it lacks it.

Those of transcripts take the transcript too, and return that.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from entire.agents import contract
    from entire.agents.contract import Agent, Transcript

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
text_generator: Callable[[Agent], contract.TextGenerator | None] = _capability("text_generator")
transcript_preparer: Callable[[Agent], contract.TranscriptPreparer | None] = _capability("transcript_preparer")


def _of_transcripts(name: str) -> Callable[[Agent, Transcript], Any]:
    return lambda agent, transcript: transcript if name in agent.capabilities else None


subagent_extractor: Callable[[Agent, Transcript], contract.SubagentExtractor | None] = _of_transcripts(
    "subagent_extractor"
)
token_calculator: Callable[[Agent, Transcript], contract.TokenCalculator | None] = _of_transcripts("token_calculator")
transcript_analyzer: Callable[[Agent, Transcript], contract.TranscriptAnalyzer | None] = _of_transcripts(
    "transcript_analyzer"
)
