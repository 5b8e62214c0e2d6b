"""Reads a session's metadata folder in a step, which the Go CLI may have continued."""

from __future__ import annotations

from entire.model.ids import CheckpointId, is_checkpoint_id
from entire.model.value import Value
from entire.store import checkpoints, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from entire.agents.contract import Agent
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.session import Session


def session_files(objects: Objects, commit: str, session_id: str) -> dict[str, str]:
    """Return the files of a session's metadata folder in a step: name to object id.

    Without the parts of an older transcript that the Go CLI left beside the file it wrote.
    """
    folder = steps.metadata_folder(session_id)
    files = _names(objects, f"{commit}:{folder}")
    transcript = checkpoints.transcript_files(files)
    if len(transcript) < 2:
        return files
    before = _names(objects, f"{commit}^:{folder}")
    (base, oid), *numbered = transcript.items()
    same = {name: part for name, part in numbered if before.get(name) == part}
    whole = objects.blob(oid) or b""
    is_new_and_whole = oid != before.get(base) and whole.endswith(b"\n")  # a base with parts loses its last newline
    if not is_new_and_whole and not any((objects.blob(part) or b"").strip() in whole for part in same.values()):
        return files
    return {name: part for name, part in files.items() if name not in same}


def newest_step(place: Place, objects: Objects, session: Session) -> str:
    """Return the commit with what was last stored of a session since its last checkpoint, '' if there is none."""
    from entire import layout
    from entire.git import history, refs
    from entire.model import trailers

    if session.conversation and objects.commit(session.conversation) is not None:
        return session.conversation
    if not session.work.steps:
        return ""
    ref = "refs/heads/" + steps.branch_name(session.worktree.base_commit, layout.worktree_id(session.worktree.name))
    tip = refs.read(place.top, ref).get(ref, "")
    for step in history.log(place.top, [tip]) if tip else ():  # other sessions' too
        if trailers.parse(step.message).get(trailers.SESSION, [""])[0] == session.session_id:
            return step.oid
    return ""


class SavedTranscript(Value):
    """A stored transcript: its content, the blobs of its parts, and its size in the agent's file, 0 if unknown."""

    content: bytes
    parts: tuple[str, ...]
    size: int = 0


def latest(objects: Objects, session: Session, agent: Agent) -> SavedTranscript | None:
    """Return what was last stored of a session's transcript: at a turn's end, else in its last checkpoint."""
    for parts in stored_parts(objects, session):
        blobs = [objects.blob(oid) for oid in parts]
        content = [blob for blob in blobs if blob is not None]
        if parts and len(content) == len(parts):
            whole = checkpoints.joined(content, agent.reassemble_transcript)
            return SavedTranscript(content=whole, parts=parts, size=len(whole))
    return None


def stored_parts(objects: Objects, session: Session) -> Iterator[tuple[str, ...]]:
    """Yield the parts of the last turn's end, then those of the last checkpoint, as far as there are any."""
    if session.conversation:
        yield _parts(session_files(objects, session.conversation, session.session_id))
    if is_checkpoint_id(session.last_checkpoint):
        checkpoint = checkpoints.read(objects, [checkpoints.LOCAL_REF], CheckpointId(session.last_checkpoint))
        slot = checkpoint.slot_of(session.session_id) if checkpoint is not None else None
        yield _parts(slot.files if slot is not None else {})


def _parts(files: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(checkpoints.transcript_files(files).values())


def _names(objects: Objects, folder: str) -> dict[str, str]:
    return {entry.name: entry.oid for entry in objects.tree(folder)}
