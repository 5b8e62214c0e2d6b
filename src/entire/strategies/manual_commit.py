"""The default strategy: steps go to a shadow branch; checkpoints are written when the user commits.

A shadow branch belongs to a base commit and a worktree. When a commit condenses its steps, or HEAD moves away, its tip
is kept for a while as retained steps, so a rewind can still go back to them.
"""

from __future__ import annotations

from entire.git import refs
from entire.git.refs import RefMove
from entire.model.session import NO_COMMIT
from entire.store import steps
from entire.strategies.selection import Destination

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from entire.layout import Place
    from entire.model.session import Session
    from entire.settings import Settings
    from entire.store.journal import Journal, RetainedSteps
    from entire.strategies.contract import TurnCommits

_DAY = 86400.0


class ManualCommit:
    """The shadow branches of one worktree, as recorded in its journal."""

    name: ClassVar[str] = "manual-commit"
    records_source: ClassVar[bool] = True
    least_retained: ClassVar[int] = 1
    """So many steps a session must have, for a rewind to be able to go back to them once they are condensed."""

    def __init__(self, place: Place, settings: Settings, journal: Journal, now: float) -> None:
        self._place = place
        self._settings = settings
        self._retention = journal.retention
        self._now = now
        self.turn_commits: TurnCommits | None = None

    def _branch(self, base: str) -> str:
        return steps.branch_name(base, self._place.worktree_id)

    def source(self, session: Session) -> str:
        """Return the name of the shadow branch with a session's steps."""
        return self._branch(session.worktree.base_commit)

    def destination(self, session: Session, others: Sequence[Session], head: str) -> Destination:
        """Return the shadow branch on ``head``.

        If HEAD moved away from a branch's base (pull, switch, reset), the branch is replaced by one on ``head``, unless
        another session still has steps on it.
        """
        branch, old = self._branch(head), self._branch(session.worktree.base_commit)
        tips = self._retention.shadow_tips
        tip = tips.get(branch, "")  # if outdated, moving the ref fails
        left_behind = tips.get(old, "")
        is_shared = any(other.work.steps and self._branch(other.worktree.base_commit) == old for other in others)
        if old == branch or not session.work.steps or not left_behind or is_shared:
            return Destination(branch=branch, old=tip, parent=tip)
        retained = self._retained(session.worktree.base_commit, left_behind, self._retention.shadow_sizes.get(old, 0))
        moves = (RefMove(ref=f"refs/heads/{old}", new="", old=left_behind), _retain(retained))
        return Destination(branch=branch, old=tip, parent=tip or left_behind, moves=moves, retained=retained)

    def ask_git(self, branches: Sequence[str]) -> None:
        """Read the tips of these branches from git, and forget all others."""
        tips = refs.read(self._place.top, *(f"refs/heads/{name}" for name in branches)) if branches else {}
        self._retention.shadow_tips = {name: tips.get(f"refs/heads/{name}", "") for name in branches}

    def note_saved(self, destination: Destination, commit: str, size: int) -> None:
        """Record the branch's new tip and size."""
        retention = self._retention
        retention.shadow_tips[destination.branch] = commit
        retention.shadow_sizes[destination.branch] = retention.shadow_sizes.get(destination.branch, 0) + size
        if destination.retained is not None:
            retention.steps.append(destination.retained)

    def release(self, sessions: Sequence[Session], others: Sequence[Session], *, ask: bool) -> list[RefMove]:
        """Return the moves that delete the shadow branches on which no session has steps once these are condensed,
        retain their tips, and delete retained steps that are too old or too big.
        """
        retention = self._retention
        done = {self._branch(session.worktree.base_commit) for session in sessions if session.work.steps}
        done -= {
            self._branch(other.worktree.base_commit) for other in others if other.work.steps and other not in sessions
        }
        unknown = [name for name in done if ask or not retention.shadow_tips.get(name)]
        if unknown:
            current = refs.read(self._place.top, *(f"refs/heads/{name}" for name in unknown))
            retention.shadow_tips.update({name: current.get(f"refs/heads/{name}", "") for name in unknown})
        tips = {name: tip for name in done if (tip := retention.shadow_tips.pop(name))}
        bases = {self._branch(session.worktree.base_commit): session.worktree.base_commit for session in sessions}
        if ask:
            from entire.store import retained_steps

            existing = {kept.ref: kept.tip for kept in retained_steps.find(self._place.top, self._place.worktree_id)}
            retention.steps = [retained for retained in retention.steps if existing.get(retained.ref) == retained.tip]
        fresh = []
        for name, tip in tips.items():
            size = retention.shadow_sizes.pop(name, 0)
            if any(session.work.steps >= self.least_retained for session in sessions):
                retained = self._retained(bases[name], tip, size)
                retention.steps.append(retained)
                fresh.append(retained)
        gone = self._drop_surplus()
        moves = [RefMove(ref=f"refs/heads/{name}", new="", old=tip) for name, tip in tips.items()]
        moves += [_retain(retained) for retained in fresh if retained not in gone]
        return moves + [RefMove(ref=old.ref, new="", old=old.tip) for old in gone if old not in fresh]

    def _retained(self, base: str, tip: str, size: int) -> RetainedSteps:
        from entire.store import retained_steps

        known, worktree_id = self._retention.steps, self._place.worktree_id
        return retained_steps.plan(known, worktree_id, base or NO_COMMIT, tip=tip, size=size, now=self._now)

    def _drop_surplus(self) -> list[RetainedSteps]:
        """Remove retained steps that are too old or too big from the journal; return them."""
        from entire.store import retained_steps

        retention, settings = self._retention, self._settings
        seconds = settings.keep_steps_days * _DAY
        gone = retained_steps.surplus(retention.steps, self._now, seconds=seconds, max_bytes=settings.keep_steps_bytes)
        retention.steps = [retained for retained in retention.steps if retained not in gone]
        return gone


def _retain(retained: RetainedSteps) -> RefMove:
    return RefMove(ref=retained.ref, new=retained.tip, old="")
