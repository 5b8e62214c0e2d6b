"""Transcripts of a plugin that answers questions of ours: those of version 1 are asked only about the rest."""

from __future__ import annotations

from entire.conversation.records import Prompt
from entire.model.positions import START
from entire.model.value import replace
from entire.plugin_host import extension_calls
from entire.plugin_host.language import questions
from entire.plugin_host.transcript import ExternalTranscript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from entire.model.positions import Position
    from entire.model.transcripts import Content, FileLines, Subagent


class AskedTranscript(ExternalTranscript):
    """A transcript about which the plugin answers questions; as in version 1 where it does not."""

    def _asked(self, name: str, *arguments: Any) -> tuple[Any] | None:
        """Return the answer to a question, None if the plugin does not answer it."""
        if questions.QUESTIONS[name].extension not in self._info.capabilities:
            return None
        about = {"metadata": dict(self._plugin.metadata), "session_ref": self.session_ref}
        program = self._calls.program
        answer: tuple[Any] | None = self._calls.once(
            (name, self.session_ref, *arguments),
            lambda: (extension_calls.ask(program, name, *arguments, stored=self._stored, **about),),
        )
        return answer

    def snapshot(self) -> bytes:
        answer = self._asked("snapshot") if self._stored is None else None
        return super().snapshot() if answer is None else bytes(answer[0])

    def long_content(self) -> Content:
        answer = self._asked("snapshot") if self._stored is None else None
        return super().long_content() if answer is None else bytes(answer[0])

    def file_lines(self, end: Position) -> FileLines | None:
        answer = self._asked("file_lines", end) if self._stored is None else None
        if answer is None:
            return super().file_lines(end)
        lines: FileLines | None = answer[0]
        if lines is not None and not lines.path:
            return replace(lines, content=self.snapshot()[: lines.size])
        is_here = lines is not None and (lines.path == self.session_ref or self._sessions.holds(lines.path))
        return lines if is_here else None

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        answer = self._asked("prompts", since, until)
        if answer is None:
            return super().prompts(since, until)
        if "entire_prompt_positions" in self._info.capabilities:
            return list(answer[0])
        return [Prompt(text=prompt.text, position=since.count) for prompt in answer[0]]

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        answer = self._asked("subagents", since, until)
        given = answer[0] if answer is not None else ()
        return [replace(told, session_ref=self._accepted(told.session_ref)) for told in given]

    def subagent_ref(self, subagent_id: str) -> str:
        answer = self._asked("subagent_ref", subagent_id)
        return self._accepted(answer[0]) if answer is not None else ""

    def _accepted(self, subagent_ref: str) -> str:
        return self._sessions.accepted(subagent_ref, beside=self.session_ref)

    def ask_ahead(self, since: Position, *, is_first: bool) -> None:
        super().ask_ahead(since, is_first=is_first)
        end = self.end(since)
        for ask in (self.model, self.has_answers, self.subagents):
            ask(since, end)
        if self.file_lines(end) is None:
            self.snapshot()


def _as_asked(name: str) -> Callable[..., Any]:
    """Return a method that asks the plugin, and does as version 1 if it does not answer."""
    plain = getattr(ExternalTranscript, name)
    defaults = {"until": None, "known": START, "commit": ""}
    parameters = tuple(questions.QUESTIONS[name].arguments)

    def method(self: AskedTranscript, *given: Any) -> Any:
        arguments = (*given, *(defaults[parameter] for parameter in parameters[len(given) :]))
        answer = self._asked(name, *arguments)
        return plain(self, *arguments) if answer is None else answer[0]

    return method


for _name, _question in questions.QUESTIONS.items():
    if _question.is_of_transcript and _name not in vars(AskedTranscript):
        setattr(AskedTranscript, _name, _as_asked(_name))
