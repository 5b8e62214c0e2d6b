"""The step that carries a session's open files to a new commit."""

from __future__ import annotations

from entire.git import refs
from entire.git.write import ImportStream
from entire.model.value import replace
from entire.snapshots import snapshot_writer
from entire.store import steps
from entire.store.journal import NO_FILE
from entire.turns import turn as turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Commit
    from entire.model.session import Session
    from entire.recording.context import Context


def write(context: Context, commit: Commit, session: Session) -> None:
    """Write the step that carries a session's open files, with its metadata folder, to the new base."""
    facts = context.journal.snapshot.files
    changes: dict[str, tuple[str, str] | None] = {}
    for path in session.work.open_files:
        if path in facts:
            changes[path] = None if facts[path][0] == NO_FILE else (facts[path][0], facts[path][1])
    if not changes:
        return
    step = turns.step_of(context, session, context.transcripts.of(session), session.covered.position, is_counted=True)
    others = [other for other in context.relevant_sessions() if other is not session]
    context.strategy.ask_git([context.strategy.source(session)])
    target = context.strategy.destination(session, others, commit.oid)
    stream = ImportStream(context.place.top, context.objects)
    title = "carry forward: uncommitted session files"
    new = stream.commit(
        message=steps.message(title, session.session_id, strategy=context.strategy.name),
        author=context.author(),
        parents=(target.parent,) if target.parent else (),
        tree=commit.tree,
        changes={
            **changes,
            **snapshot_writer.folders_of_others(context, session, target),
            **snapshot_writer.blobs(stream, step.files),
        },
    )
    written = stream.write()[new]
    refs.move(context.place.top, [refs.RefMove(ref=target.ref, new=written, old=target.old)])
    context.strategy.note_saved(target, written, 0)
    session.work = replace(session.work, steps=1)
