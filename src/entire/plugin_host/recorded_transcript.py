"""Transcripts of a plugin that tells their records: all that follows from these is derived as for built-in agents."""

from __future__ import annotations

from entire.agents.lines import LineTranscript
from entire.agents.record_source import RecordSource, stop_of
from entire.model import jsontext
from entire.model.positions import START, Position
from entire.model.tokens import UNKNOWN, TokenUsage
from entire.model.value import replace
from entire.plugin_host import scratch
from entire.plugin_host.asked_transcript import AskedTranscript
from entire.plugin_host.language.protocol import RECORDS
from entire.plugin_host.language.records import Reader, Told
from entire.plugin_host.transcript import compared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.model.transcripts import Agreement, Content, FileLines, Message, Subagent
    from entire.plugin_host.sessions import Plugin


class RecordedTranscript(RecordSource, AskedTranscript):
    """Where the plugin answers no questions about positions, those are the ends that it tells; what is before one can
    be cut off if they count the lines of a file.
    """

    def __init__(self, plugin: Plugin, session_ref: str, stored: Content | None = None) -> None:
        super().__init__(plugin, session_ref, stored)
        self.source = self.session_ref if stored is None else stored
        self._asks_positions = "entire_positions" in plugin.info.capabilities

    def stream(self, since: Position, *, details: bool = False) -> Told:
        told: Told | None = None
        if self._stored is not None or self.session_ref:
            about = ("records", self.session_ref, details)
            start, known = self._calls.known(about) or (since, None)
            if known is not None and start.count <= since.count <= known.end.count and since.mark:
                rest = [record for record in known if record.position >= since.count]
                return Told(rest, known.end, since.mark)
            told = self._calls.once(
                (*about, since), lambda: self._tell(since, details=details), may_fail=self._is_missing()
            )
            if told is not None:
                self._calls.remember(about, (since, told))
        return told or Told((), START if self._is_empty() else since, since.mark)

    def _tell(self, since: Position, *, details: bool) -> Told:
        """Ask the plugin for the records. Raises PluginError, or ValueError for an answer that makes no sense."""
        asked = {"metadata": dict(self._plugin.metadata), "root": self._calls.program.root,
                 "session_ref": self.session_ref, "since": since.to_json(), "details": details}  # fmt: skip
        if self._stored is None:
            return self._told(since, asked)
        ask = lambda path: self._told(since, {**asked, "stored": path})  # noqa: E731
        return scratch.with_file(self.session_ref, self._stored, ask)

    def _told(self, since: Position, asked: dict[str, Any]) -> Told:
        reader = Reader(since)
        stdin = jsontext.dumps(asked, compact=True).encode() + b"\n"
        self._calls.program.lines(RECORDS, stdin=stdin, take=reader.take, refuse=reader.refuse)
        told = reader.finish()
        if told.problem:
            self._calls.report(f"some records of the plugin {self._info.name} are left out: {told.problem}")
        return told

    # ---------------------------------------------------------------- what was said and done

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        """Return the tokens that answers tell; unknown if none does and the plugin does not say that it counts them."""
        said = self.conversation(since)
        is_told = "token_calculator" in self._info.capabilities or any(
            response.usage is not None for response in said.responses.by_id.values()
        )
        return super().tokens(since, until) if is_told or not said.has_answers(stop_of(until)) else UNKNOWN

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        if "entire_subagents" in self._info.capabilities:
            return super().subagents(since, until)
        tasks = self.conversation(since).subagents(stop_of(until))
        return [replace(task, session_ref=self._accepted(task.session_ref)) for task in tasks]

    def messages(self) -> list[Message]:
        from entire.conversation.messages import Reading

        reading = Reading(self.records())
        return reading.messages() if reading.says_something else super().messages()

    def ask_ahead(self, since: Position, *, is_first: bool) -> None:
        if is_first:
            self.conversation(START)  # that has the turn, too
        end = self.end(since)
        since = START if self.is_later(since, end) else since  # rewritten
        self.conversation(since)
        self.subagents(since, end)
        if self.file_lines(end) is None:
            self.snapshot()

    # ---------------------------------------------------------------- positions

    def end(self, known: Position = START) -> Position:
        if self._asks_positions:
            return super().end(known)
        reached = self._part(known)[1]
        return reached if reached.count >= known.count else self._part(START)[1]

    def at(self, count: int) -> Position:
        if self._asks_positions:
            return super().at(count)
        end = self.end()
        if count >= end.count:
            return end
        lines = self._lines()
        return lines.at(count) if lines is not None and count > 0 else Position(count=max(count, 0))

    def long_content_until(self, end: Position) -> Content:
        if self._asks_positions:
            return super().long_content_until(end)
        lines = self._lines()
        return lines.long_content_until(end) if lines is not None else self.long_content()

    def holds(self, position: Position) -> bool:
        return super().holds(position) if self._asks_positions else position.count <= self.end(position).count

    def is_later(self, position: Position, other: Position) -> bool:
        return super().is_later(position, other) if self._asks_positions else position.count > other.count

    def agreement(self, stored: Content) -> Agreement:
        if self._asks_positions:
            return super().agreement(stored)
        return compared(self._lines() or self._whole(), stored)

    def file_lines(self, end: Position) -> FileLines | None:
        if self._asks_positions:
            return super().file_lines(end)
        lines = self._lines() if self._stored is None else None
        return self._held(end.count, lines.offset(end)) if lines is not None else None

    def shares_answer(self, position: Position) -> bool:
        """Tell whether the answer that was counted before a position goes on after it."""
        if "entire_answer_boundaries" in self._info.capabilities:
            return super().shares_answer(position)
        return bool(position.mark) and position.mark in self.conversation(position).responses.by_id

    def _lines(self) -> LineTranscript | None:
        """Return the transcript as lines, if the plugin's records are counted as these are."""
        content = self._whole()
        is_counted = isinstance(content, LineTranscript) and content.end().count == self.end().count
        return content if is_counted else None  # type: ignore[return-value]
