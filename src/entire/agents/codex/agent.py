"""The adapter for Codex CLI: implements the contract with the other modules of this room."""

from __future__ import annotations

import os

from entire.agents import untrusted
from entire.agents.codex import payloads
from entire.agents.file_agent import FileAgent
from entire.model.ids import is_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar

    from entire.agents.codex.transcript import Rollout
    from entire.agents.codex.trust import HooksFile
    from entire.agents.file_agent import Payloads, Settings
    from entire.model.effects import PutBack
    from entire.model.transcripts import Content, SessionFile


class Codex(FileAgent):
    """The adapter."""

    name: ClassVar[str] = "codex"
    type: ClassVar[str] = "Codex"
    payloads: ClassVar[Payloads] = payloads
    settings_file = ".codex/hooks.json"
    home_variable = "CODEX_HOME"
    resume_command = "codex resume "
    folder_variable = "ENTIRE_TEST_CODEX_SESSION_DIR"
    capabilities = FileAgent.capabilities | {"hook_responder"}
    closing = "close it first (`codex app-server daemon stop` ends its background server, which may hold it)"

    # transcripts

    def transcript(self, session_ref: str, stored: Content | None = None) -> Rollout:
        from entire.agents.codex.transcript import Rollout

        return Rollout(session_ref, stored)

    # installing

    def _settings(self) -> Settings:
        from entire.agents.codex import settings

        return settings

    def _config_path(self, root: str, scope: str) -> str:
        from entire.agents.codex import settings

        return super()._config_path(settings.main_checkout(root), scope)

    def _hooks_file(self, root: str, scope: str) -> HooksFile:
        from entire.agents.codex import settings, trust

        project = settings.main_checkout(root) if scope == "project" else ""
        config = os.path.join(self._home(), trust.CONFIG)
        path = self._config_path(root, scope)
        return trust.HooksFile(path=path, table=settings.TABLE, config=config, project=project)

    def _distrust(self, root: str, scope: str) -> str:
        command = "entire enable --agent codex --trust-hooks" + (" --user" if scope == "user" else "")
        return self._hooks_file(root, scope).obstacle(command)

    def trust_hooks(self, root: str, scope: str) -> int:
        return self._hooks_file(root, scope).trust()

    def uninstall_hooks(self, root: str, scope: str) -> int:
        self._hooks_file(root, scope).forget()
        return super().uninstall_hooks(root, scope)

    # resuming

    def _folder(self, root: str) -> str:  # noqa: ARG002
        return os.path.join(self._home(), "sessions")

    def session_files(self, root: str) -> list[SessionFile]:
        from entire.agents.codex import rollouts

        return rollouts.listed(self.session_dir(root), root)

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        from entire.agents.codex import rollouts

        return rollouts.place(session_dir, session_id) if is_session_id(session_id) else ""

    def own_session_id(self, session_id: str, transcript: bytes) -> str:
        from entire.agents.codex import rollouts

        own = untrusted.clean(rollouts.meta(transcript).get("id"))
        return own if own and session_id.endswith(f"-{own}") else session_id

    def is_open(self, session_id: str) -> bool | None:
        from entire.agents.codex import thread_list

        return thread_list.is_open(self._home(), session_id) if is_session_id(session_id) else None

    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        from entire.agents.codex import rollouts, thread_list
        from entire.model.value import replace

        planned = super().put_back(session_ref, rollouts.alone(session_ref, transcript), subagents)
        is_replaced = os.path.exists(session_ref)
        forgets = thread_list.forget(self._home(), rollouts.ids_of(session_ref)[1]) if is_replaced else ()
        return replace(planned, effects=(*planned.effects, *forgets))
