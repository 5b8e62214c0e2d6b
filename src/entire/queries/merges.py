"""What a merge brought in."""

from __future__ import annotations

from entire.git import history
from entire.model.histories import MergedView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged

_LIMIT = 100  # commits of one merge that are named


def of(where: str, order: Sequence[Logged], at: int) -> tuple[MergedView, ...]:
    """Return what the commit ``order[at]`` merged; empty if it is no merge. ``order``: commits as ``git log`` lists
    them, which often answers without asking git again.
    """
    merge = order[at]
    names = branches(merge.subject)
    views = []
    for number, tip in enumerate(merge.parents[1:]):
        oids = commits_between(order, at, tip)
        if oids is None:
            oids = history.between(where, merge.parents[0], tip, limit=_LIMIT + 1)
        views.append(MergedView(
            oid=tip,
            branch=names[number] if number < len(names) else "",
            commits=tuple(oids[:_LIMIT]),
            is_complete=len(oids) <= _LIMIT,
        ))  # fmt: skip
    return tuple(views)


def commits_between(order: Sequence[Logged], at: int, tip: str) -> list[str] | None:
    """Return the commits that a merge's tip reaches and its first parent does not; None if the list ends before all
    of them are known.
    """
    before, merged = {order[at].parents[0]}, {tip}
    oids: list[str] = []
    for commit in order[at + 1 :]:
        if not merged - before:
            return oids
        if commit.oid in before:
            before.update(commit.parents)
        elif commit.oid in merged:
            oids.append(commit.oid)
            merged.update(commit.parents)
        merged.discard(commit.oid)
    return oids if not merged - before else None


def branches(subject: str) -> list[str]:
    """Return the names of the merged branches in the subject that git or a forge wrote."""
    if subject.startswith("Merge pull request "):
        return subject.partition(" from ")[2].split()[:1]
    if not subject.startswith("Merge "):
        return []
    return subject.partition(" into ")[0].split("'")[1::2]
