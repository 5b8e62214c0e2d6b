"""What hooks ask about a part of a conversation, from one pass over its records.

Nothing long is kept but prompts and the last answer, so that a part of any size can be read. ``stop`` is the number of
a native record, or None for the end of the part: only what was written before it counts.
"""

from __future__ import annotations

from entire.conversation.branches import Branches
from entire.conversation.records import (
    ANSWERED,
    ASKED,
    CALLED,
    ENDED,
    INTERRUPTED,
    OPEN,
    RUNNING,
    STOPPED,
    Answer,
    Call,
    Prompt,
    Result,
)
from entire.model.transcripts import FileReport, Position, TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.conversation.records import Record, Seen
    from entire.conversation.windows import Activity


class Response:
    """An API response, from all parts that were read of it."""

    __slots__ = ("at", "comes_again", "counted", "end", "model", "time", "usage")

    def __init__(self, part: Answer) -> None:
        self.at = part.position
        self.comes_again = part.is_again  # and may have its tokens only then
        self.time = part.time
        self.model = ""
        self.end = (0, 0)  # records and bytes up to its end
        self.usage: TokenUsage | None = None
        self.counted = -1  # the first record with its usage: there it counts; -1: none so far

    def take(self, part: Answer) -> None:
        """Take a part. Where parts tell different tokens, that of a repetition is final, else the largest output."""
        self.end = (part.position + 1, part.end)
        self.model = part.model or self.model
        if part.usage is None:
            return
        if self.usage is None or part.is_again or (part.usage.output_tokens or 0) >= (self.usage.output_tokens or 0):
            self.usage = part.usage
        if self.counted < 0:
            self.counted = part.position


class Conversation:
    """The part of a conversation after a position. ``known``: the response that was counted before it."""

    def __init__(self, records: Iterable[Record], known: str = "") -> None:
        self.known = known
        self.responses: dict[str, Response] = {}
        self._branches = Branches()
        self._reports: list[tuple[int, FileReport]] = []
        self._tasks: list[Call | Result] = []
        self._seen: list[Seen] = []
        self._text = ("", "")  # id and text of the last response with a text
        for record in records:
            self._take(record)

    def _take(self, record: Record) -> None:
        self._branches.take(record)
        if isinstance(record, Answer):
            self._answer(record)
        elif isinstance(record, Call):
            self._see(CALLED, record, record.id if record.tool in RUNNING else "")
            if record.answer in self.responses:
                self.responses[record.answer].end = (record.position + 1, record.end)
            if record.task is not None:
                self._tasks.append(record)
        elif isinstance(record, Result):
            self._result(record)
        elif isinstance(record, Prompt):
            self._see(ASKED, record)
        elif record.kind == INTERRUPTED:
            self._see(STOPPED, record)

    def _answer(self, part: Answer) -> None:
        response = self.responses.get(part.id)
        if response is None:
            response = self.responses[part.id] = Response(part)
        response.take(part)
        if part.is_local:
            return
        if part.text:
            before = f"{self._text[1]}\n" if self._text[0] == part.id and not part.is_again else ""
            self._text = (part.id, before + part.text)
        self._see(OPEN if part.is_open else ANSWERED, part, part.id)

    def _result(self, result: Result) -> None:
        if not result.has_failed:
            self._reports += [(result.position, FileReport(path=path, call=result.call)) for path in result.paths]
        if not result.goes_on:
            self._see(ENDED, result, result.call)
        if result.task is not None:
            self._tasks.append(result)

    def _see(self, kind: str, record: Record, call: str = "") -> None:
        self._seen.append((kind, record.position, record.time, call))

    # ---------------------------------------------------------------- what was said

    def prompts(self, stop: int | None = None) -> list[Prompt]:
        """Return what people asked, without what they took back."""
        return self._branches.prompts(stop)

    def summary(self) -> str:
        """Return the text of the last answer, or ''."""
        return self._text[1]

    def has_answers(self, stop: int | None = None) -> bool:
        """Tell whether the agent began an answer."""
        return bool(self._new(stop))

    def _new(self, stop: int | None) -> list[Response]:
        found = [response for name, response in self.responses.items() if name != self.known]
        return [response for response in found if _is_before(response.at, stop)]

    def model(self, stop: int | None = None) -> str:
        """Return the model of the last answer, or ''."""
        named = [
            response.model for response in self.responses.values() if response.model and _is_before(response.at, stop)
        ]
        return named[-1] if named else ""

    # ---------------------------------------------------------------- what was done

    def files(self, stop: int | None = None) -> list[FileReport]:
        """Return what tools report as changed, in order, also on branches that were left."""
        ordered = sorted(self._reports, key=lambda report: report[0])
        return list(dict.fromkeys(report for at, report in ordered if _is_before(at, stop)))

    def tasks(self, stop: int | None = None) -> list[Call | Result]:
        """Return the calls and results that are about subagents."""
        return [record for record in self._tasks if _is_before(record.position, stop)]

    def activity(self, stop: int | None = None) -> Activity | None:
        """Return when tools that can run programs were at work; None if the records cannot tell."""
        from entire.conversation import windows  # only some hooks ask

        return windows.derive(seen for seen in self._seen if _is_before(seen[1], stop))

    def tokens(self, stop: int | None = None) -> TokenUsage:
        """Sum the responses whose tokens are first told here, each once."""
        total = TokenUsage()
        for name, response in self.responses.items():
            if name != self.known and response.usage is not None and _is_before(response.counted, stop):
                total += response.usage
        return total

    # ---------------------------------------------------------------- positions

    @property
    def last(self) -> str:
        """The id of the last response, also of one that began before the part."""
        return next(reversed(self.responses), self.known)

    @property
    def has_times(self) -> bool:
        return any(response.time for response in self.responses.values())

    def begun_by(self, moment: float) -> str:
        """Return the id of the last response that had begun by ``moment``, '' if there is none."""
        begun = [name for name, response in self.responses.items() if response.time <= moment]
        return begun[-1] if begun else ""

    def end_of(self, response: str) -> Position:
        """Return the end of a response; its mark says that the response is not to be counted again."""
        found = self.responses[response]
        is_done = found.counted >= 0 or not found.comes_again
        return Position(count=found.end[0], byte=found.end[1], mark=response if is_done else "")


def _is_before(at: int, stop: int | None) -> bool:
    return stop is None or at < stop
