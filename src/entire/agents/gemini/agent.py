"""The adapter for Gemini CLI: implements the contract with the other modules of this room."""

from __future__ import annotations

import os

from entire.agents import transcripts
from entire.agents.file_agent import FileAgent
from entire.agents.gemini import payloads
from entire.model.ids import is_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar

    from entire.agents.file_agent import Payloads, Settings
    from entire.agents.gemini.document import ChatDocument
    from entire.agents.gemini.transcript import ChatLines
    from entire.model.effects import PutBack
    from entire.model.transcripts import Content, SessionFile


class Gemini(FileAgent):
    """The adapter."""

    name: ClassVar[str] = "gemini"
    type: ClassVar[str] = "Gemini CLI"
    payloads: ClassVar[Payloads] = payloads
    settings_file = ".gemini/settings.json"
    resume_command = "gemini --resume "
    folder_variable = "ENTIRE_TEST_GEMINI_PROJECT_DIR"
    capabilities = FileAgent.capabilities | {"hook_responder"}

    # transcripts

    def transcript(self, session_ref: str, stored: Content | None = None) -> ChatLines | ChatDocument:
        """Return a chat in the form that its content has."""
        from entire.agents.gemini import records

        chat = _open_chat(session_ref, stored)
        chat.committed = tuple(self.metadata.get(records.COMMITTED, "").split())
        return chat

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

    def _home(self) -> str:
        moved = self._env.get("GEMINI_CLI_HOME")
        return os.path.join(moved, ".gemini") if moved else super()._home()

    def _settings(self) -> Settings:
        from entire.agents.gemini import settings

        return settings

    # resuming

    def _folder(self, root: str) -> str:
        from entire.agents.gemini import sessions

        return sessions.folder(root, self._home())

    def session_files(self, root: str) -> list[SessionFile]:
        from entire.agents.gemini import sessions

        return transcripts.session_files(self.session_dir(root), sessions.id_in)

    def has_conversation(self, session_ref: str) -> bool:
        from entire.agents.gemini import sessions

        return sessions.has_conversation(session_ref)

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        from entire.agents.gemini import sessions

        return sessions.find(session_dir, session_id) if is_session_id(session_id) else ""

    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        from entire.agents.gemini import sessions

        return sessions.put_back(session_ref, transcript, subagents)


def _open_chat(session_ref: str, stored: Content | None) -> ChatLines | ChatDocument:
    from entire.agents.gemini import sessions
    from entire.agents.gemini.transcript import ChatLines

    place = ""
    if stored is None and not os.path.exists(session_ref):
        document = sessions.other_form(session_ref)
        place = document if document and os.path.exists(document) else ""  # not yet continued as lines
    if not place and not transcripts.is_document(session_ref if stored is None else stored):
        return ChatLines(session_ref, stored)
    from entire.agents.gemini.document import ChatDocument

    return ChatDocument(session_ref, stored, place)
