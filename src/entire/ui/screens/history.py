"""The history as lines of text: one row per commit, in columns that fit the width."""

from __future__ import annotations

import time

from entire.model.tokens import FIGURES, uncertain
from entire.model.value import Value
from entire.ui.console import text, wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from entire.model.histories import LineOwnerView, LogRow, OwnedFileView
    from entire.model.tokens import TokenUsage
    from entire.ui.console.text import Style

GAP = 2
_LONGEST = 1000  # characters of a prompt in a row that need not fit any width
_NARROWEST = 24  # cells for the title before columns take more
_INDENT = " " * 9  # of lines below a row: as wide as the commit
_OTHERS = {
    "person": "a person", "nobody": "the commit's hooks", "unknown": "unknown: no checkpoint here records it",
}  # fmt: skip
_SHOWN = 12  # files whose owners are shown for a commit


class Column(Value):
    """A column: its colour, and its cell for a row, in as many cells as it may take."""

    colour: str
    cell: Callable[[LogRow, int, float], str]
    is_right: bool = False


def moment(seconds: float, width: int, now: float) -> str:
    """Return a local time in at most ``width`` cells; the nearer it is, the more exact."""
    if seconds <= 0:
        return "-"
    then = time.localtime(seconds)
    if width >= 16:
        return time.strftime("%Y-%m-%d %H:%M", then)
    today = time.localtime(now)
    if then[:3] == today[:3]:
        return time.strftime("%H:%M", then)
    if width < 11:
        return time.strftime("%m-%d" if then[0] == today[0] else "%Y", then)
    return time.strftime("%m-%d %H:%M" if then[0] == today[0] else "%Y-%m-%d", then)


def _agent(row: LogRow, width: int, _: float) -> str:
    first = text.one_line(row.agents[0], 40) if row.agents else ""
    more = f" +{len(row.agents) - 1}" if len(row.agents) > 1 else ""
    return wrapping.fit(first, width - len(more)) + more


def _files(row: LogRow, _: int, __: float) -> str:
    return text.count(row.files, "file") if row.files else ""


def _lines(row: LogRow, _: int, __: float) -> str:
    return f"+{short(row.added or 0)} -{short(row.removed or 0)}" if row.files else ""


def _tokens(row: LogRow, width: int, _: float) -> str:
    known, is_known = _total(row.tokens) if row.tokens is not None else (0, False)
    if row.tokens is None or not (known or is_known):
        return ""
    return ("" if is_known else ">") + short(known) + (" tok" if width >= 9 else "")


def _total(usage: TokenUsage) -> tuple[int, bool]:
    """Return all tokens of a usage, its subagents' too, and whether that is all of them."""
    names = FIGURES[:4]
    own, is_known = sum(getattr(usage, name) or 0 for name in names), not set(names) & set(uncertain(usage))
    if usage.subagents is None:
        return own, is_known
    more, is_all = _total(usage.subagents)
    return own + more, is_known and is_all


