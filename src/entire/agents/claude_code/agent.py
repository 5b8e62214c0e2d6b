"""Claude Code as an agent of the framework: one class that fits the contract; the work is done by its neighbours."""

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
    from entire.model.transcripts import Position, Prompt, Subagent, TokenUsage

_REMEMBERED = 4  # passes over transcripts that are kept for the next question
_LONGEST = 200  # of a project folder's name; longer ones end in a hash that only the agent knows


class ClaudeCode:
    """The adapter. ``now``, ``clock``, ``sleep`` and ``env`` come in for tests."""

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
        """Tell whether the repository or the user has a folder of Claude Code's."""
        from entire.agents.claude_code import settings

        return os.path.isdir(os.path.join(root, ".claude")) or os.path.isdir(settings.config_dir(self._env))

    # events

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        """Translate a hook call; raises EntireError for a payload without a usable session."""
        from entire.agents.claude_code import payloads

        return payloads.event(hook, payloads.read(payload), self._now())

    def write_hook_response(self, message: str) -> bytes:
        """Return what shows ``message`` to the user; the model does not see it. Never print anything else."""
        return jsontext.dumps({"systemMessage": message}).encode() + b"\n"

    # transcript storage

    def read_transcript(self, session_ref: str) -> bytes:
        """Return the transcript as it is; empty if there is none."""
        try:
            return files.read(session_ref) or b""
        except (OSError, ValueError):
            return b""

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        """Cut between lines."""
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        """Join with newlines."""
        return transcripts.join(chunks)

    # transcript analysis: one pass answers all questions about one part

    def transcript_position(self, session_ref: str, since: Position) -> Position:
        """Return the end of the last complete line; of the whole file, counted anew, if it became shorter."""
        tail = self._tail(session_ref, since)
        return self._tail(session_ref, START).position() if tail.shrunk else tail.position()

    def answer_boundary(self, session_ref: str, since: Position, moment: float) -> Position:
        """Return the end of the last answer that had begun by ``moment``, ``since`` if there is none.

        An answer begins before its tool call runs, and the next one begins after the call's result. The old short
        form has no times: there it is the end of the file, which is what is on disk when the question is asked.
        """
        return self._tail(session_ref, since).boundary(moment)

    def modified_files(self, session_ref: str, since: Position, until: Position | None = None) -> list[str]:
        """Return what successful Write, Edit and NotebookEdit calls changed; also on branches left by a rewind."""
        return self._tail(session_ref, since).files(_stop(until))

    def prompts(self, session_ref: str, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return what people typed, on the branch that was active at ``until``."""
        return self._tail(session_ref, since).prompts(_stop(until))

    def summary(self, session_ref: str, since: Position) -> str:
        """Return the last answer's text."""
        return self._tail(session_ref, since).text()

    def token_usage(self, session_ref: str, since: Position, until: Position | None = None) -> TokenUsage:
        """Sum the answers that begin between the positions, each once by its id."""
        return self._tail(session_ref, since).tokens(_stop(until))

    def subagents(self, session_ref: str, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the subagents that were called, reported, or ended in the background."""
        from entire.agents.claude_code import subagents

        stop = _stop(until)
        tasks = self._tail(session_ref, since).tasks
        return subagents.collect(session_ref, [task for task in tasks if stop is None or task.line < stop])

    def subagent_file(self, session_ref: str, subagent_id: str) -> str:
        """Return where a subagent's transcript is or belongs."""
        from entire.agents.claude_code import subagents

        return subagents.transcript_of(session_ref, subagent_id) if is_tool_id(subagent_id) else ""

    def prepare_transcript(self, event: Event, since: Position) -> None:
        """Wait until the turn's final text is in the file."""
        if event.type is EventType.TURN_END and event.session_ref:
            from entire.agents.claude_code import flush

            flush.wait(event, since.byte, self._clock, self._sleep)

    def _tail(self, session_ref: str, since: Position) -> Tail:
        from entire.agents.claude_code.transcript import Tail

        try:
            state = os.stat(session_ref)
            seen = (state.st_ino, state.st_size, state.st_mtime_ns)
        except (OSError, ValueError):
            seen = (0, 0, 0)
        key = (session_ref, since)
        found = self._tails.get(key)
        if found is None or found[0] != seen:
            self._tails.pop(key, None)
            while len(self._tails) >= _REMEMBERED:
                del self._tails[next(iter(self._tails))]
            found = self._tails[key] = (seen, Tail(session_ref, since))
        return found[1]

    # installing

    def hook_config_path(self, root: str, scope: str) -> str:
        """Return the settings file of the repository or of the user."""
        from entire.agents.claude_code import settings

        return settings.config_path(root, scope, self._env)

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        """Install or repair our entries."""
        from entire.agents.claude_code import settings

        return settings.install(self.hook_config_path(root, scope), force=force)

    def uninstall_hooks(self, root: str, scope: str) -> int:
        """Take our entries out again."""
        from entire.agents.claude_code import settings

        return settings.uninstall(self.hook_config_path(root, scope))

    def are_hooks_installed(self, root: str, scope: str) -> bool:
        """Tell whether all our entries are there."""
        from entire.agents.claude_code import settings

        return settings.is_installed(self.hook_config_path(root, scope))

    # resuming

    def session_dir(self, root: str) -> str:
        """Return the agent's folder for sessions started in ``root``."""
        given = self._env.get("ENTIRE_TEST_CLAUDE_PROJECT_DIR")
        if given:
            return given
        from entire.agents.claude_code import settings

        projects = os.path.join(settings.config_dir(self._env), "projects")
        name = _folder_name(os.path.realpath(root))
        if len(name) <= _LONGEST:
            return os.path.join(projects, name)
        start = name[:_LONGEST]
        try:
            known = sorted(entry for entry in os.listdir(projects) if entry.startswith(start + "-"))
        except OSError:
            known = []
        return os.path.join(projects, known[0] if known else start)

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        """Return the transcript's path."""
        if not is_session_id(session_id):
            raise EntireError(f"not a session id: {session_id!r}")
        return os.path.join(session_dir, session_id + ".jsonl")

    def write_session(self, session_ref: str, transcript: bytes) -> None:
        """Write a transcript for the agent, readable by the user alone, as the agent does."""
        files.write(session_ref, transcript, mode=0o600)

    def format_resume_command(self, session_id: str) -> str:
        """Return the command for the shell."""
        if is_tool_id(session_id):
            return f"claude -r {session_id}"
        return "claude -r '" + session_id.replace("'", "'\\''") + "'"


def _stop(until: Position | None) -> int | None:
    return None if until is None else until.count


def _folder_name(path: str) -> str:
    """Replace everything but ASCII letters and digits, as JavaScript counts characters (two beyond U+FFFF)."""
    return "".join(char if char.isascii() and char.isalnum() else "-" * (2 if char > "\uffff" else 1) for char in path)
