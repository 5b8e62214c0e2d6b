"""Points that one can go back to, and what going back does, as lines of text. Whatever an agent wrote is made plain."""

from __future__ import annotations

import time

from rich.cells import cell_len, set_cell_size

from entire.ui import form, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from entire.model import views
    from entire.ui.text import Style

SHOWN = 20
"""How many paths a summary names."""
_KINDS = {"checkpoint": "commit", "step": "step", "task": "task", "turn": "talk"}
_TALK_ONLY = ("checkpoint", "turn")  # what scripts call logs-only: no step of its own holds files
_NARROWEST, _WIDEST = 16, 14  # cells of what is said, and of any other column
_EDITS = {
    "conflict": ("conflict", "conflict"),
    "create": ("bring back", "brought back"),
    "delete": ("delete", "deleted"),
    "merge": ("merge", "merged"),
    "write": ("change", "changed"),
}
_TALKS = {
    "cut": ("goes back to the point", "went back to the point"),
    "missing": ("no transcript of it is kept here", "no transcript of it is kept here"),
    "unchanged": ("stays as it is", "stays as it is"),
    "written": ("is written back as it was kept", "was written back as it was kept"),
}


def entry(point: views.PointView) -> dict[str, object]:
    """Return a point as ``rewind --list`` prints it: the keys that scripts of the Go CLI read first, then ours."""
    own = form.of(point)
    return {
        "id": own["id"],
        "message": own["message"],
        "metadata_dir": own["metadata_dir"],
        "date": own["time"] or "",
        "is_task_checkpoint": point.kind == "task",
        "tool_use_id": own["tool_use_id"],
        "is_logs_only": point.kind in _TALK_ONLY,
        "condensation_id": own["checkpoint_id"],
        "session_id": own["session_id"],
        "session_prompt": own["session_prompt"],
        **{name: own[name] for name in ("kind", "agent", "prompt", "files", "added", "removed", "parent")},
        "is_condensed": point.is_condensed,
    }


# ---------------------------------------------------------------- the table


def rows(points: Sequence[views.PointView], width: int, now: float) -> list[tuple[str, str]]:
    """Return one line per point that fits the width, and how to show it: ``dim`` where a commit holds it already."""
    cells = [_cells(point, now) for point in points]
    if width < 90:  # the session's id tells them apart
        cells = [(*row[:2], "", *row[3:]) for row in cells]
    widths = [min(_WIDEST, max((cell_len(row[n]) for row in cells), default=0)) for n in range(6)]
    gaps = sum(2 for one in widths if one)
    about = max(_NARROWEST, width - sum(widths) - gaps)
    depths = _depths(points)
    out = []
    for point, depth, row in zip(points, depths, cells, strict=True):
        said = "  " * (depth - 1) + ("└ " if depth else "") + _about(point)
        fitted = [_fit(one, size) for one, size in zip(row[:4], widths, strict=False) if size]
        fitted.append(_fit(said, about))
        fitted += [" " * (size - cell_len(one)) + _fit(one, min(size, cell_len(one)))
                   for one, size in zip(row[4:], widths[4:], strict=True) if size]  # fmt: skip
        out.append(("  ".join(fitted).rstrip(), "dim" if point.is_condensed else ""))
    return out


def table(points: Sequence[views.PointView], width: int, now: float, style: Style) -> list[str]:
    """Return the lines of ``rows`` in their colours."""
    return [style(line, kind) if kind else line for line, kind in rows(points, width, now)]


def words(point: views.PointView) -> str:
    """Return what a search in the picker looks at."""
    said = (point.id, point.session_id, point.agent, _KINDS.get(point.kind, ""), point.prompt, point.message)
    return " ".join((*said, *point.files)).casefold()


def _cells(point: views.PointView, now: float) -> tuple[str, ...]:
    return (
        _when(point.time, now),
        short(point.session_id),
        text.one_line(point.agent, _WIDEST),
        _KINDS.get(point.kind, text.one_line(point.kind, 8)),
        text.count(len(point.files), "file") if point.files else "",
        f"+{point.added} -{point.removed}" if point.added or point.removed else "",
    )


def _about(point: views.PointView) -> str:
    """Return a commit's subject; of everything else what was asked."""
    first, second = (point.prompt, point.message) if point.kind != "checkpoint" else (point.message, point.prompt)
    return text.one_line(first or second or "(no prompt)", 300)


def _depths(points: Sequence[views.PointView]) -> list[int]:
    parents = {point.id: point.parent for point in points}
    found = []
    for point in points:
        depth, parent = 0, point.parent
        while parent in parents and depth < 4:
            depth, parent = depth + 1, parents[parent]
        found.append(depth)
    return found


