"""An agent with the required contract only, and each optional capability as a class to add to it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from entire import files
from entire.agents import configfile, transcripts, untrusted
from entire.agents.lines import LineTranscript
from entire.agents.opaque import OpaqueTranscript
from entire.agents.registry import AgentEntry
from entire.agents.untrusted import clean
from entire.conversation.records import Prompt
from entire.model.effects import PutBack, Write
from entire.model.events import Event, EventType
from entire.model.health import HooksHealth, HookStatus
from entire.model.ids import is_session_id
from entire.model.positions import Position
from entire.model.tokens import TokenUsage
from entire.model.transcripts import FileLines, FileReport, SessionFile, Subagent

EVENTS = {
    "session-start": EventType.SESSION_START,
    "turn-start": EventType.TURN_START,
    "turn-end": EventType.TURN_END,
    "compaction": EventType.COMPACTION,
    "subagent-start": EventType.SUBAGENT_START,
    "subagent-end": EventType.SUBAGENT_END,
    "subagent-note": EventType.SUBAGENT_NOTE,
    "session-end": EventType.SESSION_END,
}
FIELDS = Event._fields[1:]


def of_kind(value: object, default: Any) -> Any:
    """Return a value of a payload in the form of a field, whose default this is; that default for nonsense."""
    if isinstance(default, str):
        return clean(value)
    if isinstance(default, tuple):
        return tuple(map(clean, value)) if isinstance(value, list) else default
    if isinstance(default, dict):
        return {clean(key): clean(text) for key, text in value.items()} if isinstance(value, dict) else default
    return value if type(value) is type(default) else default


class Bare:
    """Its transcript holds JSON lines, but only the capabilities know that."""

    name: ClassVar[str] = "bare"
    type: ClassVar[str] = "Bare Agent"
    hook_names: ClassVar[tuple[str, ...]] = tuple(EVENTS)
    capabilities: ClassVar[frozenset[str]] = frozenset()
    calls: ClassVar[list[str]] = []

    def __init__(self, *, metadata: Mapping[str, str] = {}) -> None:
        self.metadata: Final = metadata

    def detect(self, root: str) -> bool:
        return os.path.isdir(os.path.join(root, ".bare"))

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        given = untrusted.loads(payload)
        if hook not in EVENTS or not isinstance(given, dict) or not is_session_id(clean(given.get("session_id"))):
            return None
        known = {key: of_kind(value, Event._defaults.get(key, "")) for key, value in given.items() if key in FIELDS}
        return Event(type=EVENTS[hook], **known)

    def transcript(self, session_ref: str, stored: bytes | None = None) -> Any:
        forms = [TRANSCRIPTS[name] for name in sorted(self.capabilities) if name in TRANSCRIPTS]
        return type("BareTranscript", (*forms, OpaqueTranscript), {})(session_ref, stored)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        return transcripts.join(chunks)


class Lines(LineTranscript):
    """Tells its lines apart, but may be stored in one piece only."""

    def file_lines(self, end: Position) -> FileLines | None:
        return None

    def records(self, since: Position, until: Position | None) -> list[tuple[int, dict[str, Any]]]:
        """Return the records between two positions with their numbers."""
        last = until.count if until is not None else 1 << 30
        found = [(n, json.loads(line)) for n, (line, _) in enumerate(transcripts.lines(self.source))]
        return [(n, record) for n, record in found if since.count <= n < last]


class Analysis(Lines):
    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        return self.end()

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        return [FileReport(path=record["file"]) for _, record in self.records(since, until) if "file" in record]

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        found = self.records(since, until)
        return [Prompt(text=record["prompt"], position=n) for n, record in found if "prompt" in record]

    def summary(self, since: Position) -> str:
        said: list[str] = [record["answer"] for _, record in self.records(since, None) if "answer" in record]
        return said[-1] if said else ""

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        return any("answer" in record for _, record in self.records(since, until))


class Tokens(Lines):
    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        """An answer's tokens are unknown if it says ``"tokens": null``."""
        spent = [record["tokens"] for _, record in self.records(since, until) if "tokens" in record]
        return sum((TokenUsage(output_tokens=tokens, api_call_count=1) for tokens in spent), TokenUsage())


class Helpers(Lines):
    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        return [Subagent(id=record["helper"], session_ref=record["ref"], tool_use_id="task_1")
                for _, record in self.records(since, until) if "helper" in record]  # fmt: skip


class GrowingLines(Lines):
    def file_lines(self, end: Position) -> FileLines | None:
        return LineTranscript.file_lines(self, end)


