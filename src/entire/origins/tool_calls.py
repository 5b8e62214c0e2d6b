"""Finds the tool call that wrote a line: the calls of a turn are carried out again on the text of one file.

Nothing is guessed. A line belongs to a call if it is where the call's edits put it, or if no other call of the turn
wrote such a text; else to a shell command, if only one can have written it.
"""

from __future__ import annotations

import difflib

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from entire.model.transcripts import Edit
    from entire.model.views.checkpoints import MessageView

    Line = tuple[str, int]  # text, and the number of the call that wrote it: NOBODY for none

NOBODY = -1
_LAYOUT = str.maketrans("", "", " \t\r\n\"'`,;")  # what a formatter changes
_READING = frozenset((
    "", "cat", "cd", "date", "df", "diff", "du", "echo", "env", "false", "file", "find", "grep", "head", "history",
    "id", "less", "ls", "more", "printf", "ps", "pwd", "rg", "sleep", "stat", "tail", "test", "top", "tree", "true",
    "type", "wc", "which", "whoami",
))  # fmt: skip
"""Commands that write no file unless their output is redirected."""
_READING_GIT = frozenset(("add", "blame", "branch", "commit", "diff", "grep", "log", "ls-files", "push", "remote",
                          "rev-parse", "show", "status", "tag"))  # fmt: skip
_WRITES = (">", "-delete", "-exec", "-fprint")
_UNSEEN = "no tool call of the turn shows who wrote it"
_NO_CALLS = "no tool call of the turn is stored"
_SEVERAL = "{} tool calls of the turn wrote such a line"
_COMMANDS = "{} commands of the turn may have written it"
_ELSEWHERE = "a tool call of the turn wrote such a line into another file"


class ToolAnswer(Value):
    """The call that wrote a line, or the reason why none is named."""

    call: MessageView | None = None
    reason: str = ""


class FileTexts(Value):
    """A file before the turn's changes, as far as that is known, and after them."""

    names: tuple[str, ...]  # of the file: where it is, and where it was
    before: str = ""
    after: str = ""


class ToolCalls:
    """The calls of one turn, in order. ``locate`` turns a path of an agent into one of the repository."""

    def __init__(self, messages: Sequence[MessageView], locate: Callable[[str], str]) -> None:
        self._messages = [message for message in messages if message.call is not None and not message.call.has_failed]
        calls = [message.call for message in self._messages if message.call is not None]
        self._commands = [number for number, call in enumerate(calls) if may_write(call.command)]
        self._edits = [(number, locate(edit.path), edit) for number, call in enumerate(calls) for edit in call.edits]

    def find(self, file: FileTexts, numbers: Sequence[int]) -> dict[int, ToolAnswer]:
        """Return who wrote these lines of a file, numbered from 1 in ``file.after``."""
        if not self._messages:
            return {number: ToolAnswer(reason=_NO_CALLS) for number in numbers}
        edits = [(number, edit) for number, path, edit in self._edits if path in file.names]
        lines = _texts(file.after)
        placed, named = _placed(edits, file, lines), file.names if edits else ("",)
        answers = {}
        for number in numbers:
            at = number - 1
            if 0 <= at < len(lines):
                sure = placed.get(at, NOBODY)
                writers = _writers(at, lines, edits) if sure == NOBODY else [sure]
                answers[number] = self._answer(writers) if writers else self._command(lines[at], named)
        return answers

    def _answer(self, writers: Sequence[int]) -> ToolAnswer:
        return (
            ToolAnswer(call=self._messages[writers[0]])
            if len(writers) == 1
            else ToolAnswer(reason=_SEVERAL.format(len(writers)))
        )

    def _command(self, text: str, names: Sequence[str]) -> ToolAnswer:
        """Return the only shell command that can have written a line that no edit wrote; it must contain one of
        ``names``. After edits of the file, the line may be a formatter's work.
        """
        if text.strip() and any(text in _written(edit) for _, _, edit in self._edits):
            return ToolAnswer(reason=_ELSEWHERE)
        if len(self._commands) > 1:
            return ToolAnswer(reason=_COMMANDS.format(len(self._commands)))
        only = self._messages[self._commands[0]] if self._commands else None
        command = only.call.command if only is not None and only.call is not None else ""
        if command and any(name.rpartition("/")[2] in command for name in names):
            return ToolAnswer(call=only)
        return ToolAnswer(reason=_UNSEEN)


