"""Facts of the plugin protocol, version 1 (docs/reference/plugin-protocol.md), with our limits."""

from __future__ import annotations

from entire.errors import EntireError

VERSION = 1
PREFIX = "entire-agent-"
"""What a plugin's file name starts with; the rest is the agent's name."""

CALL_SECONDS = 30.0
"""How long one call may take."""
HOOK_SECONDS = 45.0
"""How long all calls of one hook may take together."""
HOOK_PROCESSES = 8
"""How many processes of its plugin one hook starts."""
GRACE_SECONDS = 0.5
"""How long the output of a program that has exited is read on, because others hold its pipes."""
MAX_ERRORS = 64 << 10
"""Bytes of standard error that are read and kept; the rest is read and discarded."""
MAX_ANSWER = 10 << 20
"""Bytes of a JSON answer."""
MAX_TRANSCRIPT = 512 << 20
"""Bytes of a transcript, which is streamed."""

CAPABILITIES = (
    "hooks",
    "transcript_analyzer",
    "transcript_preparer",
    "token_calculator",
    "text_generator",
    "hook_response_writer",
    "subagent_aware_extractor",
    "compact_transcript",
)
EXTENSIONS = (
    "entire_answer_boundaries",
    "entire_hooks_health",
    "entire_messages",
    "entire_positions",
    "entire_prompt_positions",
    "entire_ranges",
    "entire_restore_effects",
    "entire_session_list",
    "entire_subagents",
)
"""Optional capabilities of Entire's own: questions that version 1 cannot carry, answered by ``entire-ask``."""


class PluginError(EntireError):
    """A plugin failed: the message names it, and says what it was asked and what happened.

    ``errors`` is what it printed on standard error.
    """

    def __init__(self, message: str, *, hint: str = "", errors: str = "") -> None:
        super().__init__(message, hint=hint)
        self.errors = errors
