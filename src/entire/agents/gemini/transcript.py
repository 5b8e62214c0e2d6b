"""A session's chat, or a subagent's, in either form: answers the port's questions from one pass over its new part."""

from __future__ import annotations

import os

from entire.agents import transcripts
from entire.agents.gemini import records, sessions
from entire.agents.gemini.conversation import Conversation
from entire.agents.lines import LineTranscript
from entire.agents.transcripts import clean
from entire.model.ids import is_tool_id
from entire.model.transcripts import START, FileReport, Position, Subagent, TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.gemini.conversation import Answer
    from entire.agents.gemini.records import Record
    from entire.agents.transcripts import Source
    from entire.model.activity import Activity
    from entire.model.transcripts import FileLines, Prompt

_MAX_PARTS = 4  # read parts to keep for the next question
DOCUMENT = "document:"
"""How a mark in a document begins; the id of the last message follows."""


class Chat:
    """The questions that both forms answer in the same way, from the part after a position."""

    session_ref: str
    source: Source
    committed: tuple[str, ...] = ()
    """Abbreviated ids of commits that hooks reported."""

    def _part(self, since: Position) -> Conversation:
        raise NotImplementedError

    def end(self, known: Position = START) -> Position:
        raise NotImplementedError

    def _place(self, answer: Answer) -> Position:
        return Position(count=answer.end[0], byte=answer.end[1])

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        """Return the end of the answer whose tool call made the commit; ``since`` if no answer had begun."""
        part = self._part(since)
        if part.answers and not part.has_times:
            return self.end(since)
        answer = part.boundary(moment, commit)
        found = self._place(answer) if answer is not None else since
        return found if found.count >= since.count else since

    def makes_commit(self, since: Position, moment: float, commit: str) -> bool:
        """Tell whether a command made a commit, one that is in the transcript or the one that just ended."""
        return any(map(commit.startswith, self.committed)) or bool(self._part(since).maker(commit, moment))

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        """Return what successful edits changed, also those that the agent's own rewind took back."""
        root = ""
        found = []
        for change in self._part(since).changes(_stop(until)):
            path = change.path
            if not os.path.isabs(path):
                root = root or sessions.project_root(self.session_ref)
                path = os.path.join(root, path)
            found.append(FileReport(path=path, call=change.call))
        return list(dict.fromkeys(found))

    def activity(self, since: Position, until: Position | None = None) -> Activity | None:
        return self._part(since).activity(_stop(until))

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return the prompts of people; none of a subagent, which its agent prompts."""
        return [] if sessions.is_subagent(self.source) else self._part(since).prompts(_stop(until))

    def summary(self, since: Position) -> str:
        return self._part(since).text()

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        return self._part(since).has_answers(_stop(until))

    def model(self, since: Position, until: Position | None = None) -> str:
        return self._part(since).model(_stop(until))

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        """Sum the answers' figures as the agent gives them: its input includes what was cached, its output no thoughts.

        So did the Go CLI, whose checkpoints stay comparable.
        """
        total = TokenUsage()
        for answer in self._part(since).counted(_stop(until)):
            given, cached, output = answer.usage or (None, None, None)
            total += TokenUsage(input_tokens=given, cache_read_tokens=cached, output_tokens=output, api_call_count=1)
        return total

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the subagents whose call is done; until then, only the hooks know of them."""
        found = {}
        for change in self._part(since).subagents(_stop(until)):
            agent, given = records.subagent_id(change.about), records.arguments(change.about)
            found[agent] = Subagent(
                id=agent,
                session_ref=self.subagent_ref(agent),
                tool_use_id=change.call if is_tool_id(change.call) else "",
                type=clean(given.get("agent_name")),
                description=clean(given.get("prompt")),
            )
        return list(found.values())

    def subagent_ref(self, subagent_id: str) -> str:
        """Return where a subagent's chat is: in a folder named after its session, also for subagents of subagents."""
        if sessions.is_subagent(self.source):
            beside = os.path.join(os.path.dirname(self.session_ref), f"{subagent_id}.jsonl")
            return beside if is_tool_id(subagent_id) else ""
        return sessions.subagent_file(self.session_ref, sessions.session_id(self.source), subagent_id)


class ChatLines(LineTranscript, Chat):
    """A chat that grows by lines. It is stored whole, because the Go CLI reads parts of this agent as documents."""

    def __init__(self, session_ref: str, stored: bytes | None = None) -> None:
        super().__init__(session_ref, stored)
        self._parts: dict[Position, tuple[tuple[int, int, int], Conversation, Position]] = {}

    def end(self, known: Position = START) -> Position:
        return self._read(known if self.holds(known) else START)[1]

    def at(self, count: int) -> Position:
        return self._marked(Position(count=max(count, 0)))

    def is_later(self, position: Position, other: Position) -> bool:
        return super().is_later(self.readable(position), self.readable(other))

    def file_lines(self, end: Position) -> FileLines | None:  # noqa: ARG002
        return None

    def readable(self, position: Position) -> Position:
        """Return a position for reading here; one in the document that these lines continue is found by its message."""
        if position.mark.startswith(DOCUMENT):
            wanted = position.mark.removeprefix(DOCUMENT)
            return next((place for name, place in self._messages_from_start() if name == wanted), START)
        return super().readable(position)

    def _messages_from_start(self) -> Iterator[tuple[str, Position]]:
        """Yield each message's id and the position after it."""
        part = Conversation()
        for record, at, end in self._records(START):
            part.take(record, at, (at + 1, end))
            yield records.message_id(record), Position(count=at + 1, byte=end, mark=part.mark)

    def _part(self, since: Position) -> Conversation:
        return self._read(since)[0]

    def _read(self, since: Position) -> tuple[Conversation, Position]:
        version = transcripts.version(self.source)
        found = self._parts.get(since)
        if found is None or found[0] != version:
            self._parts.pop(since, None)
            while len(self._parts) >= _MAX_PARTS:
                del self._parts[next(iter(self._parts))]
            found = self._parts[since] = (version, *self._read_from(self._marked(self.readable(since))))
        return found[1:]

    def _read_from(self, start: Position) -> tuple[Conversation, Position]:
        part = Conversation(start.mark, is_start=not start.count)
        count, byte = start.count, start.byte
        for record, at, end in self._records(start):
            part.take(record, at, (at + 1, end))
            count, byte = at + 1, end
        return part, Position(count=count, byte=byte, mark=part.mark)

    def _marked(self, position: Position) -> Position:
        """Return a position with its byte and mark: without a byte it is not ours, such as one in metadata."""
        if position.byte or not position.count:
            return position
        found = START
        part = Conversation()
        for record, at, end in self._records(START):
            if at >= position.count:
                break
            part.take(record, at, (at + 1, end))
            found = Position(count=at + 1, byte=end, mark=part.mark)
        return found

    def _records(self, start: Position) -> Iterator[tuple[Record, int, int]]:
        """Yield each line's record ({} if it has none), the lines before it and the byte after it.

        A last line without a newline counts if it is complete: another is still being written.
        """
        at = start.count
        for line, end in transcripts.lines(self.source, start.byte):
            found = {} if line.startswith(records.WITHOUT_MEANING) else transcripts.loads(line)
            if not line.endswith(b"\n") and not isinstance(found, dict):
                return
            yield found if isinstance(found, dict) else {}, at, end
            at += 1


def _stop(until: Position | None) -> int | None:
    return None if until is None else until.count
