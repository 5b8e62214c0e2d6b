"""After a commit: carries out what was decided before it, and records uncommitted work and unlinked commits."""

from __future__ import annotations

from entire import layout
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
    from entire.git.read import Commit
    from entire.recording.context import Context
    from entire.recording.pending import Pending


def follow(context: Context, decided: Pending, commit: Commit) -> None:
    """Note that HEAD has moved to a commit that we know all about."""
    is_amend = decided.kind is CommitKind.AMEND
    before = decided.head if is_amend else "".join(commit.parents[:1])
    context.journal.follow(commit.oid, before, layout.head_log_end(context.place))


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
