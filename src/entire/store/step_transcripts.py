"""Reads a session's metadata folder in a step, which the Go CLI may have continued."""

from __future__ import annotations

from entire.store import checkpoints, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Objects


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


def _names(objects: Objects, folder: str) -> dict[str, str]:
    return {entry.name: entry.oid for entry in objects.tree(folder)}
