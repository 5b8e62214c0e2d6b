"""The adapter for OpenCode: implements the contract with the other modules of this room."""

from __future__ import annotations

import os

from entire.agents.file_agent import FileAgent
from entire.agents.opencode import payloads
from entire.model.ids import is_tool_id
from entire.model.positions import SessionRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar

    from entire.agents.file_agent import Editor, Payloads
    from entire.agents.opencode.transcript import SessionLines
    from entire.agents.own_file import OwnFile
    from entire.model.effects import PutBack
    from entire.model.health import HooksHealth
    from entire.model.transcripts import Content, SessionFile


class OpenCode(FileAgent):
    """The adapter."""

    name: ClassVar[str] = "opencode"
    type: ClassVar[str] = "OpenCode"
    payloads: ClassVar[Payloads] = payloads
    settings_file = ".opencode/plugins/entire.ts"
    home_folder = ".config/opencode"
    resume_command = "opencode -s "
    folder_variable = "ENTIRE_TEST_OPENCODE_DIR"
    capabilities = FileAgent.capabilities | {"hook_responder"}

    def detect(self, root: str) -> bool:
        names = (".opencode", "opencode.json", "opencode.jsonc")
        return any(os.path.exists(os.path.join(root, name)) for name in names) or os.path.isdir(self._home())

    def _home(self) -> str:
        moved = self._env.get("XDG_CONFIG_HOME")
        return os.path.join(moved, "opencode") if moved else super()._home()

    # transcripts

    def transcript(self, session_ref: str, stored: Content | None = None) -> SessionLines:
        from entire.agents.opencode.transcript import SessionLines

        return SessionLines(session_ref, stored)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        from entire.agents import document_parts

        return document_parts.split(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        from entire.agents import document_parts

        return document_parts.join(chunks)

    def is_lines(self, beginning: bytes) -> bool:
        from entire.agents import document_parts

        return document_parts.are_lines(beginning)

    # installing

    def _editor(self) -> Editor:
        from entire.agents import own_file

        return own_file

    def _table(self) -> OwnFile:
        from entire.agents.own_file import OwnFile

        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin.ts"), encoding="utf-8") as file:
            return OwnFile(text=file.read(), agent=self.name)

    def _config_path(self, root: str, scope: str) -> str:
        path = super()._config_path(root, scope)
        return path if scope == "project" else os.path.join(self._home(), "plugins", os.path.basename(path))

    def hooks_health(self, root: str, scope: str) -> HooksHealth:
        return self._editor().health(self._config_path(root, scope), self._table())

    # resuming

    def _folder(self, root: str) -> str:  # noqa: ARG002
        return os.path.dirname(payloads.database(self._env))

    def session_files(self, root: str) -> list[SessionFile]:
        from entire.agents.opencode import database

        return database.listed(payloads.database(self._env), root)

    def has_conversation(self, session_ref: str) -> bool:
        from entire.agents.opencode import database

        return database.has_message(session_ref)

    def own_session_id(self, session_id: str, transcript: bytes) -> str:  # noqa: ARG002
        return session_id

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        name = os.path.basename(payloads.database(self._env))
        return SessionRef.of_rows(os.path.join(session_dir, name), session_id) if is_tool_id(session_id) else ""

    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        from entire.agents.opencode import restoring

        own = self.transcript(session_ref)
        missing = {own.subagent_ref(subagent): bytes(lines) for subagent, lines in subagents.items()}
        return restoring.plan(session_ref, own.snapshot(), bytes(transcript), missing, self._env)
