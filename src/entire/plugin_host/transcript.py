"""Transcripts that a plugin reads through the subcommands of version 1."""

from __future__ import annotations

import os

from entire import files
from entire.agents import transcripts, untrusted
from entire.agents.lines import LineTranscript
from entire.conversation.records import Prompt
from entire.model import jsontext
from entire.model.positions import START, Position
from entire.model.tokens import UNKNOWN, TokenUsage
from entire.model.transcripts import FileLines, FileReport
from entire.model.value import replace
from entire.plugin_host.language import wire
from entire.plugin_host.language.protocol import MAX_TRANSCRIPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from entire.agents.opaque import OpaqueTranscript
    from entire.model.transcripts import Agreement, Content, Message, Subagent
    from entire.plugin_host.sessions import Plugin

_HERE = "\0"  # in a call: the path of the transcript
_SNIFFED = 1 << 16
_LONGEST_NUMBER = 20
_LINES, _BYTES = "lines", "bytes"


class ExternalTranscript:
    """A transcript as version 1 of the protocol tells it; what that cannot say degrades as the documentation lists.

    A position's count is the plugin's own number, in a unit that it does not tell. Where the transcript is lines, the
    position's byte is where they end, and its mark how many they are.
    """

    def __init__(self, plugin: Plugin, session_ref: str, stored: Content | None = None) -> None:
        self.session_ref = session_ref if "\0" not in session_ref else ""
        self._plugin = plugin
        self._info = plugin.info
        self._sessions = plugin.sessions
        self._calls = plugin.calls
        self._stored = stored
        self._is_analyzed = "transcript_analyzer" in plugin.info.capabilities
        has_own = "entire_subagents" in plugin.info.capabilities  # the framework then counts them
        self._counts_subagents = "subagent_aware_extractor" in plugin.info.capabilities and not has_own
        self._own: LineTranscript | OpaqueTranscript | None = None
        self._direct: bool | None = None

    # ------------------------------------------------------------ content

    def snapshot(self) -> bytes:
        if self._stored is not None:
            return bytes(self._stored)
        if self._is_direct() or not self.session_ref:
            return transcripts.read(self.session_ref)
        return bytes(self._told_content())

    def long_content(self) -> Content:
        """Return what ``snapshot`` does; what is in a file, or stored, is not read for it."""
        if self._stored is not None:
            return self._stored
        return transcripts.content(self.session_ref) if self._is_direct() else self._told_content()

    def _told_content(self) -> Content:
        return self._calls.once(("content", self.session_ref), self._read) or b""

    def _read(self) -> Content:
        """Return what the plugin reads, or what it knows of the session if that is nothing."""
        words = ("read-transcript", "--session-ref", self.session_ref)
        run = self._calls.program.run if self._calls.program.in_hook else self._calls.program.run_long
        content = self._calls.once(words, lambda: run(*words, max_output=MAX_TRANSCRIPT), may_fail=self._is_missing())
        return content or self._sessions.at(self.session_ref).native_data

    def _is_direct(self) -> bool:
        """Tell whether the transcript is a file that needs no plugin to be read."""
        if self._direct is None:
            self._direct = (
                self._stored is None
                and "transcript_preparer" not in self._info.capabilities
                and self._sessions.holds(self.session_ref)
                and os.path.isfile(self.session_ref)
                and not files.refusal(self.session_ref)
            )
        return self._direct

    def _is_missing(self) -> bool:
        """Tell whether there is no file yet: a plugin may then fail to read it."""
        return os.path.isabs(self.session_ref) and not os.path.lexists(self.session_ref)

    def _content(self) -> LineTranscript | OpaqueTranscript | None:
        """Return what counts the bytes; None if the plugin would have to read them only for that."""
        must_be_read = self._stored is None and not self._is_direct()
        return None if must_be_read and self._is_analyzed else self._whole()

    def _whole(self) -> LineTranscript | OpaqueTranscript:
        """Return what counts and cuts the bytes."""
        if self._own is None:
            data = None if self._is_direct() else self.long_content()
            source = self.session_ref if data is None else data
            self._own = _opened(self.session_ref, data, is_lines=is_lines(source))
        return self._own

    def _call(self, *words: str, stdin: bool = False) -> dict[str, Any]:
        """Return the object that a subcommand answers about this transcript; an empty one if it failed."""
        return self._once(words, lambda path: self._called(path, words, stdin=stdin)) or {}

    def _called(self, path: str, words: tuple[str, ...], *, stdin: bool) -> dict[str, Any]:
        placed = (path if word == _HERE else word for word in words)
        if stdin and (self._stored is not None or self._is_direct()):  # it need not pass through here
            return self._calls.program.call(*placed, stdin=path)
        return self._calls.program.call(*placed, stdin=self.snapshot() if stdin else b"")

    def _once(self, question: tuple[object, ...], ask: Callable[[str], Any]) -> Any:
        """Return the answer about this transcript; None if it failed. A stored copy is asked about in a file."""
        stored, about = self._stored, (*question, self.session_ref)
        if stored is None and not self.session_ref:
            return None
        if stored is None:
            return self._calls.once(about, lambda: ask(self.session_ref), may_fail=self._is_missing())
        from entire.plugin_host import scratch

        return self._calls.once(about, lambda: scratch.with_file(self.session_ref, stored, ask))

    # ------------------------------------------------------------ positions

    def end(self, known: Position = START) -> Position:
        if not self._is_analyzed:
            return self._whole().end(known)
        number = self._number()  # before the size: what is stored must hold all that it counts
        content = self._content()
        own = content.end(_of_content(known)) if content is not None else START
        if number is None:
            number = known.count if own != START or not self._is_empty() else 0
        return _joined(number, own, content)

    def _is_empty(self) -> bool:
        """Tell whether there is nothing, as far as can be told without the plugin."""
        is_path = os.path.isabs(self.session_ref) or not self.session_ref
        return self._stored is not None or (is_path and not transcripts.size(self.session_ref))

    def _number(self) -> int | None:
        """Return the plugin's number for the end; None if it gives none."""
        return _whole(self._call("get-transcript-position", "--path", _HERE).get("position"))

    def at(self, count: int) -> Position:
        if count <= 0 or not self._is_analyzed:
            return self._whole().at(count) if count > 0 else START
        content, end = self._content(), self.end()
        if count >= end.count:
            return end
        lines = self._lines_before(Position(count=count))
        if lines is None or content is None:
            return Position(count=count)
        return _joined(count, content.at(lines), content)

    def cut(self, end: Position) -> bytes:
        return bytes(self.long_content_until(end))

    def long_content_until(self, end: Position) -> Content:
        """Return what ``cut`` does; what is in a file, or stored, is not read for it."""
        from entire.agents import long_transcripts  # no hook asks

        lines = self._lines_before(end) if self._is_analyzed else None
        if self._is_analyzed and lines is None:
            return self.long_content()  # only the plugin knows where its number is
        return long_transcripts.until(self._whole(), end if lines is None else Position(count=lines, byte=end.byte))

    def holds(self, position: Position) -> bool:
        if not self._is_analyzed:
            return self._whole().holds(position)
        if position == START:
            return True
        content = self._content()
        if self._stored is None and content is not None and not content.holds(Position(byte=position.byte)):
            return False
        number = self._number()
        return number is None or position.count <= number

    def is_later(self, position: Position, other: Position) -> bool:
        if position.count != other.count or (position.count and not (position.byte and other.byte)):
            return position.count > other.count
        return position.byte > other.byte

    def agreement(self, stored: Content) -> Agreement:
        own = self.long_content()
        are_lines = is_lines(stored or own)
        agreement = compared(_opened(self.session_ref, own, is_lines=are_lines), stored)
        if not self._is_analyzed or not are_lines or not agreement.extent:
            return agreement
        agreed = LineTranscript(self.session_ref, stored).long_content_until(Position(count=agreement.extent))
        plugin = replace(self._plugin, calls=self._calls.fresh())
        number = type(self)(plugin, self.session_ref, agreed).end().count
        return replace(agreement, extent=number or agreement.extent)

    def file_lines(self, end: Position) -> FileLines | None:
        content = self._whole()
        lines = self._lines_before(end) if self._is_analyzed else end.count
        if lines is None or not isinstance(content, LineTranscript):
            return None
        return self._held(lines, content.offset(Position(count=lines, byte=end.byte)))

    def _held(self, lines: int, size: int) -> FileLines | None:
        """Return the plugin's own lines up to a place: in the file, if that is what the plugin reads."""
        if self._stored is not None:
            return None
        if self._is_direct() or self._is_plain():
            return FileLines(path=self.session_ref, lines=lines, size=size)
        told = self.snapshot()[:size]
        return FileLines(lines=lines, size=size, content=told) if told else None

    def _is_plain(self) -> bool:
        """Tell whether what the plugin reads is what a file in the session folder begins with."""
        if self._stored is not None or not self._sessions.holds(self.session_ref):
            return False
        own = self.long_content()  # nothing, if the plugin failed
        if not own or not os.path.isfile(self.session_ref):
            return False
        if isinstance(own, bytes):
            return transcripts.starts_with(self.session_ref, own)
        from entire import contents

        return contents.same(own, 0, contents.of_file(self.session_ref), 0, len(own))

    def _lines_before(self, position: Position) -> int | None:
        """Return how many lines are before a position; None if that cannot be known."""
        content = self._whole()
        if not isinstance(content, LineTranscript):
            return None
        if (counted := _lines_of(position)) is not None or not position.count:
            return counted or 0
        if position.count >= (self._number() or 0):
            return content.end().count
        counts = self._counts()
        if counts == _BYTES:
            return transcripts.count_lines(self._source_of_bytes(content, position.count), position.count)
        return position.count if counts == _LINES else None

    def _counts(self, known: Position = START) -> str:
        """Return what the plugin's number counts, as its end tells: lines or bytes; '' if neither."""
        content = self._whole()
        if not isinstance(content, LineTranscript):
            return ""
        number, end = self._number(), content.end(_of_content(known))
        return _LINES if number == end.count else _BYTES if number == end.byte else ""

    def _source_of_bytes(self, content: LineTranscript, count: int) -> transcripts.Source:
        """Return where a number of bytes is counted: redaction has moved those of a stored copy."""
        if self._stored is None or not self._sessions.holds(self.session_ref):
            return content.source
        is_there = transcripts.byte_before(self.session_ref, count) == b"\n"
        return self.session_ref if is_there else content.source

    # ------------------------------------------------------------ what was said and done

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:  # noqa: ARG002
        """Return what tools changed after ``since``: where to stop cannot be said."""
        if self._counts_subagents:
            words = ("--offset", str(since.count), "--subagents-dir", self._subagents_dir())
            answer = self._call("extract-all-modified-files", *words, stdin=True)
        else:
            answer = self._files_after(since)
        reports: list[FileReport] = wire.FILES.read(answer.get("files"))
        return reports

    def _files_after(self, since: Position) -> dict[str, Any]:
        return self._call("extract-modified-files", "--path", _HERE, "--offset", str(since.count))

    def changed_files(self) -> list[FileReport]:
        return [FileReport(path=path) for path in self._sessions.at(self.session_ref).files] if self.session_ref else []

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return the prompts after ``since``; those of a part that ends earlier are unknown."""
        if not self._is_rest(until):
            return []
        placed = ("placed prompts", self.session_ref)
        start, known = self._calls.known(placed) or (since.count + 1, [])
        if start <= since.count:
            return [prompt for prompt in known if prompt.position >= since.count]
        answer = self._call("extract-prompts", "--session-ref", _HERE, "--offset", str(since.count))
        texts = [prompt.text for prompt in wire.PROMPTS.read(answer.get("prompts"))]
        places = self._places(texts, since) if texts else []
        prompts = [Prompt(text=text, position=place) for text, place in zip(texts, places, strict=False)]
        if answer and len(places) == len(texts):
            self._calls.remember(placed, (since.count, prompts))
        last = places[-1] if places else since.count
        return [*prompts, *(Prompt(text=text, position=last) for text in texts[len(places) :])]

    def _places(self, texts: list[str], since: Position) -> list[int]:
        """Return the number before the line of each prompt, up to the first whose text is in no line."""
        content, counts = self._whole(), self._counts(since)
        lines = self._lines_before(since) if counts else None
        if not isinstance(content, LineTranscript) or lines is None:
            return []
        numbers = list[int]()
        byte = content.offset(Position(count=lines, byte=since.byte))
        for line, end in transcripts.lines(content.source, byte):
            if len(numbers) < len(texts) and _says(line, texts[len(numbers)]):
                numbers.append(lines if counts == _LINES else byte)
            lines, byte = lines + 1, end
        return numbers

    def summary(self, since: Position) -> str:  # noqa: ARG002
        answer = self._call("extract-summary", "--session-ref", _HERE)
        return untrusted.clean(answer.get("summary")) if answer.get("has_summary") is not False else ""

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        """Tell whether anything was written: what it is cannot be asked."""
        return self.is_later(self.end(since) if until is None else until, since)

    def shares_answer(self, position: Position) -> bool:  # noqa: ARG002
        return False

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:  # noqa: ARG002
        """Return ``since``: what a turn with several commits used counts for the last of them."""
        return since

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        """Return the tokens after ``since``; those of a part that ends earlier are unknown."""
        if not self._is_rest(until):
            return UNKNOWN
        if not self.is_later(self.end(since), since):
            return TokenUsage()
        words = ["calculate-tokens", "--offset", str(since.count)]
        if self._counts_subagents:
            words = ["calculate-total-tokens", *words[1:], "--subagents-dir", self._subagents_dir()]
        usage: TokenUsage = wire.TOKENS.read(self._call(*words, stdin=True))
        return usage

    def _is_rest(self, until: Position | None) -> bool:
        """Tell whether a part ends where the transcript ends."""
        return until is None or not self.is_later(self.end(until), until)

    def _subagents_dir(self) -> str:
        """Return where version 1 looks for the transcripts of subagents."""
        folder = os.path.dirname(self.session_ref)
        return os.path.join(folder, self._sessions.id_of(self.session_ref), "subagents")

    def makes_commit(self, since: Position, moment: float, commit: str) -> bool:  # noqa: ARG002
        return False

    def model(self, since: Position, until: Position | None = None) -> str:  # noqa: ARG002
        return ""

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:  # noqa: ARG002
        return []

    def subagent_ref(self, subagent_id: str) -> str:  # noqa: ARG002
        return ""

    def messages(self) -> list[Message]:
        """Return the conversation that the plugin's compact form tells, else that of the transcript's own form."""
        from entire.agents.forms import reading
        from entire.conversation.messages import Reading

        compact = "compact_transcript" in self._info.capabilities
        told = self._once(("compact-transcript",), self._compact) if compact else None
        if told is None:
            number_of = self._number_of_line()
            return [
                replace(message, at=number_of(message.at))
                for message in Reading(reading.records(self.long_content())).messages()
            ]
        end = self.end().count  # the compact form does not say where a message is
        return [replace(message, at=end) for message in Reading(reading.records(told)).messages()]

    def _compact(self, path: str) -> bytes:
        words = ("compact-transcript", "--session-ref", path)
        answer = untrusted.loads(self._calls.program.run(*words, max_output=MAX_TRANSCRIPT))
        if not isinstance(answer, dict):
            raise ValueError("it is not an object")
        return wire.read_bytes(answer.get("transcript"))

    def _number_of_line(self) -> Callable[[int], int]:
        """Return what tells the plugin's number for a count of lines; that of the end if it cannot be known."""
        counts = self._counts() if self._is_analyzed else _LINES
        if counts == _BYTES:
            return lambda lines: transcripts.offset_of(self._whole().source, lines)[0]
        return (lambda lines: lines) if counts else (lambda _: self._number() or 0)

    # ------------------------------------------------------------ before the repository's lock is taken

    def ask_ahead(self, since: Position, *, is_first: bool) -> None:  # noqa: ARG002  # version 1 tells only the rest
        """Ask what the end of a turn that began at ``since`` will ask: nothing may wait for a plugin under the lock.

        ``is_first``: no turn was recorded before it, so what was said before will be asked for, too.
        """
        if self._is_analyzed:
            self._take_number(since)
        end = self.end(since)
        since = START if self.is_later(since, end) else since  # rewritten
        if self._info.capabilities.intersection(("transcript_analyzer", "entire_ranges")):
            self.files(since, end)
            self.prompts(since, end)
            self.summary(since)
        else:
            self.changed_files()
        if self._info.capabilities.intersection(("token_calculator", "subagent_aware_extractor")):
            self.tokens(since, end)
        if not self._is_direct():
            self.snapshot()

    def _take_number(self, since: Position) -> None:
        """Learn the end's number from the answer that tells the files, which saves a process."""
        if self._counts_subagents or self._info.capabilities.intersection(("entire_ranges", "entire_positions")):
            return
        number = _whole(self._files_after(since).get("current_position"))
        if number:
            question = ("get-transcript-position", "--path", _HERE, self.session_ref)
            self._calls.remember(question, {"position": number})


