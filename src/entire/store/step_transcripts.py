"""Reads a session's metadata folder in a step, which the Go CLI may have continued."""

from __future__ import annotations

from entire.store import checkpoints, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Objects


def session_files(objects: Objects, commit: str, session_id: str) -> dict[str, str]:
    """Return the files of a session's metadata folder in a step: name to object id.

    Without the parts of an older transcript that the Go CLI left beside the file it wrote: the step before has them
    too, and the base file contains what they hold.
    """
    folder = steps.metadata_folder(session_id)
    files = _names(objects, f"{commit}:{folder}")
    transcript = checkpoints.transcript_files(files)
    if len(transcript) < 2:
        return files
    before = _names(objects, f"{commit}^:{folder}")
    (_, base), *numbered = transcript.items()
    same = {name: oid for name, oid in numbered if before.get(name) == oid}
    whole = objects.blob(base) or b""
    if not any((objects.blob(oid) or b"").strip() in whole for oid in same.values()):
        return files
    return {name: oid for name, oid in files.items() if name not in same}


def _names(objects: Objects, folder: str) -> dict[str, str]:
    return {entry.name: entry.oid for entry in objects.tree(folder)}
