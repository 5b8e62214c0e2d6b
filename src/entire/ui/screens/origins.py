"""Shows where lines come from: ranges of a file with their owners, or all that is known of a few lines."""

from __future__ import annotations

from entire.model.origins import PERSON, TURN, UNKNOWN
from entire.ui.console import text, wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model.origins import FileOrigins, LineRange, Origin, WhyView
    from entire.ui.console.text import Style

_GAP = "  "
_OWNER_CELLS = (8, 20)  # at least, at most
_TIME_FROM = 64  # narrower terminals show no times
_CODE_LINES = 12  # of the lines that were asked about
_LONGEST = 200
_COLOURS = {TURN: "cyan", PERSON: "", UNKNOWN: "yellow"}

_COMMIT = "  Commit:     "


_BINARY = "A binary file has no lines; `entire log` and `entire show` tell about its commits."
_NO_CHANGES = "There are no uncommitted changes."


def listing(view: WhyView, width: int | None, style: Style) -> Iterator[str]:
    """Yield the ranges of each file, one a line; ``width`` None: as long as they are."""
    if not view.files:
        yield _NO_CHANGES
    for number, file in enumerate(view.files):
        if view.is_of_worktree:
            yield from [""] * bool(number)
            yield from text.broken([style(text.full_path(file.path), "bold")], width)
        yield from _ranges(file, width, style)


_CHANGES = {"A": "created", "D": "deleted", "M": "changed", "R": "moved", "T": "replaced"}


