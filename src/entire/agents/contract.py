"""The contract between an agent's adapter and the framework, for people and type checkers.

No hook imports this module: adapters simply have these methods, and ``Agent.capabilities`` names the optional ones they
have.

An agent's transcripts are its own: their form, what a position in them is, how they are cut, compared and put back is
for the adapter to say, per session. ``agents/lines.py``, ``documents.py`` and ``opaque.py`` are bases for the usual
forms.

Rules for every method: do not write files (unless its docstring says so), call git or make decisions. Do not raise on
bad data: return what can be read. Treat a missing transcript as an empty one. Paths are absolute unless stated
otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.conversation.records import Prompt
    from entire.conversation.windows import Activity
    from entire.model.effects import PutBack
    from entire.model.events import Event
    from entire.model.health import HooksHealth
    from entire.model.positions import Position
    from entire.model.tokens import TokenUsage
    from entire.model.transcripts import Agreement, FileLines, FileReport, Message, SessionFile, Subagent


class AgentFactory(Protocol):
    """The ``target`` of an ``AgentEntry``, usually a class: makes one adapter per session."""

    def __call__(self, *, metadata: Mapping[str, str] = ...) -> Agent:
        """Return an adapter for a session; ``metadata`` holds what earlier events of that session carried."""
        ...


class HookSource(Protocol):
    """Translates hook calls. Every adapter does; a built-in agent's entry names a module that does it without one."""

    @property
    def hook_names(self) -> tuple[str, ...]:
        """As ``Agent.hook_names``."""
        ...

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        """As ``Agent.parse_hook``."""
        ...


class Agent(Protocol):
    """What every agent must have: identity, event mapping, transcripts.

    What must be known without loading the adapter is in its ``registry.AgentEntry``.
    """

    @property
    def name(self) -> str:
        """Name in the ``AgentEntry``, such as ``claude-code``."""
        ...

    @property
    def type(self) -> str:
        """Type in the ``AgentEntry``, such as ``Claude Code``."""
        ...

    @property
    def hook_names(self) -> tuple[str, ...]:
        """Verbs of ``entire hooks <name> <verb>``."""
        ...

    @property
    def capabilities(self) -> frozenset[str]:
        """Names of the optional capabilities below that the adapter has, in snake case: ``{"hook_installer", ...}``."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """What earlier events of this session carried, as passed to the constructor."""
        ...

    def detect(self, root: str) -> bool:
        """Tell whether this agent is used in the repository at ``root`` or by this user."""
        ...

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        """Translate a hook call into an event, or None if the framework need not know or the payload makes no sense.
        Do not read the transcript.
        """
        ...

    def transcript(self, session_ref: str, stored: bytes | None = None) -> Transcript:
        """Return a session's or subagent's transcript: the agent's own at ``session_ref``, or a stored copy of it.

        ``session_ref`` is what events and ``Subagent`` carry, a path for most agents; with ``stored`` it says where
        the transcript belongs and may be ''. Read nothing before the first question. The framework asks one hook's
        questions of one object, each once.
        """
        ...

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        """Split a transcript into chunks of at most ``max_size`` bytes that ``reassemble_transcript`` can join."""
        ...

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        """Join stored chunks into the transcript.

        One that is stored in parts (``file_lines``) arrives without the newline between two parts.
        """
        ...


class LongTranscripts(Protocol):
    """For agents whose transcripts may be too long for memory. No capability: the method is used if there is one.

    What the agent's ``transcript``, ``put_back`` and ``agreement`` are given is then ``Content``: bytes, or what
    ``entire.contents`` reads block by block. ``agents.lines`` and ``agents.put_back`` take both.
    """

    def is_lines(self, beginning: bytes) -> bool:
        """Tell whether a transcript that begins so is lines, which a newline joins."""
        ...


class Transcript(Protocol):
    """One session's transcript, or a subagent's; what every agent must have.

    A position is stored and handed back; ``until=None`` means the current end. Methods of capabilities are in the
    classes below: the object has them if its agent has the capability.
    """

    def snapshot(self) -> bytes:
        """Return the complete content, as a checkpoint stores it; empty if there is none."""
        ...

    def end(self, known: Position = ...) -> Position:
        """Return the position of the current end, reading from ``known`` on if the transcript still holds that."""
        ...

    def at(self, count: int) -> Position:
        """Return the position after the first ``count`` records; the end if there are fewer."""
        ...

    def cut(self, end: Position) -> bytes:
        """Return what ``snapshot`` would return if the transcript ended there."""
        ...

    def holds(self, position: Position) -> bool:
        """Tell whether a position still lies in the transcript, which may have been rewritten."""
        ...

    def is_later(self, position: Position, other: Position) -> bool:
        """Tell whether ``position`` is after ``other``."""
        ...

    def agreement(self, stored: bytes) -> Agreement:
        """Compare the agent's own transcript, which this is, with a stored and so redacted one."""
        ...

    def file_lines(self, end: Position) -> FileLines | None:
        """Return the lines up to a position if the transcript is a file that only grows: it is then stored in parts.

        None: it is stored in one piece.
        """
        ...


