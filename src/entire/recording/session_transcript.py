"""Asks a session's transcript through whatever capabilities its agent has, each question once.

Only this module handles missing capabilities: without an analyzer there are no tool reports, and only the prompts that
events carried; without a calculator tokens are unknown; without an extractor there are no subagents.
"""

from __future__ import annotations

import os

from entire import files
from entire.agents import capabilities, transcripts
from entire.model.positions import START, Position, SessionRef
from entire.model.tokens import UNKNOWN, TokenUsage, usage_to_json
from entire.model.transcripts import Subagent
from entire.model.turns import TurnKey
from entire.store import transcripts as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from entire.agents.contract import Agent, Transcript, TranscriptAnalyzer
    from entire.conversation.records import Prompt
    from entire.conversation.windows import Activity
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.session import Session, SubagentTask
    from entire.model.transcripts import FileReport
    from entire.redact import Redacted, Redactor
    from entire.store.step_transcripts import SavedTranscript

    T = TypeVar("T")


_MAX_WHOLE = 128 << 20  # bytes of a transcript that is only stored as a whole
_TOO_LARGE = f"it has more than {_MAX_WHOLE >> 20} MB"
_UNREAD = 16 << 20  # bytes after what is stored that are worth a word; an unfinished line has less


class SessionTranscript:
    """One session's transcript. The answers to all questions come from what was there at the first of them."""

    def __init__(
        self, agent: Agent, session: Session, top: str, redactor: Redactor, saved: SavedTranscript | None = None
    ) -> None:
        """``saved``: what is stored of it, if the agent has deleted its own."""
        self.problem: str | None = None
        """Why it is not stored, or not all of it, for people; '' if it is, None before that is known."""
        if saved is not None:
            self.native = agent.transcript(session.session_ref, saved.content)
        else:
            self.native, refusal = _opened(agent, session.session_ref, top)
            self.problem = f"not read: {refusal}" if refusal else None
        self._saved = saved
        self._agent = agent
        self._session = session
        self._top = top
        self._redactor = redactor
        self._answers: dict[tuple[object, ...], Any] = {}
        self._subagents: dict[str, Transcript] = {}
        self._analyzer = capabilities.transcript_analyzer(agent, self.native) if self.ref else None
        self._calculator = capabilities.token_calculator(agent, self.native) if self.ref else None
        self._extractor = capabilities.subagent_extractor(agent, self.native) if self.ref else None

    @property
    def ref(self) -> SessionRef:
        return self._session.session_ref

    def size(self) -> int:
        """Return how many bytes it takes to read it as a whole."""
        return _size(self.native, self.ref)

    @property
    def is_gone(self) -> bool:
        """Whether the agent has no transcript of the session."""
        return bool(self.ref) and self.end() == START

    def _once(self, question: tuple[object, ...], ask: Callable[[], T]) -> T:
        if question not in self._answers:
            self._answers[question] = ask()
        answer: T = self._answers[question]
        return answer

    # ------------------------------------------------------------ positions

    def end(self) -> Position:
        """Return the position of the transcript's end."""
        return self._once(("end",), lambda: self.native.end(self._last_known())) if self.ref else START

    def _last_known(self) -> Position:
        """Return the latest known position that the transcript still holds: reading on from there is enough."""
        session, last = self._session, START
        turn = (session.turn.start, session.turn.finish) if session.turn is not None else ()
        for position in (session.covered.position, *turn):
            if self.native.is_later(position, last) and self.native.holds(position):
                last = position
        return last

    def at(self, count: int) -> Position:
        """Return the position after the first ``count`` records."""
        return self.native.at(count) if self.ref and count else START

    def holds(self, position: Position) -> bool:
        """Tell whether the transcript still has a position."""
        return self._once(("holds", position), lambda: self.native.holds(position))

    def is_later(self, position: Position, other: Position) -> bool:
        """Tell whether ``position`` is after ``other``."""
        return self.native.is_later(position, other)

    def boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        """Return the end of the answer that made a commit, or was being written at ``moment``."""
        analyzer = self._analyzer
        if analyzer is None:
            return self.end()
        return self._once(("boundary", since, moment, commit), lambda: analyzer.answer_boundary(since, moment, commit))

    def makes_commit(self, since: Position, moment: float, commit: str) -> bool:
        """Tell whether a tool call after ``since``, also one of a subagent, made a commit at ``moment``."""
        refs = [subagent.session_ref for subagent in self._present_subagents(since, self.end())]
        asked = [(self._analyzer, since), *((self._analyzer_of(session_ref), START) for session_ref in refs)]
        questions = [(getattr(analyzer, "makes_commit", None), start) for analyzer, start in asked]  # optional
        return any(ask(start, moment, commit) for ask, start in questions if ask is not None)

    def _analyzer_of(self, session_ref: str) -> TranscriptAnalyzer | None:
        """Return a subagent's transcript if it can be read."""
        return capabilities.transcript_analyzer(self._agent, self.subagent(session_ref))

    # ------------------------------------------------------------ what was said and done

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        """Return the prompts that people wrote between two positions."""
        analyzer = self._analyzer
        if analyzer is None:
            return []
        return list(self._once(("prompts", since, until), lambda: analyzer.prompts(since, until)))

    def summary(self, since: Position) -> str:
        """Return the last answer's text."""
        analyzer = self._analyzer
        return self._once(("summary", since), lambda: analyzer.summary(since)) if analyzer is not None else ""

    def model(self, since: Position, until: Position) -> str:
        """Return the model that wrote the last answer between two positions; '' if the transcript does not say."""
        read = getattr(self._analyzer, "model", None)  # optional
        return self._once(("model", since, until), lambda: str(read(since, until))) if read is not None else ""

    def has_answers(self, since: Position, until: Position) -> bool | None:
        """Tell whether the agent answered between two positions; None if the transcript does not say."""
        analyzer = self._analyzer
        if analyzer is None:
            return None
        return self._once(("answers", since, until), lambda: analyzer.has_answers(since, until))

    def shares_answer(self, position: Position) -> bool:
        """Tell whether the last answer before a position of another session is in this transcript too."""
        return self._analyzer is not None and self._analyzer.shares_answer(position)

    @property
    def tells_activity(self) -> bool:
        """Tell whether the transcript may say when tools were at work; a plugin's never does, and is not called."""
        return getattr(self._analyzer, "activity", None) is not None  # optional

    def activity(self, since: Position, until: Position) -> Activity | None:
        """Return when tools that can run programs, also those of subagents, were at work between two positions, and
        whether the turn was interrupted; None if the transcript does not say.
        """
        read = getattr(self._analyzer, "activity", None)  # optional
        if read is None:
            return None
        return self._once(("activity", since, until), lambda: self._activity(read(since, until), since, until))

    def _activity(self, own: Activity | None, since: Position, until: Position) -> Activity | None:
        subagents = self._present_subagents(since, until) if own is not None else []
        if own is None or not subagents:
            return own
        from entire.conversation import windows

        calls = {task.subagent: name for name, task in self._session.tasks.items() if task.subagent}
        inner: dict[str, list[Activity | None]] = {}
        for subagent in subagents:
            read = getattr(self._analyzer_of(subagent.session_ref), "activity", None)
            call = subagent.tool_use_id or calls.get(subagent.id, subagent.id)
            inner.setdefault(call, []).append(read(START) if read is not None else None)
        return windows.with_subagents(own, inner)

    def subagents(self, since: Position, until: Position) -> list[Subagent]:
        """Return the subagents that worked between two positions, and those still in the background."""
        extractor = self._extractor
        if extractor is None:
            return []
        return self._once(("subagents", since, until), lambda: extractor.subagents(since, until))

    def subagent(self, session_ref: str) -> Transcript:
        """Return a subagent's transcript."""
        if session_ref not in self._subagents:
            path, beside = SessionRef(session_ref).file, os.path.dirname(self.ref.file)
            folder = beside if path.startswith(beside + os.sep) else ""
            is_read = not path or os.path.isdir(path) or not files.refusal(path, folder)
            self._subagents[session_ref] = self._agent.transcript(session_ref, None if is_read else b"")
        return self._subagents[session_ref]

    def _saved_subagent(self, subagent: Subagent, objects: Objects) -> Transcript:
        """Return what is stored of a subagent's transcript, because the agent has deleted its own."""
        copies = [task.stored for task in self._session.tasks.values() if task.subagent == subagent.id and task.stored]
        content = objects.blob(copies[-1]) if copies else None
        return self._agent.transcript(subagent.session_ref, content or b"")

    def record_subagent(self, task: SubagentTask) -> None:
        """Note in a task what its subagent has used, so a commit need not ask for it."""
        transcript = self.subagent(task.ref)
        calculator = capabilities.token_calculator(self._agent, transcript)
        if calculator is not None:
            end = transcript.end()
            spent = calculator.tokens(Position.from_json(self._session.covered.subagents.get(task.subagent)), end)
            task.end, task.tokens = end.to_json(), {} if spent == UNKNOWN else usage_to_json(spent)

    def subagent_content(self, session_ref: str) -> Redacted:
        """Return a subagent's transcript as it is stored."""
        transcript = self.subagent(session_ref)
        if stored.size(session_ref) <= stored.MAX_PART:
            data = transcript.snapshot()
            if len(data) <= stored.MAX_PART:
                return stored.redact(data, self._redactor)
            data = data[: stored.MAX_PART]
        else:
            data = stored.read_span(session_ref, 0, stored.MAX_PART) if transcript.end() != START else b""
        return stored.redact(data[: data.rfind(b"\n") + 1], self._redactor)

    def is_told(self, since: Position, until: Position) -> bool:
        """Tell whether the transcript can be stored, and its tokens between two positions are known if its agent counts
        them: a plugin may fail.
        """
        if not self.ref:
            return True
        is_counted = self._calculator is None or self.tokens(since, until) != UNKNOWN
        return is_counted and (self.native.file_lines(until) is not None or bool(self.native.snapshot()))

    # ------------------------------------------------------------ storing

    def as_stored(
        self, place: Place, objects: Objects, finish: Position, beside: Callable[[], T]
    ) -> tuple[stored.Stored, T]:
        """Return the whole transcript up to ``finish`` as it goes into a tree, and what ``beside`` returns: its
        subagents' transcripts. A secret that one of them reveals goes from all, and from the session's prompts.
        """
        before = self._session.storage.redacted_with
        transcript, others = self._stored(objects, finish), beside()
        if self._redactor.remembered_at(self._session.storage.redacted_with) is not None:
            transcript = self._stored(objects, finish)
        if self._session.storage.redacted_with not in (before, 0):
            from entire.recording import late_redaction

            late_redaction.redact_again(place, self._session, self._redactor, in_transcript=transcript.revealed)
        return transcript, others

    def _stored(self, objects: Objects, finish: Position) -> stored.Stored:
        if self._saved is not None:
            return stored.Stored(parts=self._saved.parts, lines=finish.count, size=self._saved.size)
        lines = self.native.file_lines(finish) if self.ref else None
        if lines is not None:
            stored.merge(self._session, objects, self._top)
            transcript = stored.store(self._session, lines, self._top, transcripts.shorten, self._redactor)
            unread = (stored.size(lines.path) if lines.path else lines.size) - transcript.size
            self.problem = _lag(unread) if unread > _UNREAD else self._problem_of_folder(transcript)
            return transcript
        whole = self.native.snapshot() if self.ref else b""
        if len(whole) > _MAX_WHOLE:
            from entire.store import step_transcripts

            self.problem = f"not stored: {_TOO_LARGE}"
            saved = step_transcripts.latest(objects, self._session, self._agent)
            return stored.Stored(parts=saved.parts if saved is not None else (), lines=0)
        chunks = self._agent.chunk_transcript(whole, stored.MAX_PART) if whole else []
        parts = stored.store_whole(self._session, chunks, objects, self._redactor)
        transcript = stored.put_large(parts, self._session, self._top)
        self.problem = self.problem or self._problem_of_folder(transcript)
        return transcript

    def _problem_of_folder(self, transcript: stored.Stored) -> str:
        """Return what is wrong with a folder in which nothing was found; an adapter may compose a transcript of one."""
        folder = self.ref.file
        return f"not read: {files.refusal(folder)}" if not transcript.parts and os.path.isdir(folder) else ""

    # ------------------------------------------------------------ files

    def files(self, since: Position, until: Position) -> list[str]:
        """Return the worktree's paths that tools, also those of subagents, reported as changed."""
        return list(dict.fromkeys(path for path in map(self.relative, self._reported(since, until)) if path))

    def files_of(self, session_ref: str) -> list[str]:
        """Return the worktree's paths that a subagent's tools reported as changed."""
        return [path for report in self._reports_of(session_ref) if (path := self.relative(report.path))]

    def files_outside(self, since: Position, until: Position) -> list[str]:
        """Return the absolute paths outside the worktree that tools reported as changed."""
        paths = dict.fromkeys(path for path in self._reported(since, until) if os.path.isabs(path))
        return [path for path in paths if not self.relative(path)]

    def _reported(self, since: Position, until: Position) -> list[str]:
        return self._once(("files", since, until), lambda: [report.path for report in self._reports(since, until)])

    def _reports(self, since: Position, until: Position) -> list[FileReport]:
        if self._analyzer is None:
            told = getattr(self.native, "changed_files", None) if self.ref else None  # optional
            return told() if told is not None else []
        reports = list(self._analyzer.files(since, until))
        others = self._launched_by_others()
        for subagent in self._present_subagents(since, until):
            if subagent.id not in others:
                reports += self._reports_of(subagent.session_ref)
        return reports

    def reports(self, known: Mapping[TurnKey, Sequence[str]], own: Sequence[str]) -> dict[TurnKey, list[str]]:
        """Return the worktree's paths that tools reported as changed, by turn: ``own`` are the last turn's; what a
        subagent wrote that works on after the turn that launched it, is that turn's. ``known``: what was reported.
        """
        session, turn = self._session, self._session.turn
        by_turn = {session.turn_key: list(own)}
        for task in session.tasks.values():
            launched = TurnKey.of(session.session_id, task.turn)
            is_recent = not task.done or turn is None or task.done >= turn.started
            if task.turn and task.ref and is_recent and launched != session.turn_key:
                before = by_turn.get(launched, known.get(launched, ()))
                by_turn[launched] = list(dict.fromkeys([*before, *self.files_of(task.ref)]))
        return by_turn

    def _launched_by_others(self) -> set[str]:
        """Return the subagents that earlier turns launched: what they write is those turns' (``reports``)."""
        now = self._session.turn.id if self._session.turn is not None else ""
        return {task.subagent for task in self._session.tasks.values() if task.turn not in ("", now) and task.ref}

    def _reports_of(self, session_ref: str) -> Sequence[FileReport]:
        analyzer = self._analyzer_of(session_ref)
        return self._once(("reports", session_ref), lambda: analyzer.files(START)) if analyzer is not None else ()

    def _present_subagents(self, since: Position, until: Position) -> list[Subagent]:
        """Return the subagents with a transcript whose work may be the last turn's."""
        turn = self._session.turn
        return self._all_subagents(since, until, ended_since=turn.started if turn is not None else 0.0)

    def _all_subagents(self, since: Position, until: Position, *, ended_since: float = 0.0) -> list[Subagent]:
        """Return the subagents with a transcript, also those that only events named, unless they came later.

        Of these, without the ones that ended before ``ended_since`` and are stored with an earlier turn.
        """
        by_id = {subagent.id: subagent for subagent in self.subagents(since, until)}
        tasks = [task for task in self._session.tasks.values() if task.subagent not in by_id]
        later = {subagent.id for subagent in self.subagents(until, self.end())} if tasks and until != self.end() else ()
        for task in tasks:
            is_earlier = 0 < task.done < ended_since and bool(task.stored or task.kept)
            if task.subagent and task.ref and task.subagent not in (*by_id, *later) and not is_earlier:
                by_id[task.subagent] = Subagent(id=task.subagent, session_ref=task.ref)
        return [subagent for subagent in by_id.values() if subagent.session_ref]

    def relative(self, path: str) -> str:
        """Return a path relative to the worktree's top; '' if it is outside, or in another worktree below it."""
        below = self._below(path)
        folder = os.path.dirname(below)
        while folder:
            if os.path.isfile(os.path.join(self._top, folder, ".git")):
                return ""
            folder = os.path.dirname(folder)
        return below

    def _below(self, path: str) -> str:
        """Return a path relative to the worktree's top; '' if it is not below it."""
        full = os.path.normpath(
            path if os.path.isabs(path) else os.path.join(self._session.worktree.path or self._top, path)
        )
        former = self._session.worktree.path
        moved = [former] if former not in ("", self._top) and not os.path.isdir(former) else []
        for top in (self._top, os.path.realpath(self._top), *moved):
            if full.startswith(top + os.sep):
                return full[len(top) + 1 :]
        real = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
        top = os.path.realpath(self._top)
        return real[len(top) + 1 :] if real.startswith(top + os.sep) else ""

    # ------------------------------------------------------------ tokens

    def tokens(self, since: Position, until: Position) -> TokenUsage:
        """Return the tokens of the answers between two positions, without subagents."""
        calculator = self._calculator
        if calculator is None:
            return UNKNOWN
        return self._once(("tokens", since, until), lambda: calculator.tokens(since, until))

    def subagent_tokens(
        self, since: Position, until: Position, counted: Mapping[str, Any], objects: Objects
    ) -> tuple[TokenUsage | None, dict[str, Any]]:
        """Return the tokens of subagents that ``counted`` does not include yet, and the new counts."""
        after = dict(counted)
        total: TokenUsage | None = None
        for subagent in self.subagents(since, until) if self._calculator is not None else ():
            if not subagent.session_ref and subagent.id not in after:
                after[subagent.id] = START.to_json()
                total = UNKNOWN if total is None else total + UNKNOWN
        for subagent in self._all_subagents(since, until):
            transcript, before = self.subagent(subagent.session_ref), Position.from_json(after.get(subagent.id))
            end = transcript.end(before)
            if end == START:
                transcript = self._saved_subagent(subagent, objects)
                before, end = transcript.at(before.count), transcript.end()
            calculator = capabilities.token_calculator(self._agent, transcript)
            if calculator is None or end == START:
                continue
            spent = calculator.tokens(before, end)
            after[subagent.id] = end.to_json()
            if spent:
                total = spent if total is None else total + spent
        return total, after


