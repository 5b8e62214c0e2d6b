"""Steps that a commit condensed: kept as points to go back to, for two weeks and up to a bound, outside of
``refs/heads``.

``refs/entire/kept/<worktree>/<base commit>/<milliseconds>`` takes over the tip of a shadow branch in the transaction
that deletes the branch. The journal remembers these refs, so that a commit need not ask git about them.
"""

from __future__ import annotations

from entire.git import refs
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PREFIX = "refs/entire/kept"
MAX_REFS = 300


class Kept(Value):
    """The steps on one base commit as they were when a commit condensed them; ``time`` of that."""

    ref: str
    tip: str
    worktree_id: str
    base: str
    time: float


def find(where: str, worktree_id: str = "") -> list[Kept]:
    """Return what is kept, of one worktree or of all, the newest first."""
    found = [_parse(ref, tip) for ref, tip in refs.find(where, f"{PREFIX}/{worktree_id}".rstrip("/")).items()]
    return sorted((one for one in found if one is not None), key=lambda one: one.time, reverse=True)


def _parse(ref: str, tip: str) -> Kept | None:
    words = ref.removeprefix(PREFIX + "/").split("/")
    if len(words) != 3 or not words[2].isdigit():
        return None
    return Kept(ref=ref, tip=tip, worktree_id=words[0], base=words[1], time=int(words[2]) / 1000)


def keep(
    known: list[list[Any]], worktree_id: str, base: str, tip: str, weight: int, now: float
) -> tuple[refs.Move, list[Any]]:
    """Return the move that keeps a tip, and its line in the journal: [ref, tip, time, bytes]."""
    stamp = max(
        [int(now * 1000), *(int(one[2] * 1000) + 1 for one in known)]
    )  # each its own, also within a millisecond
    ref = f"{PREFIX}/{worktree_id}/{base}/{stamp}"
    return refs.Move(ref=ref, new=tip, old=""), [ref, tip, stamp / 1000, weight]


def surplus(known: Sequence[Sequence[Any]], now: float, seconds: float, max_bytes: int) -> list[Sequence[Any]]:
    """Return the lines of what is too old or too much, the newest counting first."""
    gone: list[Sequence[Any]] = []
    held = 0
    for number, line in enumerate(sorted(known, key=lambda line: float(line[2]), reverse=True)):
        held += int(line[3])
        if number >= MAX_REFS or held > max_bytes or now - float(line[2]) > seconds:
            gone.append(line)
    return gone
