"""Shadow branches that nothing needs: a kill between a step and the session's state, or a commit, leaves one.

Their steps are retained like those of a commit, so a rewind can still go back to them, and expire like them.
"""

from __future__ import annotations

import os

from entire.errors import RefMovedError
from entire.git import refs, worktrees
from entire.git.refs import RefMove
from entire.model.session import NO_COMMIT
from entire.store import retained_steps, sessions, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.store.journal import RetainedSteps


def release(context: Context, branches: list[str]) -> None:
    """Retain the steps of those branches that no session uses, and delete the branches."""
    unused = _without_used(context, branches, context.relevant_sessions())
    if unused:  # seldom: all other sessions are read
        states = [state for state in sessions.list_states(context.place) if context.in_this_worktree(state)]
        unused = _without_used(context, unused, states)
    if not unused or os.path.exists(context.place.pending_file) or not context.can_write():
        return
    top = context.place.top
    checked_out = {worktree.branch for worktree in worktrees.find_all(top, context.place.common_dir)}
    tips = refs.read(top, *(f"refs/heads/{name}" for name in unused))
    for ref, tip in tips.items():
        if ref not in checked_out and steps.is_shadow(context.objects, ref, tip):
            _release(context, ref, tip)


def _without_used(context: Context, branches: Sequence[str], states: Sequence[Session]) -> list[str]:
    used = {context.strategy.source(state) for state in states if state.work.steps or state.is_running}
    return [name for name in branches if name not in used]


def _release(context: Context, ref: str, tip: str) -> None:
    retention = context.journal.retention
    moves = [RefMove(ref=ref, new="", old=tip)]
    retained = _retained(context, ref, tip)
    if retained is None:
        return
    if all(known.tip != tip for known in retention.steps):
        moves.append(RefMove(ref=retained.ref, new=tip, old=""))
        retention.steps.append(retained)
    try:
        refs.move(context.place.top, moves)
    except RefMovedError:  # it is in use after all
        context.forget()
        return
    retention.shadow_tips.pop(ref.removeprefix("refs/heads/"), None)
    context.log.info("retained the steps of a branch that no session uses", branch=ref)
    context.save()


def _retained(context: Context, ref: str, tip: str) -> RetainedSteps | None:
    """Return what retains a branch's steps; None if its base is gone, so `entire clean` has to decide."""
    base, _ = steps.parse_branch(ref) or ("", "")
    full = NO_COMMIT if not base.strip("0") else context.objects.oid(base)
    if not full:
        return None
    known, worktree_id = context.journal.retention.steps, context.place.worktree_id
    return retained_steps.plan(known, worktree_id, full, tip=tip, size=0, now=context.now())
