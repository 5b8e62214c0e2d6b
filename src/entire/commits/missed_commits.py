"""Commits that no hook of Entire saw: git ran with its hooks switched off, or another program made them (linking.md
section 1).

At the next event or command each is examined as prepare-commit-msg would have examined it, and linked by its id, or
given a reason. Commits that only came in (a pull, a switch, a rebase) are not new work, nor is a commit that was made
here long ago and is checked out again: a commit counts as new only if HEAD moved to it after the last known entry of
its reflog. Without a reflog no commit is examined.
"""

from __future__ import annotations

from entire.commits import complete, existing_commit
from entire.commits.existing_commit import MadeCommit
from entire.errors import PartialCloneError
from entire.git import history, reflog
from entire.git.reflog import AMENDED, HeadMove
from entire.model import reasons
from entire.model.turns import RunningTurn
from entire.model.value import replace
from entire.snapshots import followed_commits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged
    from entire.model.session import Session
    from entire.recording.context import Context

_MAX_COPIED = 200


def follow(context: Context, before: str, after: str, visitor: Session | None = None) -> None:
    """Learn of the commits between HEAD's last known position and the current one.

    ``visitor``: a session of another worktree with a turn in progress, which may have worked in this one.
    """
    unseen_commits = followed_commits.between(context, before, after) if after != before else []
    moves = reflog.moves_after(context.place, context.journal.caches.reflog)
    is_live = visitor is not None or any(session.is_live(context.now()) for session in context.relevant_sessions())
    if is_live or any(move.is_reset for move in moves):  # a reset may have undone what sessions had committed
        left = _left_elsewhere(context, moves, after) if visitor is None else []
        made = _made_here(context, [*unseen_commits, *left], moves, before, after)
        copies = _copies(context, unseen_commits, moves, [before, *(one.commit.oid for one in made)])
        picked = _picked(context, made)
        for one in reversed([*copies, *made]):  # a copy after its original
            _examine(context, replace(one, original=picked.get(one.commit.oid, one.original)), visitor)
        if unseen_commits and all(move.new != after for move in moves):
            _note_unexplained(context, unseen_commits[0])
    if after != before:
        try:
            followed_commits.record(context, unseen_commits)
        except PartialCloneError as error:
            context.log.warn(f"copies of linked commits were not looked for: {error.message}")


def _left_elsewhere(context: Context, moves: Sequence[HeadMove], after: str) -> list[Logged]:
    """Return the commits that HEAD was moved to and that only another branch still has, newest first."""
    made = list(dict.fromkeys(move.new for move in moves if move.is_new and move.new != after))
    made = [oid for oid in made if context.objects.commit(oid) is not None]
    gone = history.outside(context.place.top, after, made)
    left = history.on_branches(context.place.top, [oid for oid in made if oid in gone])
    return history.show(context.place.top, left)[::-1]


def _made_here(
    context: Context, commits: Sequence[Logged], moves: Sequence[HeadMove], before: str, after: str
) -> list[MadeCommit]:
    """Return the commits that these moves of HEAD made, newest first, with the move to each."""
    known = {before, *context.journal.caches.trees, *(str(reason["commit"]) for reason in context.journal.reasons)}
    reached = {move.new for move in moves}
    made: list[MadeCommit] = []
    links = context.links
    recorded = links.is_recorded
    for commit in commits:
        by = next((move for move in reversed(moves) if move.makes(commit)), None)
        if by is None and commit.oid == after and after not in reached:
            by = _unlogged_amend(context, commit, before)
        if by is None or commit.oid in known or recorded(commit.oid):
            continue
        if by.is_amend or not links.of(commit):
            move = reflog.through_amends(moves, by, lambda oid: oid in known or recorded(oid))
            made.append(MadeCommit(commit=commit, move=move))
    order = {move.new: at for at, move in enumerate(moves) if move.is_new}
    return sorted(made, key=lambda one: order.get(one.commit.oid, len(order)), reverse=True)


