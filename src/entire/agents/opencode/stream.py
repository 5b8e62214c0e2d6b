"""Reads a session's messages from a position on, and yields them in our terms.

A message of the agent's is one answer of the model, with its calls and what the tools answered. It is written again
and again: its figures come last, after its tools ended, and with them the time at which it was completed.
"""

from __future__ import annotations

from entire.agents.opencode import native
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.conversation.records import AGENT, INTERRUPTED, PERSON, REWOUND, UNKNOWN, Answer, Mark, Prompt
from entire.model.jsontext import natural, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from entire.agents.opencode.native import Native
    from entire.conversation.records import Record
    from entire.model.positions import Position

    Placed = tuple[Native, int]  # a line's native record, and its number

OPEN = "~"
"""In a mark: the message before the position goes on, and so many of its parts were told."""
_KNOWN = frozenset(
    "agent compaction file patch reasoning retry snapshot step-finish step-start subtask text tool".split()
)
_ABORTED = "MessageAbortedError"


def read_mark(position: Position) -> tuple[str, int]:
    """Return the last answer that was counted before a position, and how many parts were told of a message that goes
    on; -1 if none does.
    """
    answer, mark, told = position.mark.partition(OPEN)
    return answer, (int(told) if told.isdecimal() else 0) if mark else -1


def answer_id(info: Native) -> str:
    """Return what tells an answer from others of its session, also in a fork, whose copies have other ids."""
    return str(natural(dict_of(info.get("time")).get("created")))


def told(given: Native) -> int:
    """Return how many parts at the beginning of a message are as they stay."""
    parts = dicts_of(given.get("parts"))
    return next((number for number, part in enumerate(parts) if not _is_done(part)), len(parts))


def _is_done(part: Native) -> bool:
    if part.get("type") == "tool":
        return dict_of(part.get("state")).get("status") in ("completed", "error")
    return part.get("type") not in ("text", "reasoning") or bool(dict_of(part.get("time")).get("end"))


class MessageStream:
    """What ``natives`` say; iterate once. ``session``: what is known of it, ``told``: parts of the first message that
    were told before, ``end``: where they end.
    """

    def __init__(
        self, natives: Iterable[Placed], session: Native, since: Position, end: Position, *, details: bool = False
    ) -> None:
        self.known, self._told = read_mark(since)
        self.end = end
        self._natives = natives
        self._is_part = since.count > 0
        self._by = AGENT if session.get("parentID") else PERSON
        self._reverted = clean(dict_of(session.get("revert")).get("messageID"))
        self._details = details

    def __iter__(self) -> Iterator[Record]:
        first = at = -1
        for given, at in self._natives:
            info = dict_of(given.get("info"))
            if self._told >= 0 and not (native.is_done(info) or self._goes_on(given, at)):
                self._told = -1
                continue
            if info.get("id") == self._reverted and "parts" in given:
                first = at
            if info.get("role") == "user":
                yield from self._prompt(given, info, at)
            elif info.get("role") == "assistant":
                yield from self._answer(given, info, at)
            elif self._details and "parts" in given:
                yield Mark(position=at, kind=UNKNOWN, text=clean(info.get("role")))
            self._told = -1
        if self._reverted and at >= 0 and (first >= 0 or self._is_part):
            yield Mark(position=at, kind=REWOUND, first=first)

    def _goes_on(self, given: Native, at: int) -> bool:
        """Tell whether the model has gone on with a message, which has not ended; if another follows, it was killed."""
        return at + 1 == self.end.count and told(given) > self._told

    def _prompt(self, given: Native, info: Native, at: int) -> Iterator[Record]:
        text = "\n".join(_texts(given))
        if text:
            yield Prompt(position=at, text=text, time=_seconds(info, "created"), id=clean(info.get("id")), by=self._by)
        yield from self._unknown(given, at)

    def _answer(self, given: Native, info: Native, at: int) -> Iterator[Record]:
        answer = Answer(
            position=at, id=answer_id(info), time=_seconds(info, "created"),
            text="\n".join(_texts(given)), model=clean(info.get("modelID")), usage=native.usage(info),
            is_local=bool(info.get("error")) and not _texts(given), is_again=True,
        )  # fmt: skip
        yield answer
        calls = [part for part in dicts_of(given.get("parts"))[max(self._told, 0) :] if part.get("type") == "tool"]
        if calls:
            from entire.agents.opencode import tools

            folder = clean(dict_of(info.get("path")).get("cwd"))
            for part in calls:
                yield from tools.records(part, answer, folder, details=self._details)
        yield from self._unknown(given, at)
        if dict_of(info.get("error")).get("name") == _ABORTED:
            yield Mark(position=at, kind=INTERRUPTED, time=_seconds(info, "completed") or answer.time)

    def _unknown(self, given: Native, at: int) -> Iterator[Mark]:
        for part in dicts_of(given.get("parts")) if self._details else ():
            if (kind := clean(part.get("type"))) not in _KNOWN:
                yield Mark(position=at, kind=UNKNOWN, text=kind)


def _texts(given: Native) -> list[str]:
    """Return what was said in a message, without what the agent added to it."""
    parts = [part for part in dicts_of(given.get("parts")) if part.get("type") == "text"]
    return [
        text
        for part in parts
        if not (part.get("synthetic") or part.get("ignored")) and (text := clean(part.get("text")))
    ]


def _seconds(info: Native, key: str) -> float:
    return real(dict_of(info.get("time")).get(key)) / 1000
