"""How a rewind moves the branch back, and when it must not: what others may have is never taken out of its history."""

from __future__ import annotations

from fnmatch import fnmatchcase

from entire.errors import EntireError
from entire.git import history, operation, refs
from entire.model.requests import AUTO_COMMIT
from entire.model.value import replace
from entire.model.views.points import WaysBackView
from entire.rewind import commits_since
from entire.store import checkpoints
from entire.store.links import CheckpointLinks
from entire.undo.backups import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views.points import PointView, RewindView
    from entire.recording.context import Context
    from entire.undo.draft import Draft

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_OWN = (f"{_HEADS}entire/*", f"{_REMOTES}*/entire/*")
_SHOWN = 3  # branches that an error names


def ways_back(context: Context, commit: str) -> WaysBackView:
    """Return what a rewind to a commit's checkpoint can do about the commits after it."""
    head = history.resolve(context.place.top, "HEAD")
    if not head or head == commit:
        return WaysBackView(has_later_commits=False)
    holders = holding(context, head, commit)
    return WaysBackView(
        has_later_commits=True,
        may_move=not (holders and has_turn_commits(context, commit, head)),
        may_take_back=bool(commits_since.of_sessions(context, head, commit).changes),
        shared=holders,
    )


def holding(context: Context, tip: str, new: str) -> tuple[str, ...]:
    """Return the other local and remote-tracking branches with a commit that the current branch, or HEAD, leaves when
    it moves from ``tip`` to ``new``. Our own branches do not count.
    """
    top = context.place.top
    own = f"{_HEADS}{history.branch(top)}"
    containing = refs.holding(top, history.left_by(top, tip, new), _HEADS, _REMOTES)
    others = [ref for ref in containing if ref != own and not any(fnmatchcase(ref, pattern) for pattern in _OWN)]
    return tuple(ref.removeprefix(_HEADS).removeprefix(_REMOTES) for ref in others)


def refuse_shared(holders: Sequence[str], hint: str) -> None:
    """Raise EntireError if other branches hold commits that the branch would leave."""
    if holders:
        more = f" and {len(holders) - _SHOWN} more" if len(holders) > _SHOWN else ""
        names = f"{', '.join(map(shown, holders[:_SHOWN]))}{more}"
        raise EntireError(f"commits that the branch would leave are also on {names}; nothing was changed", hint=hint)


def refuse_operation(context: Context, option: str) -> None:
    """Raise EntireError while git is in the middle of an operation that will make or choose commits of its own."""
    if what := operation.in_progress(context.place):
        raise EntireError(f"{what} is in progress; nothing was changed",
                          hint=f"finish or abort it first, or omit {option}")  # fmt: skip


def move(context: Context, draft: Draft, point: PointView, view: RewindView) -> RewindView:
    """Move the branch to the point's commit, and keep its old tip under ``refs/entire/backup``."""
    place, head = context.place, context.journal.snapshot.head
    refuse_operation(context, "--reset")
    if point.id == head:
        return view
    holders = holding(context, head, point.id)
    if holders and has_turn_commits(context, point.id, head):
        refuse_shared(
            holders, "use --take-back for a new commit that takes them back, or --logs-only for the conversation"
        )
    branch = history.branch(place.top)
    backup = f"refs/entire/backup/{branch or 'HEAD'}/{int(context.now() * 1000)}"
    draft.move_ref(backup, head, "")
    if branch:
        draft.move_ref(f"{_HEADS}{branch}", point.id, head)
    else:
        draft.set_head("", point.id)
    return replace(view, branch=branch, moved_to=point.id, backup=backup, shared=holders)


def check_undo(context: Context, draft: Draft, commit: str) -> None:
    """Refuse an undo that takes commits out of the branch that other branches hold. ``commit``: the one that the undone
    rewind made, '' for none.
    """
    tip, new = draft.moved(f"{_HEADS}{history.branch(context.place.top)}")
    holders = holding(context, tip, new) if tip and new else ()
    if holders and (commit or has_turn_commits(context, new, tip)):
        hint = f"use `git revert {commit[:12]}`" if commit else "use `entire rewind --to POINT --take-back`"
        refuse_shared(holders, f"{hint} for a new commit that takes them back")


def has_turn_commits(context: Context, new: str, tip: str) -> bool:
    """Tell whether a commit to go back to, or one that the branch would leave, was made under the strategy that commits
    each turn: a person has not decided on these one by one.
    """
    top = context.place.top
    tips = list(checkpoints.tips(top).values())
    links = CheckpointLinks(top, context.objects, tips)
    linked = [*links.log(start=f"{new}^!"), *links.log(start=f"{new}..{tip}")]
    names = {name for commit in linked for name in commit.checkpoint_ids}
    stored_checkpoints = (checkpoints.read(context.objects, tips, name) for name in names)
    return any(stored is not None and stored.summary.strategy == AUTO_COMMIT for stored in stored_checkpoints)
