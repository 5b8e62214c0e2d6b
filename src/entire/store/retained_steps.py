"""Retained steps: kept as points to go back to, for two weeks and up to a size limit, outside ``refs/heads``.

``refs/entire/kept/<worktree>/<base commit>/<milliseconds>`` takes over the tip of a shadow branch in the transaction
that deletes the branch. The journal remembers these refs, so a commit need not ask git about them.
"""

from __future__ import annotations

from entire.git import refs
from entire.store.journal import RETAINED, RetainedSteps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_REFS = 300


def find(where: str, worktree_id: str = "") -> list[RetainedSteps]:
    """Return the retained steps of one worktree or of all, newest first."""
    parsed = [_parse(ref, tip) for ref, tip in refs.find(where, f"{RETAINED}/{worktree_id}".rstrip("/")).items()]
    return sorted((steps for steps in parsed if steps is not None), key=lambda steps: steps.time, reverse=True)


def _parse(ref: str, tip: str) -> RetainedSteps | None:
    words = ref.removeprefix(RETAINED + "/").split("/")
    if len(words) != 3 or not words[2].isdigit():
        return None
    return RetainedSteps(ref=ref, tip=tip, time=int(words[2]) / 1000)


def plan(
    known: Sequence[RetainedSteps], worktree_id: str, base: str, *, tip: str, size: int, now: float
) -> RetainedSteps:
    """Return the retained steps for a tip, under a free ref: each has its own millisecond."""
    stamp = max([int(now * 1000), *(int(steps.time * 1000) + 1 for steps in known)])
    return RetainedSteps(ref=f"{RETAINED}/{worktree_id}/{base}/{stamp}", tip=tip, time=stamp / 1000, size=size)


def surplus(known: Sequence[RetainedSteps], now: float, *, seconds: float, max_bytes: int) -> list[RetainedSteps]:
    """Return the retained steps that are too old or exceed a limit, counted from the newest."""
    dropped = []
    total = 0
    for number, steps in enumerate(sorted(known, key=lambda steps: steps.time, reverse=True)):
        total += steps.size
        if number >= MAX_REFS or total > max_bytes or now - steps.time > seconds:
            dropped.append(steps)
    return dropped
