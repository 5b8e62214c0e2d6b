"""After a commit: carries out what was decided before it, and records uncommitted work and unlinked commits."""

from __future__ import annotations

from entire import process
from entire.git import history, operation
from entire.lifecycle.commits import pending
from entire.lifecycle.commits.pending import CommitKind
from entire.model import trailers
from entire.model.events import EventType
from entire.model.phases import Facts, transition
from entire.model.session import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Commit, Objects
    from entire.layout import Place
    from entire.lifecycle.commits.pending import Pending
    from entire.lifecycle.context import Context
    from entire.model.events import GitEvent


_BY_HAND = "its trailer was removed by hand"
_NOT_PREPARED = "git did not run prepare-commit-msg for it"


def complete(context: Context, _event: GitEvent) -> None:
    """Carry out the decision about the commit that is now HEAD."""
    decided = pending.load(context.place)
    head = context.objects.commit("HEAD")
    if head is None:
        return
    if decided is None:
        if not operation.find().picks:
            _examine(context, head)
        elif not operation.state(context.place).rebasing:  # a rebase's commits follow with the next snapshot
            _add_link(context, head)
        return
    _follow(context, decided, head)
    carry_out(context, decided, head)
    pending.drop(context.place)


def _follow(context: Context, decided: Pending, commit: Commit) -> None:
    is_amend = decided.kind is CommitKind.AMEND
    context.journal.follow(commit.oid, decided.head if is_amend else "".join(commit.parents[:1]))


def _examine(context: Context, commit: Commit) -> None:
    """Examine a commit for which git ran post-commit, but not prepare-commit-msg."""
    from entire.git import reflog
    from entire.lifecycle.commits import afterwards

    move = next((move for move in reversed(reflog.moves(context.place)) if move.new == commit.oid), None)
    for found in history.show(context.place.top, [commit.oid]):
        decided = afterwards.decide(context, found, move, context.running_turns())
        _follow(context, decided, commit)
        note_unlinked(context, commit, afterwards.reason(decided, _NOT_PREPARED), decided)


def complete_pending(context: Context, *, is_repeated: bool = False) -> None:
    """Complete a record whose post-commit hook never ran. Keep it while its git still runs; drop it if the commit never
    came. ``is_repeated``: the calling git is about to decide again, which replaces its own record.
    """
    decided = pending.load(context.place)
    if decided is None:
        return
    commit = commit_of(context.place, context.objects, decided)
    if commit is not None:
        carry_out(context, decided, commit)
    elif decided.pid and process.is_running(decided.pid, decided.started):
        if not (is_repeated and decided.pid == operation.find().pid):
            return
    pending.drop(context.place)


def commit_of(place: Place, objects: Objects, decided: Pending) -> Commit | None:
    """Find the commit that a record is about by its checkpoint id."""
    wanted = decided.id or decided.update
    for found in history.log(place.top, ["HEAD"], limit=50):
        if wanted and wanted in trailers.checkpoint_ids(found.message) and (decided.id or found.oid != decided.head):
            return objects.commit(found.oid)
        if found.oid == decided.head:
            break
    return None


def carry_out(context: Context, decided: Pending, commit: Commit) -> None:
    """Link a commit as it was decided, or note why it is not linked."""
    present = trailers.checkpoint_ids(commit.message.decode("utf-8", "surrogateescape"))
    target = decided.id or decided.update
    if present and decided.kind in (CommitKind.SQUASH, CommitKind.RESET, CommitKind.PICK):
        _add_link(context, commit)
    if decided.ids and not present:
        note_unlinked(context, commit, _BY_HAND, decided)
        return
    if decided.update in present and not decided.sessions:
        from entire.lifecycle.commits import checkpoint

        checkpoint.refresh(context, decided, commit)
    if not target or not decided.sessions:
        note_unlinked(context, commit, "" if present else decided.reason, decided)
    elif target not in present:
        note_unlinked(context, commit, _BY_HAND, decided)
    else:
        _link(context, decided, commit)


def _link(context: Context, decided: Pending, commit: Commit) -> None:
    """Write the checkpoint, and update the sessions and the journal with what is committed."""
    # Slow to import, and only a linked commit needs them.
    from entire.lifecycle.commits import carry_forward, checkpoint

    sessions = [session for session in map(context.session, decided.sessions) if session is not None]
    checkpoint.write(context, decided, commit, sessions)
    for session in sessions:
        session.phase, _ = transition(session.phase, EventType.GIT_COMMIT, Facts(linked=True))
    _note_commit(context, commit, decided)
    carry_forward.carry(context, decided, commit, sessions)
    attribution = context.journal.attribution
    is_open = any(session.open_files or session.is_running for session in context.relevant_sessions())
    if not attribution.visiting_sessions and not is_open:
        attribution.note_quiet()
    context.save(*sessions)


def note_unlinked(context: Context, commit: Commit, reason: str, decided: Pending) -> None:
    """Record why a commit is not linked, if it matters to a live session or to one that was not recorded, and close the
    files that it contains. The reason is '' if the content is linked.
    """
    from entire.lifecycle.commits import carry_forward

    is_live = any(session.is_live(context.now()) for session in context.relevant_sessions())
    is_amend = decided.kind is CommitKind.AMEND
    if is_amend or any(path in context.journal.attribution.agent_paths for path in decided.paths):
        _note_commit(context, commit, decided)
        carry_forward.carry_unlinked(context, decided, commit)
    if reason and (is_live or decided.unrecorded or reason == pending.REMOVED):
        context.journal.note_reason(commit.oid, reason, context.now())
        context.log.info("commit not linked", commit=commit.oid, reason=reason)
    context.save()


def _add_link(context: Context, commit: Commit) -> None:
    from entire.lifecycle.snapshots import followed_commits

    followed_commits.add_links(context, [commit.oid])


def _note_commit(context: Context, commit: Commit, decided: Pending) -> None:
    journal = context.journal
    journal.caches.trees[commit.oid] = commit.tree
    if decided.kind is CommitKind.AMEND:
        journal.attribution.forget_commit(decided.head)
    entries = journal.attribution.entries
    if entries and not any(entry.commit == commit.oid for entry in entries):
        journal.attribution.note(
            Entry(tree=commit.tree, time=context.now(), running=decided.running, commit=commit.oid, paths=decided.paths)
        )