TRANSCRIPTS: dict[str, type[Lines]] = {
    "line_transcript": GrowingLines,  # no capability, but a form
    "subagent_extractor": Helpers,
    "token_calculator": Tokens,
    "transcript_analyzer": Analysis,
}


class TranscriptAnalyzer(Bare):
    """Its transcript is ``Analysis``."""


class TokenCalculator(Bare):
    """Its transcript is ``Tokens``."""


class SubagentExtractor(Bare):
    """Its transcript is ``Helpers``."""


class TranscriptPreparer(Bare):
    def prepare_transcript(self, event: Event, since: Position) -> None:
        """The agent writes late: what it held back comes now."""
        self.calls.append("prepare")
        late = event.session_ref + ".late"
        if os.path.exists(late):
            with open(event.session_ref, "ab") as out, open(late, "rb") as file:
                out.write(file.read())
            os.unlink(late)


class HookResponder(Bare):
    def write_hook_response(self, message: str) -> bytes:
        return json.dumps({"say": message}).encode() + b"\n"


class HookInstaller(Bare):
    """Its hooks are two files; a third, ``state``, holds more about them: a status and a detail."""

    def hook_config_paths(self, root: str, scope: str) -> tuple[str, ...]:
        return os.path.join(root, ".bare", "hooks"), os.path.join(root, ".bare", "rules", "hooks")

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        data = b"entire hooks bare turn-end\n"
        return sum(configfile.write(path, data) for path in self.hook_config_paths(root, scope))

    def uninstall_hooks(self, root: str, scope: str) -> int:
        return sum(configfile.write(path, None) for path in self.hook_config_paths(root, scope))

    def hooks_health(self, root: str, scope: str) -> HooksHealth:
        present = sum(map(os.path.exists, self.hook_config_paths(root, scope)))
        if present < 2 or scope == "user":
            return HooksHealth(status=HookStatus.STALE if present and scope == "project" else HookStatus.MISSING)
        state = (files.read(os.path.join(root, ".bare", "state")) or b"installed\n").decode()
        status, _, detail = state.rstrip("\n").partition(" ")
        return HooksHealth(status=HookStatus(status), detail=detail)


class SessionResumer(Bare):
    def session_dir(self, root: str) -> str:
        return os.path.join(root, ".bare", "sessions")

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return os.path.join(session_dir, session_id)

    def put_back(self, session_ref: str, transcript: bytes, subagents: Mapping[str, bytes]) -> PutBack:
        return PutBack(effects=(Write(path=session_ref, data=transcript),))

    def format_resume_command(self, session_id: str) -> str:
        return f"bare --resume {session_id}"


class SessionLister(Bare):
    def session_files(self, root: str) -> list[SessionFile]:
        return transcripts.session_files(os.path.join(root, ".bare", "sessions"))

    def has_conversation(self, session_ref: str) -> bool:
        return b"prompt" in self.transcript(session_ref).snapshot()


class TextGenerator(Bare):
    def generate_text(self, prompt: str, model: str) -> str:
        return "text"


class FileWatcher(Bare):
    def watch_paths(self, root: str) -> list[str]:
        return [os.path.join(root, ".bare")]

    def on_file_change(self, path: str) -> Event | None:
        return None


class GrowingFile(Bare):
    """No capability: its transcript is ``GrowingLines``."""


CAPABILITIES: dict[str, type[Bare]] = {
    "file_watcher": FileWatcher,
    "hook_installer": HookInstaller,
    "hook_responder": HookResponder,
    "line_transcript": GrowingFile,
    "session_lister": SessionLister,
    "session_resumer": SessionResumer,
    "subagent_extractor": SubagentExtractor,
    "text_generator": TextGenerator,
    "token_calculator": TokenCalculator,
    "transcript_analyzer": TranscriptAnalyzer,
    "transcript_preparer": TranscriptPreparer,
}


def with_capabilities(*names: str) -> type[Bare]:
    """Return the agent with these capabilities."""
    bases = tuple(CAPABILITIES[name] for name in names) or (Bare,)
    return type("Agent", bases, {"capabilities": frozenset(names), "calls": []})


class Chosen:
    """What the registry finds: the agent that the test has chosen."""

    agent: ClassVar[type[Bare]] = Bare

    def __new__(cls, *, metadata: Mapping[str, str] = {}) -> Any:
        return cls.agent(metadata=metadata)


def entry(attribute: str) -> AgentEntry:
    """Return a line for the table: of ``Bare`` or ``Chosen``."""
    return AgentEntry(
        name=Bare.name, type=Bare.type, target=f"{__name__}:{attribute}", description="Has nothing but the contract",
        protected_dirs=(".bare",),
    )  # fmt: skip