def may_write(command: str) -> bool:
    """Tell whether a shell command may write a file; only of well-known ones it is sure that they do not."""
    if not command.strip():
        return False
    if any(word in command for word in _WRITES) or "$(" in command or "`" in command:
        return True
    parts = command.replace("&&", "\n").replace("||", "\n").replace(";", "\n").replace("|", "\n").replace("&", "\n")
    for part in parts.split("\n"):
        words = part.split() or [""]
        reads = words[1:2] and words[1] in _READING_GIT if words[0] == "git" else words[0] in _READING
        if not reads:
            return True
    return False


# ---------------------------------------------------------------- by place


def _placed(edits: Sequence[tuple[int, Edit]], file: FileTexts, lines: Sequence[str]) -> dict[int, int]:
    """Return which call wrote the lines of the file, by index, as far as its edits can be carried out again."""
    state: list[Line] = [(text, NOBODY) for text in file.before.split("\n")] if file.before else []
    for number, edit in edits:
        if edit.is_whole:
            state = [(text, number) for text in edit.new.replace("\r\n", "\n").split("\n")]
        else:
            state = _replaced(state, edit, number)
    texts = [text for text, _ in state]
    callers = {}
    for start, here, count in _matches(texts, lines):
        callers.update({here + offset: state[start + offset][1] for offset in range(count)})
    return callers


def _replaced(state: list[Line], edit: Edit, number: int) -> list[Line]:
    """Return the lines after an edit, unchanged if it does not fit: then something else changed the file before."""
    text = "\n".join(line for line, _ in state)
    old, new = edit.old.replace("\r\n", "\n"), edit.new.replace("\r\n", "\n")
    if not old or old not in text:
        return state
    fresh = text.replace(old, new).split("\n")
    replaced: list[Line] = [(line, number) for line in fresh]
    for start, here, count in _matches([line for line, _ in state], fresh):
        replaced[here : here + count] = state[start : start + count]
    return replaced


def _matches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield blocks of equal lines: index in each, and length."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    yield 0, 0, first
    inner = difflib.SequenceMatcher(None, old[first : len(old) - last], new[first : len(new) - last], autojunk=False)
    for block in inner.get_matching_blocks():
        yield first + block.a, first + block.b, block.size
    yield len(old) - last, len(new) - last, last


# ---------------------------------------------------------------- by text


def _writers(at: int, lines: Sequence[str], edits: Sequence[tuple[int, Edit]]) -> list[int]:
    """Return the calls that wrote a line's text, exactly or in another layout: those that also wrote what is beside it,
    if there are several.
    """
    writing = _with_text(lines[at], edits)
    if len({number for number, _ in writing}) > 1:
        beside = [(number, edit) for number, edit in writing if _has_neighbours(at, lines, _texts(edit.new))]
        is_single = lines.count(lines[at]) == 1
        writing = (
            beside[-1:] if is_single else beside
        ) or writing  # of several calls about the same place the last counts
    return list(dict.fromkeys(number for number, _ in writing))


def _with_text(text: str, edits: Sequence[tuple[int, Edit]]) -> list[tuple[int, Edit]]:
    writing = [(number, edit) for number, edit in edits if text in _written(edit)]
    layout = text.translate(_LAYOUT)
    if writing or not any(map(str.isalnum, layout)):
        return writing
    return [(number, edit) for number, edit in edits
            if layout in [line.translate(_LAYOUT) for line in _written(edit)]]  # fmt: skip


def _has_neighbours(at: int, lines: Sequence[str], texts: Sequence[str]) -> bool:
    """Tell whether a text has a line together with the one before or after it."""
    before, after = lines[at - 1] if at else None, lines[at + 1] if at + 1 < len(lines) else None
    places = [place for place, text in enumerate(texts) if text == lines[at]]
    return any(
        (place > 0 and texts[place - 1] == before) or (place + 1 < len(texts) and texts[place + 1] == after)
        for place in places
    )


def _texts(text: str) -> list[str]:
    """Return a text's lines as git stores them."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _written(edit: Edit) -> list[str]:
    """Return the lines that an edit's new text has beyond the old one."""
    rest = _texts(edit.old)
    written = []
    for line in _texts(edit.new):
        if line in rest:
            rest.remove(line)
        else:
            written.append(line)
    return written
