"""The talk with a person about one rewind: which point, what of it, what about their own edits, and whether at all."""

from __future__ import annotations

import sys
import time

from entire.errors import EntireError
from entire.model.value import replace
from entire.ui import diffs, pager, points, prompts, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model import views
    from entire.model.requests import RewindRequest
    from entire.rewind.plan import Rewind
    from entire.workspace import Workspace

_PREVIEW_DIFF = 150
_BOTH, _CODE, _TALK = "both", "code", "conversation"
_PARTS = (
    (_BOTH, "the files and the conversation"),
    (_CODE, "only the files"),
    (_TALK, "only the conversation"),
)


def choose(workspace: Workspace, found: Sequence[views.PointView], request: RewindRequest) -> views.PointView | None:
    """Let a person choose a point; None if they leave."""
    now = time.time()

    def preview(number: int) -> Iterator[tuple[str, str]]:
        point = found[number]
        with workspace.rewind(replace(request, to=name(point, found))) as rewind:
            yield from about(point)
            yield from ((line, "") for line in points.summary(rewind.view, text.Style(False), kept=request.keep_mine))
            yield from diffs.lines(rewind.diff(colour=False), _PREVIEW_DIFF)

    number = prompts.pick(
        "Back to which point?",
        [points.words(point) for point in found],
        lambda width: points.rows(found, width, now),
        preview,
    )
    return found[number] if number is not None else None


def about(point: views.PointView) -> Iterator[tuple[str, str]]:
    """Tell more of a point than its line does: the whole beginning of the prompt, and its files."""
    who = f"{text.one_line(point.agent, 40)} {text.one_line(point.session_id, 40)}".strip()
    yield f"{point.kind} {text.plain(point.id[:12])}   {text.moment(point.time)}   {who}", "cyan"
    if point.prompt:
        yield text.one_line(point.prompt, 300), ""
    if point.files:
        shown = ", ".join(points.path(one) for one in point.files[:8])
        more = len(point.files) - 8
        yield f"{text.count(len(point.files), 'file')}: {shown}" + (f" and {more} more" if more > 0 else ""), "dim"


def name(point: views.PointView, found: Sequence[views.PointView]) -> str:
    """Return what names just this point: a squashed commit has several checkpoints."""
    same = sum(one.id == point.id for one in found)
    return point.checkpoint_id if same > 1 and point.checkpoint_id else point.id


def questions(workspace: Workspace, point: views.PointView, request: RewindRequest) -> RewindRequest:
    """Ask what to put back, as far as the command line leaves it open."""
    if not (request.logs_only or request.files_only or request.paths):
        part = prompts.select("What shall go back?", _PARTS)
        request = replace(request, logs_only=part == _TALK, files_only=part == _CODE)
    is_free = not (request.logs_only or request.paths or request.session_id or request.reset)
    if point.kind == "checkpoint" and is_free and _has_later_commits(workspace, point.id):
        branch = text.plain(workspace.branch) or "HEAD"
        ways = (
            ("files", f"put the files back; {branch} and its commits stay"),
            ("branch", f"move {branch} back; where it is now stays under a backup ref"),
        )
        request = replace(request, reset=prompts.select("There are commits after this one.", ways) == "branch")
    return request


def _has_later_commits(workspace: Workspace, commit: str) -> bool:
    try:
        return workspace.commit("HEAD").oid != commit
    except EntireError:  # a branch without a commit
        return False


def wants_to_keep(rewind: Rewind) -> bool:
    """Ask what shall become of the person's own edits since the point."""
    text.write(["", "You changed these files too since then:"], sys.stderr)
    mine = [points.path(one) for one in rewind.view.yours]
    text.write(["  " + one for one in mine[: points.SHOWN]], sys.stderr)
    if len(mine) > points.SHOWN:
        text.write([f"  and {len(mine) - points.SHOWN:,} more"], sys.stderr)
    ways = (
        ("keep", "keep my edits: they are merged into the files"),
        ("exact", "exactly the point: the undo point holds my edits"),
    )
    return prompts.select("What about your edits?", ways) == "keep"


def is_wanted(rewind: Rewind, program: str, *, kept: bool = False) -> bool:
    """Show what will happen and ask whether it shall; the diff is shown as often as wanted."""
    style = text.style_for(sys.stderr)
    text.write(["", *points.summary(rewind.view, style, kept=kept)], sys.stderr)
    while True:
        answer = prompts.letter("Go back?", {"y": "yes", "n": "no", "d": "diff"}, "n")
        if answer != "d":
            return answer == "y"
        data = rewind.diff(colour=False)
        if not data:
            text.write(["No file changes."], sys.stderr)
        elif diffs.is_paged():
            pager.show(diffs.coloured(data, text.style_for(sys.stdout)), program)
        else:
            text.write(diffs.coloured(data, style), sys.stderr)
