"""After a commit: carry out what was decided before it, and note what stays open or unlinked."""

from __future__ import annotations

from entire import process
from entire.git import history, operation
from entire.lifecycle.commits import pending
from entire.model import trailers
from entire.model.events import EventType
from entire.model.phases import Action, Facts, transition
from entire.model.session import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Commit
    from entire.lifecycle.commits.pending import Pending
    from entire.lifecycle.context import Context


_BY_HAND = "its trailer was removed by hand"


def finish(context: Context) -> None:
    """Carry out what was decided for the commit that HEAD is now."""
    decided = pending.load(context.place)
    head = context.objects.commit("HEAD")
    if head is None:
        return
    context.journal.follow(head.oid, head.parents)
    if decided is None:
        if not operation.find().picks:
            _settle_unlinked(context, head, "git made it without asking")
        elif not operation.state(context.place).rebasing:  # those of a rebase are learned together, at the next look
            _learn(context, head)
        return
    _carry_out(context, decided, head)
    pending.drop(context.place)


def complete_pending(context: Context, *, anew: bool = False) -> None:
    """Complete a record whose post-commit never ran; keep it while its git still runs, drop it if the commit never
    came. ``anew``: the git above is about to decide once more, so that its own record goes.
    """
    decided = pending.load(context.place)
    if decided is None:
        return
    commit = _commit_of(context, decided)
    if commit is not None:
        _carry_out(context, decided, commit)
    elif decided.pid and process.is_running(decided.pid, decided.started):
        if not (anew and decided.pid == operation.find().pid):
            return
    pending.drop(context.place)


def _commit_of(context: Context, decided: Pending) -> Commit | None:
    """Find the commit that a record is about: by its id, else by its parent and tree."""
    wanted = decided.id or decided.update
    for one in history.log(context.place.top, ["HEAD"], limit=50):
        if wanted and wanted in trailers.checkpoint_ids(one.message) and (decided.id or one.oid != decided.head):
            return context.objects.commit(one.oid)
        if one.oid == decided.head:
            break
    return None


def _carry_out(context: Context, decided: Pending, commit: Commit) -> None:
    present = trailers.checkpoint_ids(commit.message.decode("utf-8", "surrogateescape"))
    target = decided.id or decided.update
    if present and decided.kind in ("squash", "reset", "pick"):
        _learn(context, commit)
    if decided.ids and not present:
        _settle_unlinked(context, commit, _BY_HAND, decided)
        return
    if decided.update in present and not decided.sessions:
        from entire.lifecycle.commits import checkpoint

        checkpoint.refresh(context, decided, commit)
    if not target or not decided.sessions:
        _settle_unlinked(context, commit, "" if present else decided.reason, decided)
        return
    if target not in present:
        _settle_unlinked(context, commit, _BY_HAND, decided)
        return
    from entire.lifecycle.commits import carry_forward, checkpoint  # only a linked commit needs the heavy half

    sessions = [session for session in map(context.session, decided.sessions) if session is not None]
    facts = Facts(linked=True)
    chosen = []
    for session in sessions:
        _, actions = transition(session.phase, EventType.GIT_COMMIT, facts)
        if Action.CONDENSE in actions:
            chosen.append(session)
    checkpoint.write(context, decided, commit, chosen)
    for session in chosen:
        session.phase, _ = transition(session.phase, EventType.GIT_COMMIT, facts)
    _note_commit(context, commit, decided)
    carry_forward.carry(context, decided, commit, chosen)
    _close_guests(context, decided)
    if not context.journal.guests and not any(one.open_files or one.is_running for one in context.relevant_sessions()):
        context.journal.settle()
    context.save(*chosen)


def _settle_unlinked(context: Context, commit: Commit, reason: str, decided: Pending | None = None) -> None:
    """Note a commit that is not linked, with the reason, if a session is near ('': its content is linked already)."""
    from entire.lifecycle.commits import carry_forward

    relevant_sessions = [session for session in context.relevant_sessions() if session.is_live(context.now())]
    if decided is not None and (decided.kind == "amend" or reason == _BY_HAND):
        _note_commit(context, commit, decided)
        for session in carry_forward.close_files(decided, carry_forward.concerned(context, decided)):
            context.touch(session)
    if relevant_sessions and reason:
        context.journal.note_reason(commit.oid, reason, context.now())
        context.log.info("commit not linked", commit=commit.oid, reason=reason)
    context.save()


def _close_guests(context: Context, decided: Pending) -> None:
    if context.journal.guests:
        from entire.lifecycle.snapshots import other_worktrees

        other_worktrees.close(context.journal, decided)


def _learn(context: Context, commit: Commit) -> None:
    """Tell our record of the checkpoints that a commit carries on."""
    from entire.lifecycle.snapshots import followed_commits

    followed_commits.learn(context, [commit.oid])


def _note_commit(context: Context, commit: Commit, decided: Pending) -> None:
    """Tell the journal what is settled now."""
    context.journal.trees[commit.oid] = commit.tree
    if decided.kind == "amend":
        context.journal.forget_commit(decided.head)
    if context.journal.entries and not any(entry.commit == commit.oid for entry in context.journal.entries):
        context.journal.note(
            Entry(tree=commit.tree, time=context.now(), running=decided.running, commit=commit.oid, paths=decided.paths)
        )
