"""Asks about a rewind: which point, files or conversation, the user's own edits, and a confirmation."""

from __future__ import annotations

import sys
import time

from entire.model.value import replace
from entire.ui.console import diffs, pager, prompts, text
from entire.ui.screens import points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model.requests import RewindRequest
    from entire.model.views.points import PointView, WaysBackView
    from entire.workspace import Workspace
    from entire.workspace.points import Rewind

_PREVIEW_DIFF = 150
_BOTH, _CODE, _CONVERSATION = "both", "code", "conversation"
_FILES, _BRANCH, _COMMIT = "files", "branch", "commit"
_PARTS = (
    (_BOTH, "the files and the conversation"),
    (_CODE, "only the files"),
    (_CONVERSATION, "only the conversation"),
)


def choose(workspace: Workspace, listed: Sequence[PointView], request: RewindRequest) -> PointView | None:
    """Let the user choose a point; None if they quit."""
    now = time.time()

    def preview(number: int) -> Iterator[tuple[str, str]]:
        point = listed[number]
        with workspace.points.rewind(replace(request, to=name(point, listed))) as rewind:
            yield from about(point)
            yield from (
                (line, "") for line in points.summary(rewind.view, text.Style(False), keep_mine=request.keep_mine)
            )
            yield from diffs.lines(rewind.diff(colour=False), _PREVIEW_DIFF)

    number = prompts.pick(
        "Rewind to which point?",
        [points.words(point) for point in listed],
        lambda width: points.rows(listed, width, now),
        preview,
    )
    return listed[number] if number is not None else None


def with_last_start(listed: Sequence[PointView]) -> list[PointView]:
    """Put the start of the last turn before the points, as the first choice."""
    turns = [point for point in listed if point.before_prompt]
    last = max(turns, key=lambda point: point.prompted, default=None)
    if last is None:
        return list(listed)
    start = replace(last, id=last.before_prompt, kind="start", time=last.prompted, is_before_prompt=True,
                    before_prompt="", is_condensed=False, files=(), added=0, removed=0)  # fmt: skip
    return [start, *listed]


def about(point: PointView) -> Iterator[tuple[str, str]]:
    """Yield a point's details: its prompt and files."""
    who = f"{text.one_line(point.agent, 40)} {text.one_line(point.session_id, 40)}".strip()
    name = point.id if point.is_before_prompt else point.id[:12]
    yield f"{point.kind} {text.plain(name)}   {text.moment(point.time)}   {who}", "cyan"
    if point.prompt:
        yield text.one_line(f"{points.side(point)} the prompt: {point.prompt}", 300), ""
    if point.files:
        shown = ", ".join(points.path(path) for path in point.files[:8])
        more = len(point.files) - 8
        yield f"{text.count(len(point.files), 'file')}: {shown}" + (f" and {more} more" if more > 0 else ""), "dim"


def name(point: PointView, listed: Sequence[PointView]) -> str:
    """Return an unambiguous id of a point: a squashed commit has several checkpoints."""
    same = sum(other.id == point.id for other in listed)
    return point.checkpoint_id if same > 1 and point.checkpoint_id else point.id


def questions(workspace: Workspace, point: PointView, request: RewindRequest) -> RewindRequest:
    """Ask what to restore, unless the command line says so."""
    changes_branch = request.reset or request.take_back
    if not (request.logs_only or request.files_only or request.paths):
        part = prompts.select("Restore what?", _PARTS[:2] if changes_branch else _PARTS)
        request = replace(request, logs_only=part == _CONVERSATION, files_only=part == _CODE)
    is_free = not (request.logs_only or request.paths or request.session_id or changes_branch)
    if point.kind == "checkpoint" and is_free:
        way = _way_back(workspace, workspace.points.ways_back(point.id))
        request = replace(request, reset=way == _BRANCH, take_back=way == _COMMIT)
    return request


def _way_back(workspace: Workspace, ways: WaysBackView) -> str:
    """Ask what to do about the commits after a point, if there are any and anything can be done."""
    if not (ways.may_move or ways.may_take_back):
        return _FILES
    branch = text.plain(workspace.branch) or "HEAD"
    if not ways.may_move:
        names = ", ".join(map(points.path, ways.shared[: points.SHOWN]))
        text.write(["", f"The later commits are also on {names}, so {branch} will not be moved back."], sys.stderr)
    offered = [(_FILES, f"restore the files; {branch} and its commits stay")]
    if ways.may_move:
        offered.append((_BRANCH, f"move {branch} back; a backup ref keeps its old commit"))
    if ways.may_take_back:
        offered.append((_COMMIT, f"add a commit to {branch} that takes back those of sessions"))
    return prompts.select("There are commits after this one.", offered)


def wants_to_keep(rewind: Rewind) -> bool:
    """Ask whether to merge the user's own edits since the point."""
    text.write_wrapped(["", "You also changed these files since then:"], sys.stderr)
    mine = [points.path(path) for path in rewind.view.yours]
    text.write_wrapped(["  " + path for path in mine[: points.SHOWN]], sys.stderr)
    if len(mine) > points.SHOWN:
        text.write([f"  and {len(mine) - points.SHOWN:,} more"], sys.stderr)
    ways = (
        ("keep", "merge my edits into the restored files"),
        ("exact", "restore the point exactly; the undo point holds my edits"),
    )
    return prompts.select("What about your edits?", ways) == "keep"


def is_wanted(rewind: Rewind, program: str, *, keep_mine: bool = False) -> bool:
    """Show the plan and ask for confirmation; on request, show the diff first."""
    style = text.style_for(sys.stderr)
    text.write_wrapped(["", *points.summary(rewind.view, style, keep_mine=keep_mine)], sys.stderr)
    while True:
        answer = prompts.letter("Rewind?", {"y": "yes", "n": "no", "d": "diff"}, "n")
        if answer != "d":
            return answer == "y"
        data = rewind.diff(colour=False)
        if not data:
            text.write(["No file changes."], sys.stderr)
        elif diffs.is_paged():
            pager.show(diffs.coloured(data, text.style_for(sys.stdout)), program)
        else:
            text.write(diffs.coloured(data, style), sys.stderr)
