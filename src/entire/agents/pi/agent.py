"""The adapter for Pi: implements the contract with the other modules of this room."""

from __future__ import annotations

import os

from entire.agents.file_agent import FileAgent
from entire.agents.pi import payloads
from entire.model.ids import is_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar

    from entire.agents.file_agent import Payloads
    from entire.agents.pi.transcript import Entries, SubagentEntries
    from entire.model.effects import PutBack
    from entire.model.health import HooksHealth
    from entire.model.transcripts import Content, SessionFile


class Pi(FileAgent):
    """The adapter."""

    name: ClassVar[str] = "pi"
    type: ClassVar[str] = "Pi"
    payloads: ClassVar[Payloads] = payloads
    settings_file = ".pi/extensions/entire/index.ts"
    home_folder = ".pi/agent"
    home_variable = "PI_CODING_AGENT_DIR"
    resume_command = "pi --session "
    folder_variable = "ENTIRE_TEST_PI_SESSION_DIR"
    capabilities = FileAgent.capabilities | {"hook_responder"}
    _root = ""
    """Where a session that is put back goes on: of the worktree whose sessions were asked for."""

    def detect(self, root: str) -> bool:
        return os.path.isdir(os.path.join(root, ".pi")) or os.path.isdir(self._home())

    # transcripts

    def transcript(self, session_ref: str, stored: Content | None = None) -> Entries | SubagentEntries:
        from entire.agents.pi.transcript import open_session

        return open_session(session_ref, stored, self.metadata.get(payloads.BRANCH, ""))

    # installing

    def hook_config_paths(self, root: str, scope: str) -> tuple[str, ...]:
        from entire.agents.pi import extension

        self._config_path(root, scope)  # refuses an unknown scope
        return extension.places(os.path.join(root, ".pi") if scope == "project" else self._home(), self._env)

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        from entire.agents.pi import extension

        return extension.install(self.hook_config_paths(root, scope), force=force, env=self._env)

    def uninstall_hooks(self, root: str, scope: str) -> int:
        from entire.agents.pi import extension

        return extension.uninstall(self.hook_config_paths(root, scope))

    def hooks_health(self, root: str, scope: str) -> HooksHealth:
        from entire.agents.pi import extension

        return extension.health(self.hook_config_paths(root, scope))

    # resuming

    def session_dir(self, root: str) -> str:
        self._root = root
        return super().session_dir(root)

    def _folder(self, root: str) -> str:
        from entire.agents.pi import sessions

        return sessions.folder(root, self._home(), self._env)

    def session_files(self, root: str) -> list[SessionFile]:
        from entire.agents.pi import sessions

        return sessions.listed(self.session_dir(root), root)

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        from entire.agents.pi import sessions

        return sessions.find(session_dir, session_id) if is_session_id(session_id) else ""

    def placed(self, root: str, session_ref: str, transcript: Content) -> Content:
        from entire.agents.pi import sessions

        return sessions.placed(root, session_ref, transcript) if transcript else transcript

    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:  # noqa: ARG002
        """Plan as the base does; what subagents did is in the session's own file."""
        return super().put_back(session_ref, self.placed(self._root or os.getcwd(), session_ref, transcript), {})