def _ranges(file: FileOrigins, width: int | None, style: Style) -> Iterator[str]:
    if file.change is not None and (file.is_binary or not file.ranges):  # not committed, and nothing else to show
        source = f" from {text.full_path(file.old_path)}" if file.old_path else ""
        reason = f": {text.one_line(file.change.reason, 300)}" if file.change.reason else ""
        change = _CHANGES.get(file.status, "changed")
        yield from text.broken([f"{change}{source} by {text.one_line(owner(file.change), 60)}{reason}"], width)
        return
    if file.is_binary:
        yield from text.broken([_BINARY], width)
        return
    if not file.ranges:
        yield "Uncommitted changes only remove lines." if file.status else "The file has no lines."
        return
    numbers = len(str(file.ranges[-1].last)) * 2 + 1
    origins = {id(part.origin): part.origin for part in file.ranges}  # equal ones are mostly the same object
    owners = {key: text.one_line(owner(origin), 60) for key, origin in origins.items()}
    widest = max(map(wrapping.width, set(owners.values())))
    cells = widest if width is None else max(_OWNER_CELLS[0], min(widest, _OWNER_CELLS[1], width // 4))
    rest = None if width is None else width - numbers - len(_GAP) * 2 - cells
    tails = {key: _tail(origin, owners[key], cells, rest, style) for key, origin in origins.items()}
    for part in file.ranges:
        yield f"{_numbers(part):>{numbers}}{_GAP}{tails[id(part.origin)]}".rstrip()


def _tail(origin: Origin, name: str, cells: int, rest: int | None, style: Style) -> str:
    """Return the columns after the numbers: who, when, and what for."""
    shown = wrapping.fit(name, cells)
    blanks = " " * (cells - wrapping.width(shown))
    when = ""
    if rest is None or rest >= _TIME_FROM - 24:
        when = f"{text.moment(origin.started or origin.time):16}{_GAP}"
    what = text.one_line(_what(origin), _LONGEST)
    if rest is not None:
        what = wrapping.fit(what, max(rest - len(when), 8))
    colour = _COLOURS[origin.kind]
    return (style(shown, colour) if colour else shown) + blanks + _GAP + style(when, "dim") + what


def owner(origin: Origin) -> str:
    """Return who wrote a line, in a word or two."""
    if origin.kind == TURN:
        return origin.agent or "an agent"
    return origin.author or "a person" if origin.kind == PERSON else "unknown"


def _what(origin: Origin) -> str:
    if origin.kind == TURN:
        return origin.prompt or f"session {origin.session_id}"
    return f"{origin.commit[:7]} {origin.subject}" if origin.kind == PERSON else origin.reason


def _numbers(part: LineRange) -> str:
    return str(part.first) if part.first == part.last else f"{part.first}-{part.last}"


# ---------------------------------------------------------------- a few lines


def answers(view: WhyView, width: int | None, style: Style) -> Iterator[str]:
    """Yield all that is known about the lines of a file."""
    if not view.files:
        yield _NO_CHANGES
    for file in view.files:
        if not file.ranges and file.status and file.change is None:
            yield "No uncommitted change is in these lines."
        elif not file.ranges:
            yield from _ranges(file, width, style)
        at = 0  # there may be other lines between the ranges
        for number, part in enumerate(file.ranges):
            yield from [""] * bool(number)
            count = part.last - part.first + 1
            yield from answer(file.path, part, file.lines[at : at + count], width, style)
            at += count


def answer(path: str, part: LineRange, code: Sequence[str], width: int | None, style: Style) -> Iterator[str]:
    """Yield what is known about one range of lines: the code, who wrote it, what for, and where to read on."""
    yield from text.broken([style(f"{text.full_path(path)}:{_numbers(part)}", "bold")], width)
    for line in code[:_CODE_LINES]:
        shown = text.plain(line.expandtabs(4))
        yield "  " + style(wrapping.fit(shown, width - 2) if width else shown, "dim")
    if len(code) > _CODE_LINES:
        yield style(f"  … {text.count(len(code) - _CODE_LINES, 'more line')}", "dim")
    yield ""
    commit = part.origin.commit[:7]
    for line in (*_who(part.origin), *_where(part)):
        for piece in wrapping.wrap(line, width) if width else [line]:
            yield piece.replace(commit, style(commit, "yellow"), 1) if piece.startswith(_COMMIT) else piece


def _who(origin: Origin) -> Iterator[str]:
    """Yield the sentence, and the prompt or the reason."""
    if origin.kind == TURN:
        by = f" ({text.one_line(origin.model)})" if origin.model else ""
        when = f" on {text.moment(origin.started)}" if origin.started else ""
        evidence = ": the commit has no other lines" if origin.is_evidence else ""
        yield f"{text.one_line(owner(origin))}{by} wrote it{when}{evidence}."
        yield from (f"  > {line}" for line in text.plain(origin.prompt).strip().split("\n") if origin.prompt)
    elif origin.kind == PERSON:
        evidence = ": no session's checkpoint has the line" if origin.is_evidence else ""
        yield f"{text.one_line(owner(origin))} wrote it{evidence}."
    else:
        yield f"Unknown: {text.one_line(origin.reason, 300)}."


def _where(part: LineRange) -> Iterator[str]:
    """Yield the names of what can be looked at next."""
    origin = part.origin
    if part.call is not None:
        yield f"  Tool call:  {text.one_line(part.call.name)} {text.one_line(part.call.text)}".rstrip()
    elif part.no_call and origin.session_id:
        yield f"  Tool call:  unknown ({text.one_line(part.no_call)})"
    if origin.session_id:
        yield f"  Session:    {text.one_line(origin.session_id)}"
    if origin.checkpoint_id:
        yield f"  Checkpoint: {origin.checkpoint_id}"
    if origin.commit:
        yield (f"{_COMMIT}{origin.commit[:7]} {text.one_line(origin.subject)} "
               f"({text.one_line(origin.author, 40)}, {text.moment(origin.time)})")  # fmt: skip
        yield f"  There:      {text.full_path(origin.path)}:{part.source_line}"
    if origin.original:
        yield f"  Copied from commit {origin.original[:7]}"
    if origin.moved_in:
        yield f"  Moved or copied here in commit {origin.moved_in[:7]}"
    name = origin.checkpoint_id if origin.kind == TURN else origin.commit
    if name:
        yield f"  More:       entire show {name if origin.kind == TURN else name[:7]}"
