"""The adapter for Claude Code: implements the contract with the other modules of this room."""

from __future__ import annotations

import os

from entire.agents.claude_code import payloads
from entire.agents.file_agent import FileAgent
from entire.model.events import EventType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from entire.agents.claude_code.transcript import ClaudeTranscript
    from entire.agents.file_agent import Payloads, Settings
    from entire.model.events import Event
    from entire.model.positions import Position
    from entire.model.transcripts import Content, SessionFile

_MAX_FOLDER_NAME = 200  # longer names of project folders end in a hash that only the agent knows


class ClaudeCode(FileAgent):
    """The adapter."""

    name: ClassVar[str] = "claude-code"
    type: ClassVar[str] = "Claude Code"
    payloads: ClassVar[Payloads] = payloads
    settings_file = ".claude/settings.json"
    home_variable = "CLAUDE_CONFIG_DIR"
    resume_command = "claude -r "
    folder_variable = "ENTIRE_TEST_CLAUDE_PROJECT_DIR"
    capabilities = FileAgent.capabilities | {"hook_responder", "text_generator", "transcript_preparer"}

    # transcripts

    def transcript(self, session_ref: str, stored: Content | None = None) -> ClaudeTranscript:
        from entire.agents.claude_code.transcript import ClaudeTranscript

        return ClaudeTranscript(session_ref, stored)

    def prepare_transcript(self, event: Event, since: Position) -> None:
        if event.type is EventType.TURN_END and event.session_ref:
            from entire.agents.claude_code import transcript_wait

            transcript_wait.wait(event, since.byte, self._clock, self._sleep)

    # installing

    def _settings(self) -> Settings:
        from entire.agents.claude_code import settings

        return settings

    # resuming

    def _folder(self, root: str) -> str:
        projects = os.path.join(self._home(), "projects")
        name = _folder_name(os.path.realpath(root))
        if len(name) <= _MAX_FOLDER_NAME:
            return os.path.join(projects, name)
        start = name[:_MAX_FOLDER_NAME]
        try:
            known = sorted(entry for entry in os.listdir(projects) if entry.startswith(start + "-"))
        except OSError:
            known = []
        return os.path.join(projects, known[0] if known else start)

    def session_files(self, root: str) -> list[SessionFile]:
        """Return the sessions of the project folder; older versions kept subagents' transcripts there, too."""
        return [file for file in super().session_files(root) if not file.session_id.startswith("agent-")]

    # summaries

    def generate_text(self, prompt: str, model: str) -> str:
        from entire.agents.claude_code import printing

        return printing.ask(prompt, model, self._env)

    def text_problem(self) -> str:
        from entire.agents.claude_code import printing

        return printing.problem(self._env)


def _folder_name(path: str) -> str:
    """Replace all but ASCII letters and digits by ``-``, per UTF-16 unit as JavaScript does (two beyond U+FFFF)."""
    return "".join(char if char.isascii() and char.isalnum() else "-" * (2 if char > "\uffff" else 1) for char in path)
