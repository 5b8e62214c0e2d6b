"""The promise between an agent's adapter and the framework, for people and type checkers.

No hook imports this module: adapters simply have these methods, and ``capabilities`` asks for the optional ones by
the names in ``Agent.capabilities``. A method is called like the subcommand of the external agent protocol.

Rules for every method: never write (but where it says so), never call git, never decide, never raise on bad data (give
what can be told); a missing transcript is an empty one. Paths are absolute unless said otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.events import Event
    from entire.model.transcripts import Position, Prompt, Subagent, TokenUsage


class AgentFactory(Protocol):
    """What the ``target`` of an ``AgentEntry`` is, mostly a class: makes one adapter per session."""

    def __call__(self, *, metadata: Mapping[str, str] = ...) -> Agent:
        """Return an adapter for a session; ``metadata``: what earlier events of that session carried."""
        ...


class Agent(Protocol):
    """What every agent must have: identity, event mapping, transcript storage.

    What must be known without loading the agent stands in its ``registry.AgentEntry``.
    """

    @property
    def name(self) -> str:
        """As in its ``AgentEntry``, e.g. ``claude-code``."""
        ...

    @property
    def type(self) -> str:
        """As in its ``AgentEntry``, e.g. ``Claude Code``."""
        ...

    @property
    def hook_names(self) -> tuple[str, ...]:
        """Verbs of ``entire hooks <name> <verb>``."""
        ...

    @property
    def capabilities(self) -> frozenset[str]:
        """Names of the optional capabilities below, in snake case: ``{"hook_installer", ...}``."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """What earlier events of this session carried, as given to the constructor."""
        ...

    def detect(self, root: str) -> bool:
        """Tell whether this agent is present in the repository at ``root`` or for this user."""
        ...

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        """Translate a native hook call into an event, or None if it means nothing. Reads no transcript."""
        ...

    def read_transcript(self, session_ref: str) -> bytes:
        """Return the native transcript, whole; empty if there is none."""
        ...

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        """Cut a transcript into parts of at most ``max_size`` bytes that ``reassemble_transcript`` joins again."""
        ...

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        """Join stored parts to the transcript."""
        ...


class HookInstaller(Protocol):
    """Edits the agent's own configuration. Scope is ``project`` (in the repository) or ``user`` (all repositories)."""

    def hook_config_path(self, root: str, scope: str) -> str:
        """Return the configuration file that holds the hooks."""
        ...

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        """Install or repair our entries, keep strangers' to the byte; return the number of entries written (0: all
        there).
        """
        ...

    def uninstall_hooks(self, root: str, scope: str) -> int:
        """Remove our entries (and the file, if nothing else is in it); return the number removed."""
        ...

    def are_hooks_installed(self, root: str, scope: str) -> bool:
        """Tell whether all our entries are there, as we write them today."""
        ...


class TranscriptAnalyzer(Protocol):
    """Understands the transcript's format. ``until=None`` means its present end."""

    def transcript_position(self, session_ref: str, since: Position) -> Position:
        """Return the end, counting on from ``since``; smaller than ``since`` if the transcript was rewritten
        shorter.
        """
        ...

    def answer_boundary(self, session_ref: str, since: Position, moment: float) -> Position:
        """Return the end of the API answer whose tool call was running at ``moment`` (seconds since the epoch)."""
        ...

    def modified_files(self, session_ref: str, since: Position, until: Position | None = None) -> list[str]:
        """Return the paths that tools report as changed, in order, each once; failed calls do not count."""
        ...

    def prompts(self, session_ref: str, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return the prompts of people in the conversation (not of branches that a native rewind left)."""
        ...

    def summary(self, session_ref: str, since: Position) -> str:
        """Return the last answer's text, or ''."""
        ...


class TranscriptPreparer(Protocol):
    """For agents that write the transcript late."""

    def prepare_transcript(self, event: Event, since: Position) -> None:
        """Wait (at most a few seconds) until the transcript holds the turn that ended with ``event``."""
        ...


class TokenCalculator(Protocol):
    """Knows what API answers cost."""

    def token_usage(self, session_ref: str, since: Position, until: Position | None = None) -> TokenUsage:
        """Sum the answers that begin between the two positions, each once, without subagents."""
        ...


class SubagentExtractor(Protocol):
    """Knows the transcripts of subagents, which are in this agent's own format."""

    def subagents(self, session_ref: str, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the subagents whose task call or result lies between the positions."""
        ...

    def subagent_file(self, session_ref: str, subagent_id: str) -> str:
        """Return where a subagent's transcript belongs beside its session's; '' for an id that could lead elsewhere.

        Optional: an adapter without it has its subagents' transcripts stored, and not put back.
        """
        ...


class SessionResumer(Protocol):
    """Can continue a stored session."""

    def session_dir(self, root: str) -> str:
        """Return the folder where the agent looks for sessions of this repository on this machine."""
        ...

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        """Return the transcript's path of a session in that folder."""
        ...

    def write_session(self, session_ref: str, transcript: bytes) -> None:
        """Put a transcript where the agent finds it (old or new under a crash)."""
        ...

    def format_resume_command(self, session_id: str) -> str:
        """Return the command with which a person continues the session."""
        ...


class HookResponder(Protocol):
    """Can show a message to the user through the agent."""

    def write_hook_response(self, message: str) -> bytes:
        """Return what the hook prints on standard output for this."""
        ...


class TextGenerator(Protocol):
    """Can write text with the agent's own model (summaries; never called by a hook)."""

    def generate_text(self, prompt: str, model: str) -> str:
        """Return the model's answer."""
        ...


class FileWatcher(Protocol):
    """For agents without hooks: changed files become events."""

    def watch_paths(self, root: str) -> list[str]:
        """Return the files and folders to watch."""
        ...

    def on_file_change(self, path: str) -> Event | None:
        """Translate a change into an event, or None."""
        ...
