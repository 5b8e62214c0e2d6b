"""Reads a transcript from a position on: yields its records in our terms, and follows the tree that they form."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.claude_code import records, tree
from entire.agents.untrusted import clean
from entire.conversation.records import (
    AGENT,
    EXPANDED,
    INTERRUPTED,
    LOCAL,
    PERSON,
    UNKNOWN,
    Answer,
    Mark,
    Prompt,
    Result,
)
from entire.model.positions import Position
from entire.model.times import parse_time
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.claude_code.records import Native
    from entire.agents.transcripts import Source
    from entire.conversation.records import Record

_CONVERSATION = ("assistant", "attachment", "user")
_LOOK_BACK = 4 << 20  # bytes before a position without a mark in which to search for its answer


class TranscriptStream:
    """The records in ``source`` from ``since`` on; iterate once, then ask for the ``end``.

    ``sidechain``: it is a subagent's transcript, in which all records are ``isSidechain``.
    """

    def __init__(self, source: Source, since: Position, *, sidechain: bool, details: bool = False) -> None:
        self.source = source
        self.shrunk = False
        self.known = since.mark
        """The id of the answer that began before the position."""
        self._since = since
        self._sidechain = sidechain
        self._details = details
        self._count, self._byte = since.count, since.byte
        self._start = since.byte
        self._last = ""  # id of the last answer
        self._before = tree.Before(source, since.byte)
        self._tree = tree.Tree(self._before.has)
        self._modern: bool | None = None  # the file marks prompts with promptSource; None: not yet searched for
        self._unexpanded: dict[int, str] = {}  # slash commands without an expansion so far, and their prompt ids
        self._paths: dict[str, tuple[str, int, bool]] = {}  # file tools without a result: path, line, in the short form
        self._calls: set[str] = set()
        self._open_results: dict[str, Result] = {}  # in the old form, whose call is before the position
        self._has_results = False
        self._find_start()

    @property
    def end(self) -> Position:
        """The end of the last complete line that was read."""
        return Position(count=self._count, byte=self._byte, mark=self._last or self.known)

    # ---------------------------------------------------------------- lines

    def _find_start(self) -> None:
        """Set the byte offset of a position that has only a count, and whether the file is shorter than that."""
        if not self._since.count and not self._since.byte:
            return
        if not self._start:
            self._start, count = transcripts.offset_of(self.source, self._since.count)
            self._before.end = self._start
            self.shrunk = count < self._since.count
        else:
            self.shrunk = transcripts.size(self.source) < self._start
        self._byte = self._start
        if not self.known and not self.shrunk:
            self.known = self._answer_before()

    def _answer_before(self) -> str:
        for line in transcripts.last_lines(self.source, self._start, _LOOK_BACK):
            if b'"assistant"' in line:
                for native in reversed(transcripts.records(line, records.GLUE)):
                    if native.get("type") == "assistant" and self._is_ours(native):
                        return records.answer_id(native)
        return ""

    def __iter__(self) -> Iterator[Record]:
        if self.shrunk:
            return
        joined = self._start > 0 and transcripts.byte_before(self.source, self._start) != b"\n"
        skipped = () if self._details else records.WITHOUT_MEANING
        for natives, end in transcripts.natives(self.source, self._start, skipped=skipped, glue=records.GLUE):
            # The line before the position had no newline when it was counted, and continues here.
            at = self._count - 1 if joined else self._count
            joined = False
            for native in natives:
                yield from self._take(native, at, end)
            self._count, self._byte = at + 1, end
        yield from self._tree.unresolved()
        yield from self._changes_of_old_form()

    # ---------------------------------------------------------------- records

    def _is_ours(self, native: Native) -> bool:
        return self._sidechain or native.get("isSidechain") is not True

    def _take(self, native: Native, at: int, end: int) -> Iterator[Record]:
        kind = native.get("type")
        if self._details and (name := clean(kind)) and name not in _CONVERSATION:
            yield Mark(position=at, kind=UNKNOWN, text=name)
        if kind == "last-prompt":
            yield from self._tree.note(native, at)
        elif not self._is_ours(native):
            return
        elif kind == "assistant":
            yield from self._tree.grow(native, at, is_said=True)
            yield from self._assistant(native, at, end)
        elif kind == "user":
            prompt = self._prompt(native, at)
            yield from self._tree.grow(native, at, is_said=True, is_prompt=prompt is not None)
            if prompt is not None:
                yield prompt
            yield from self._user(native, at)
        elif kind == "attachment":
            text = "" if self._sidechain else records.joined_prompt(native)
            yield from self._tree.grow(native, at, is_prompt=bool(text))
            if text:
                yield Prompt(position=at, text=text, time=parse_time(native.get("timestamp")))
        elif kind == "system":
            yield from self._tree.grow(native, at)

    # ---------------------------------------------------------------- what people and the agent note

    def _prompt(self, native: Native, at: int) -> Prompt | None:
        turn = clean(native.get("promptId"))
        if native.get("promptSource"):
            self._modern = True
        command = "" if self._sidechain else records.command_text(native)
        text = command or records.prompt_text(native, modern=self._modern is True and not self._sidechain)
        if text and self._modern is None and not command and not self._sidechain:
            self._modern = self._before.has((b'"promptSource":"', b'"promptSource": "'))
            text = "" if self._modern else text
        if not text:
            return None
        if command:
            self._unexpanded[at] = turn
        by = AGENT if self._sidechain else LOCAL if command else PERSON
        return Prompt(position=at, text=text, time=parse_time(native.get("timestamp")), id=turn, by=by)

    def _user(self, native: Native, at: int) -> Iterator[Record]:
        """Yield what a user's record says besides a prompt: tools' results, notices, an interruption."""
        time = parse_time(native.get("timestamp"))
        if self._unexpanded and records.is_expansion(native):
            last = max(self._unexpanded)
            if self._unexpanded[last] == clean(native.get("promptId")):
                del self._unexpanded[last]
                yield Mark(position=at, kind=EXPANDED, first=last)
        yield from self._results(native, at, time)
        if records.is_interruption(native):
            yield Mark(position=at, kind=INTERRUPTED, time=time)
        agent, call, _ = records.notice(records.content(native))
        if agent or call:
            from entire.agents.claude_code import tools

            yield Result(position=at, call=call, time=time, is_notice=True, task=tools.noticed(agent, call))

    def _results(self, native: Native, at: int, time: float) -> Iterator[Result]:
        blocks = records.blocks(native, "tool_result")
        if not blocks:
            return
        from entire.agents.claude_code import tools  # a prompt's hook reads no calls

        told = native.get("toolUseResult")
        self._has_results = True
        for block in blocks:
            call, has_failed = clean(block.get("tool_use_id")), block.get("is_error") is True
            paths, is_open = self._changed(call, native, only=len(blocks) == 1)
            result = Result(
                position=at, call=call, time=time, has_failed=has_failed, paths=() if has_failed else paths,
                task=None if has_failed else tools.result_agent(block, told), goes_on=tools.goes_on(told),
                **(tools.result_details(block, told) if self._details else {}),
            )  # fmt: skip
            if is_open and not has_failed:
                self._open_results[call] = result
            yield result

    def _changed(self, call: str, native: Native, *, only: bool) -> tuple[tuple[str, ...], bool]:
        """Return the paths that a call changed, and whether only its call says so, which is before the position."""
        from entire.agents.claude_code import tools

        called, _, _ = self._paths.pop(call, ("", 0, False))
        if only and isinstance(native.get("toolUseResult"), dict):
            return tuple(tools.changed_paths(native["toolUseResult"])), False
        if only and "toolUseResult" in native:
            return (), False
        return (called,) if called else (), not called and call not in self._calls and bool(self._start)

    # ---------------------------------------------------------------- what the model says

    def _assistant(self, native: Native, at: int, end: int) -> Iterator[Record]:
        from entire.agents.claude_code import tools

        key = self._last = records.answer_id(native) or f"line {at}"
        is_local = records.is_synthetic(native)
        answer = Answer(
            position=at, end=end, id=key, time=parse_time(native.get("timestamp")), is_local=is_local,
            model="" if is_local else records.model(native), usage=None if is_local else records.usage(native),
        )  # fmt: skip
        is_short = "parentUuid" not in native and "sessionId" not in native
        before = False
        for text, block in records.parts(native):
            if text or not before:
                yield replace(answer, text=text) if text else answer
            before = True
            if block is None:
                continue
            call, path = tools.call(block, answer, details=self._details), tools.written_path(block)
            self._calls.add(call.id)
            if path:
                self._paths[call.id] = (path, at, is_short)
            yield call

    # ---------------------------------------------------------------- the old short form

    def _changes_of_old_form(self) -> Iterator[Result]:
        """Yield what calls changed where nothing but the call says so."""
        if not self._has_results and any(is_short for _, _, is_short in self._paths.values()):
            if not self._before.has((b'"tool_result"',)):  # the file has no results at all: rely on the calls
                for call, (path, at, is_short) in self._paths.items():
                    if is_short:
                        yield Result(position=at, call=call, paths=(path,))
        if self._open_results:
            yield from self._changes_of_earlier_calls()

    def _changes_of_earlier_calls(self) -> Iterator[Result]:
        from entire.agents.claude_code import tools

        for line, end in transcripts.lines(self.source):
            if end > self._start or not self._open_results:
                return
            if b'"tool_use"' not in line:
                continue
            for native in transcripts.records(line, records.GLUE):
                for block in records.blocks(native, "tool_use"):
                    path, call = tools.written_path(block), clean(block.get("id"))
                    if path and call in self._open_results:
                        result = self._open_results.pop(call)
                        yield Result(position=result.position, call=call, time=result.time, paths=(path,))
