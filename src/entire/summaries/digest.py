"""The digest of a checkpoint: a deterministic summary, found by rules in its record and its conversations."""

from __future__ import annotations

import posixpath

from entire.model.digests import DigestView, FailureDigest, FileDigest, PartDigest
from entire.model.value import replace
from entire.summaries import excerpts, runners, shell
from entire.summaries.discarded_lines import DiscardedLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from entire.model.digests import TestRunDigest
    from entire.model.transcripts import ToolCall
    from entire.model.views.checkpoints import CheckpointView, FileView, MessageView, PartView

    Committed = Mapping[str, str | None]  # path -> its text in the commit

NOTHING: Committed = {}
_COMMANDS = 3  # that ran between a failure and its success, if no file was changed


def of(
    checkpoint: CheckpointView, conversations: Mapping[str, Sequence[MessageView]], committed: Committed = NOTHING
) -> DigestView:
    """Return the digest of a checkpoint. ``conversations``: the whole ones, by session; ``committed``: the texts of
    files in the commit, as ``DiscardedLines`` takes them.
    """
    parts = [
        of_part(checkpoint, part, conversations.get(part.session_id, ()), lambda _: committed)
        for part in checkpoint.parts
    ]
    return DigestView(checkpoint_id=checkpoint.id, parts=tuple(parts))


def of_part(
    checkpoint: CheckpointView, part: PartView, messages: Sequence[MessageView],
    committed: Callable[[Sequence[str]], Committed] = lambda _: NOTHING,
) -> PartDigest:  # fmt: skip
    """Return the digest of one session's part of a checkpoint. ``committed``: returns the texts of the paths inside the
    repository that its tools edited.
    """
    files = {file.path: file for file in checkpoint.lines or ()}
    work = _work(checkpoint, part, messages)
    intent, later = _prompts(part, messages)
    inside = [path for path in work.discarded.paths if not posixpath.isabs(path) and not path.startswith("../")]
    return PartDigest(
        session_id=part.session_id,
        agent=part.agent,
        intent=intent,
        later_prompts=later,
        prompts=len(part.prompts),
        files=tuple(_file(path, files.get(path), part.session_id, work) for path in part.files),
        failures=tuple(work.failures),
        tests=tuple(work.tests),
        attempts=tuple(work.discarded.digests(committed(inside))),
    )


def _work(checkpoint: CheckpointView, part: PartView, messages: Sequence[MessageView]) -> _Work:
    work = _Work(_Paths([*part.files, *(file.path for file in checkpoint.lines or ())]))
    for message in messages:
        if message.at >= part.start and message.call is not None:
            work.take(message.call, message.at, is_later=0.0 < checkpoint.created < message.time)
    return work


def _prompts(part: PartView, messages: Sequence[MessageView]) -> tuple[str, tuple[str, ...]]:
    """Return what was asked for, and the prompts after it.

    If none of this part says what ("go on"), the last one before it that does is what was asked for.
    """
    own = [prompt.text for prompt in part.prompts]
    first = next((number for number, text in enumerate(own) if excerpts.says_something(text)), -1)
    if first >= 0:
        return excerpts.prompt(own[first]), tuple(excerpts.prompt(text) for text in own[first + 1 :])
    said = [message.text for message in messages if message.who == "user" and message.at < part.start]
    earlier = next((text for text in reversed(said) if excerpts.says_something(text)), "")
    if earlier:
        return excerpts.prompt(earlier), tuple(map(excerpts.prompt, own))
    return excerpts.prompt(own[0]) if own else "", tuple(map(excerpts.prompt, own[1:]))


def _file(path: str, lines: FileView | None, session_id: str, work: _Work) -> FileDigest:
    bare = FileDigest(path=path, edits=work.edits.get(path, 0))
    if lines is None:
        return bare
    ranges = [(line.last - line.first + 1, line.session_id) for line in lines.added]
    return replace(
        bare,
        status=lines.status,
        added=sum(count for count, _ in ranges),
        removed=sum(removed.count for removed in lines.removed),
        by_session=sum(count for count, owner in ranges if owner == session_id),
    )


class _Paths:
    """Names files as the repository does: an agent gives absolute paths, maybe of another machine."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = sorted(set(known), key=len, reverse=True)
        self._top = ""

    def of(self, given: str) -> str:
        path = posixpath.normpath(given.replace("\\", "/")) if given else given
        if not path.startswith("/") and path[1:3] != ":/":
            return path
        if self._top and path.startswith(self._top):
            return path[len(self._top) :]
        known = next((name for name in self._known if path.endswith("/" + name)), "")
        if known:
            self._top = self._top or path[: -len(known)]
            return known
        return path


class _Work:
    """Takes in the tool calls of a part, in order."""

    def __init__(self, paths: _Paths) -> None:
        self.tests: list[TestRunDigest] = []
        self.failures: list[FailureDigest] = []
        self.edits: dict[str, int] = {}
        self._paths = paths
        self.discarded = DiscardedLines()
        self._open: dict[str, int] = {}  # command in its normal form -> its failure
        self._since: dict[str, list[tuple[str, str]]] = {}  # of those: changed files and commands after it

    def take(self, call: ToolCall, at: int, *, is_later: bool = False) -> None:
        """Take in one call. What a failed one was asked to change is not counted; what a later one than the commit
        changed cannot be in it, so nothing of that was taken back.
        """
        if not call.has_failed:
            for edit in call.edits:
                path = self._paths.of(edit.path)
                self.edits[path] = self.edits.get(path, 0) + 1
                if not is_later:
                    self.discarded.edit(path, edit, at)
                self._note("file", path)
        if call.command.strip() and not call.edits:
            self._run(call, at, is_later=is_later)

    def _run(self, call: ToolCall, at: int, *, is_later: bool) -> None:
        test = runners.run(call, at)
        if test is not None:
            self.tests.append(test)
        if call.has_failed or (test is not None and test.result == "failed"):
            self._fail(shell.normal(call.command), call, at)
            return
        if not is_later:
            self.discarded.command(call.command)
        if not self._open:
            return  # most commands need not be parsed
        name = shell.normal(call.command)
        if name in self._open:
            self._fix(name)
        if not shell.only_looks(call.command):
            self._note("command", call.command)

    def _fail(self, name: str, call: ToolCall, at: int) -> None:
        error = excerpts.error(call.output)
        if name in self._open:
            failure = self.failures[self._open[name]]
            self.failures[self._open[name]] = replace(failure, times=failure.times + 1, error=failure.error or error)
        elif error or not shell.only_looks(call.command):  # a search that found nothing is no failure
            self._open[name] = len(self.failures)
            self._since[name] = []
            self.failures.append(FailureDigest(command=excerpts.line(call.command), at=at, error=error))

    def _fix(self, name: str) -> None:
        """Note what happened between a command's first failure and its success."""
        since = self._since.pop(name)
        files = dict.fromkeys(what for kind, what in since if kind == "file")
        commands = dict.fromkeys(excerpts.line(what) for kind, what in since if kind == "command")
        number = self._open.pop(name)
        self.failures[number] = replace(
            self.failures[number], is_fixed=True, files=tuple(files),
            commands=() if files else tuple(commands)[-_COMMANDS:],
        )  # fmt: skip

    def _note(self, kind: str, what: str) -> None:
        for since in self._since.values():
            since.append((kind, what))
