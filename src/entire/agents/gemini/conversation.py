"""Reads a chat's new records in one pass, from which all questions of the contract are answered.

It knows nothing of files: whoever reads the chat hands over each record with its place. Records are lines of a file, or
messages of a document.
"""

from __future__ import annotations

from entire.agents.gemini import records
from entire.agents.transcripts import clean
from entire.model.times import parse_time
from entire.model.transcripts import ANSWER, CALL, INTERRUPTION, PROMPT, RESULT, Prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.gemini.records import Record
    from entire.model.activity import Activity
    from entire.model.transcripts import Seen

    Figures = tuple[int | None, int | None, int | None]

_REPLAYING = "~"  # at the end of a mark: the position is inside a replay


class Answer:
    """An answer of the model. It is counted at record ``first``, the first that has its figures (-1: none has yet)."""

    __slots__ = ("end", "first", "model", "time", "usage")

    def __init__(self, time: float) -> None:
        self.time = time
        self.first = -1
        self.end = (0, 0)  # records and bytes up to its end, with its tool calls
        self.model = ""
        self.usage: Figures | None = None


class Change:
    """What a tool call reports, at record ``at``: a changed ``path``, or a subagent (``about``)."""

    __slots__ = ("about", "at", "call", "path")

    def __init__(self, at: int, call: str, path: str = "", about: Record | None = None) -> None:
        self.at = at
        self.call = call
        self.path = path
        self.about = about or {}


