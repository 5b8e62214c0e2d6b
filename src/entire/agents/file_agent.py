"""A base for agents that keep their hooks in a JSON settings file, and each session in a file of its own."""

from __future__ import annotations

import os
import time

from entire.agents import transcripts
from entire.model import jsontext
from entire.model.ids import is_session_id, is_tool_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar, Final, Protocol

    from entire.agents.hookfiles import Table
    from entire.model.effects import PutBack
    from entire.model.events import Event
    from entire.model.health import HooksHealth
    from entire.model.transcripts import Content, SessionFile

    class Payloads(Protocol):
        """The module of an agent that translates its hook calls."""

        @property
        def hook_names(self) -> tuple[str, ...]:
            """The verbs of its hooks."""
            ...

        def parse_hook(self, hook: str, payload: bytes, now: Callable[[], float]) -> Event | None:
            """As in the contract; ``now`` tells the time of an event whose payload has none."""
            ...

    class Settings(Protocol):
        """The module of an agent that knows its settings files."""

        TABLE: Table

        def config_path(self, root: str, scope: str, env: Mapping[str, str]) -> str:
            """Return the file of a scope; raises UsageError for an unknown one."""
            ...

        def health(self, root: str, scope: str, env: Mapping[str, str]) -> HooksHealth:
            """Tell whether our entries are there, and whether the agent runs them."""
            ...


class FileAgent:
    """Most of what the contract asks. Tests pass ``now`` and ``env``."""

    resume_command: ClassVar[str]
    """What continues a session, without the session's id at its end."""
    folder_variable: ClassVar[str]
    """The environment variable with which a test harness names the folder of the sessions."""

    def __init__(
        self,
        *,
        metadata: Mapping[str, str] = {},
        now: Callable[[], float] = time.time,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.metadata: Final = metadata
        self._now = now
        self._env = os.environ if env is None else env

    # events

    def _payloads(self) -> Payloads:
        raise NotImplementedError

    @property
    def hook_names(self) -> tuple[str, ...]:
        return self._payloads().hook_names

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return self._payloads().parse_hook(hook, payload, self._now)

    def write_hook_response(self, message: str) -> bytes:
        """Return what shows ``message`` to the user; the hook must print nothing else."""
        return jsontext.dumps({"systemMessage": message}).encode() + b"\n"

    # transcripts

    def transcript(self, session_ref: str, stored: Content | None = None) -> Any:
        raise NotImplementedError

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        return transcripts.join(chunks)

    def is_lines(self, beginning: bytes) -> bool:  # noqa: ARG002
        """Tell whether a transcript that begins so is lines, which are joined and put back block by block."""
        return True

    # installing

    def _settings(self) -> Settings:
        raise NotImplementedError

    def hook_config_paths(self, root: str, scope: str) -> tuple[str, ...]:
        return (self._config_path(root, scope),)

    def _config_path(self, root: str, scope: str) -> str:
        return self._settings().config_path(root, scope, self._env)

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        from entire.agents import hookfiles

        return hookfiles.install(self._config_path(root, scope), self._settings().TABLE, force=force)

    def uninstall_hooks(self, root: str, scope: str) -> int:
        from entire.agents import hookfiles

        return hookfiles.uninstall(self._config_path(root, scope), self._settings().TABLE)

    def hooks_health(self, root: str, scope: str) -> HooksHealth:
        return self._settings().health(root, scope, self._env)

    # resuming

    def session_dir(self, root: str) -> str:
        return self._env.get(self.folder_variable) or self._folder(root)

    def _folder(self, root: str) -> str:
        """Return the folder of the sessions that were started in ``root``."""
        raise NotImplementedError

    def session_files(self, root: str) -> list[SessionFile]:
        return transcripts.session_files(self.session_dir(root))

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return os.path.join(session_dir, f"{session_id}.jsonl") if is_session_id(session_id) else ""

    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        from entire.agents import put_back

        return put_back.files(session_ref, transcript, subagents, self.transcript(session_ref).subagent_ref)

    def format_resume_command(self, session_id: str) -> str:
        quoted = session_id if is_tool_id(session_id) else "'" + session_id.replace("'", "'\\''") + "'"
        return f"{self.resume_command} {quoted}"
