"""What stays open after a commit: open files move on to the new base as a step, condensed steps are retained."""

from __future__ import annotations

from entire.attribution import content
from entire.git import refs
from entire.git.write import Stream
from entire.lifecycle.session_transcript import SessionTranscript
from entire.lifecycle.snapshots import recorder
from entire.lifecycle.turns import turn as turns
from entire.store import retained_steps, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.read import Commit
    from entire.lifecycle.commits.pending import Pending
    from entire.lifecycle.context import Context
    from entire.model.session import Session


def concerned(context: Context, decided: Pending) -> list[Session]:
    """Return the sessions near, and those whose content is in the work tree still: they are near again."""
    for owner in {content.session_of(one) for owners in decided.left.values() for one in owners}:
        session = context.session(owner)
        if session is not None and context.is_here(session):
            context.mark_relevant(owner)
    return context.relevant_sessions()


def close_files(decided: Pending, sessions: Sequence[Session]) -> list[Session]:
    """Forget the open paths whose content the commit holds; those with more in the work tree stay open.

    What an amend takes out of the commit is open again. Returns the sessions that this changed.
    """
    committed = set(decided.paths)
    changed = []
    for session in sessions:
        mine = {
            path
            for path, owners in decided.left.items()
            if any(content.session_of(one) == session.session_id for one in owners)
        }
        again = mine - set(session.open_files) if decided.kind == "amend" else set()
        still = [path for path in session.open_files if path not in committed or path in mine] + sorted(again)
        if still != session.open_files:
            session.open_files = still
            changed.append(session)
    return changed


def carry(context: Context, decided: Pending, commit: Commit, sessions: Sequence[Session]) -> None:
    """After a commit: forget the steps it holds, and save what was not committed as a step on the new base."""
    for session in close_files(decided, concerned(context, decided)):
        context.touch(session)
    for session in filter(context.is_here, sessions):
        session.steps = 0
        session.base_commit = commit.oid
        if session.open_files and not session.is_running:
            _carry_session(context, commit, session)


def done_branches(context: Context, sessions: Sequence[Session], *, ask: bool) -> list[refs.Move]:
    """Return the moves that take shadow branches away on which no session stands once these are condensed: their tips
    stay for a while under refs of ours. ``ask``: what git says counts.
    """
    worktree_id = context.place.worktree_id
    old = {steps.branch_name(session.base_commit, worktree_id) for session in sessions if session.steps}
    done = old - {
        steps.branch_name(one.base_commit, worktree_id)
        for one in context.relevant_sessions()
        if one.steps and one not in sessions
    }
    unknown = [name for name in done if ask or not context.journal.shadows.get(name)]
    context.journal.shadows.update(recorder.shadow_tips(context, unknown))
    tips = {name: tip for name in done if (tip := context.journal.shadows.pop(name))}
    bases = {steps.branch_name(one.base_commit, worktree_id): one.base_commit for one in sessions}
    moves = [refs.Move(ref=f"refs/heads/{name}", new="", old=tip) for name, tip in tips.items()]
    return [
        *moves,
        *_kept(context, {bases[name] or steps.NO_COMMIT: (name, tip) for name, tip in tips.items()}, ask=ask),
    ]


def _kept(context: Context, tips: dict[str, tuple[str, str]], *, ask: bool) -> list[refs.Move]:
    """Return the moves that keep these tips, by base commit, and that forget what is too old or too much."""
    journal, now, chosen = context.journal, context.now(), context.settings
    if ask:
        there = {one.ref: one.tip for one in retained_steps.find(context.place.top, context.place.worktree_id)}
        journal.kept = [line for line in journal.kept if there.get(line[0]) == line[1]]
    moves = []
    for base, (name, tip) in tips.items():
        move, line = retained_steps.keep(
            journal.kept, context.place.worktree_id, base, tip, journal.weights.pop(name, 0), now
        )
        moves.append(move)
        journal.kept.append(line)
    fresh = {move.ref for move in moves}
    gone = retained_steps.surplus(journal.kept, now, chosen.keep_steps_days * 86400.0, chosen.keep_steps_bytes)
    journal.kept = [line for line in journal.kept if line not in gone]
    names = {line[0] for line in gone}
    deletions = [refs.Move(ref=line[0], new="", old=line[1]) for line in gone if line[0] not in fresh]
    return [*(move for move in moves if move.ref not in names), *deletions]


def _carry_session(context: Context, commit: Commit, session: Session) -> None:
    """Write the step that carries a session's open files to the new base; its metadata folder comes along."""
    agent = context.agent_of(session)
    facts = context.journal.snapshot.files
    changes: dict[str, tuple[str, str] | None] = {}
    for path in session.open_files:
        if path in facts:
            changes[path] = None if facts[path][0] == "000000" else (facts[path][0], facts[path][1])
    if agent is None or not changes:
        return
    transcript = SessionTranscript(agent, session, context.place.top)
    step = turns.step_of(context, agent, session, transcript, session.counted, "")
    stream = Stream(context.place.top)
    name = steps.branch_name(commit.oid, context.place.worktree_id)
    tip = recorder.shadow_tips(context, [name])[name]
    message = steps.message("carry forward: uncommitted session files", session.session_id)
    mark = stream.commit(message=message, author=context.author(), parents=(tip,) if tip else (), tree=commit.tree,
                         changes={**changes, **step.metadata(stream)})  # fmt: skip
    new = stream.write()[mark]
    refs.move(context.place.top, [refs.Move(ref=f"refs/heads/{name}", new=new, old=tip)])
    context.journal.shadows[name] = new
    session.steps = 1
