"""After a commit: carries out what was decided before it, and records uncommitted work and unlinked commits."""

from __future__ import annotations

from entire import layout, process
from entire.commits import head_update
from entire.git import history, operation
from entire.model import reasons
from entire.model.ids import CheckpointId
from entire.model.phases import after_commit
from entire.model.session import Entry
from entire.model.value import replace
from entire.recording import pending
from entire.recording.pending import CommitKind
from entire.store import links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Commit, Objects
    from entire.layout import Place
    from entire.model.events import GitEvent
    from entire.recording.context import Context
    from entire.recording.pending import Pending


def complete(context: Context, event: GitEvent) -> None:
    """Carry out the decision about the commit that is now HEAD."""
    head = context.objects.commit("HEAD")
    if head is None or not context.can_write():
        return
    decided = _load_own(context, head)
    if decided is None:
        if not operation.find().picks:
            _examine(context, head, event)
        elif not operation.state(context.place).rebasing:  # a rebase's commits follow with the next snapshot
            _carry(context, head)
        return
    follow(context, decided, head)
    carry_out(context, decided, head)
    pending.drop(context.place)


def _load_own(context: Context, head: Commit) -> Pending | None:
    """Return the record of the commit that was just made. One of an earlier commit, which had to wait for a lock while
    this one was prepared, is completed first.
    """
    decided = pending.load(context.place)
    if decided is None or not decided.pid or process.is_running(decided.pid, decided.started):
        return decided
    if decided.id in links.named(head):
        return decided
    complete_pending(context)
    return pending.load(context.place)


def follow(context: Context, decided: Pending, commit: Commit) -> None:
    """Note that HEAD has moved to a commit that we know all about."""
    is_amend = decided.kind is CommitKind.AMEND
    before = decided.head if is_amend else "".join(commit.parents[:1])
    context.journal.follow(commit.oid, before, layout.head_log_end(context.place))


def _examine(context: Context, commit: Commit, event: GitEvent) -> None:
    """Examine a commit for which git ran post-commit, but not prepare-commit-msg."""
    from entire.commits import existing_commit, upcoming_commit
    from entire.git import reflog

    move = next((move for move in reversed(reflog.moves(context.place)) if move.new == commit.oid), None)
    maker = upcoming_commit.committing_session(context, event, context.running())
    for logged in history.show(context.place.top, [commit.oid]):
        running = tuple(context.running_turns())
        made = existing_commit.MadeCommit(commit=logged, move=move, running=running, maker=maker)
        decided = existing_commit.decide(context, made)
        follow(context, decided, commit)
        link_by_id(context, decided, commit)


def link_by_id(context: Context, decided: Pending, commit: Commit) -> None:
    """Carry out a decision about a commit that exists already: its message cannot be changed any more.

    The decision is stored first, so after a kill it is carried out with the same checkpoint id.
    """
    if decided.ids:
        from entire.snapshots import followed_commits

        patch = decided.patch_id or followed_commits.patch_ids(context, [commit])[commit.oid]
        decided = replace(decided, patch_id=patch)
        pending.save(context.place, decided)
    carry_out(context, decided, commit)
    if decided.ids:
        pending.drop(context.place)


def _carry(context: Context, commit: Commit) -> None:
    """Record a copy of a linked commit."""
    from entire.snapshots import followed_commits

    for logged in history.show(context.place.top, [commit.oid]):
        followed_commits.follow(context, [logged])


def complete_pending(context: Context, *, is_repeated: bool = False) -> None:
    """Complete a record whose post-commit hook never ran. Keep it while its git still runs; drop it if the commit never
    came. ``is_repeated``: the calling git is about to decide again, which replaces its own record.
    """
    decided = pending.load(context.place)
    if decided is None:
        return
    commit = commit_of(context.place, context.objects, decided)
    head_update.settle(context.place, is_made=commit is not None)
    if commit is not None:
        carry_out(context, decided, commit)
    elif decided.pid and process.is_running(decided.pid, decided.started):
        if not (is_repeated and decided.pid == operation.find().pid):
            return
    pending.drop(context.place)


def commit_of(place: Place, objects: Objects, decided: Pending) -> Commit | None:
    """Find the commit that a record is about, by its checkpoint id or its own."""
    if decided.commit:
        return objects.commit(decided.commit)
    wanted = decided.id or decided.update
    for logged in history.log(place.top, ["HEAD"], limit=50):
        if wanted and wanted in links.named(logged) and (decided.id or logged.oid != decided.head):
            return objects.commit(logged.oid)
        if logged.oid == decided.head:
            break
    return _find_elsewhere(place, objects, decided, wanted) if wanted else None


