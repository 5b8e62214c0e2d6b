"""The adapter for all agents that are connected by a plugin, see ``entire.agents.contract``."""

from __future__ import annotations

import time

from entire.agents import untrusted
from entire.model import jsontext
from entire.model.effects import PutBack
from entire.model.events import EventType
from entire.model.health import HooksHealth, HookStatus
from entire.model.value import replace
from entire.plugin_host.calls import Calls, ignore
from entire.plugin_host.language import wire
from entire.plugin_host.language.protocol import EXTENSIONS, TEXT_SECONDS, PluginError
from entire.plugin_host.sessions import Plugin, Sessions, hook_input
from entire.plugin_host.transcript import ExternalTranscript, is_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final

    from entire.model.events import Event
    from entire.model.positions import Position
    from entire.model.transcripts import Content, SessionFile
    from entire.plugin_host.language.protocol import Info
    from entire.plugin_host.programs.program import Program
    from entire.plugin_host.sessions import FolderCache

# a capability of the contract: those of the protocol that give it, any of them
CAPABILITIES = {
    "hook_installer": ("hooks",),
    "hook_responder": ("hook_response_writer",),
    "session_lister": ("entire_session_list",),
    "subagent_extractor": ("entire_subagents", "entire_records"),
    "text_generator": ("text_generator",),
    "token_calculator": ("token_calculator", "subagent_aware_extractor", "entire_records"),
    "transcript_analyzer": ("transcript_analyzer", "entire_ranges", "entire_records"),
}
_OF_HOST = ("session_resumer", "transcript_preparer")  # what the host offers for every plugin
_ONLY_SCOPE = "project"  # version 1 knows no scopes
_ARE_INSTALLED = "are-hooks-installed"
_PUBLISHED = range(1, 8)  # the types of version 1
_ENDS = (EventType.TURN_END, EventType.COMPACTION)
_NEEDS_REF = (EventType.SESSION_START, EventType.TURN_START, EventType.TURN_END)


