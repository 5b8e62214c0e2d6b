"""Decides what linking or unlinking a commit by hand changes. Writes nothing."""

from __future__ import annotations

from entire.attribution import path_lines
from entire.errors import EntireError
from entire.git import history
from entire.linking import candidates, reconstruction
from entire.model import prefix, reasons
from entire.model.ids import CheckpointId, is_checkpoint_id, new_id
from entire.model.linking import LinkedSessionView, LinkView
from entire.model.value import Value, replace
from entire.recording.pending import Pending
from entire.snapshots import followed_commits
from entire.store import checkpoint_listing, links, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged
    from entire.model.linking import LinkRequest, UnlinkRequest
    from entire.recording.context import Context
    from entire.store.catalog import Catalog

_SHOWN = 4
_NOT_STORED = "run `entire log` to list commits and their checkpoints"


class LinkPlan(Value):
    """What is written: links to checkpoints that exist, one to a new checkpoint (``decided``), or unlinking."""

    commit: Logged
    before: tuple[CheckpointId, ...]
    linked: tuple[CheckpointId, ...] = ()
    unlinked: tuple[CheckpointId, ...] = ()
    decided: Pending | None = None
    reason: str = ""

    @property
    def after(self) -> tuple[CheckpointId, ...]:
        """The commit's checkpoints afterwards, with the new one."""
        new = [CheckpointId(self.decided.id or self.decided.update)] if self.decided is not None else []
        names = dict.fromkeys([*self.before, *self.linked, *new])
        return tuple(name for name in names if name not in self.unlinked)


def link(context: Context, catalog: Catalog, request: LinkRequest) -> LinkPlan:
    """Plan to link a commit; raises EntireError if it is not clear to what."""
    commit = _commit(context, request.commit)
    known = context.links
    before, gone = known.of(commit), known.unlinked(commit.oid)
    why = reasons.by_hand(gone) or _recorded_reason(context, commit)
    plan = LinkPlan(commit=commit, before=tuple(before), reason=why)
    if request.checkpoint:
        checkpoint_id = _stored(catalog, request.checkpoint)
        return replace(plan, linked=(checkpoint_id,) if checkpoint_id not in before else ())
    if not request.session:
        if before or gone:
            return replace(plan, linked=() if before else tuple(gone))
        return _with_content(context, plan, "")
    held = checkpoint_listing.listed(context.place.top, context.tips, [*before, *gone])
    session_id = catalog.session(request.session)
    with_it = [name for name, listed in held.items() if session_id and session_id in listed.session_ids]
    if with_it:
        is_linked = any(name in before for name in with_it)
        return replace(plan, linked=() if is_linked else tuple(map(CheckpointId, with_it)))
    if session_id and sessions.find(context.place, session_id) is None:
        theirs = [name for name, ids in catalog.sessions_by_checkpoint.items() if session_id in ids]
        raise EntireError(f"session {session_id} is only stored in checkpoints here; nothing was changed",
                          hint=f"link one of them: --checkpoint {' or '.join(theirs[:_SHOWN])}")  # fmt: skip
    return _with_content(context, plan, session_id or request.session)


def _with_content(context: Context, plan: LinkPlan, session: str) -> LinkPlan:
    """Plan a new checkpoint, or links to those whose commits this one replaced (an amend, a squash)."""
    known = reconstruction.find(context, plan.commit)
    decided = known.decided
    carried = [CheckpointId(name) for name in decided.ids if name != decided.id and name not in plan.before]
    if carried and not decided.sessions and not session:
        return replace(plan, linked=tuple(carried))
    wanted = candidates.choose(context, plan.commit, known, session, plan.reason)
    return replace(plan, linked=tuple(carried), decided=_forced(context, plan.commit, decided, wanted))


def _forced(context: Context, commit: Logged, decided: Pending, wanted: Sequence[str]) -> Pending:
    """Return the decision with the sessions that a person wants: the lines stay what is proved."""
    sessions = {name: decided.sessions.get(name) or _turns(context, name, commit) for name in wanted}
    is_update = bool(decided.update) and any(name in decided.sessions for name in wanted)
    made = context.objects.commit(commit.oid)
    patch = decided.patch_id or (followed_commits.patch_ids(context, [made])[commit.oid] if made is not None else "")
    return replace(
        decided,
        id="" if is_update else decided.id or new_id(),
        update=decided.update if is_update else "",
        sessions=sessions,
        patch_id=patch,
        is_late=True,
    )


def _turns(context: Context, session_id: str, commit: Logged) -> list[str]:
    session = context.session(session_id)
    turn = reconstruction.turn_at(context, session, commit.made_by) if session is not None else ""
    return [turn] if turn else []


def unlink(context: Context, request: UnlinkRequest) -> LinkPlan:
    """Plan to unlink a commit from all its checkpoints, or from one of them."""
    commit = _commit(context, request.commit)
    before = context.links.of(commit)
    gone = list(before)
    if request.checkpoint:
        known = [*before, *context.links.unlinked(commit.oid)]
        hint = f"commit {commit.oid[:7]} is linked to {', '.join(before) or 'no checkpoint'}"
        name = prefix.require(request.checkpoint, known, "checkpoint", hint)
        gone = [linked for linked in before if linked == name]
    return LinkPlan(commit=commit, before=tuple(before), unlinked=tuple(gone))


def _commit(context: Context, name: str) -> Logged:
    oid = history.resolve(context.place.top, name)
    commits = history.show(context.place.top, [oid]) if oid else []
    if not commits:
        raise EntireError(f"commit not found: {name}", hint="run `git log` to find its id")
    return commits[0]


def _stored(catalog: Catalog, name: str) -> CheckpointId:
    checkpoint_id = name if is_checkpoint_id(name) and catalog.has_checkpoint(name) else catalog.checkpoint(name)
    if not checkpoint_id:
        raise EntireError(f"checkpoint not found: {name}", hint=_NOT_STORED)
    return CheckpointId(checkpoint_id)


def _recorded_reason(context: Context, commit: Logged) -> str:
    entries = (entry for entry in context.journal.reasons if entry.get("commit") == commit.oid)
    return next((str(entry.get("reason", "")) for entry in entries), "")


def view(context: Context, plan: LinkPlan) -> LinkView:
    """Return what a plan changes. The id of a new checkpoint is left out until it is written."""
    decided = plan.decided
    after = plan.after if decided is None else tuple(name for name in plan.after if name != decided.id)
    lines = decided.lines if decided is not None else ()
    return LinkView(
        commit=plan.commit.oid,
        subject=plan.commit.subject,
        before=plan.before,
        after=after,
        sessions=tuple(_session(context, name, decided) for name in decided.sessions) if decided is not None else (),
        added=path_lines.attribution("", lines, "").total_committed,
        reason=plan.reason,
        is_named=len(links.missing(plan.commit, plan.unlinked)) < len(plan.unlinked),
    )


def _session(context: Context, session_id: str, decided: Pending) -> LinkedSessionView:
    session = context.session(session_id)
    return LinkedSessionView(
        session_id=session_id,
        agent=session.agent.type if session is not None else "",
        first_prompt=session.first_prompt if session is not None else "",
        added=path_lines.attribution(session_id, decided.lines, "").agent_lines,
        files=tuple(path_lines.files_of(session_id, decided.lines)),
    )