class TranscriptAnalyzer(Transcript, Protocol):
    """A transcript whose format the adapter reads: the capability ``transcript_analyzer``. One that derives from
    ``agents.record_source.RecordSource`` and yields records answers all of this, and is shown to people by them.
    """

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        """Return what tools report as changed, in order, without duplicates; ignore failed calls."""
        ...

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return the prompts people typed, without those on branches abandoned by the agent's own rewind."""
        ...

    def summary(self, since: Position) -> str:
        """Return the text of the last answer, or ''."""
        ...

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        """Tell whether the agent began an answer between the positions."""
        ...

    def shares_answer(self, position: Position) -> bool:
        """Tell whether the last answer before a position of another session is in this transcript too: one of both
        began as a copy of the other.
        """
        ...

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        """Return the end of the API response whose tool call made the commit with the id ``commit``.

        If no result of a call names it, that of the response whose call was running at ``moment`` (seconds since the
        epoch).
        """
        ...

    def makes_commit(self, since: Position, moment: float, commit: str) -> bool:
        """Tell whether a tool call after ``since`` made the commit with the id ``commit`` at ``moment``: its result
        names the commit, or its command commits.

        Optional: without it, a commit that no git hook saw is never the agent's own.
        """
        ...

    def activity(self, since: Position, until: Position | None = None) -> Activity | None:
        """Return when tools that can run programs were at work between the positions, and whether and when the turn was
        interrupted; None if the transcript cannot tell. ``entire.model.activity`` derives it from simple records.

        Optional: without it, all that a turn's tools did not report counts as its own.
        """
        ...

    def model(self, since: Position, until: Position | None = None) -> str:
        """Return the model that wrote the last answer, or ''.

        Optional: without it, a turn's model is what its events say.
        """
        ...

    def agent_version(self) -> str:
        """Return the agent's version that wrote the end of the transcript, or ''; read no more than that.

        Optional: without it, ``status`` does not know which version runs.
        """
        ...


class DisplayedTranscript(Transcript, Protocol):
    """A transcript that is displayed in its own way. No capability: without the method, its records are, if it derives
    from ``agents.record_source``, and else ``agents.forms`` reads it.
    """

    def messages(self) -> list[Message]:
        """Return what was said and which tools were called, without what the agent's own rewind abandoned."""
        ...


class DatedTranscript(Transcript, Protocol):
    """A transcript that tells how old it is. No capability: without the method, the times that ``messages`` and
    ``prompts`` return count, and those in the forms that ``agents.forms`` knows.
    """

    def last_time(self) -> float:
        """Return when its last record was written, in seconds since the epoch; 0.0 if it does not say.

        Of two conversations that went apart, the one with the later record is newer.
        """
        ...


class TranscriptFinder(Protocol):
    """For agents whose events do not say where a session's transcript is. No capability: the method is used if there is
    one.
    """

    def find_transcript(self, event: Event) -> str:
        """Return the ``session_ref`` of the event's session, '' if it is unknown; asked until it is known."""
        ...


class ReportingTranscript(Transcript, Protocol):
    """A transcript that cannot be read, of a session whose agent tells what it changed. No capability: without a
    ``transcript_analyzer``, the method is used if there is one.
    """

    def changed_files(self) -> list[FileReport]:
        """Return what the session has changed so far, also in earlier turns."""
        ...


class TokenCalculator(Transcript, Protocol):
    """A transcript that tells the tokens of API responses: the capability ``token_calculator``."""

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        """Sum the responses that start between the two positions, each counted once, without subagents."""
        ...