def compared(own: LineTranscript | OpaqueTranscript, stored: Content) -> Agreement:
    return own.agreement(stored) if isinstance(own, LineTranscript) else own.agreement(bytes(stored))


def _opened(session_ref: str, data: Content | None, *, is_lines: bool) -> LineTranscript | OpaqueTranscript:
    if is_lines:
        return LineTranscript(session_ref, data)
    from entire.agents.opaque import OpaqueTranscript

    return OpaqueTranscript(session_ref, data)


def is_lines(source: transcripts.Source) -> bool:
    """Tell whether a transcript is JSON lines: its first line is an object, complete and not a whole document."""
    head = transcripts.head(source, _SNIFFED)
    first, newline, rest = head.partition(b"\n")
    value = untrusted.loads(first)
    if isinstance(value, dict):
        return bool(rest.strip()) or not isinstance(value.get("messages"), list)
    return not head.strip() or (not newline and head.startswith(b"{"))  # empty, or a line that is being written


def _whole(number: object) -> int | None:
    is_number = isinstance(number, int) and not isinstance(number, bool)
    return number if is_number and 0 <= number <= jsontext.LARGEST else None  # type: ignore[operator,return-value]


def _says(line: bytes, text: str) -> bool:
    """Tell whether a line of JSON contains a text as a string of its own."""
    quoted = (jsontext.dumps(text, ensure_ascii=is_ascii).encode("utf-8", "replace") for is_ascii in (True, False))
    return any(form in line for form in quoted)


def _lines_of(position: Position) -> int | None:
    """Return how many lines a position's mark says are before it."""
    mark = position.mark
    return int(mark) if mark.isascii() and mark.isdigit() and len(mark) < _LONGEST_NUMBER else None


def _of_content(position: Position) -> Position:
    """Return a position as lines are counted; their start if it was taken before there were any."""
    lines = _lines_of(position)
    return START if lines is None else Position(count=lines, byte=position.byte)


def _joined(number: int, own: Position, content: object) -> Position:
    """Return a position from the plugin's number and the place in the content."""
    return Position(count=number, byte=own.byte, mark=str(own.count) if isinstance(content, LineTranscript) else "")
