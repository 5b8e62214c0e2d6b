"""Optional powers of agents, asked for by name at run time: the agent, typed as more, or None."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import cast

    from entire.agents import contract
    from entire.agents.contract import Agent
else:

    def cast(_type, value):
        """Stand in for ``typing.cast``, which only type checkers need."""
        return value


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


def file_watcher(agent: Agent) -> contract.FileWatcher | None:
    """Return the agent as a FileWatcher, or None."""
    return cast("contract.FileWatcher", agent) if "file_watcher" in agent.capabilities else None


def hook_installer(agent: Agent) -> contract.HookInstaller | None:
    """Return the agent as a HookInstaller, or None."""
    return cast("contract.HookInstaller", agent) if "hook_installer" in agent.capabilities else None


def hook_responder(agent: Agent) -> contract.HookResponder | None:
    """Return the agent as a HookResponder, or None."""
    return cast("contract.HookResponder", agent) if "hook_responder" in agent.capabilities else None


def session_resumer(agent: Agent) -> contract.SessionResumer | None:
    """Return the agent as a SessionResumer, or None."""
    return cast("contract.SessionResumer", agent) if "session_resumer" in agent.capabilities else None


def subagent_extractor(agent: Agent) -> contract.SubagentExtractor | None:
    """Return the agent as a SubagentExtractor, or None."""
    return cast("contract.SubagentExtractor", agent) if "subagent_extractor" in agent.capabilities else None


def text_generator(agent: Agent) -> contract.TextGenerator | None:
    """Return the agent as a TextGenerator, or None."""
    return cast("contract.TextGenerator", agent) if "text_generator" in agent.capabilities else None


def token_calculator(agent: Agent) -> contract.TokenCalculator | None:
    """Return the agent as a TokenCalculator, or None."""
    return cast("contract.TokenCalculator", agent) if "token_calculator" in agent.capabilities else None


def transcript_analyzer(agent: Agent) -> contract.TranscriptAnalyzer | None:
    """Return the agent as a TranscriptAnalyzer, or None."""
    return cast("contract.TranscriptAnalyzer", agent) if "transcript_analyzer" in agent.capabilities else None


def transcript_preparer(agent: Agent) -> contract.TranscriptPreparer | None:
    """Return the agent as a TranscriptPreparer, or None."""
    return cast("contract.TranscriptPreparer", agent) if "transcript_preparer" in agent.capabilities else None