class SubagentExtractor(Transcript, Protocol):
    """A transcript that tells which subagents worked: the capability ``subagent_extractor``."""

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the subagents whose task call or result is between the positions."""
        ...

    def subagent_ref(self, subagent_id: str) -> str:
        """Return the ``session_ref`` of a subagent's transcript; '' for an id that could lead outside the session's.

        Optional: without it, subagents' transcripts are stored but not restored.
        """
        ...


class HookInstaller(Protocol):
    """Edits the agent's own configuration. Scope is ``project`` (in the repository) or ``user`` (all repositories)."""

    def hook_config_paths(self, root: str, scope: str) -> tuple[str, ...]:
        """Return every file that ``install_hooks`` may write, the one that names our commands first.

        If one of them cannot be written, the framework puts the others back.
        """
        ...

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        """Install or repair our entries without changing a byte of others; return how many were written, 0 if all
        were there.
        """
        ...

    def uninstall_hooks(self, root: str, scope: str) -> int:
        """Remove our entries (and the file, if nothing else is in it); return how many were removed."""
        ...

    def hooks_health(self, root: str, scope: str) -> HooksHealth:
        """Tell whether all our entries are there, as this version writes them, and whether the agent runs them."""
        ...


class TrustingInstaller(HookInstaller, Protocol):
    """For agents that run only hooks that their user trusts. No capability: the method is used if there is one."""

    def trust_hooks(self, root: str, scope: str) -> int:
        """Note in the agent's own settings that its user trusts our entries, and no others; return how many were not
        trusted. Called only with the user's consent, after ``install_hooks``.
        """
        ...


class TranscriptPreparer(Protocol):
    """For agents that write the transcript late."""

    def prepare_transcript(self, event: Event, since: Position) -> None:
        """Wait at most a few seconds until the transcript holds the whole turn that ended with ``event``."""
        ...


class SessionResumer(Protocol):
    """Restores sessions so that the agent can continue them.

    ``notices_changes`` (optional, False): a running agent reads a session's transcript again before it goes on, so
    that it may be put back meanwhile. ``is_open(session_id)`` (optional): whether a process of the agent has a session
    open, None if the agent does not say. ``closing`` (optional): how a person has it closed, an imperative.
    """

    def session_dir(self, root: str) -> str:
        """Return the folder in which the agent keeps this repository's sessions on this machine."""
        ...

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        """Return the path of a session's transcript in that folder; '' for an id that could lead outside of it."""
        ...

    def own_session_id(self, session_id: str, transcript: bytes) -> str:
        """Return the agent's own id of a stored session; a record of an old version may hold another form of it.

        ``transcript`` is only the beginning of a very long one.
        """
        ...

    def put_back(self, session_ref: str, transcript: bytes, subagents: Mapping[str, bytes]) -> PutBack:
        """Plan how the agent finds a session with this transcript at ``session_ref``; change nothing.

        An empty transcript removes the conversation. ``subagents`` are the transcripts, by the subagents' ids, that
        this machine lacks. The framework carries the effects out in order, first the files, then the commands, in one
        transaction with the files of the worktree, and takes them back after a failure or for ``--undo``; so nothing
        else may have to be done. What cannot be put back has a ``problem``, a sentence's end: "its database is open".
        """
        ...

    def format_resume_command(self, session_id: str) -> str:
        """Return the shell command that continues the session."""
        ...


class PlacingResumer(SessionResumer, Protocol):
    """For agents whose transcripts name the folder in which a session goes on. No capability: the method is used if
    there is one.
    """

    def placed(self, root: str, session_ref: str, transcript: bytes) -> bytes:
        """Return a transcript as ``put_back`` writes it to ``session_ref`` for the worktree ``root``."""
        ...


class SessionLister(Protocol):
    """Lists the sessions that the agent itself keeps, so ``status`` can name those that were not recorded."""

    def session_files(self, root: str) -> list[SessionFile]:
        """Return the sessions that were started in ``root``, by the names and times of their files alone."""
        ...

    def has_conversation(self, session_ref: str) -> bool:
        """Tell, from the beginning of a session's file, whether it holds a prompt or an answer."""
        ...


class HookResponder(Protocol):
    """Shows a message to the user through the agent."""

    def write_hook_response(self, message: str) -> bytes:
        """Return what the hook must print on standard output to show ``message``."""
        ...


class TextGenerator(Protocol):
    """Writes text, such as summaries, with the agent's own model. No hook calls it."""

    def generate_text(self, prompt: str, model: str) -> str:
        """Return the model's answer; ``model`` '' leaves the choice to the agent.

        A user waits for it, so it may take minutes. Unlike other methods, it raises EntireError if there is no answer.
        """
        ...

    def text_problem(self) -> str:
        """Return why nothing can be generated here, such as a program that is not installed; '' if it may work.

        Optional: without it, it may. Only agents without a problem are chosen by themselves.
        """
        ...


class FileWatcher(Protocol):
    """For agents without hooks: turns changed files into events."""

    def watch_paths(self, root: str) -> list[str]:
        """Return the files and folders to watch."""
        ...

    def on_file_change(self, path: str) -> Event | None:
        """Translate a changed file into an event, or None if the framework need not know."""
        ...
