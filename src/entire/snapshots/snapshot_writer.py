"""Writes a snapshot as a commit of the journal, and a turn's step: one stream of objects, then the refs move."""

from __future__ import annotations

from entire.errors import RefMovedError
from entire.git import refs
from entire.git.write import ImportStream
from entire.model.session import KEPT_SECONDS, NO_COMMIT
from entire.model.value import Value, replace
from entire.store import steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.redact import Redacted
    from entire.snapshots.worktree import TakenSnapshot
    from entire.strategies.selection import Destination

_ATTEMPTS = 8
MESSAGE = b"Entire journal: snapshot of the worktree\n"


class Step(Value):
    """A step to be saved. ``files`` are added to the worktree's in its tree: content, or the id of a stored blob."""

    session: Session
    message: bytes
    files: Mapping[str, str | Redacted]


def write(context: Context, taken: TakenSnapshot, step: Step | None, *, keep: bool) -> tuple[str, str]:
    """Write the snapshot as a commit of the journal (``keep``) and as a step, in one stream, then move the refs.

    Returns the snapshot's tree and the step's commit; '' for what was not asked for.
    """
    for attempt in range(_ATTEMPTS):
        stream = ImportStream(context.place.top, context.objects)
        for target in taken.links.values():
            stream.blob(target)
        moves: list[refs.RefMove] = []
        parents, rotation = _chain(context) if keep else ((), [])
        if keep:
            snapshot = stream.commit(message=MESSAGE, author=context.author(), parents=parents, tree=taken.base_tree,
                                     changes=taken.changes)  # fmt: skip
            tree = stream.tree_of(snapshot)
            moves += [refs.RefMove(ref=context.journal.ref, new=snapshot), *rotation]
        if step is not None:
            new, branch = _add_step(context, stream, taken, step)
            moves += [refs.RefMove(ref=branch.ref, new=new, old=branch.old), *branch.moves]
        try:
            written = _move(context, stream, moves, as_transaction=attempt > 0 or bool(rotation))
        except RefMovedError:
            if attempt == _ATTEMPTS - 1:
                raise
            context.strategy.ask_git([branch.branch] if step is not None else [])
            continue
        if keep:
            context.journal.retention.tip = written[snapshot]
            if not parents:
                context.journal.retention.chain_since = context.now()
        if step is not None:
            context.strategy.note_saved(branch, written[new], _size(taken))
            step.session.worktree = replace(step.session.worktree, base_commit=taken.snapshot.head or NO_COMMIT)
            step.session.conversation = written[new]
            step.session.work = replace(step.session.work, steps=step.session.work.steps + 1)
        return written[tree] if keep else "", written[new] if step is not None else ""
    raise AssertionError("unreachable")


def write_conversation(context: Context, step: Step) -> None:
    """Write a conversation as a commit of the journal: a turn without changed files makes no step, but the agent may
    delete its transcript.
    """
    retention, stream = context.journal.retention, ImportStream(context.place.top, context.objects)
    parents, rotation = _chain(context)
    mark = stream.commit(message=step.message, author=context.author(), parents=parents,
                         tree=context.journal.attribution.tree, changes=blobs(stream, step.files))  # fmt: skip
    moves = [refs.RefMove(ref=context.journal.ref, new=mark), *rotation]
    retention.tip = _move(context, stream, moves, as_transaction=bool(rotation))[mark]
    if not parents:
        retention.chain_since = context.now()
    step.session.conversation = retention.tip


def _add_step(context: Context, stream: ImportStream, taken: TakenSnapshot, step: Step) -> tuple[str, Destination]:
    """Add a step's commit to the stream; return its mark and where it belongs."""
    branch = _destination(context, step.session, taken.snapshot.head)
    files = {**taken.changes, **folders_of_others(context, step.session, branch), **blobs(stream, step.files)}
    parents = (branch.parent,) if branch.parent else ()
    mark = stream.commit(message=step.message, author=context.author(), parents=parents, tree=taken.base_tree,
                         changes=files)  # fmt: skip
    return mark, branch


def _destination(context: Context, session: Session, head: str) -> Destination:
    others = [other for other in context.relevant_sessions() if other is not session]
    return context.strategy.destination(session, others, head)


def folders_of_others(context: Context, session: Session, target: Destination) -> dict[str, tuple[str, str]]:
    """Return the metadata folders of other sessions with steps on the same branch: the Go CLI reads only its tip."""
    others = [other for other in context.relevant_sessions() if other is not session and other.work.steps]
    folders = {}
    for other in others if target.parent and target.parent == target.old else ():
        path = steps.metadata_folder(other.session_id)
        folder = context.objects.get(f"{target.parent}:{path}")
        if folder is not None and folder.type == "tree":
            folders[path] = ("040000", folder.oid)
    return folders


def blobs(stream: ImportStream, contents: Mapping[str, str | Redacted]) -> dict[str, tuple[str, str]]:
    """Return files as tree entries. Contents are written to the stream; ids of stored blobs are used as they are."""
    return {
        path: ("100644", content if isinstance(content, str) else stream.blob(content))
        for path, content in contents.items()
    }


def _size(taken: TakenSnapshot) -> int:
    """Return the size of the changed files in bytes. They may be in no commit, so this limits the retained steps."""
    facts = taken.snapshot.files
    return sum(int(facts[path][2]) for path in taken.changes if path in facts)


def _chain(context: Context) -> tuple[tuple[str, ...], list[refs.RefMove]]:
    """Return the parents of the journal's next commit. After four weeks a new chain starts, so git can collect old
    snapshots; then also return the ref move that keeps the previous chain.
    """
    journal, now = context.journal, context.now()
    retention = journal.retention
    if not retention.tip:
        return (), []
    needed = min((entry.time for entry in journal.attribution.entries), default=now)
    if now - retention.chain_since <= KEPT_SECONDS or needed < retention.chain_since:
        return (retention.tip,), []
    return (), [refs.RefMove(ref=f"{journal.ref}-past", new=retention.tip)]


def _move(
    context: Context, stream: ImportStream, moves: Sequence[refs.RefMove], *, as_transaction: bool
) -> dict[str, str]:
    """Write the stream and move the refs: in the same git process if git writes and none is deleted, else in their own
    transaction.
    """
    written = stream.write_small()
    if written is None and not as_transaction and all(move.new for move in moves):
        return stream.write_by_git({move.ref: move.new for move in moves})
    written = stream.write_by_git() if written is None else written
    refs.move(
        context.place.top,
        [refs.RefMove(ref=move.ref, new=written.get(move.new, move.new), old=move.old) for move in moves],
    )
    return written
