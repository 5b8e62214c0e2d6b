"""Reads the new part of a transcript in one pass, from which all questions of the contract are answered."""

from __future__ import annotations

from entire.agents import lines, transcripts
from entire.agents.claude_code import records
from entire.agents.transcripts import clean
from entire.model.times import parse_time
from entire.model.transcripts import (
    ANSWER,
    CALL,
    INTERRUPTION,
    PROMPT,
    RESULT,
    FileReport,
    Position,
    Prompt,
    TokenUsage,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.claude_code.records import Record
    from entire.agents.transcripts import Source
    from entire.model.activity import Activity
    from entire.model.transcripts import Seen

_MAX_SEARCHES = 16  # of the whole file, at about 100 ms per 100 MB; a session needs at most one
_LOOK_BACK = 4 << 20  # bytes before a position without a mark in which to search for its answer


class Answer:
    """An API response, whose records are between line ``first`` and ``end`` (lines, bytes)."""

    __slots__ = ("end", "first", "model", "time", "usage")

    def __init__(self, first: int, time: float) -> None:
        self.first = first
        self.time = time
        self.model = ""
        self.end = (first, 0)
        self.usage = (0, 0, 0, 0)

    def add(self, record: Record, end: tuple[int, int]) -> None:
        """Add a record. All records of a response repeat its usage; where they differ, the largest is final."""
        self.end = end
        self.model = records.model(record) or self.model
        used = records.usage(record)
        if used[3] >= self.usage[3] and any(used):
            self.usage = used


class Task:
    """A mention of a subagent: its call, its result, or the notice that it ended in the background."""

    __slots__ = ("about", "call", "line")

    def __init__(self, line: int, call: str, about: Record) -> None:
        self.line = line
        self.call = call
        self.about = about


class Tail:
    """A summary of the records in ``source`` from ``since`` to the current end.

    ``sidechain``: it is a subagent's transcript, in which all records are ``isSidechain``.
    """

    def __init__(self, source: Source, since: Position, *, sidechain: bool) -> None:
        self.source = source
        self.since = since
        self.answers: dict[str, Answer] = {}
        self.tasks: list[Task] = []
        self.count, self.byte = since.count, since.byte
        self.shrunk = False
        self._start = since.byte
        self._searches = 0
        self._sidechain = sidechain
        self._mark = since.mark
        self._changes: list[tuple[int, FileReport]] = []
        self._calls: dict[str, tuple[int, str, bool]] = {}  # file tools without a result yet: line, path, short form
        self._seen_calls: set[str] = set()
        self._open_results: dict[str, int] = {}  # results in the old form whose call is before the tail
        self._has_results = False
        self._prompts: list[tuple[Prompt, int]] = []  # with the prompt above it in the tree, -1 for none
        self._unexpanded: dict[int, str] = {}  # slash commands without an expansion so far, and their prompt ids
        self._nodes: dict[int, int] = {}  # hash of a uuid -> the nearest prompt above
        self._tips = [(-1, -1)]  # (line, nearest prompt) wherever the conversation's last prompt changes
        self._leaves: dict[int, str] = {}  # index of a tip -> the leaf of its note, which is not in the tail so far
        self._leaf = 0  # hash of the last record's uuid
        self._continuing = -1  # the last prompt if its parent is the record before it
        self._restarted: dict[int, int] = {}  # prompts that turned out to start the conversation again
        self._has_parents = False  # if any record has a parent, one without starts the conversation again
        self._modern: bool | None = None  # the file marks prompts with promptSource; None: not yet searched for
        self._seen: list[Seen] = []
        self._text = ("", "")  # id and text of the last answer that has a text
        self._read()

    # reading

    def _read(self) -> None:
        self._find_start()
        if self.shrunk:
            return
        joined = self._start > 0 and transcripts.byte_before(self.source, self._start) != b"\n"
        for line, end in transcripts.lines(self.source, self._start):
            whole = line.endswith(b"\n")
            found = [] if line.startswith(records.WITHOUT_MEANING) else transcripts.records(line, records.GLUE)
            if not whole and not found and transcripts.loads(line) is None:
                break  # still being written
            # The line before the tail had no newline when it was counted, and continues here.
            at = self.count - 1 if joined else self.count
            joined = False
            for record in found:
                self._take(record, at, end)
            self.count, self.byte = at + 1, end
        self._resolve_leaves()

    def _find_start(self) -> None:
        """Set the byte offset of a position that has only a count, and whether the file is shorter than that."""
        if not self.since.count and not self.since.byte:
            return
        if not self._start:
            self._start, found = transcripts.offset_of(self.source, self.since.count)
            self.shrunk = found < self.since.count
        else:
            self.shrunk = transcripts.size(self.source) < self._start
        self.byte = self._start
        if not self._mark and not self.shrunk:
            self._mark = self._mark_before()

    def _mark_before(self) -> str:
        for line in transcripts.last_lines(self.source, self._start, _LOOK_BACK):
            if b'"assistant"' in line:
                for record in reversed(transcripts.records(line, records.GLUE)):
                    if record.get("type") == "assistant" and self._is_ours(record):
                        return records.answer_id(record)
        return ""

    def _is_ours(self, record: Record) -> bool:
        return self._sidechain or record.get("isSidechain") is not True

    def _take(self, record: Record, line: int, end: int) -> None:
        kind = record.get("type")
        if kind == "last-prompt":
            self._take_note(record, line)
            return
        if not self._is_ours(record):
            return
        prompt = None
        if kind == "user":
            prompt = self._user(record, line)
            self._see(record, line, PROMPT if prompt is not None else None)
        elif kind == "assistant":
            self._assistant(record, line, end)
            self._see(record, line, None if records.is_synthetic(record) else ANSWER)
        elif kind == "attachment":
            prompt = self._joined_prompt(record, line)
        if kind in ("user", "assistant", "system", "attachment"):
            self._grow(record, line, prompt)

    def _user(self, record: Record, line: int) -> Prompt | None:
        self._tool_results(record, line)
        agent, call = records.notification(record)
        if agent:
            self.tasks.append(Task(line, call, {"id": agent, "background": True, "notice": True}))
        if self._sidechain:
            return None  # a subagent is prompted by its agent
        turn = clean(record.get("promptId"))
        if self._unexpanded and records.is_expansion(record):
            last = max(self._unexpanded)
            if self._unexpanded[last] == turn:
                del self._unexpanded[last]
        if record.get("promptSource"):
            self._modern = True
        command = records.command_text(record)
        text = command or records.prompt_text(record, modern=self._modern is True)
        if text and self._modern is None and not command:
            self._modern = self._occurs_before((b'"promptSource":"', b'"promptSource": "'))
            text = "" if self._modern else text
        if command:
            self._unexpanded[len(self._prompts)] = turn
        return Prompt(text=text, position=line, time=parse_time(record.get("timestamp")), id=turn) if text else None

    def _joined_prompt(self, record: Record, line: int) -> Prompt | None:
        text = "" if self._sidechain else lines.joined_prompt(record)
        return Prompt(text=text, position=line, time=parse_time(record.get("timestamp"))) if text else None

    def _see(self, record: Record, line: int, kind: str | None) -> None:
        """Note what a record says about the tools at work."""
        time = parse_time(record.get("timestamp"))
        found = [(kind, "")] if kind is not None else []
        for block in records.blocks(record, "tool_use"):
            is_window = records.runs_programs(clean(block.get("name")))
            found.append((CALL, clean(block.get("id")) if is_window else ""))
        if not records.goes_on(record.get("toolUseResult")):
            found += [(RESULT, clean(block.get("tool_use_id"))) for block in records.blocks(record, "tool_result")]
        if records.is_interruption(record):
            found.append((INTERRUPTION, ""))
        if call := records.notification(record)[1]:
            found.append((RESULT, call))
        self._seen += [(what, line, time, call) for what, call in found]

    def _occurs_before(self, needles: tuple[bytes, ...]) -> bool:
        """Search the file before the tail; the number of searches is limited, as a strange file could need many."""
        if self._start == 0 or self._searches >= _MAX_SEARCHES:
            return False
        self._searches += 1
        return transcripts.contains(self.source, needles, self._start)

    def _tool_results(self, record: Record, line: int) -> None:
        blocks = records.blocks(record, "tool_result")
        self._has_results = self._has_results or bool(blocks)
        for block in blocks:
            call = clean(block.get("tool_use_id"))
            _, called, _ = self._calls.pop(call, (0, "", False))
            if block.get("is_error") is True:
                continue
            result = record.get("toolUseResult")
            paths = [called] if called else []
            if isinstance(result, dict) and len(blocks) == 1:
                paths = records.changed_paths(result)
            elif "toolUseResult" in record and len(blocks) == 1:
                paths = []
            elif not paths and call not in self._seen_calls and self._start:
                self._open_results[call] = line
            self._changes += [(line, FileReport(path=path, call=call)) for path in paths]
            about = records.result_agent(block, result)
            if about:
                self.tasks.append(Task(line, call, about))

    def _assistant(self, record: Record, line: int, end: int) -> None:
        key = records.answer_id(record) or f"line {line}"
        answer = self.answers.get(key)
        if answer is None:
            answer = self.answers[key] = Answer(line, parse_time(record.get("timestamp")))
        answer.add(record, (line + 1, end))
        text = records.text_of(record)
        if text and not records.is_synthetic(record):
            self._text = (key, f"{self._text[1]}\n{text}" if self._text[0] == key else text)
        short = "parentUuid" not in record and "sessionId" not in record
        for block in records.blocks(record, "tool_use"):
            name, given, call = block.get("name"), block.get("input"), clean(block.get("id"))
            self._seen_calls.add(call)
            if not isinstance(given, dict):
                continue
            if name in records.FILE_TOOLS:
                self._calls[call] = (line, records.path_of(given.get(records.FILE_TOOLS[name])), short)
            elif name in records.TASK_TOOLS:
                about: Record = {
                    "type": clean(given.get("subagent_type")),
                    "description": clean(given.get("description")),
                }
                about["background"] = given.get("run_in_background") is True
                self.tasks.append(Task(line, call, about))

    # the tree

    def _grow(self, record: Record, line: int, prompt: Prompt | None) -> None:
        """Add a record to the tree; a prompt or an answer becomes the conversation's tip."""
        place = lines.node(record)
        above = self._above(record, place[1] if place is not None else ())
        if prompt is not None:
            self._prompts.append((prompt, above))
            above = len(self._prompts) - 1
            is_continuing = place is not None and place[1] and hash(place[1][0]) == self._leaf
            self._continuing = above if is_continuing else -1
        uuid = record.get("uuid")
        if isinstance(uuid, str):
            self._leaf = hash(uuid)
            self._nodes[self._leaf] = above
        if prompt is not None or record.get("type") in ("user", "assistant"):
            self._move(line, above)

    def _above(self, record: Record, parents: tuple[str, ...]) -> int:
        tip = self._tips[-1][1]
        if "parentUuid" not in record:
            return tip  # the old short form is a list
        if parents:
            self._has_parents = self._has_parents or bool(record["parentUuid"])
            return self._prompt_above(parents)
        if tip >= 0 and (self._has_parents or self._occurs_before((b'"parentUuid":"', b'"parentUuid": "'))):
            return -1  # rewound to the start of the conversation
        return tip

    def _prompt_above(self, uuids: tuple[str, ...]) -> int:
        """Return the prompt above the first known record: -1 if it is before the tail, the current one if nowhere."""
        known = next((found for uuid in uuids if (found := self._nodes.get(hash(uuid))) is not None), None)
        if known is not None:
            return self._restarted.get(known, known)
        tip = self._tips[-1][1]
        return -1 if tip < 0 or any(map(self._is_before_tail, uuids)) else tip

    def _is_before_tail(self, uuid: str) -> bool:
        name = uuid.encode("utf-8", "replace")
        return self._occurs_before((b'"uuid":"' + name + b'"', b'"uuid": "' + name + b'"'))

    def _take_note(self, record: Record, line: int) -> None:
        """Follow a note about the conversation's end: nothing else records a rewind that no prompt of its own shows."""
        if lines.is_restart(record):
            if self._continuing >= 0:
                prompt, _ = self._prompts[self._continuing]
                self._prompts.append((prompt, -1))
                self._restarted[self._continuing] = len(self._prompts) - 1
                self._move(line, len(self._prompts) - 1)
            self._continuing = -1
            return
        leaf = lines.leaf(record)
        if leaf and hash(leaf) in self._nodes:
            self._move(line, self._prompt_above((leaf,)))
        elif leaf:
            self._leaves[len(self._tips)] = leaf
            self._tips.append((line, self._tips[-1][1]))

    def _resolve_leaves(self) -> None:
        """Move to the leaves that are before the tail: those that were written later have become tips by themselves."""
        for uuid in {leaf for leaf in self._leaves.values() if hash(leaf) not in self._nodes}:
            if self._is_before_tail(uuid):
                for index in [index for index, leaf in self._leaves.items() if leaf == uuid]:
                    self._tips[index] = (self._tips[index][0], -1)

    def _move(self, line: int, tip: int) -> None:
        if tip != self._tips[-1][1] or len(self._tips) - 1 in self._leaves:
            self._tips.append((line, tip))

    # answers to the contract's questions; ``stop`` is a number of lines, or None for all

    def position(self) -> Position:
        """Return the end of the last complete line."""
        mark = next(reversed(self.answers), self._mark)
        return Position(count=self.count, byte=self.byte, mark=mark)

    def end_of(self, answer: str) -> Position:
        """Return the end of a response."""
        count, byte = self.answers[answer].end
        return Position(count=count, byte=byte, mark=answer)

    def boundary(self, moment: float) -> Position:
        """Return the end of the last response that had started by ``moment``; the end if responses have no times."""
        if self.answers and not any(answer.time for answer in self.answers.values()):
            return self.position()
        found = self.since if self.since.byte or not self.since.count else self._replaced(self.since)
        for mark, answer in self.answers.items():
            if answer.time <= moment and answer.end[0] >= found.count:
                found = Position(count=answer.end[0], byte=answer.end[1], mark=mark)
        return found

    def _replaced(self, since: Position) -> Position:
        return Position(count=since.count, byte=0 if self.shrunk else self._start, mark=self._mark)

    def prompts(self, stop: int | None) -> list[Prompt]:
        """Return the prompts on the branch that was active at ``stop``."""
        tip = next(tip for line, tip in reversed(self._tips) if stop is None or line < stop)
        found: list[Prompt] = []
        while tip >= 0:
            prompt, above = self._prompts[tip]
            if tip not in self._unexpanded:
                found.append(prompt)
            tip = above
        return found[::-1]

    def files(self, stop: int | None) -> list[FileReport]:
        """Return the changed files with their tools' calls, in order, without duplicates."""
        changes = sorted([*self._changes, *self._changes_of_old_form()], key=lambda change: change[0])
        return list(dict.fromkeys(report for line, report in changes if stop is None or line < stop))

    def _changes_of_old_form(self) -> list[tuple[int, FileReport]]:
        found = []
        if not self._has_results and any(short for _, _, short in self._calls.values()):
            if not self._occurs_before((b'"tool_result"',)):  # the file has no results at all: rely on the calls
                found = [
                    (line, FileReport(path=path, call=call))
                    for call, (line, path, short) in self._calls.items()
                    if short and path
                ]
        open_results = dict(self._open_results)
        if open_results:
            for text, end in transcripts.lines(self.source):
                if end > self._start or not open_results:
                    break
                if b'"tool_use"' in text:
                    found += _pop_calls(text, open_results)
        return found

    def tokens(self, stop: int | None) -> TokenUsage:
        """Sum the responses that start in the tail; a response without usage is not counted as a call."""
        used = [
            answer.usage
            for mark, answer in self.answers.items()
            if mark != self._mark and any(answer.usage) and _is_before(answer, stop)
        ]
        sums = [sum(column) for column in zip(*used, strict=True)] or [0, 0, 0, 0]
        return TokenUsage(
            input_tokens=sums[0],
            cache_creation_tokens=sums[1],
            cache_read_tokens=sums[2],
            output_tokens=sums[3],
            api_call_count=len(used),
        )

    def has_answers(self, stop: int | None) -> bool:
        return any(mark != self._mark and _is_before(answer, stop) for mark, answer in self.answers.items())

    def activity(self, stop: int | None) -> Activity | None:
        from entire.model import activity

        return activity.derive(seen for seen in self._seen if stop is None or seen[1] < stop)

    def text(self) -> str:
        return self._text[1]

    def model(self, stop: int | None) -> str:
        """Return the model of the last response that starts before ``stop``."""
        named = [answer.model for answer in self.answers.values() if answer.model and _is_before(answer, stop)]
        return named[-1] if named else ""


def _is_before(answer: Answer, stop: int | None) -> bool:
    return stop is None or answer.first < stop


def _pop_calls(line: bytes, open_results: dict[str, int]) -> list[tuple[int, FileReport]]:
    """Return (line of the result, report) of the file tools' calls in ``line``; remove them from ``open_results``."""
    found = []
    for record in transcripts.records(line, records.GLUE):
        for block in records.blocks(record, "tool_use"):
            call, given = clean(block.get("id")), block.get("input")
            key = records.FILE_TOOLS.get(clean(block.get("name")))
            if call in open_results and key and isinstance(given, dict):
                report = FileReport(path=records.path_of(given.get(key)), call=call)
                found.append((open_results.pop(call), report))
    return [(at, report) for at, report in found if report.path]
