"""Reads the tool calls of the turns that wrote lines, and names for each line the one that wrote it."""

from __future__ import annotations

import os

from entire.git.read import Objects
from entire.model.conversations import ShowRequest
from entire.model.ids import CheckpointId, is_checkpoint_id
from entire.model.origins import TURN, FileOrigins, LineRange
from entire.model.value import replace
from entire.origins.tool_calls import FileTexts, ToolAnswer, ToolCalls
from entire.queries.transcripts import conversations
from entire.queries.transcripts.stored_transcripts import StoredTranscripts
from entire.store import checkpoints, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.layout import Place
    from entire.model.origins import Origin
    from entire.model.views.checkpoints import MessageView
    from entire.origins.uncommitted import UncommittedFile
    from entire.queries.transcripts.conversations import ReadPart
    from entire.store.catalog import Catalog

_REQUEST = ShowRequest(has_subagents=True)
_NO_TURN = "the turn is not in the stored transcript"


def add(place: Place, catalog: Catalog, file: FileOrigins, open_file: UncommittedFile | None = None) -> FileOrigins:
    """Return a file with the tool calls that wrote its lines; ``open_file``: its uncommitted state, if it has one."""
    with Objects(place.top) as objects:
        reader = _CallReader(place, catalog, objects, open_file)
        return replace(file, ranges=tuple(part for whole in file.ranges for part in reader.split(whole)))


class _CallReader:
    """Reads each turn once."""

    def __init__(self, place: Place, catalog: Catalog, objects: Objects, open_file: UncommittedFile | None) -> None:
        self._place = place
        self._catalog = catalog
        self._objects = objects
        self._open_file = open_file
        self._known: dict[tuple[str, str, str], ReadPart | None] = {}

    def split(self, part: LineRange) -> Iterator[LineRange]:
        """Yield a range in parts that one call wrote each."""
        if part.origin.kind != TURN:
            yield part
            return
        offset = part.source_line - part.first
        answers = self._answers(part.origin, [number + offset for number in range(part.first, part.last + 1)])
        start = part.first
        for number in range(part.first, part.last + 1):
            answer = answers.get(number + offset, ToolAnswer())
            if number == part.last or answers.get(number + 1 + offset, ToolAnswer()) != answer:
                yield replace(part, first=start, last=number, source_line=start + offset, call=answer.call,
                              no_call=answer.reason)  # fmt: skip
                start = number + 1

    def _answers(self, origin: Origin, numbers: Sequence[int]) -> dict[int, ToolAnswer]:
        messages = self._messages(origin)
        if messages is None:
            return dict.fromkeys(numbers, ToolAnswer(reason=_NO_TURN))
        calls, texts = ToolCalls(messages, lambda path: self._locate(path, origin)), self._texts(origin)
        answers = calls.find(texts, numbers)
        lines = texts.after.split("\n")
        hidden = [number for number, answer in answers.items() if answer.call is None]
        redact = self._catalog.redactor.redact_text
        redacted = {number: text for number in hidden if (text := redact(lines[number - 1])) != lines[number - 1]}
        if redacted:  # as the transcript has them
            lines = [redacted.get(number, line) for number, line in enumerate(lines, 1)]
            answers.update(calls.find(replace(texts, after="\n".join(lines)), list(redacted)))
        return answers

    # ------------------------------------------------------------ the turn

    def _messages(self, origin: Origin) -> list[MessageView] | None:
        """Return what the turn did, with its subagents, until the commit; None if that is not stored."""
        key = (origin.checkpoint_id, origin.session_id, origin.turn)
        if key not in self._known:
            self._known[key] = self._conversation(origin)
        whole = self._known[key]
        turns = [turn for turn in whole.turns if turn.is_named(origin.turn)] if whole is not None else []
        if whole is None or not turns:
            return None
        said = [message for turn in turns for message in conversations.messages_of(whole, turn)]
        subagents = {agent.tool_use_id: agent.messages or () for agent in whole.subagents if agent.tool_use_id}
        until = self._committed(origin.commit)
        return [
            each
            for message in said
            for each in (message, *(subagents.get(message.call.id, ()) if message.call is not None else ()))
            if not until or each.time <= until
        ]

    def _conversation(self, origin: Origin) -> ReadPart | None:
        if is_checkpoint_id(origin.checkpoint_id):
            stored = checkpoints.read(self._objects, self._catalog.commits, CheckpointId(origin.checkpoint_id))
            if stored is None:
                return None
            with self._catalog.shared(StoredTranscripts) as transcripts:
                return conversations.of_checkpoint(
                    transcripts, stored, origin.session_id, _REQUEST, lambda turn: turn.is_named(origin.turn)
                )
        state = sessions.find(self._place, origin.session_id)
        if state is None:
            return None
        return conversations.of_state(self._place, self._objects, state, _REQUEST, self._catalog.redactor)

    def _committed(self, oid: str) -> float:
        """Return the moment by which a commit was made, 0.0 without one."""
        commit = self._objects.commit(oid) if oid else None
        words = commit.committer.split() if commit is not None else []
        return float(words[-2]) + 1.0 if len(words) > 1 and words[-2].isdigit() else 0.0

    # ------------------------------------------------------------ the file

    def _texts(self, origin: Origin) -> FileTexts:
        """Return the file as the commit changed it, or as it is in the worktree."""
        if not origin.commit:
            file = self._open_file
            after = file.text.decode("utf-8", "replace") if file is not None else ""
            names = (file.path, file.head_path) if file is not None else ("",)
            before = self._text(f"HEAD:{names[-1]}") if names[-1] else ""
            return FileTexts(names=tuple(name for name in names if name), before=before, after=after)
        return FileTexts(
            names=(origin.path,),
            before=self._text(f"{origin.commit}^:{origin.path}"),
            after=self._text(f"{origin.commit}:{origin.path}"),
        )

    def _text(self, name: str) -> str:
        return (self._objects.blob(name) or b"").decode("utf-8", "replace")

    def _locate(self, path: str, origin: Origin) -> str:
        """Return the path in the repository that an agent means: of another machine, the longest end that is there."""
        if not os.path.isabs(path):
            return os.path.normpath(path)
        for top in (self._place.top, os.path.realpath(self._place.top)):
            if path.startswith(top + os.sep):
                return os.path.normpath(path[len(top) + 1 :])
        parts = path.strip("/").split("/")
        ends = ("/".join(parts[start:]) for start in range(len(parts)))
        return next((end for end in ends if self._objects.get(f"{origin.commit or 'HEAD'}:{end}") is not None), "")
