"""The adapter for GitHub Copilot CLI: implements the contract with the other modules of this room."""

from __future__ import annotations

import os

from entire.agents import transcripts, untrusted
from entire.agents.copilot import payloads
from entire.agents.file_agent import FileAgent
from entire.model.events import EventType
from entire.model.ids import is_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar

    from entire.agents.copilot.transcript import Events, SubagentEvents
    from entire.agents.file_agent import Payloads, Settings
    from entire.model.effects import PutBack
    from entire.model.events import Event
    from entire.model.positions import Position
    from entire.model.transcripts import Content, SessionFile

_FILE = "events.jsonl"


class Copilot(FileAgent):
    """The adapter."""

    name: ClassVar[str] = "copilot-cli"
    type: ClassVar[str] = "Copilot CLI"
    payloads: ClassVar[Payloads] = payloads
    settings_file = ".github/hooks/entire.json"
    home_folder = ".copilot"
    home_variable = "COPILOT_HOME"
    resume_command = "copilot --resume="
    folder_variable = "ENTIRE_TEST_COPILOT_SESSION_DIR"
    capabilities = FileAgent.capabilities | {"transcript_preparer"}

    def detect(self, root: str) -> bool:
        return os.path.isfile(self._config_path(root, "project")) or os.path.isdir(self._home())

    # events and transcripts

    def find_transcript(self, event: Event) -> str:
        """Return the file of a session: most hooks do not name it."""
        return self.resolve_session_file(self.session_dir(event.cwd), event.session_id)

    def transcript(self, session_ref: str, stored: Content | None = None) -> Events | SubagentEvents:
        from entire.agents.copilot.transcript import open_events

        return open_events(session_ref, stored)

    def prepare_transcript(self, event: Event, since: Position) -> None:
        if event.type is EventType.TURN_END and event.session_ref:
            from entire.agents.copilot import transcript_wait

            transcript_wait.wait(event.session_ref, since.byte, self._clock, self._sleep)

    # installing

    def _settings(self) -> Settings:
        from entire.agents.copilot import settings

        return settings

    def _config_path(self, root: str, scope: str) -> str:
        own = super()._config_path(root, scope)
        return own if scope == "project" else os.path.join(self._home(), "hooks", os.path.basename(own))

    def _distrust(self, root: str, scope: str) -> str:
        from entire.agents.copilot import settings

        if scope != "project" or settings.is_trusted(root, self._config_path(root, "user"), self._env):
            return ""
        return "Copilot CLI does not trust this folder: start it here and let it remember that you do"

    # resuming

    def _folder(self, root: str) -> str:  # noqa: ARG002
        return os.path.join(self._home(), "session-state")

    def session_files(self, root: str) -> list[SessionFile]:
        """Return the sessions that were started in ``root``."""
        listed = transcripts.session_folders(self.session_dir(root), _FILE)
        return [file for file in listed if _started_in(file.session_ref, root)]

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return os.path.join(session_dir, session_id, _FILE) if is_session_id(session_id) else ""

    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:  # noqa: ARG002
        """Plan as the base does; what subagents did is in the session's own file."""
        return super().put_back(session_ref, transcript, {})


def _started_in(path: str, root: str) -> bool:
    context = next((untrusted.dict_of(untrusted.dict_of(native.get("data")).get("context"))
                    for natives, _ in transcripts.natives(path) for native in natives), {})  # fmt: skip
    folders = [untrusted.path_of(context.get(key)) for key in ("gitRoot", "cwd")]
    return os.path.realpath(root) in [os.path.realpath(folder) for folder in folders if folder]
