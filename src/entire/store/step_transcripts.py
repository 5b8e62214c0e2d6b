"""Reads a session's metadata folder in a step, which the Go CLI may have continued."""

from __future__ import annotations

from entire.model.ids import CheckpointId, is_checkpoint_id
from entire.model.value import Value
from entire.store import checkpoints, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.agents.contract import Agent
    from entire.git.read import Objects
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


class SavedTranscript(Value):
    """A stored transcript: its content, and the blobs of its parts."""

    content: bytes
    parts: tuple[str, ...]


def latest(objects: Objects, session: Session, agent: Agent) -> SavedTranscript | None:
    """Return what was last stored of a session's transcript: at a turn's end, else in its last checkpoint."""
    if session.conversation:
        found = _saved(objects, session_files(objects, session.conversation, session.session_id), agent)
        if found is not None:
            return found
    if not is_checkpoint_id(session.last_checkpoint):
        return None
    checkpoint = checkpoints.read(objects, [checkpoints.LOCAL_REF], CheckpointId(session.last_checkpoint))
    slot = checkpoint.slot_of(session.session_id) if checkpoint is not None else None
    return _saved(objects, slot.files, agent) if slot is not None else None


def _saved(objects: Objects, files: Mapping[str, str], agent: Agent) -> SavedTranscript | None:
    parts = tuple(checkpoints.transcript_files(files).values())
    blobs = [objects.blob(oid) for oid in parts]
    content = [blob for blob in blobs if blob is not None]
    if not parts or len(content) < len(parts):
        return None
    return SavedTranscript(content=checkpoints.joined(content, agent.reassemble_transcript), parts=parts)


def _names(objects: Objects, folder: str) -> dict[str, str]:
    return {entry.name: entry.oid for entry in objects.tree(folder)}
