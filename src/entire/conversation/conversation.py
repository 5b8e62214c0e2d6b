"""What hooks ask about a part of a conversation, from one pass over its records.

Nothing long is kept but prompts and the last answer, so a part of any size can be read. ``stop`` is the number of
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
    is_before,
)
from entire.conversation.responses import Responses
from entire.model.positions import Position
from entire.model.transcripts import FileReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.conversation.records import Record, Seen
    from entire.conversation.windows import Activity
    from entire.model.tokens import TokenUsage
    from entire.model.transcripts import Subagent


class Conversation:
    """The part of a conversation after a position. ``known``: the response that was counted before it."""

    def __init__(self, records: Iterable[Record], known: str = "") -> None:
        self.responses = Responses(known)
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
            if record.answer in self.responses.by_id:
                self.responses.by_id[record.answer].end = (record.position + 1, record.end)
            if record.task is not None:
                self._tasks.append(record)
        elif isinstance(record, Result):
            self._result(record)
        elif isinstance(record, Prompt):
            self._see(ASKED, record)
        elif record.kind == INTERRUPTED:
            self._see(STOPPED, record)

    def _answer(self, part: Answer) -> None:
        self.responses.take(part)
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
        known = self.responses.known
        return any(is_before(each.at, stop) for name, each in self.responses.by_id.items() if name != known)

    def model(self, stop: int | None = None) -> str:
        """Return the model of the last answer, or ''."""
        return self.responses.model(stop)

    # ---------------------------------------------------------------- what was done

    def files(self, stop: int | None = None) -> list[FileReport]:
        """Return what tools report as changed, in order, also on branches that were left."""
        ordered = sorted(self._reports, key=lambda report: report[0])
        return list(dict.fromkeys(report for at, report in ordered if is_before(at, stop)))

    def tasks(self, stop: int | None = None) -> list[Call | Result]:
        """Return the calls and results that are about subagents."""
        return [record for record in self._tasks if is_before(record.position, stop)]

    def subagents(self, stop: int | None = None) -> list[Subagent]:
        """Return the subagents that calls and results name by an id, each as all of these describe it."""
        by_id: dict[str, Subagent] = {}
        for record in self.tasks(stop):
            if (task := record.task) is not None and task.id:
                by_id[task.id] = by_id[task.id].updated(task) if task.id in by_id else task
        return list(by_id.values())

    def activity(self, stop: int | None = None) -> Activity | None:
        """Return when tools that can run programs were at work; None if the records cannot tell."""
        from entire.conversation import windows  # only some hooks ask

        return windows.derive(seen for seen in self._seen if is_before(seen[1], stop))

    def tokens(self, stop: int | None = None) -> TokenUsage:
        """Sum the responses whose tokens are first told here, each once."""
        return self.responses.tokens(stop)

    # ---------------------------------------------------------------- positions

    @property
    def has_times(self) -> bool:
        return any(response.time for response in self.responses.by_id.values())

    def begun_by(self, moment: float) -> str:
        """Return the id of the last response that had begun by ``moment``, '' if there is none."""
        begun = [name for name, response in self.responses.by_id.items() if response.time <= moment]
        return begun[-1] if begun else ""

    def end_of(self, response: str) -> Position:
        """Return the end of a response; its mark says that the response is not to be counted again."""
        known = self.responses.by_id[response]
        is_done = known.counted >= 0 or not known.comes_again
        return Position(count=known.end[0], byte=known.end[1], mark=response if is_done else "")