def _opened(agent: Agent, ref: SessionRef, top: str) -> tuple[Transcript, str]:
    """Return an agent's own transcript, and why it is not read; it is then like an empty one."""
    is_file = bool(ref.file) and not os.path.isdir(ref)
    refusal = files.refusal(ref, _agents_folder(agent, ref, top)) if is_file else ""
    if refusal:
        return agent.transcript(ref, b""), refusal
    native = agent.transcript(ref)
    if _size(native, ref) > _MAX_WHOLE and not getattr(native.file_lines(START), "path", ""):
        return agent.transcript(ref, b""), _TOO_LARGE
    return native, ""


def _size(native: Transcript, ref: SessionRef) -> int:
    """Return how much a transcript would take to be read: what it says itself, else the size of its file."""
    ask: Callable[[], int] | None = getattr(native, "size", None)  # optional
    return ask() if ask is not None else stored.size(ref.file)


def _agents_folder(agent: Agent, path: str, top: str) -> str:
    """Return the agent's folder of sessions if a path leads through it and a symbolic link, '' otherwise; a plugin's
    paths were compared with its folder when they were accepted.
    """
    if "\0" in path or os.path.realpath(path) == path or getattr(agent, "is_external", False):
        return ""
    resumer = capabilities.session_resumer(agent)
    folder = resumer.session_dir(top) if resumer is not None else ""
    return folder if folder and path.startswith(os.path.join(folder, "")) else ""


def _lag(unread: int) -> str:
    """Return what to say of a transcript with more than one hook stores, or with a line that does not end."""
    return f"not all stored: {unread >> 20} MB are left; a hook stores whole lines of at most {stored.MAX_NEW >> 20} MB"