class ExternalAgent:
    """An agent as its plugin tells it. No method raises, but those of the user's own commands: a failed call is noted,
    and what it would have told is unknown.
    """

    is_external = True

    def __init__(
        self,
        program: Program,
        info: Info,
        *,
        metadata: Mapping[str, str] = {},
        note: Callable[[str], None] = ignore,
        folders: FolderCache | None = None,
        permits: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """``note`` records a problem; ``folders`` remembers session folders from one hook to the next; ``permits``
        tells whether the user allowed one that is neither theirs nor the repository's.
        """
        self.metadata: Final = metadata
        self.name: Final = info.name
        self.type: Final = info.type
        self.hook_names: Final = info.hook_names
        self.capabilities: Final = frozenset(
            (*_OF_HOST, *(name for name, given in CAPABILITIES.items() if info.capabilities.intersection(given)))
        )
        calls = Calls(program, note)
        sessions = Sessions(calls, info, folders, permits)
        self._plugin = Plugin(info=info, calls=calls, sessions=sessions, metadata=metadata)

    def for_session(self, metadata: Mapping[str, str]) -> ExternalAgent:
        """Return the adapter for a session, which knows what this one was answered."""
        program, info = self._plugin.calls.program, self._plugin.info
        agent = ExternalAgent(program, info, metadata=metadata)
        agent._plugin = replace(self._plugin, metadata=metadata)
        return agent

    def detect(self, root: str) -> bool:  # noqa: ARG002  # the plugin is asked in the program's root
        return self._plugin.calls.call("detect").get("present") is True

    # ------------------------------------------------------------ hooks

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        calls = self._plugin.calls
        if hook not in self.hook_names:  # perhaps its hooks were installed by another version of it
            calls.report(f"the plugin {self.name} was called for {hook!r}, which is not in its hook_names")
            return None
        words = ("parse-hook", "--hook", hook)
        event = calls.once(
            (*words, payload), lambda: self._parsed(hook, payload, calls.program.run(*words, stdin=payload))
        )
        return self._complete(event) if event is not None else None

    def _parsed(self, hook: str, payload: bytes, output: bytes) -> Event | None:
        """Return the event in a plugin's output; None for an empty one. Raises ValueError if it makes no sense."""
        output = output.removeprefix(b"\xef\xbb\xbf").strip()
        if output in (b"", b"null"):
            return None
        given = untrusted.loads(output)
        if not isinstance(given, dict):
            raise ValueError("it is not an object")
        kind: Any = given.get("type")
        if kind in _PUBLISHED and kind is not True and not given.get("session_id"):
            asked = jsontext.dumps(hook_input(kind, hook, given, payload)).encode()
            given["session_id"] = self._plugin.calls.text("session_id", "get-session-id", stdin=asked)
        event: Event | None = wire.EVENT.read(given)
        return event

    def _complete(self, event: Event) -> Event:
        """Return an event whose references are safe."""
        sessions = self._plugin.sessions
        sessions.add_start(event.cwd)
        ref = sessions.accepted(event.session_ref, event.session_id)
        return replace(
            event,
            session_ref=ref,
            subagent_ref=sessions.accepted(event.subagent_ref, beside=ref),
            timestamp=event.timestamp or time.time(),
        )

    def find_transcript(self, event: Event) -> str:
        if event.type not in _NEEDS_REF or "entire_positions" in self._plugin.info.capabilities:
            return ""
        return self._plugin.sessions.find(_input_of(event))

    def write_hook_response(self, message: str) -> bytes:
        words = ("write-hook-response", "--message", message.replace("\0", ""))
        return self._plugin.calls.output(*words) or b""

    # ------------------------------------------------------------ transcripts

    def transcript(self, session_ref: str, stored: Content | None = None) -> ExternalTranscript:
        calls = self._plugin.calls
        plugin = replace(self._plugin, calls=calls.current() if stored is None else calls.fresh())
        if not plugin.info.capabilities.intersection(EXTENSIONS):
            return ExternalTranscript(plugin, session_ref, stored)
        if "entire_records" in plugin.info.capabilities:
            from entire.plugin_host.recorded_transcript import RecordedTranscript

            return RecordedTranscript(plugin, session_ref, stored)
        from entire.plugin_host.asked_transcript import AskedTranscript

        return AskedTranscript(plugin, session_ref, stored)

    def prepare_transcript(self, event: Event, since: Position) -> None:  # noqa: ARG002
        """Let the plugin wait for its agent."""
        calls = self._plugin.calls
        if "transcript_preparer" in self._plugin.info.capabilities and self._is_accepted(event):
            calls.forget()
            calls.output("prepare-transcript", "--session-ref", event.session_ref)

    def _is_accepted(self, event: Event) -> bool:
        return bool(self._plugin.sessions.accepted(event.session_ref, event.session_id))

    def ask_ahead(self, event: Event, since: Position, *, is_first: bool) -> None:
        """Ask what an event will ask, before the lock is taken; ``is_first``: it is the first recorded turn's."""
        if not self._is_accepted(event):
            return
        transcript = self.transcript(event.session_ref)
        if event.type in _ENDS:
            transcript.ask_ahead(since, is_first=is_first)
        elif event.type is EventType.TURN_START:
            transcript.end(since)
        elif event.type is EventType.SUBAGENT_END:
            transcript.files(since, transcript.end(since))

    def is_lines(self, beginning: bytes) -> bool:
        """Tell whether a transcript that begins so is lines, and not in parts that only the plugin can join."""
        from entire.plugin_host import chunking

        return not beginning.startswith(chunking.MARK) and is_lines(beginning)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        from entire.plugin_host import chunking

        return chunking.split(self._plugin.calls.fresh(), transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        from entire.plugin_host import chunking

        return chunking.join(self._plugin.calls.fresh(), chunks)

    # ------------------------------------------------------------ settings of the agent

    def hook_config_paths(self, root: str, scope: str) -> tuple[str, ...]:
        """Return the files that the plugin names; version 1 names none."""
        answer = self._asked("hook_config_paths", root, scope)
        return tuple(answer[0]) if answer is not None else ()

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        """Install the hooks; raises PluginError, with the plugin's own message, if that fails."""
        if self._answers("install_hooks"):
            return int(self._ask("install_hooks", root, scope, force))
        if scope != _ONLY_SCOPE:
            return 0
        answer = self._plugin.calls.program.call("install-hooks", *(("--force",) if force else ()))
        return int(wire.NUMBER.read(answer.get("hooks_installed")))

    def uninstall_hooks(self, root: str, scope: str) -> int:
        """Remove the hooks; raises PluginError, with the plugin's own message, if that fails."""
        if self._answers("uninstall_hooks"):
            return int(self._ask("uninstall_hooks", root, scope))
        if scope != _ONLY_SCOPE:
            return 0
        was_missing = self.hooks_health(root, scope).status is HookStatus.MISSING
        self._plugin.calls.program.run("uninstall-hooks")
        return 0 if was_missing else 1

    def hooks_health(self, root: str, scope: str) -> HooksHealth:
        try:
            if self._answers("hooks_health"):
                health: HooksHealth = self._ask("hooks_health", root, scope)
                return health
            if scope != _ONLY_SCOPE:
                return HooksHealth(status=HookStatus.MISSING)
            answer = self._plugin.calls.program.call(_ARE_INSTALLED).get("installed")
        except PluginError as error:
            return HooksHealth(status=HookStatus.UNKNOWN, detail=error.message)
        if not isinstance(answer, bool):
            return HooksHealth(status=HookStatus.UNKNOWN, detail=f"`{_ARE_INSTALLED}` did not say whether they are")
        return HooksHealth(status=HookStatus.INSTALLED if answer else HookStatus.MISSING)

    # ------------------------------------------------------------ sessions of the agent

    def session_dir(self, root: str) -> str:
        return self._plugin.sessions.folder(root, fresh=not self._plugin.calls.program.in_hook)

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return self._plugin.sessions.resolve(session_dir, session_id) if session_dir else ""

    def own_session_id(self, session_id: str, transcript: bytes) -> str:
        answer = self._asked("own_session_id", session_id, transcript)
        return session_id if answer is None else str(answer[0]) or session_id

    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        if self._answers("put_back"):
            given = {name: bytes(data) for name, data in subagents.items()}
            try:
                plan: PutBack = self._ask("put_back", session_ref, bytes(transcript), given)
            except PluginError as error:
                return PutBack(problem=error.message)
            return plan
        return self._plugin.sessions.put_back(session_ref, self.transcript(session_ref), transcript)

    def format_resume_command(self, session_id: str) -> str:
        """Return the plugin's command, '' if it names none."""
        command = self._plugin.calls.text("command", "format-resume-command", "--session-id", session_id).strip()
        return command if "\0" not in command else ""

    def session_files(self, root: str) -> list[SessionFile]:
        answer = self._asked("session_files", root)
        return list(answer[0]) if answer is not None else []

    def has_conversation(self, session_ref: str) -> bool:
        answer = self._asked("has_conversation", session_ref)
        return answer is not None and answer[0] is True

    def generate_text(self, prompt: str, model: str) -> str:
        """Return the model's answer, '' if there is no text in it; raises PluginError if the plugin fails."""
        words, stdin = ("generate-text", "--model", model), prompt.encode("utf-8", "replace")
        answer = self._plugin.calls.program.call(*words, stdin=stdin, seconds=TEXT_SECONDS)
        return untrusted.clean(answer.get("text"))

    # ------------------------------------------------------------ questions

    def _answers(self, name: str) -> bool:
        from entire.plugin_host.language import questions

        return questions.QUESTIONS[name].extension in self._plugin.info.capabilities

    def _ask(self, name: str, *arguments: Any) -> Any:
        """Return the answer to a question; raises PluginError."""
        from entire.plugin_host import extension_calls

        program = self._plugin.calls.program
        try:
            return extension_calls.ask(program, name, *arguments, metadata=dict(self.metadata))
        except ValueError as error:
            raise PluginError(f"the plugin {self.name} answered {name} with something that makes no sense: {error}",
                              hint=f"run `entire plugin check {self.name}`") from error  # fmt: skip

    def _asked(self, name: str, *arguments: Any) -> tuple[Any] | None:
        """Return the answer to a question, None if the plugin does not answer it, or fails."""
        if not self._answers(name):
            return None
        return self._plugin.calls.current().once((name, *arguments), lambda: (self._ask(name, *arguments),))


def _input_of(event: Event) -> dict[str, Any]:
    """Return what ``read-session`` is asked with."""
    given = {
        "session_id": event.session_id,
        "timestamp": event.timestamp,
        "prompt": event.prompt,
        "tool_name": event.tool_name,
        "tool_use_id": event.tool_use_id,
        "tool_input": untrusted.loads(event.tool_input.encode("utf-8", "replace")),
    }
    return hook_input(event.type.value, "", given)
