"""A session's transcript, or a subagent's: answers the port's questions from one pass over a part of the file."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.claude_code.tail import Tail
from entire.agents.lines import LineTranscript
from entire.model.ids import is_tool_id
from entire.model.transcripts import START, FileReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.activity import Activity
    from entire.model.transcripts import Position, Prompt, Subagent, TokenUsage

_MAX_TAILS = 4  # parsed parts to keep for the next question


class ClaudeTranscript(LineTranscript):
    """The records are described in ``records``; which of them count is decided in ``tail``."""

    def __init__(self, session_ref: str, stored: bytes | None = None) -> None:
        super().__init__(session_ref, stored)
        self._tails: dict[Position, tuple[tuple[int, int, int], Tail]] = {}

    def end(self, known: Position = START) -> Position:
        """Return the end of the last complete line, counted from the start of the file if it became shorter."""
        tail = self._tail(known)
        return self._tail(START).position() if tail.shrunk else tail.position()

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        """Return the end of the response whose tool call made ``commit``, else of the last response that had started by
        ``moment``, or ``since`` if there is none.

        A response starts before its tool call runs, and the next one starts after the call's result. The old short form
        has no times, so there it is the current end of the file.
        """
        tail, named = self._tail(since), self._answer_of(since, moment, commit)
        return tail.end_of(named) if named in tail.answers else tail.boundary(moment)

    def makes_commit(self, since: Position, moment: float, commit: str) -> bool:
        return bool(self._answer_of(since, moment, commit))

    def _answer_of(self, since: Position, moment: float, commit: str) -> str:
        if not commit:
            return ""
        from entire.agents.claude_code import commits

        return commits.answer(self.source, self.offset(since), moment, commit)

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        """Return what successful file edits changed, also on branches that the agent's own rewind abandoned."""
        return self._tail(since).files(_stop(until))

    def activity(self, since: Position, until: Position | None = None) -> Activity | None:
        return self._tail(since).activity(_stop(until))

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return the prompts on the branch that was active at ``until``."""
        return self._tail(since).prompts(_stop(until))

    def summary(self, since: Position) -> str:
        return self._tail(since).text()

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        return self._tail(since).has_answers(_stop(until))

    def model(self, since: Position, until: Position | None = None) -> str:
        return self._tail(since).model(_stop(until))

    def agent_version(self) -> str:
        import re

        found = re.findall(rb'"version"\s*:\s*"([0-9][0-9A-Za-z.+-]{0,40})"', transcripts.ending(self.source))
        return found[-1].decode() if found else ""

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        return self._tail(since).tokens(_stop(until))

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        """Return the subagents that were called, returned a result, or ended in the background."""
        from entire.agents.claude_code import subagents

        stop = _stop(until)
        tasks = self._tail(since).tasks
        return subagents.collect(self.session_ref, [task for task in tasks if stop is None or task.line < stop])

    def subagent_ref(self, subagent_id: str) -> str:
        from entire.agents.claude_code import subagents

        return subagents.transcript_of(self.session_ref, subagent_id) if is_tool_id(subagent_id) else ""

    def _tail(self, since: Position) -> Tail:
        from entire.agents.claude_code import subagents

        version = transcripts.version(self.source)
        found = self._tails.get(since)
        if found is None or found[0] != version:
            self._tails.pop(since, None)
            while len(self._tails) >= _MAX_TAILS:
                del self._tails[next(iter(self._tails))]
            sidechain = subagents.is_subagent_file(self.session_ref)
            tail = Tail(self.source, self.readable(since), sidechain=sidechain)
            found = self._tails[since] = (version, tail)
        return found[1]


def _stop(until: Position | None) -> int | None:
    return None if until is None else until.count
