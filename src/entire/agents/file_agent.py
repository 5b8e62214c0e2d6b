"""A base for agents that keep their hooks in a JSON settings file, or in a file of ours, and each session in a file."""

from __future__ import annotations

import os
import time

from entire.agents import transcripts
from entire.errors import UsageError
from entire.model import jsontext
from entire.model.ids import is_session_id, is_tool_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar, Final, Protocol

    from entire.agents.hookfiles import Table
    from entire.agents.own_file import OwnFile
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

        def obstacle(self, root: str, project: str, user: str, env: Mapping[str, str]) -> HooksHealth | None:
            """Return what keeps the agent from running installed hooks in ``root``; ``project`` and ``user`` are the
            files of both scopes.
            """
            ...

    class Editor(Protocol):
        """What edits a file with our hooks: ``hookfiles``, or ``own_file`` for a file that is all ours."""

        def install(self, path: str, hooks: Any, /, *, force: bool) -> int:
            """Write what is missing; return how many there were."""
            ...

        def uninstall(self, path: str, hooks: Any, /) -> int:
            """Remove what is ours; return how many there were."""
            ...

        def health(self, path: str, hooks: Any, /) -> HooksHealth:
            """Tell whether all is there."""
            ...


class FileAgent:
    """Most of what the contract asks. Tests pass times and ``env``."""

    capabilities: ClassVar[frozenset[str]] = frozenset((
        "hook_installer", "session_lister", "session_resumer", "subagent_extractor", "token_calculator",
        "transcript_analyzer",
    ))  # fmt: skip
    """What all of these agents have."""
    payloads: ClassVar[Payloads]
    settings_file: ClassVar[str]
    """The settings file in a project, such as ``.claude/settings.json``; the user's has the same name."""
    home_variable: ClassVar[str] = ""
    """The environment variable that moves the user's folder of the agent."""
    home_folder: ClassVar[str] = ""
    """The name of that folder in the user's home, if it is not that of the folder in a project."""
    resume_command: ClassVar[str]
    """What continues a session, up to the session's id."""
    folder_variable: ClassVar[str]
    """The environment variable with which a test harness names the folder of the sessions."""

    def __init__(
        self,
        *,
        metadata: Mapping[str, str] = {},
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.metadata: Final = metadata
        self._now = now
        self._clock = clock
        self._sleep = sleep
        self._env = os.environ if env is None else env

    def detect(self, root: str) -> bool:
        folder = os.path.dirname(self._config_path(root, "project"))
        return os.path.isdir(folder) or os.path.isdir(self._home())

    def _home(self) -> str:
        """Return the user's folder of the agent."""
        home = self._env.get("HOME") or os.path.expanduser("~")
        folder = self.home_folder or os.path.dirname(self.settings_file)
        return self._env.get(self.home_variable) or os.path.join(home, folder)

    # events

    @property
    def hook_names(self) -> tuple[str, ...]:
        return self.payloads.hook_names

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return self.payloads.parse_hook(hook, payload, self._now)

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

    def _editor(self) -> Editor:
        from entire.agents import hookfiles

        return hookfiles

    def _table(self) -> Table | OwnFile:
        """Return what the editor writes."""
        return self._settings().TABLE

    def hook_config_paths(self, root: str, scope: str) -> tuple[str, ...]:
        return (self._config_path(root, scope),)

    def _config_path(self, root: str, scope: str) -> str:
        if scope == "project":
            return os.path.join(root, self.settings_file)
        if scope == "user":
            return os.path.join(self._home(), os.path.basename(self.settings_file))
        raise UsageError(f"there is no scope {scope!r} for agent hooks", hint="use project or user")

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        return self._editor().install(self._config_path(root, scope), self._table(), force=force)

    def uninstall_hooks(self, root: str, scope: str) -> int:
        return self._editor().uninstall(self._config_path(root, scope), self._table())

    def hooks_health(self, root: str, scope: str) -> HooksHealth:
        from entire.model.health import HooksHealth, HookStatus

        hooks = self._editor().health(self._config_path(root, scope), self._table())
        if hooks.status in (HookStatus.MISSING, HookStatus.UNKNOWN):
            return hooks
        project, user = self._config_path(root, "project"), self._config_path(root, "user")
        hooks = self._settings().obstacle(root, project, user, self._env) or hooks
        distrust = self._distrust(root, scope) if hooks.status is HookStatus.INSTALLED else ""
        return HooksHealth(status=HookStatus.UNTRUSTED, detail=distrust) if distrust else hooks

    def _distrust(self, root: str, scope: str) -> str:  # noqa: ARG002
        """Return what to do so that the user's agent trusts the hooks of a scope; '' if it does, or asks nobody."""
        return ""

    # resuming

    def session_dir(self, root: str) -> str:
        return self._env.get(self.folder_variable) or self._folder(root)

    def _folder(self, root: str) -> str:
        """Return the folder of the sessions that were started in ``root``."""
        raise NotImplementedError

    def session_files(self, root: str) -> list[SessionFile]:
        return transcripts.session_files(self.session_dir(root))

    def has_conversation(self, session_ref: str) -> bool:
        """Tell, from a transcript's beginning, whether a person or the agent said anything in it."""
        data, is_longer = transcripts.beginning(session_ref)
        if is_longer or not data:
            return is_longer
        from entire.conversation.records import LOCAL, Answer, Prompt

        records = self.transcript(session_ref, data).records()
        return any(
            (isinstance(record, Prompt) and record.by != LOCAL) or (isinstance(record, Answer) and not record.is_local)
            for record in records
        )

    def own_session_id(self, session_id: str, transcript: bytes) -> str:
        """Return the id without the date that early versions of the Go CLI put before it (``2026-01-05-<id>``)."""
        import re

        dated = re.fullmatch(r"\d{4}-\d\d-\d\d-(.+)", session_id)
        if dated is None:
            return session_id
        held = [name.decode("ascii") for name in re.findall(rb'"sessionId"\s*:\s*"([0-9A-Za-z_-]+)"', transcript)]
        if session_id in held:
            return session_id
        return dated[1] if dated[1] in held or not held else held[-1]

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return os.path.join(session_dir, f"{session_id}.jsonl") if is_session_id(session_id) else ""

    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        from entire.agents import put_back

        return put_back.files(session_ref, transcript, subagents, self.transcript(session_ref).subagent_ref)

    def format_resume_command(self, session_id: str) -> str:
        quoted = session_id if is_tool_id(session_id) else "'" + session_id.replace("'", "'\\''") + "'"
        return f"{self.resume_command}{quoted}"
