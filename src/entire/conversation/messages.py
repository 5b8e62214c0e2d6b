"""A conversation as people read it: prompts, answers, and tool calls with what they answered. No hook uses it."""

from __future__ import annotations

import bisect
import re
import sys

from entire.conversation.branches import NONE, Branches
from entire.conversation.records import AGENT, SUBAGENT, UNKNOWN, Answer, Call, Mark, Prompt, Result
from entire.conversation.responses import Responses
from entire.model.transcripts import Message, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from entire.conversation.records import Record

_EXIT = re.compile(
    r"(?im)^(?:process exited with code|exit code:?|<shellid: \S+ completed with exit code) +(\d+)>?\s*$"
)
_EXIT_HEAD = "process exited"  # how the line starts that may also be among the first ones
_EXIT_LINES = 6  # at either end of an output

BY_USER, BY_AGENT, BY_TOOL = "user", "agent", "tool"
"""Who a message is by."""


class Reading:
    """The messages of a whole conversation, from records with details, as they are now or were at any earlier state."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.unknown: list[tuple[int, str]] = []
        """The records that say nothing to people: their numbers and types."""
        self.responses = Responses()
        self._branches = Branches()
        self._said: list[tuple[Prompt | Answer | Call, int]] = []  # with the number of the prompt that they follow
        self._results: dict[str, Result] = {}
        for record in records:
            self._take(record)

    def _take(self, record: Record) -> None:
        self._branches.take(record)
        if isinstance(record, Result):
            known = record.call in self._results
            if not record.is_notice and not (known and not record.output):
                self._results[record.call] = record
        elif isinstance(record, Mark):
            if record.kind == UNKNOWN:
                self.unknown.append((record.position, record.text))
        else:
            if isinstance(record, Answer):
                self.responses.take(record)
            self._said.append((record, self._branches.tip))

    @property
    def says_something(self) -> bool:
        """Whether anything is said, also what was taken back."""
        return bool(self._said)

    def prompts(self, stop: int | None = None) -> list[Prompt]:
        """Return what people had asked before record ``stop``, without what they had taken back by then."""
        return self._branches.prompts(stop)

    def messages(self, stop: int | None = None, since: int = 0) -> list[Message]:
        """Return what had been said and done before record ``stop``, without what was taken back by then; of what came
        before record ``since``, only the prompts.
        """
        return [message for record in self._kept(stop, since) if (message := self._message(record, stop)) is not None]

    def _kept(self, stop: int | None, since: int) -> Iterator[Prompt | Answer | Call]:
        active = {NONE, *self._branches.active(stop)}
        end = sys.maxsize if stop is None else stop
        before = [(record, prompt) for record, prompt in self._said
                  if record.position < end and (record.position >= since or isinstance(record, Prompt))]  # fmt: skip
        latest = {(type(record), record.id): record.position for record, _ in before if _is_repeatable(record)}
        rewound = self._branches.rewound(stop)
        for record, prompt in before:
            is_repeated = _is_repeatable(record) and latest[type(record), record.id] != record.position
            if prompt in active and not is_repeated and not _is_within(record.position, rewound):
                yield record

    def _message(self, record: Prompt | Answer | Call, stop: int | None) -> Message | None:
        if isinstance(record, Call):
            return self._called(record, stop)
        text = record.text.strip()
        if isinstance(record, Answer):
            who = BY_AGENT
        elif record.by == AGENT or self._branches.is_persons(record, stop):
            who = BY_USER
        else:
            return None
        return Message(who=who, text=text, at=record.position, time=record.time) if text else None

    def _called(self, call: Call, stop: int | None) -> Message:
        """Return a call, with its result if that came before ``stop``: what a command changed is known only then."""
        result = self._results.get(call.id) if call.id else None
        if result is not None and stop is not None and result.position >= stop:
            result = None
        done = ToolCall(
            id=call.id,
            command=call.command,
            edits=(*call.edits, *(result.edits if result is not None else ())),
            output=result.output if result is not None else "",
            has_failed=result is not None and (result.has_failed or (bool(call.command) and _failed(result.output))),
            subagent=_task(call),
        )
        return Message(who=BY_TOOL, text=call.subject, at=call.position, name=call.name or BY_TOOL, time=call.time,
                       call=done)  # fmt: skip


def _failed(output: str) -> bool:
    """Tell whether the first or last lines of a command's output name an exit code other than 0."""
    lines = output.split("\n")
    head = [line for line in lines[:_EXIT_LINES] if line.lower().startswith(_EXIT_HEAD)]
    code = _EXIT.search("\n".join([*head, *lines[-_EXIT_LINES:]]))
    return code is not None and int(code[1][:9]) != 0


def _is_within(position: int, spans: list[tuple[int, int]]) -> bool:
    place = bisect.bisect_right(spans, (position, sys.maxsize)) - 1
    return place >= 0 and position < spans[place][1]


def _is_repeatable(record: Prompt | Answer | Call) -> bool:
    """Tell whether a later record with the same id stands for this one."""
    return bool(record.id) and (isinstance(record, Call) or (isinstance(record, Answer) and record.is_again))


def _task(call: Call) -> str:
    if call.tool != SUBAGENT:
        return ""
    return (call.task.description if call.task is not None else "") or call.subject or call.name