class Conversation:
    """What the records after a position say; ``mark`` is that position's, ``is_start`` whether it is the start."""

    def __init__(self, mark: str = "", *, is_start: bool = True) -> None:
        self._counted = mark.removesuffix(_REPLAYING)  # the last answer that was counted before
        self._replaying = mark.endswith(_REPLAYING)
        self._last = self._counted
        self._begun = not is_start
        self.answers: dict[str, Answer] = {}
        self._files: list[Change] = []
        self._tasks: list[Change] = []
        self._shells: list[tuple[str, Record]] = []  # shell commands that ended: (id of the answer, call)
        self._seen: set[str] = set()  # calls that are in one of the lists
        self._prompts: list[Prompt] = []
        self._rewinds: list[tuple[int, int]] = []  # (record, first record that it removed)
        self._order: dict[str, int] = {}  # message -> its first record
        self._noted: list[Seen] = []
        self._unfinished: list[tuple[Seen, int]] = []  # answers without calls, which are written down when all are
        # done, and the record that shows that there are none (-1: not yet)
        self._is_cancelled = False
        self._text = ""

    def take(self, record: Record, at: int, end: tuple[int, int]) -> None:
        """Read record ``at``, which ends at ``end`` (records, bytes)."""
        messages, rewound = records.new_messages(record), records.rewound_to(record)
        if messages is not None:
            self._replaying = False
            for message in messages:
                self._order.setdefault(records.message_id(message), at)
        if rewound:
            self._rewinds.append((at, self._order.get(rewound, -1)))
        kind = record.get("type")
        if kind == "user":
            self._user(record, at)
        elif kind == "gemini":
            self._answer(record, at, end)
        elif records.is_interruption(record):
            self._see_interruption(record, at)
        if kind in ("user", "gemini"):
            self._order.setdefault(records.message_id(record), at)
            self._begun = True

    def _user(self, record: Record, at: int) -> None:
        # After a denied tool, the agent writes the whole history again with new ids, and then its list of messages.
        self._replaying = self._replaying or (self._begun and records.is_session_context(record))
        text = "" if self._replaying else records.prompt_text(record)
        if text:
            time, name = parse_time(record.get("timestamp")), records.message_id(record)
            self._prompts.append(Prompt(text=text, position=at, time=time, id=name))
            self._see(PROMPT, record, at)

    def _answer(self, record: Record, at: int, end: tuple[int, int]) -> None:
        usage, calls = records.usage(record), records.calls(record)
        if self._replaying and usage is None and not calls:
            return
        self._replaying = False
        key = records.message_id(record) or f"record {at}"
        answer = self.answers.get(key)
        if answer is None:
            answer = self.answers[key] = Answer(parse_time(record.get("timestamp")))
        answer.end = end
        answer.model = clean(record.get("model")) or answer.model
        answer.usage = usage or answer.usage
        if usage is not None and answer.first < 0 and key != self._counted:
            answer.first = at
            self._last = key
        self._text = records.text_of(record.get("content")) or self._text
        self._see_answer(record, key, at)
        for call in calls:
            self._call(call, key, at)

    def _see(self, kind: str, record: Record, at: int) -> None:
        """Note what a record says about the tools at work."""
        self._finish(at)
        self._is_cancelled = kind == INTERRUPTION
        self._noted.append((kind, at, parse_time(record.get("timestamp")), ""))

    def _finish(self, at: int) -> Seen | None:
        """Note that the last answer without calls made none; return it if that is news."""
        if not self._unfinished or self._unfinished[-1][1] >= 0:
            return None
        answer, _ = self._unfinished[-1]
        self._unfinished[-1] = (answer, at)
        return answer

    def _see_interruption(self, record: Record, at: int) -> None:
        """Note an interruption; what it stopped may be written down later, as if it had begun then."""
        stopped = self._finish(at)
        if stopped is not None:
            self._noted.append(stopped)
        self._see(INTERRUPTION, record, at)
        if stopped is not None:
            self._noted.append((RESULT, at, self._noted[-1][2], stopped[3]))

    def _see_answer(self, record: Record, key: str, at: int) -> None:
        calls, began = records.calls(record), self.answers[key].time
        is_stopped = bool(calls) and all(call.get("status") == "cancelled" for call in calls)
        is_late = self._is_cancelled and is_stopped
        if not is_late:
            self._see(ANSWER, record, at)
        for call in calls:
            name = clean(call.get("id")) if records.runs_programs(call) and not is_late else ""
            if name:
                self._noted.append((CALL, at, began, name))
            self._noted.append((RESULT, at, parse_time(call.get("timestamp")), name))
        if not calls:
            self._unfinished.append(((CALL, at, began, key), -1))

    def _call(self, call: Record, key: str, at: int) -> None:
        name = clean(call.get("id"))
        if name and name in self._seen:
            return
        path = records.changed_path(call)
        if path:
            self._files.append(Change(at, name, path=path))
        elif call.get("name") == records.SHELL_TOOL:
            self._shells.append((key, call))
        elif call.get("name") == records.TASK_TOOL and records.subagent_id(call):
            self._tasks.append(Change(at, name, about=call))
        else:
            return  # it may be written again when it is done
        self._seen.add(name)

    # answers to the contract's questions; ``stop`` is a number of records, or None for all

    @property
    def mark(self) -> str:
        """The mark of the end: the last answer counted, and whether the end is inside a replay."""
        return self._last + (_REPLAYING if self._replaying else "")

    def prompts(self, stop: int | None = None) -> list[Prompt]:
        """Return the prompts without those that the agent's own rewind removed."""
        before = [prompt for prompt in self._prompts if _is_before(prompt.position, stop)]
        return [prompt for prompt in before if not self.is_rewound(prompt.position, stop)]

    def is_rewound(self, at: int, stop: int | None = None) -> bool:
        """Tell whether the agent's own rewind removed what record ``at`` said."""
        return any(first <= at < rewind for rewind, first in self._rewinds if _is_before(rewind, stop))

    def counted(self, stop: int | None = None) -> list[Answer]:
        """Return the answers to count, those whose figures first appear here."""
        return [answer for answer in self.answers.values() if answer.first >= 0 and _is_before(answer.first, stop)]

    def has_answers(self, stop: int | None = None) -> bool:
        return bool(self.counted(stop))

    def changes(self, stop: int | None = None) -> list[Change]:
        """Return the files that successful calls changed."""
        return [change for change in self._files if _is_before(change.at, stop)]

    def subagents(self, stop: int | None = None) -> list[Change]:
        """Return the calls that ran a subagent."""
        return [change for change in self._tasks if _is_before(change.at, stop)]

    def activity(self, stop: int | None = None) -> Activity | None:
        from entire.model import activity

        unfinished = [answer for answer, end in self._unfinished if end < 0 or not _is_before(end, stop)]
        return activity.derive(seen for seen in (*self._noted, *unfinished) if _is_before(seen[1], stop))

    def text(self) -> str:
        return self._text

    def model(self, stop: int | None = None) -> str:
        """Return the model of the last answer that is counted before ``stop``."""
        named = [answer.model for answer in self.counted(stop) if answer.model]
        return named[-1] if named else ""

    def boundary(self, moment: float, commit: str) -> Answer | None:
        """Return the answer whose shell command made ``commit``, else the last one that had begun by ``moment``."""
        begun = [answer for answer in self.answers.values() if answer.time <= moment]
        return self.maker(commit, moment) or (begun[-1] if begun else None)

    def maker(self, commit: str, moment: float) -> Answer | None:
        """Return the answer whose shell command made ``commit``, None if no command says so."""
        if not commit or not self._shells:
            return None
        from entire.agents import tool_runs

        runs = [
            tool_runs.ToolRun(
                answer=key,
                command=clean(records.arguments(call).get("command")),
                started=self.answers[key].time,
                ended=parse_time(call.get("timestamp")),
                output=records.output(call),
            )
            for key, call in self._shells
        ]
        found = tool_runs.of_commit(runs, commit, moment)
        return self.answers[found.answer] if found is not None else None

    @property
    def has_times(self) -> bool:
        return any(answer.time for answer in self.answers.values())


def _is_before(at: int, stop: int | None) -> bool:
    return stop is None or at < stop