def _picked(context: Context, made: Sequence[MadeCommit]) -> dict[str, str]:
    """Return the commits, linked by their ids, that these were picked from with a conflict."""
    oids = [one.commit.oid for one in made if one.move is not None and one.move.is_resolved_pick]
    commits = [commit for commit in map(context.objects.commit, oids) if commit is not None]
    return followed_commits.originals(context, commits)


def _copies(
    context: Context, commits: Sequence[Logged], moves: Sequence[HeadMove], examined: Sequence[str]
) -> list[MadeCommit]:
    """Return the copies that a rebase made of commits which HEAD had, newest first, if they may hold what nobody has
    looked at: they add what their originals do not, as a resolved conflict does, or these were as new.
    """
    by_copy = {move.new: move for move in moves if move.is_made and not move.is_new}
    copies = [one for one in commits if one.oid in by_copy and one.parents == (by_copy[one.oid].old,)]
    if not copies:
        return []
    known = {*examined, *context.journal.caches.trees, *(str(one["commit"]) for one in context.journal.reasons)}
    left = dict.fromkeys([*examined, *(move.old for move in moves if not move.is_made)])
    tips = [oid for oid in left if oid and context.objects.commit(oid) is not None]
    gone = history.log(context.place.top, [*tips, f"^{commits[0].oid}"], limit=_MAX_COPIED) if tips else []
    originals = {(one.author, one.time, one.subject): one for one in gone}
    pairs = [
        (one, original)
        for one in copies
        if one.oid not in known and (original := originals.get((one.author, one.time, one.subject))) is not None
    ]
    made = {move.new for move in moves if move.is_new} - known
    unseen = {one.oid for one, original in pairs if original.oid in made and not context.links.of(original)}
    changed = followed_commits.with_more(context, [(one, old) for one, old in pairs if one.oid not in unseen])
    sources = {**dict.fromkeys(unseen, ""), **{one.oid: original.oid for one, original in changed}}
    return [
        MadeCommit(commit=one, move=by_copy[one.oid], original=sources[one.oid]) for one in copies if one.oid in sources
    ]


def _note_unexplained(context: Context, head: Logged) -> None:
    """Note a commit to which no move in the reflog leads, if it has files of sessions and is not linked."""
    is_known = bool(context.links.of(head)) or any(reason["commit"] == head.oid for reason in context.journal.reasons)
    if not is_known and not context.journal.attribution.agent_paths.keys().isdisjoint(
        history.changed_paths(context.place.top, head.oid)
    ):
        context.journal.note_reason(head.oid, reasons.NO_REFLOG.text(), context.now())


def _unlogged_amend(context: Context, commit: Logged, before: str) -> HeadMove | None:
    """Recognise an amend by a program that keeps no reflog: same parents, author and time as HEAD had before."""
    old, new = context.objects.commit(before), context.objects.commit(commit.oid)
    if old is None or new is None or (old.parents, old.author) != (new.parents, new.author):
        return None
    return HeadMove(old=old.oid, new=new.oid, subject=AMENDED)


def _examine(context: Context, made: MadeCommit, visitor: Session | None) -> None:
    commit = context.objects.commit(made.commit.oid)
    if commit is None:
        return
    running, made_by = context.running_turns(), maker(context, made.commit, visitor)
    if visitor is not None:
        is_alone = visitor.session_id == made_by and not running
        running.append(RunningTurn(visitor.turn_key) if is_alone else RunningTurn.background(visitor.turn_key))
    decided = existing_commit.decide(context, replace(made, running=tuple(running), maker=made_by))
    complete.link_by_id(context, decided, commit)


def maker(context: Context, commit: Logged, visitor: Session | None = None) -> str:
    """Return the session whose agent made a commit in its running turn, if its transcript says so; '' for a person."""
    for session in [*context.running(), *([visitor] if visitor is not None else [])]:
        if session.turn is not None and context.adapters.of(session) is not None:
            if context.transcripts.of(session).makes_commit(session.turn.start, commit.made_by, commit.oid):
                return session.session_id
    return ""