def _when(seconds: float, now: float) -> str:
    """Return the time of today, the day and time of this year, else the date."""
    if seconds <= 0:
        return "-"
    then, today = time.localtime(seconds), time.localtime(now)
    if then[:3] == today[:3]:
        return time.strftime("%H:%M", then)
    return time.strftime("%m-%d %H:%M" if then[0] == today[0] else "%Y-%m-%d", then)


def _fit(line: str, width: int) -> str:
    """Return the text in exactly so many cells; a wide character counts for two."""
    if cell_len(line) > width:
        line = set_cell_size(line, max(0, width - 1)).rstrip() + "…"
    return set_cell_size(line, width)


# ---------------------------------------------------------------- one rewind


def is_nothing(view: views.RewindView) -> bool:
    """Tell whether a rewind changes no file, no conversation and no branch."""
    return (
        not view.edits and not view.moved_to and all(one.what not in ("cut", "written") for one in view.conversations)
    )


def summary(view: views.RewindView, style: Style, *, done: bool = False, kept: bool = False) -> Iterator[str]:
    """Show what a rewind will do, or did; ``kept``: a person's edits are merged and not taken away."""
    said = f": {_about(view.point)}" if view.point is not None else ""
    yield style(text.one_line(view.title + said, 120), "bold")
    if is_nothing(view):
        yield "Nothing to put back: everything is as it was then."
    yield from _edits(view.edits, style, done=done)
    yield from _branch(view, done=done)
    yield from _yours(view.yours, style, done=done, kept=kept)
    if view.left:
        yield "Left alone:"
        yield from _bounded(text.table([(path(one.path), text.one_line(one.reason, 100)) for one in view.left]))
    for one in view.conversations:
        yield from _talk(one, style, done=done)
    if view.others:
        names = ", ".join(short(one) for one in view.others)
        yield f"Sessions that worked on since then keep their conversation: {names}"
    if done and view.undo_id:
        yield "Undo: entire rewind --undo"


def _edits(edits: Sequence[views.EditView], style: Style, *, done: bool) -> Iterator[str]:
    clashes = [one for one in edits if one.what == "conflict"]
    ordered = [*clashes, *(one for one in edits if one.what != "conflict")]
    lines = text.table([(_word(_EDITS, one.what, done=done), path(one.path)) for one in ordered])
    yield from _bounded([style(line, "red") if n < len(clashes) else line for n, line in enumerate(lines)])
    if clashes and done:
        yield "Where both changed the same lines, the file shows both, marked as git marks conflicts."


def _branch(view: views.RewindView, *, done: bool) -> Iterator[str]:
    if view.moved_to:
        name = f"Branch {path(view.branch)}" if view.branch else "HEAD (no branch)"
        verb, keeps = ("moved", "was is kept as") if done else ("moves", "is now will be kept as")
        backup = f"; where it {keeps} {path(view.backup)}" if view.backup else ""
        yield f"{name} {verb} to {path(view.moved_to[:12])}{backup}"


def _yours(paths: Sequence[str], style: Style, *, done: bool, kept: bool) -> Iterator[str]:
    if not paths:
        return
    if kept:
        yield "Your own edits since then stay, merged:" if not done else "Your own edits since then were merged:"
    elif done:
        yield "Your own edits since then were in these files; the undo point holds them:"
    else:
        yield style("Your own edits since then in these files go; the undo point will hold them:", "yellow")
    yield from _bounded([path(one) for one in paths])


def _talk(one: views.ConversationView, style: Style, *, done: bool) -> Iterator[str]:
    agent = text.one_line(one.agent, 40) or "session"
    what = _word(_TALKS, one.what, done=done)
    yield f"Conversation of {agent} {short(one.session_id)}: {what}"
    if one.is_open:
        which = f" (pid {one.pid})" if one.pid else ""
        yield style(f"  close {agent if one.agent else 'the agent'}{which} first", "yellow")
    if one.command:
        yield f"  to continue: {path(one.command)}"


def _bounded(lines: Sequence[str]) -> Iterator[str]:
    yield from ("  " + line for line in lines[:SHOWN])
    if len(lines) > SHOWN:
        yield f"  and {len(lines) - SHOWN:,} more"


def _word(table: Mapping[str, tuple[str, str]], what: str, *, done: bool) -> str:
    return table[what][done] if what in table else text.one_line(what, 40)


def short(session_id: str) -> str:
    """Return the beginning of a session's id, by which people tell sessions apart."""
    return text.one_line(session_id[:8], 8)


def path(name: str) -> str:
    """Return a path on one line, also one with a line break in it."""
    return text.plain(name).replace("\n", "\\n").replace("\t", "\\t")