def _find_elsewhere(place: Place, objects: Objects, decided: Pending, wanted: str) -> Commit | None:
    """Find the commit of a record that only another branch has: HEAD went there before the record was completed."""
    from entire.git import reflog

    made = [move.new for move in reflog.moves(place) if move.is_new and move.old.strip("0") == decided.head.strip("0")]
    commits = [objects.commit(oid) for oid in dict.fromkeys(made)]
    named = [commit for commit in commits if commit is not None and wanted in links.named(commit)]
    there = history.on_branches(place.top, [commit.oid for commit in named]) if named else []
    return next((commit for commit in named if commit.oid in there), None)


def carry_out(context: Context, decided: Pending, commit: Commit) -> None:
    """Link a commit as it was decided, or note why it is not linked."""
    present, target = links.named(commit), decided.id or decided.update
    carried = present if decided.kind in (CommitKind.SQUASH, CommitKind.RESET, CommitKind.PICK) else []
    if decided.commit:
        present = [CheckpointId(name) for name in decided.ids]
        carried = [name for name in present if name != target]
    carried = [name for name in carried if name not in decided.unlinked]
    gone = [CheckpointId(name) for name in decided.unlinked if name in present]
    if carried or gone:
        from entire.snapshots import followed_commits

        followed_commits.add_links(context, {commit.oid: carried}, () if decided.unrecorded else {commit.oid})
        followed_commits.add_unlinks(context, {commit.oid: gone})
    if decided.ids and not present:
        note_unlinked(context, commit, reasons.BY_HAND.text(), decided)
        return
    if decided.update in present and not decided.sessions:
        from entire.commits import checkpoint

        checkpoint.refresh(context, decided, commit)
    if not target or not decided.sessions:
        note_unlinked(context, commit, "" if present else decided.reason, decided)
    elif target not in present:
        note_unlinked(context, commit, reasons.BY_HAND.text(), decided)
    else:
        _link(context, decided, commit)


def _link(context: Context, decided: Pending, commit: Commit) -> None:
    """Write the checkpoint, and update the sessions and the journal with what is committed."""
    # Slow to import, and only a linked commit needs them.
    from entire.commits import carry_forward, checkpoint

    sessions = [session for session in map(context.session, decided.sessions) if session is not None]
    checkpoint.write(context, decided, commit, sessions)
    for session in sessions:
        session.phase = after_commit(session.phase)
    _note_commit(context, commit, decided)
    carry_forward.carry(context, decided, commit, sessions)
    attribution = context.journal.attribution
    is_open = any(session.work.open_files or session.is_running for session in context.relevant_sessions())
    if not attribution.visiting_sessions and not is_open and not context.has_stashed_work():
        attribution.note_quiet()
    context.journal.forget_reason(commit.oid)
    context.save(*sessions)


def note_unlinked(context: Context, commit: Commit, reason: str, decided: Pending) -> None:
    """Record why a commit is not linked, if it matters to a live session or to one that was not recorded, and close the
    files that it contains. The reason is '' if the content is linked.
    """
    from entire.commits import carry_forward

    is_live = any(session.is_live(context.now()) for session in context.relevant_sessions())
    is_amend = decided.kind is CommitKind.AMEND
    if is_amend or any(path in context.journal.attribution.agent_paths for path in decided.paths):
        _note_commit(context, commit, decided)
        carry_forward.carry_unlinked(context, decided, commit)
    if reason and (is_live or decided.unrecorded or reason == reasons.GO_REMOVED.text()):
        context.journal.note_reason(commit.oid, reason, context.now())
        context.log.info("commit not linked", commit=commit.oid, reason=reason)
    context.save()


def _note_commit(context: Context, commit: Commit, decided: Pending) -> None:
    journal = context.journal
    journal.caches.trees[commit.oid] = commit.tree
    if decided.kind is CommitKind.AMEND:
        journal.attribution.forget_commit(decided.head)
    entries = journal.attribution.entries
    if entries and not any(entry.commit == commit.oid for entry in entries):
        journal.attribution.note(
            Entry(
                tree=commit.tree,
                time=context.now(),
                running=decided.running,
                commit=commit.oid,
                paths=decided.paths,
                brought=decided.brought,
                unreported=decided.unreported,
            )
        )
