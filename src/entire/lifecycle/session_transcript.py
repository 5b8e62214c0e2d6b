"""Reads a session's transcript through whatever capabilities its agent has.

Only this module handles missing capabilities: without an analyzer there are no tool reports, and only the prompts that
events carried; without a calculator there are no tokens; without an extractor there are no subagents.
"""

from __future__ import annotations

import os

from entire import files
from entire.agents import capabilities, transcripts
from entire.model.session import Session
from entire.model.transcripts import START, Position, Prompt, Subagent, TokenUsage
from entire.store import transcripts as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.contract import Agent
    from entire.git.read import Objects

LINES = "line_transcript"  # capability: the transcript is a file of lines that only grows


class SessionTranscript:
    """One session's transcript. Each question reads only the part it needs."""

    def __init__(self, agent: Agent, session: Session, top: str) -> None:
        self._agent = agent
        self._session = session
        self._top = top
        self._analyzer = capabilities.transcript_analyzer(agent)
        self._calculator = capabilities.token_calculator(agent)
        self._extractor = capabilities.subagent_extractor(agent)

    @property
    def path(self) -> str:
        return self._session.transcript_path

    @property
    def grows_by_lines(self) -> bool:
        """Whether the transcript can be stored part by part."""
        return LINES in self._agent.capabilities

    def _last_known(self) -> Position:
        """Return the furthest known position, from which counting can continue."""
        session = self._session
        places = [
            place
            for place in (Position(count=session.stored.count, byte=session.stored.byte), session.counted)
            if place.byte
        ]
        if session.turn is not None and session.turn.start.byte:
            places.append(session.turn.start)
        size = stored.size(self.path)
        places = [place for place in places if place.byte <= size]
        return max(places, key=lambda place: place.byte, default=START)

    def end(self) -> Position:
        """Return the position of the transcript's current end."""
        if not self.path:
            return START
        if self._analyzer is not None:
            return self._analyzer.transcript_position(self.path, self._last_known())
        if not self.grows_by_lines:
            return Position(count=0, byte=stored.size(self.path))
        known = self._last_known()
        ends = [end for _, end in transcripts.lines(self.path, known.byte)]
        return Position(count=known.count + len(ends), byte=ends[-1]) if ends else known

    def boundary(self, since: Position, moment: float) -> Position:
        """Return the end of the answer that the agent was writing at ``moment``."""
        if self._analyzer is None or not self.path:
            return self.end()
        return self._analyzer.answer_boundary(self.path, since, moment)

    def as_stored(self, objects: Objects, finish: Position) -> stored.Stored:
        """Return the whole transcript up to ``finish`` as it goes into a tree."""
        if self.grows_by_lines:
            stored.merge(self._session, objects, self._top)
            return stored.store(self._session, finish, self._top, transcripts.shorten)
        whole = self._agent.read_transcript(self.path)
        return stored.store_document(self._agent.chunk_transcript(whole, stored.MAX_PART) if whole else [])

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return the prompts that people wrote between two positions."""
        if self._analyzer is None or not self.path:
            return []
        return self._analyzer.prompts(self.path, since, until)

    def summary(self, since: Position) -> str:
        """Return the last answer's text."""
        return self._analyzer.summary(self.path, since) if self._analyzer is not None and self.path else ""

    def model(self, since: Position, until: Position) -> str:
        """Return the model that wrote the last answer between two positions; '' if the transcript does not say."""
        read = getattr(self._analyzer, "model", None)  # missing in plugins of earlier protocol versions
        return str(read(self.path, since, until)) if read is not None and self.path else ""

    def has_answers(self, since: Position, until: Position) -> bool:
        """Tell whether the agent answered between two positions: its answers may have no usage."""
        if until.count > since.count and until.mark not in ("", since.mark):
            return True
        return bool(self.tokens(since, until))

    def subagents(self, since: Position, until: Position) -> list[Subagent]:
        """Return the subagents that worked between two positions, and those still in the background."""
        if self._extractor is None or not self.path:
            return []
        return self._extractor.subagents(self.path, since, until)

    def files(self, since: Position, until: Position) -> list[str]:
        """Return the worktree's paths that tools, also those of subagents, reported as changed."""
        return list(dict.fromkeys(path for path in map(self._relative, self._reported(since, until)) if path))

    def files_outside(self, since: Position, until: Position) -> list[str]:
        """Return the absolute paths outside the worktree that tools reported as changed."""
        found = dict.fromkeys(path for path in self._reported(since, until) if os.path.isabs(path))
        return [path for path in found if not self._relative(path)]

    def _reported(self, since: Position, until: Position) -> list[str]:
        if self._analyzer is None or not self.path:
            return []
        found = list(self._analyzer.modified_files(self.path, since, until))
        for subagent in self._all_subagents(since, until):
            if subagent.session_ref:
                found += self._analyzer.modified_files(subagent.session_ref, START)
        return found

    def _all_subagents(self, since: Position, until: Position) -> list[Subagent]:
        found = {subagent.id: subagent for subagent in self.subagents(since, until)}
        for task in self._session.tasks.values():
            if task.subagent and task.ref and task.subagent not in found:
                found[task.subagent] = Subagent(id=task.subagent, session_ref=task.ref)
        return list(found.values())

    def _relative(self, path: str) -> str:
        """Return a path relative to the worktree's top; '' if it is outside, or in another worktree below it."""
        found = self._below(path)
        folder = os.path.dirname(found)
        while folder:
            if os.path.isfile(os.path.join(self._top, folder, ".git")):
                return ""
            folder = os.path.dirname(folder)
        return found

    def _below(self, path: str) -> str:
        """Return a path relative to the worktree's top; '' if it is not below it."""
        full = os.path.normpath(
            path if os.path.isabs(path) else os.path.join(self._session.worktree_path or self._top, path)
        )
        for top in (self._top, os.path.realpath(self._top)):
            if full.startswith(top + os.sep):
                return full[len(top) + 1 :]
        real = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
        top = os.path.realpath(self._top)
        return real[len(top) + 1 :] if real.startswith(top + os.sep) else ""

    def tokens(self, since: Position, until: Position) -> TokenUsage:
        """Return the tokens of the answers between two positions, without subagents."""
        if self._calculator is None or not self.path:
            return TokenUsage()
        return self._calculator.token_usage(self.path, since, until)

    def subagent_tokens(
        self, since: Position, until: Position, counted: dict[str, Any]
    ) -> tuple[TokenUsage | None, dict[str, Any]]:
        """Return the tokens of subagents that ``counted`` does not include yet, and the new counts."""
        after = dict(counted)
        total: TokenUsage | None = None
        if self._calculator is None or self._analyzer is None:
            return None, after
        for subagent in self._all_subagents(since, until):
            if not subagent.session_ref or not stored.size(subagent.session_ref):
                continue
            before = Position(**dict(zip(("count", "byte", "mark"), after.get(subagent.id, (0, 0, "")), strict=True)))
            end = self._analyzer.transcript_position(subagent.session_ref, before)
            spent = self._calculator.token_usage(subagent.session_ref, before, end)
            after[subagent.id] = [end.count, end.byte, end.mark]
            if spent:
                total = spent if total is None else total + spent
        return total, after


class ScratchTranscript:
    """Lets an adapter read transcript bytes: writes them to a temporary file in ``folder``."""

    def __init__(self, agent: Agent, data: bytes, folder: str, *, session_id: str = "", top: str = "") -> None:
        self._path = os.path.join(folder, "reading.jsonl")
        self._data = data
        session = Session(session_id, agent.name, agent.type)
        session.transcript_path = self._path
        self._transcript = SessionTranscript(agent, session, top)

    def __enter__(self) -> SessionTranscript:
        files.write(self._path, self._data, mode=0o600)
        return self._transcript

    def __exit__(self, *_: object) -> None:
        files.remove(self._path)
