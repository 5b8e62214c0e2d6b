"""Links and unlinks commits by hand, in one transaction each: the checkpoints branch, the journal and the sessions."""

from __future__ import annotations

import os

from entire import lifecycle
from entire.commits import checkpoint
from entire.errors import EntireError
from entire.git import history
from entire.linking import plan as plans
from entire.maintenance import undo_notes
from entire.maintenance.repository import is_committing
from entire.model.phases import after_commit
from entire.model.value import replace
from entire.snapshots import followed_commits
from entire.store import checkpoint_writer, links, sessions
from entire.store.checkpoints import LOCAL_REF
from entire.store.links import CheckpointLinks
from entire.undo import completion
from entire.undo.draft import Draft
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from entire.git.history import Logged
    from entire.git.read import Commit
    from entire.linking.plan import LinkPlan
    from entire.model.linking import LinkRequest, LinkView, UnlinkRequest
    from entire.recording.context import Context
    from entire.store.catalog import Catalog

LINK, UNLINK = "link", "unlink"
_COMMITTING, _RETRY = "a commit is in progress in this worktree; nothing was changed", "finish the commit and try again"


class LinkNotes(Notes):
    """What a link by hand notes for its undo."""

    command = LINK
    commit: str
    counts: Mapping[str, int]  # of what changed, by checkpoint
    tip: str  # of the checkpoints branch after it
    states: Mapping[str, str]  # the digests of the sessions' states that it left
    reason: Mapping[str, Any] | None  # why the commit was not linked: the journal's entry


class UnlinkNotes(LinkNotes):
    """What an unlinking notes for its undo: the same."""

    command = UNLINK


def link(context: Context, catalog: Catalog, request: LinkRequest) -> LinkView:
    """Link a commit, or with ``dry_run`` only return what would change."""
    if request.dry_run:
        return plans.view(context, plans.link(context, catalog, request))
    prepare(context)
    with context.lock():
        check(context)
        return _carry_out(context, plans.link(context, catalog, request), LINK)


def unlink(context: Context, request: UnlinkRequest) -> LinkView:
    """Unlink a commit, or with ``dry_run`` only return what would change."""
    if request.dry_run:
        return plans.view(context, plans.unlink(context, request))
    prepare(context)
    with context.lock():
        check(context)
        return _carry_out(context, plans.unlink(context, request), UNLINK)


def prepare(context: Context) -> None:
    """Finish what interrupted hooks left, if Entire is enabled. Raises EntireError while a commit is in progress."""
    if is_committing(context.place):
        raise EntireError(_COMMITTING, hint=_RETRY)
    if context.settings.enabled:
        lifecycle.finish_interrupted(context)


def check(context: Context) -> None:
    """Finish interrupted changes; raises EntireError while a commit is in progress. The caller holds the lock."""
    completion.complete(context.place)
    if os.path.exists(context.place.pending_file):
        raise EntireError(_COMMITTING, hint=_RETRY)


def _carry_out(context: Context, plan: LinkPlan, command: str) -> LinkView:
    view = plans.view(context, plan)
    if not view.is_change:
        return view
    verb = "the link" if command == LINK else "the unlinking"
    draft = Draft(context.place, command, f"{verb} of commit {plan.commit.oid[:7]}", now=context.now())
    try:
        base, old = checkpoint_writer.find_base(context.place.top, context.objects)
        changes, message = _changes(context, plan, base)
        tip = checkpoint_writer.store(context.place.top, base, changes, message=message, author=context.author())
        draft.move_ref(LOCAL_REF, tip, old)
        reason = next(
            (dict(entry) for entry in context.journal.reasons if entry.get("commit") == plan.commit.oid), None
        )
        states = _draft_states(context, draft, plan)
        if reason is not None:
            set_reason(context, draft, plan.commit.oid)
        draft.notes = LinkNotes(commit=plan.commit.oid, counts=_counts(context, plan, tip), tip=tip, states=states,
                                reason=reason)  # fmt: skip
        undo_id = draft.carry_out().id
    finally:
        draft.discard()
    new = plan.decided.id if plan.decided is not None else ""
    context.log.info(f"commit {command}ed by hand", commit=plan.commit.oid, checkpoints=", ".join(plan.after))
    return replace(view, after=plan.after, new=new, undo_id=undo_id)


def _changes(context: Context, plan: LinkPlan, base: str) -> tuple[checkpoint_writer.Changes, bytes]:
    commit = _made(context, plan.commit)
    known = CheckpointLinks(context.place.top, context.objects, [base, *context.tips])
    unlinked = known.unlinked(commit.oid)
    toggled = [*plan.unlinked, *(name for name in plan.linked if name in unlinked)]
    changes = links.toggled(known, commit.oid, toggled)
    message = f"{'Unlink' if plan.unlinked else 'Link'} commit {commit.oid[:12]} by hand\n".encode()
    if plan.linked:
        changes.update(followed_commits.link_changes(context, base, [commit], {commit.oid: plan.linked}, {}))
    if plan.decided is not None:
        is_here = not history.outside(context.place.top, "HEAD", [commit.oid])
        written, message = checkpoint.compose_late(context, plan.decided, commit, base, is_here=is_here)
        changes.update(written)
    return changes, message


def _counts(context: Context, plan: LinkPlan, tip: str) -> dict[str, int]:
    """Return the counts of what changed, in the index at ``tip``: an undo goes by them."""
    counts = CheckpointLinks(context.place.top, context.objects, [tip, *context.tips]).counts(plan.commit.oid)
    return {name: counts.get(name, 0) for name in {*plan.before} ^ {*plan.after}}


def _made(context: Context, commit: Logged) -> Commit:
    stored = context.objects.commit(commit.oid)
    if stored is None:
        raise EntireError(f"commit {commit.oid[:7]} cannot be read; nothing was changed",
                          hint="run `git fsck`")  # fmt: skip
    return stored


def _draft_states(context: Context, draft: Draft, plan: LinkPlan) -> dict[str, str]:
    """Add the states of the sessions in a new checkpoint to a draft; return the digests of what it leaves."""
    digests = {}
    for name in plan.decided.sessions if plan.decided is not None else ():
        session = context.session(name)
        if session is None:
            continue
        if session.is_running and session.turn_checkpoints:
            session.phase = after_commit(session.phase)
        forms = sessions.forms(context.place, session)
        for path, data in forms:
            draft.write_private(path, data)
        digests[name] = undo_notes.digest_of(forms[0][1])
    return digests


def set_reason(context: Context, draft: Draft, commit: str, reason: str = "", moment: float = 0.0) -> None:
    """Add the journal to a draft, with why a commit is not linked; '' if it is."""
    journal = context.journal
    journal.forget_reason(commit)
    if reason:
        journal.note_reason(commit, reason, moment)
    for path, data in journal.forms(live=journal.is_live):
        draft.write_private(path, data)
