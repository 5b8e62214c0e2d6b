"""``entire forget``: plans, moves everything in one transaction, and says who else still has it."""

from __future__ import annotations

import os

from entire import contents, files, lifecycle
from entire.audit import own_files
from entire.errors import EntireError
from entire.forgetting import remaining_copies, targets
from entire.forgetting.planning import COMMAND, ForgetNotes, ForgetTarget, Planner
from entire.forgetting.values import Secret
from entire.git import refs
from entire.index import database, digests
from entire.maintenance import undo_notes
from entire.maintenance.repository import is_committing
from entire.model.audits import ForgetView
from entire.model.ids import CheckpointId
from entire.model.value import replace
from entire.redact.memory_file import MemoryFile
from entire.store import checkpoint_writer, checkpoints, forgotten, merge, tombstones
from entire.store.checkpoints import LOCAL_REF
from entire.store.journal import Journal
from entire.undo import completion
from entire.undo.draft import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.forgetting.planning import ForgetPlan
    from entire.layout import Place
    from entire.model.audits import ForgetRequest
    from entire.recording.context import Context
    from entire.redact import Redactor
    from entire.store.catalog import Catalog

_COMMITTING, _RETRY = "a commit is in progress in this worktree; nothing was changed", "finish the commit and try again"


def forget(context: Context, catalog: Catalog, request: ForgetRequest) -> ForgetView:
    """Forget what was asked for; with ``dry_run``, only return what would change."""
    place = context.place
    target, view = targets.find(context, catalog, request)
    if request.dry_run:
        plan = Planner(place, context.objects, target, is_dry=True).plan(now=context.now())
        return _described(context, plan, view)
    if is_committing(place):
        raise EntireError(_COMMITTING, hint=_RETRY)
    if context.settings.enabled:
        lifecycle.finish_interrupted(context)
    with context.lock():
        completion.complete(place)
        if os.path.exists(place.pending_file):
            raise EntireError(_COMMITTING, hint=_RETRY)
        plan = Planner(place, context.objects, target, is_dry=False).plan(now=context.now())
        view = _described(context, plan, view)
        if view.is_empty:
            return view
        done = _carry_out(context, plan, target, view)
        context.forget()
    return done


def _described(context: Context, plan: ForgetPlan, view: ForgetView) -> ForgetView:
    place = context.place
    states = [path for name in plan.removed_sessions for path in undo_notes.state_paths(place, name)]
    touched = {*plan.files, *plan.logs, *(path for path in states if os.path.lexists(path))}
    return replace(
        view, texts=plan.texts, commits=plan.commits, checkpoints=plan.checkpoints, sessions=plan.sessions,
        steps=plan.steps, refs=tuple(sorted(plan.refs)), files=tuple(sorted(touched)), top=place.top,
        has_index=plan.has_index and bool(plan.refs or touched or view.mask), own_files=plan.own_files,
        holders=tuple(remaining_copies.find(place.top, plan.record, now=context.now())),
    )  # fmt: skip


def _carry_out(context: Context, plan: ForgetPlan, target: ForgetTarget, view: ForgetView) -> ForgetView:
    place = context.place
    _remove_index(place)  # before the rest: it can be built again
    for path, data in plan.logs.items():
        files.write(path, data, mode=0o600)
    title = f"the {view.kind} {view.name}"
    draft = Draft(place, COMMAND, title, now=context.now())
    try:
        for ref, (old, new) in plan.refs.items():
            draft.move_ref(ref, new, old)
        _move_branch(context, draft, plan, target)
        for path, content in plan.files.items():
            draft.write_private(path, content)
        _remove_sessions(place, draft, target)
        tip = draft.moved(LOCAL_REF)[1] or refs.read(place.top, LOCAL_REF).get(LOCAL_REF, "")
        record = replace(plan.record, checked=(tip,) if tip else ())  # all that it reaches was read for the plan
        draft.write_private(forgotten.path(place.common_dir), forgotten.data(record))
        if target.secret is not None:
            draft.write_private(place.forgotten_secrets, _with_secret(place, target.secret))
        draft.notes = ForgetNotes(left={path: contents.digest(draft.planned_transcript(path) or b"")
                                        for path in plan.files})  # fmt: skip
        files.write(place.forgetting_file, os.fsencode(place.top), mode=0o600)
        done = draft.carry_out()
        files.remove(place.forgetting_file)
    finally:
        draft.discard()
    _remove_index(place)  # a command may have read what is gone now, and kept what it found
    refs.forget_moves(place.top, done.refs)
    if target.secret is not None:
        remember(context.redactor, target.secret)
    return replace(view, undo_id=done.id)


def _remove_index(place: Place) -> None:
    folder = os.path.join(place.common_own_dir, database.FOLDER)
    database.remove(folder)
    digests.remove(folder)


def _with_secret(place: Place, secret: Secret) -> bytes:
    """Return the hashes of all forgotten secrets: what comes back with a remote's checkpoints is compared with them."""
    memory = MemoryFile(place.forgotten_secrets)
    memory.learn(secret.rule, secret.value)
    return memory.content()


def remember(redactor: Redactor, secret: Secret) -> None:
    """Let redaction know a forgotten secret: the agent's own transcript still says it."""
    memory = redactor.memory
    memory.learn(secret.rule, secret.value)
    memory.save()


def _move_branch(context: Context, draft: Draft, plan: ForgetPlan, target: ForgetTarget) -> None:
    """Add what remotes are known to have besides, and the tombstones, to the rewritten checkpoints branch."""
    where = context.place.top
    old, new = plan.refs.get(LOCAL_REF) or (2 * (refs.read(where, LOCAL_REF).get(LOCAL_REF, ""),))
    tip = new
    for other in plan.others:
        tip = merge.join(where, context.objects, tip, other, context.author()) if tip else other
    if tip and (plan.removed_checkpoints or plan.removed_sessions):
        names = {name: _sessions_of(context, old or tip, name) for name in plan.removed_checkpoints}
        changes = tombstones.changes(names, plan.removed_sessions, context.now())
        message = f"Forget {', '.join(sorted((*target.checkpoints, *target.sessions)))}\n".encode()
        tip = checkpoint_writer.store(where, tip, changes, message=message, author=context.author())
    if tip != old:
        draft.move_ref(LOCAL_REF, tip, old)


def _sessions_of(context: Context, tip: str, name: str) -> list[str]:
    checkpoint = checkpoints.read_at(context.objects, tip, CheckpointId(name))
    return sorted({slot.session_id for slot in checkpoint.slots if slot.session_id} if checkpoint is not None else ())


def _remove_sessions(place: Place, draft: Draft, target: ForgetTarget) -> None:
    """Delete the states of forgotten sessions, and attribute their work to the user in all journals."""
    if not target.sessions:
        return
    for name in target.sessions:
        undo_notes.delete_state(place, draft, name)
    for other in own_files.places(place):
        journal = Journal(other, repair=True)
        undo_notes.forget_sessions(journal, dict.fromkeys(target.sessions, ""))
        journal.sessions = [name for name in journal.sessions if name not in target.sessions]
        for path, data in journal.forms(live=journal.is_live):
            draft.write_private(path, data)