def short(number: int) -> str:
    """Return a number in at most four characters: 999, 1.2k, 45M."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size * 0.9995:
            value = number / size
            return (f"{value:.1f}" if value < 9.95 else f"{value:.0f}") + unit
    return str(number)


COLUMNS = {
    "commit": Column(colour="yellow", cell=lambda row, _, __: row.oid[:7]),
    "time": Column(colour="dim", cell=lambda row, width, now: moment(row.time, width, now)),
    "agent": Column(colour="cyan", cell=_agent),
    "author": Column(colour="dim", cell=lambda row, _, __: text.one_line(row.author, 40)),
    "files": Column(colour="dim", cell=_files, is_right=True),
    "lines": Column(colour="", cell=_lines, is_right=True),
    "tokens": Column(colour="dim", cell=_tokens, is_right=True),
    "checkpoint": Column(colour="dim", cell=lambda row, _, __: (row.checkpoint_ids or ("",))[0]),
}
"""The columns in the order in which they are shown; the title follows."""

GROWTH = (
    ("commit", 7), ("time", 5), ("agent", 11), ("lines", 11), ("tokens", 5), ("time", 11), ("author", 12),
    ("files", 8), ("tokens", 9), ("time", 16), ("checkpoint", 12),
)  # fmt: skip
"""What columns take while the title keeps its share of the width, the most important first."""


def widths(width: int | None) -> dict[str, int]:
    """Return the cells of each column that is shown at a width; None: as wide as it likes."""
    shown: dict[str, int] = {}
    least = max(_NARROWEST, width // 3) if width is not None else 0
    for name, cells in GROWTH:
        taken = {**shown, name: cells}
        if width is None or width - sum(taken.values()) - GAP * len(taken) >= least:
            shown = taken
        elif name not in shown:
            break
    return {name: shown[name] for name in COLUMNS if name in shown}


def lines(rows: Iterable[LogRow], width: int | None, now: float, style: Style) -> Iterator[str]:
    """Yield the lines of the rows as these come; ``width`` None: each row on one line, whatever its length."""
    columns = widths(width)
    rest = width - sum(columns.values()) - GAP * len(columns) if width is not None else None
    for row in rows:
        head = "".join(_cell(name, row, size, now, style, is_cut=width is not None) for name, size in columns.items())
        title, *below = _titled(row, rest, style)
        yield (head + title).rstrip()
        yield from (_INDENT + style(wrapping.fit(note, _within(width, _INDENT)), "yellow") for note in below)
        if row.lines is not None:
            yield from _owners(row.lines, width, style)


def listing(rows: Iterable[LogRow], total: int, width: int | None, now: float, style: Style) -> Iterator[str]:
    """Yield the lines of the rows, and how many of all checkpoints are left."""
    listed: set[str] = set()

    def noted() -> Iterator[LogRow]:
        for row in rows:
            listed.update((*row.checkpoint_ids, *row.missing))
            yield row

    yield from lines(noted(), width, now, style)
    if total > len(listed):
        yield f"  ... and {total - len(listed):,} older ones (--limit 0 shows all)"


def _cell(name: str, row: LogRow, size: int, now: float, style: Style, *, is_cut: bool) -> str:
    column = COLUMNS[name]
    shown = text.plain(column.cell(row, size, now))
    shown = wrapping.fit(shown, size if is_cut else None)
    blanks = " " * max(0, size - wrapping.width(shown))
    if name == "lines" and shown:
        added, _, removed = shown.partition(" ")
        coloured = f"{style(added, 'green')} {style(removed, 'red')}" if removed else style(added, "green")
    else:
        coloured = style(shown, column.colour) if column.colour else shown
    return (blanks + coloured if column.is_right else coloured + blanks) + " " * GAP


def _titled(row: LogRow, rest: int | None, style: Style) -> Iterator[str]:
    """Yield a row's title, with its note if both fit in ``rest`` cells, else the note after it."""
    title = text.one_line(row.prompt or row.subject or "(no subject)", _LONGEST)
    note = _note(row)
    is_below = rest is not None and note and wrapping.width(title) + GAP + wrapping.width(note) > rest
    shown = wrapping.fit(title, rest) if row.prompt else style(wrapping.fit(title, rest), "dim")
    yield shown + (" " * GAP + style(note, "yellow") if note and not is_below else "")
    if is_below:
        yield note


def _note(row: LogRow) -> str:
    """Say what a commit merged, which checkpoints are missing, and why it was not linked."""
    notes = []
    for merged in row.merged:
        count = f"{len(merged.commits)}{'' if merged.is_complete else '+'}"
        which = f" of {text.one_line(merged.branch, 60)}" if merged.branch else ""
        notes.append(f"merged {count} {'commit' if count == '1' else 'commits'}{which} ({merged.oid[:7]})")
    notes += [f"checkpoint {name} was forgotten on {day}" for name, day in row.forgotten.items()]
    lost = [name for name in row.missing if name not in row.forgotten]
    if lost:
        notes.append(f"{'checkpoint' if len(lost) == 1 else 'checkpoints'} {', '.join(lost)} not stored here")
    if row.reason:
        notes.append(f"not linked: {text.one_line(row.reason, 300)}")
    return "; ".join(notes)


# ---------------------------------------------------------------- owners of lines


def _owners(files: Sequence[OwnedFileView], width: int | None, style: Style) -> Iterator[str]:
    """Yield a line for each file, and one for each owner of lines in it."""
    inside = _INDENT + " " * GAP
    room = _within(width, inside)
    for file in files[:_SHOWN]:
        was = f" (was {text.full_path(file.old_path)})" if file.old_path else ""
        yield _INDENT + wrapping.fit(text.full_path(file.path) + was, _within(width, _INDENT))
        for owner in file.owners:
            where = wrapping.fit(_where(owner), room // 2 if room is not None else None)
            who = wrapping.fit(_who(owner), room - wrapping.width(where) - GAP if room is not None else None)
            yield inside + style(where, "green") + " " * GAP + style(who, "cyan" if owner.who == "turn" else "dim")
    if len(files) > _SHOWN:
        yield _INDENT + style(f"and {text.count(len(files) - _SHOWN, 'more file')}", "dim")


def _within(width: int | None, indent: str) -> int | None:
    return width - len(indent) if width is not None else None


def _where(owner: LineOwnerView) -> str:
    spans = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in owner.ranges)
    parts = [spans] if spans else []
    parts += [f"+{owner.added}"] if owner.added else []
    parts += [f"-{owner.removed}"] if owner.removed else []
    return " ".join(parts) or "file"


def _who(owner: LineOwnerView) -> str:
    if owner.who != "turn":
        return _OTHERS.get(owner.who, "unknown")
    return text.one_line(owner.prompt, _LONGEST) or f"session {text.one_line(owner.session_id[:8], 8)}"
