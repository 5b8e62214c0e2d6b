"""Points and rewinds as lines of text. Control characters in what an agent wrote are escaped."""

from __future__ import annotations

from entire.ui.console import json_output, text, wrapping
from entire.ui.screens import history

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from entire.model.views.points import ConversationView, EditView, PointView, RewindView
    from entire.ui.console.text import Style

SHOWN = 20
"""How many paths a summary names."""
_KINDS = {"checkpoint": "commit", "start": "start", "step": "step", "task": "task", "turn": "turn"}
_LOGS_ONLY = ("checkpoint", "start", "turn")  # points without a step of their own that holds files
_SIDES = ("start", "step", "turn")  # kinds that show on which side of their prompt they are
_NARROWEST, _WIDEST, _TIME = 16, 14, 11  # cells: the title at least, any other column and the time at most
_EDITS = {
    "conflict": ("conflict", "conflict"),
    "create": ("restore", "restored"),
    "delete": ("delete", "deleted"),
    "merge": ("merge", "merged"),
    "write": ("change", "changed"),
}
_CONVERSATIONS = {
    "cut": ("will be cut back to the point", "cut back to the point"),
    "missing": ("no transcript here", "no transcript here"),
    "removed": ("will be removed, since it began after the point", "removed, since it began after the point"),
    "unchanged": ("unchanged", "unchanged"),
    "written": ("will be restored from the stored transcript", "restored from the stored transcript"),
}


def entry(point: PointView) -> dict[str, object]:
    """Return a point for ``rewind --list``: first the Go CLI's keys, then ours."""
    own = json_output.of(point)
    return {
        "id": own["id"],
        "message": own["message"],
        "metadata_dir": own["metadata_dir"],
        "date": own["time"] or "",
        "is_task_checkpoint": point.kind == "task" or bool(point.tool_use_id),
        "tool_use_id": own["tool_use_id"],
        "is_logs_only": point.kind in _LOGS_ONLY,
        "condensation_id": own["checkpoint_id"],
        "session_id": own["session_id"],
        "session_prompt": own["session_prompt"],
        **{name: own[name] for name in ("kind", "agent", "prompt", "files", "added", "removed", "parent")},
        **{name: own[name] for name in ("is_condensed", "is_before_prompt", "before_prompt")},
    }


