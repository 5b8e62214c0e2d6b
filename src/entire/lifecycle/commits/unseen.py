"""Commits that no hook of Entire saw: git ran with its hooks switched off, or another program made them (linking.md
section 1).

At the next event or command each is examined as prepare-commit-msg would have examined it, and linked by its id, or
given a reason. Commits that only came in (a pull, a switch, a rebase) are no one's new work; HEAD's reflog tells them
apart.
"""

from __future__ import annotations

from entire.git import history, reflog
from entire.git.reflog import AMENDED, Move
from entire.lifecycle.commits import afterwards, complete
from entire.lifecycle.commits.afterwards import Found
from entire.lifecycle.snapshots import followed_commits
from entire.model.turns import RunningTurn
from entire.store import links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged
    from entire.lifecycle.context import Context
    from entire.model.session import Session


def follow(context: Context, before: str, after: str, visitor: Session | None = None) -> None:
    """Learn of the commits between HEAD's last known position and the current one.

    ``visitor``: a session of another worktree with a turn in progress, which may have worked in this one.
    """
    found = followed_commits.between(context, before, after) if after != before else []
    if visitor is not None or any(session.is_live(context.now()) for session in context.relevant_sessions()):
        left = _left_elsewhere(context, after) if visitor is None else []
        for commit, move in reversed(_made_here(context, [*found, *left], before, after)):
            _examine(context, commit, move, visitor)
    if after != before:
        followed_commits.record(context, found, before)


def _left_elsewhere(context: Context, after: str) -> list[Logged]:
    """Return the commits that HEAD was moved to since the last event and that only another branch still has, newest
    first.
    """
    moves = reflog.moves(context.place, context.journal.caches.reflog) if context.journal.caches.reflog else []
    made = list(dict.fromkeys(move.new for move in moves if move.is_new and move.new != after))
    made = [oid for oid in made if context.objects.commit(oid) is not None]
    gone = history.outside(context.place.top, after, made)
    left = history.on_branches(context.place.top, [oid for oid in made if oid in gone])
    return history.show(context.place.top, left)[::-1]


def _made_here(context: Context, found: Sequence[Logged], before: str, after: str) -> list[tuple[Logged, Move | None]]:
    """Return the commits that were made in this worktree, newest first, with HEAD's move to each.

    A program that keeps no reflog has moved HEAD if the reflog does not lead to it: then there is no move.
    """
    known = {before, *context.journal.caches.trees, *(str(reason["commit"]) for reason in context.journal.reasons)}
    moves = reflog.moves(context.place)
    reached = {move.new for move in moves}
    made: list[tuple[Logged, Move | None]] = []
    is_logged = after in reached
    recorded = context.links.is_recorded
    for commit in found:
        is_logged = is_logged or commit.oid in reached
        by = next((move for move in reversed(moves) if move.makes(commit)), None)
        if commit.oid in known or (is_logged and by is None):
            continue
        by = by or _unlogged_amend(context, commit, before)
        if (not links.named(commit) or (by is not None and by.is_amend)) and not recorded(commit.oid):
            made.append((commit, by and reflog.through_amends(moves, by, lambda oid: oid in known or recorded(oid))))
    order = {move.new: at for at, move in enumerate(moves) if move.is_new}
    return sorted(made, key=lambda pair: order.get(pair[0].oid, len(order)), reverse=True)


def _unlogged_amend(context: Context, commit: Logged, before: str) -> Move | None:
    """Recognise an amend by a program that keeps no reflog: same parents, author and time as HEAD had before."""
    old, new = context.objects.commit(before), context.objects.commit(commit.oid)
    if old is None or new is None or (old.parents, old.author) != (new.parents, new.author):
        return None
    return Move(old=old.oid, new=new.oid, subject=AMENDED)


def _examine(context: Context, found: Logged, move: Move | None, visitor: Session | None) -> None:
    commit = context.objects.commit(found.oid)
    if commit is None:
        return
    running, made_by = context.running_turns(), maker(context, found, visitor)
    if visitor is not None:
        is_alone = visitor.session_id == made_by and not running
        running.append(RunningTurn(visitor.turn_key) if is_alone else RunningTurn.background(visitor.turn_key))
    if move is None:  # it may have come in, so that only tools' reports tell what a running turn made of it
        running = [RunningTurn.background(turn.key) for turn in running]
    decided = afterwards.decide(context, Found(commit=found, move=move, running=tuple(running), maker=made_by))
    if move or decided.ids:
        complete.link_by_id(context, decided, commit)


def maker(context: Context, found: Logged, visitor: Session | None = None) -> str:
    """Return the session whose agent made a commit in its running turn, if its transcript says so; '' for a person."""
    for session in [*context.running(), *([visitor] if visitor is not None else [])]:
        if session.turn is not None and context.agent_of(session) is not None:
            if context.transcript(session).makes_commit(session.turn.start, found.made_by, found.oid):
                return session.session_id
    return ""
