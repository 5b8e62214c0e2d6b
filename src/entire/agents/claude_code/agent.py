"""The adapter for Claude Code: implements the contract with the other modules of this room."""

from __future__ import annotations

import os
import time

from entire import files
from entire.agents import transcripts
from entire.errors import EntireError
from entire.model import jsontext
from entire.model.events import EventType
from entire.model.ids import is_session_id, is_tool_id
from entire.model.transcripts import START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import ClassVar, Final

    from entire.agents.claude_code.transcript import Tail
    from entire.model.events import Event
    from entire.model.transcripts import Position, Prompt, SessionFile, Subagent, TokenUsage

_MAX_TAILS = 4  # parsed transcripts to keep for the next question
_MAX_FOLDER_NAME = 200  # longer names of project folders end in a hash that only the agent knows


class ClaudeCode:
    """The adapter. Tests pass ``now``, ``clock``, ``sleep`` and ``env``."""

    name: ClassVar[str] = "claude-code"
    type: ClassVar[str] = "Claude Code"
    hook_names: ClassVar[tuple[str, ...]] = (
        "session-start",
        "session-end",
        "stop",
        "stop-failure",
        "user-prompt-submit",
        "pre-task",
        "post-task",
        "post-todo",
        "pre-compact",
        "subagent-stop",
    )
    capabilities: ClassVar[frozenset[str]] = frozenset(
        {
            "hook_installer",
            "hook_responder",
            "line_transcript",
            "session_lister",
            "session_resumer",
            "subagent_extractor",
            "token_calculator",
            "transcript_analyzer",
            "transcript_preparer",
        }
    )

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
        self._tails: dict[tuple[str, Position], tuple[tuple[int, int, int], Tail]] = {}

    def detect(self, root: str) -> bool:
        from entire.agents.claude_code import settings

        return os.path.isdir(os.path.join(root, ".claude")) or os.path.isdir(settings.config_dir(self._env))

    # events

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        """Translate a hook call; raises EntireError for a payload without a valid session id."""
        from entire.agents.claude_code import payloads

        return payloads.event(hook, payloads.read(payload), self._now())

    def write_hook_response(self, message: str) -> bytes:
        """Return what shows ``message`` to the user but not to the model; the hook must print nothing else."""
        return jsontext.dumps({"systemMessage": message}).encode() + b"\n"

    # transcript storage

    def read_transcript(self, session_ref: str) -> bytes:
        return transcripts.read(session_ref)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        return transcripts.join(chunks)

    # transcript analysis: one pass over a part of the transcript answers all questions about it

    def transcript_position(self, session_ref: str, since: Position) -> Position:
        """Return the end of the last complete line, counted from the start of the file if it became shorter."""
        tail = self._tail(session_ref, since)
        return self._tail(session_ref, START).position() if tail.shrunk else tail.position()

    def answer_boundary(self, session_ref: str, since: Position, moment: float) -> Position:
        """Return the end of the last response that had started by ``moment``, or ``since`` if there is none.

        A response starts before its tool call runs, and the next one starts after the call's result. The old short form
        has no times, so there it is the current end of the file.
        """
        return self._tail(session_ref, since).boundary(moment)

    def modified_files(self, session_ref: str, since: Position, until: Position | None = None) -> list[str]:
        """Return what successful file edits changed, also on branches that the agent's own rewind abandoned."""
        return self._tail(session_ref, since).files(_stop(until))

    def prompts(self, session_ref: str, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return the prompts on the branch that was active at ``until``."""
        return self._tail(session_ref, since).prompts(_stop(until))

    def summary(self, session_ref: str, since: Position) -> str:
        return self._tail(session_ref, since).text()

    def model(self, session_ref: str, since: Position, until: Position | None = None) -> str:
        return self._tail(session_ref, since).model(_stop(until))

    def token_usage(self, session_ref: str, since: Position, until: Position | None = None) -> TokenUsage:
        return self._tail(session_ref, since).tokens(_stop(until))

    def subagents(self, session_ref: str, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the subagents that were called, returned a result, or ended in the background."""
        from entire.agents.claude_code import subagents

        stop = _stop(until)
        tasks = self._tail(session_ref, since).tasks
        return subagents.collect(session_ref, [task for task in tasks if stop is None or task.line < stop])

    def subagent_file(self, session_ref: str, subagent_id: str) -> str:
        from entire.agents.claude_code import subagents

        return subagents.transcript_of(session_ref, subagent_id) if is_tool_id(subagent_id) else ""

    def prepare_transcript(self, event: Event, since: Position) -> None:
        if event.type is EventType.TURN_END and event.session_ref:
            from entire.agents.claude_code import flush

            flush.wait(event, since.byte, self._clock, self._sleep)

    def _tail(self, session_ref: str, since: Position) -> Tail:
        from entire.agents.claude_code.transcript import Tail

        try:
            state = os.stat(session_ref)
            version = (state.st_ino, state.st_size, state.st_mtime_ns)
        except (OSError, ValueError):
            version = (0, 0, 0)
        key = (session_ref, since)
        found = self._tails.get(key)
        if found is None or found[0] != version:
            self._tails.pop(key, None)
            while len(self._tails) >= _MAX_TAILS:
                del self._tails[next(iter(self._tails))]
            found = self._tails[key] = (version, Tail(session_ref, since))
        return found[1]

    # installing

    def hook_config_path(self, root: str, scope: str) -> str:
        from entire.agents.claude_code import settings

        return settings.config_path(root, scope, self._env)

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        from entire.agents.claude_code import settings

        return settings.install(self.hook_config_path(root, scope), force=force)

    def uninstall_hooks(self, root: str, scope: str) -> int:
        from entire.agents.claude_code import settings

        return settings.uninstall(self.hook_config_path(root, scope))

    def are_hooks_installed(self, root: str, scope: str) -> bool:
        from entire.agents.claude_code import settings

        return settings.is_installed(self.hook_config_path(root, scope))

    # resuming

    def session_dir(self, root: str) -> str:
        override = self._env.get("ENTIRE_TEST_CLAUDE_PROJECT_DIR")
        if override:
            return override
        from entire.agents.claude_code import settings

        projects = os.path.join(settings.config_dir(self._env), "projects")
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
        found = transcripts.session_files(self.session_dir(root))
        return [file for file in found if not file.session_id.startswith("agent-")]

    def has_conversation(self, session_ref: str) -> bool:
        from entire.agents.claude_code import records

        lines, is_longer = transcripts.beginning(session_ref)
        return is_longer or any(records.is_conversation(transcripts.loads(line)) for line in lines)

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        if not is_session_id(session_id):
            raise EntireError(f"{session_id!r} is not a valid session id")
        return os.path.join(session_dir, session_id + ".jsonl")

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

    def write_session(self, session_ref: str, transcript: bytes) -> None:
        files.write(session_ref, transcript, mode=0o600)  # the mode the agent uses

    def format_resume_command(self, session_id: str) -> str:
        if is_tool_id(session_id):
            return f"claude -r {session_id}"
        return "claude -r '" + session_id.replace("'", "'\\''") + "'"


def _stop(until: Position | None) -> int | None:
    return None if until is None else until.count


def _folder_name(path: str) -> str:
    """Replace all but ASCII letters and digits by ``-``, per UTF-16 unit as JavaScript does (two beyond U+FFFF)."""
    return "".join(char if char.isascii() and char.isalnum() else "-" * (2 if char > "\uffff" else 1) for char in path)