def forgotten(commits: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Say which commits are not points, since their checkpoint was forgotten."""
    for commit, name, day in commits:
        yield f"commit {commit[:7]} is not a point: checkpoint {name} was forgotten on {day}"


# ---------------------------------------------------------------- the table


def rows(points: Sequence[PointView], width: int, now: float) -> list[tuple[str, str]]:
    """Return a line per point that fits the width, and its colour: ``dim`` if a commit holds it already."""
    cells = [_cells(point, now) for point in points]
    if width < 90:  # the session id identifies the agent
        cells = [(*row[:2], "", *row[3:]) for row in cells]
    widths = [min(_WIDEST, max((wrapping.width(row[n]) for row in cells), default=0)) for n in range(6)]
    gaps = sum(2 for size in widths if size)
    title_width = max(_NARROWEST, width - sum(widths) - gaps)
    depths = _depths(points)
    out = []
    for point, depth, row in zip(points, depths, cells, strict=True):
        title = "  " * (depth - 1) + ("└ " if depth else "") + _row_title(point)
        fitted = [_fit(cell, size) for cell, size in zip(row[:4], widths, strict=False) if size]
        fitted.append(_fit(title, title_width))
        fitted += [" " * (size - wrapping.width(cell)) + wrapping.fit(cell, size)
                   for cell, size in zip(row[4:], widths[4:], strict=True) if size]  # fmt: skip
        out.append(("  ".join(fitted).rstrip(), "dim" if point.is_condensed else ""))
    return out


def table(points: Sequence[PointView], width: int, now: float, style: Style) -> list[str]:
    """Return the coloured lines of ``rows``."""
    return [style(line, kind) if kind else line for line, kind in rows(points, width, now)]


def words(point: PointView) -> str:
    """Return what the picker searches."""
    kind = _KINDS.get(point.kind, "")
    fields = (point.id, point.session_id, point.agent, kind, side(point), point.prompt, point.message)
    return " ".join((*fields, *point.files)).casefold()


def _cells(point: PointView, now: float) -> tuple[str, ...]:
    return (
        history.moment(point.time, _TIME, now),
        short(point.session_id),
        text.one_line(point.agent, _WIDEST),
        _KINDS.get(point.kind, text.one_line(point.kind, 8)),
        text.count(len(point.files), "file") if point.files else "",
        f"+{point.added} -{point.removed}" if point.added or point.removed else "",
    )


def _title(point: PointView) -> str:
    """Return a commit's subject, and any other point's prompt."""
    first, second = (point.prompt, point.message) if point.kind != "checkpoint" else (point.message, point.prompt)
    return text.one_line(first or second or "(no prompt)", 300)


def _row_title(point: PointView) -> str:
    """Return the title, and on which side of its prompt a point is that has no other title."""
    return f"{side(point)}: {_title(point)}" if point.kind in _SIDES else _title(point)


def side(point: PointView) -> str:
    return "before" if point.is_before_prompt else "after"


def _depths(points: Sequence[PointView]) -> list[int]:
    parents = {point.id: point.parent for point in points}
    depths = []
    for point in points:
        depth, parent = 0, point.parent
        while parent in parents and depth < 4:
            depth, parent = depth + 1, parents[parent]
        depths.append(depth)
    return depths


def _fit(line: str, cells: int) -> str:
    """Cut or pad text to exactly ``cells`` cells."""
    return wrapping.pad(wrapping.fit(line, cells), cells)


# ---------------------------------------------------------------- rewind


def is_nothing(view: RewindView) -> bool:
    """Tell whether a rewind changes no file, no conversation and no branch."""
    return (
        not view.edits
        and not (view.moved_to or view.taken_back)
        and all(change.what in ("missing", "unchanged") for change in view.conversations)
    )


def summary(view: RewindView, style: Style, *, done: bool = False, keep_mine: bool = False) -> Iterator[str]:
    """Show what a rewind will do, or did; ``keep_mine``: the user's edits are merged instead of removed."""
    prompt = f", {side(view.point)} its prompt" if view.point is not None and view.point.kind in _SIDES else ""
    title = f"{prompt}: {_title(view.point)}" if view.point is not None else ""
    yield style(text.one_line(view.title + title, 120), "bold")
    if is_nothing(view):
        yield _nothing(view)
    yield from _edits(view.edits, style, done=done)
    yield from _branch(view, done=done)
    if view.uncommitted:
        yield "Uncommitted then, so these files stay and " + ("are" if done else "will be") + " uncommitted again:"
        yield from _bounded([path(name) for name in view.uncommitted])
    yield from _yours(view.yours, style, done=done, keep_mine=keep_mine)
    if view.left:
        yield "Not restored:"
        yield from _bounded(text.table([(path(left.path), text.one_line(left.reason, 100)) for left in view.left]))
    for change in view.conversations:
        yield from _conversation(change, style, done=done)
    if view.others:
        names = ", ".join(short(session_id) for session_id in view.others)
        yield f"Other sessions that worked since then keep their conversations: {names}"
    if done and view.undo_id:
        yield "Undo: entire rewind --undo"


def _nothing(view: RewindView) -> str:
    if view.logs_only:
        return "Nothing to restore: the conversation is as it was then. The files were not compared."
    if view.untouched:
        differ = "1 other file differs" if view.untouched == 1 else f"{view.untouched:,} other files differ"
        return f"Nothing to restore: no session changed what would go back. {differ} from the point, and will stay."
    if view.left or any(change.problem for change in view.conversations):
        return "Nothing to restore."
    return "Nothing to restore: nothing has changed since then."


def _edits(edits: Sequence[EditView], style: Style, *, done: bool) -> Iterator[str]:
    conflicts = [edit for edit in edits if edit.what == "conflict"]
    ordered = [*conflicts, *(edit for edit in edits if edit.what != "conflict")]
    lines = text.table([(_word(_EDITS, edit.what, done=done), path(edit.path)) for edit in ordered])
    yield from _bounded([style(line, "red") if n < len(conflicts) else line for n, line in enumerate(lines)])
    if conflicts and done:
        yield "Resolve the conflicts as after a git merge: the files hold both versions, with conflict markers."


def _branch(view: RewindView, *, done: bool) -> Iterator[str]:
    if view.taken_back:
        name = path(view.branch) if view.branch else "HEAD (no branch)"
        verb = f"Commit {path(view.commit[:12])} on {name} takes" if done else f"A new commit on {name} will take"
        yield f"{verb} back {text.count(len(view.taken_back), 'commit')}:"
        yield from _bounded([path(commit[:12]) for commit in view.taken_back])
    if view.moved_to:
        name = f"Branch {path(view.branch)}" if view.branch else "HEAD (no branch)"
        verb, saves = ("moved", "is saved") if done else ("will be moved", "will be saved")
        backup = f"; its old commit {saves} as {path(view.backup)}" if view.backup else ""
        yield f"{name} {verb} to {path(view.moved_to[:12])}{backup}"
    if view.shared:
        yield f"The commits that it leaves are also on {', '.join(map(path, view.shared[:SHOWN]))}"


def _yours(paths: Sequence[str], style: Style, *, done: bool, keep_mine: bool) -> Iterator[str]:
    if not paths:
        return
    if keep_mine:
        yield "Your own edits since then will be merged:" if not done else "Your own edits since then were merged:"
    elif done:
        yield "Your own edits since then were removed from these files; the undo point holds them:"
    else:
        yield style(
            "Your own edits since then will be removed from these files; the undo point will hold them:", "yellow"
        )
    yield from _bounded([path(name) for name in paths])


def _conversation(change: ConversationView, style: Style, *, done: bool) -> Iterator[str]:
    agent = text.one_line(change.agent, 40) or "session"
    outcome = style(problem(change), "yellow") if change.problem else _word(_CONVERSATIONS, change.what, done=done)
    yield f"Conversation of {agent} {short(change.session_id)}: {outcome}"
    if change.is_open:
        pid = f" (pid {change.pid})" if change.pid else ""
        yield style(f"  close {agent if change.agent else 'the agent'}{pid} first", "yellow")
    if change.command:
        yield f"  to continue: {path(change.command)}"


def problem(change: ConversationView) -> str:
    """Return why a conversation stays as it is, for people; '' if it does not have to."""
    return f"{text.one_line(change.problem, 300)}; it stays as it is" if change.problem else ""


def _bounded(lines: Sequence[str]) -> Iterator[str]:
    yield from ("  " + line for line in lines[:SHOWN])
    if len(lines) > SHOWN:
        yield f"  and {len(lines) - SHOWN:,} more"


def _word(table: Mapping[str, tuple[str, str]], what: str, *, done: bool) -> str:
    return table[what][done] if what in table else text.one_line(what, 40)


def short(session_id: str) -> str:
    """Return a session id's prefix, enough for people to tell sessions apart."""
    return text.one_line(session_id[:8], 8)


def path(name: str) -> str:
    """Return a path on one line, with line breaks and tabs escaped."""
    return text.plain(name).replace("\n", "\\n").replace("\t", "\\t")
