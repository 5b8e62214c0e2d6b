"""Reads what a digest is made of: a checkpoint's conversations, and its files as they were committed."""

from __future__ import annotations

from entire.errors import MissingObjectError, PartialCloneError
from entire.git import bulk, history
from entire.queries import checkpoints
from entire.summaries import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.model.digests import DigestView
    from entire.model.views.checkpoints import CheckpointView, MessageView
    from entire.store.catalog import Catalog

_POINTER = b"version https://git-lfs.github.com/spec/"
_MAX_FILE = 1 << 20


def of_checkpoint(catalog: Catalog, found: CheckpointView) -> DigestView:
    """Return the digest of a checkpoint. What cannot be read is left out."""
    said = {part.session_id: _messages(catalog, found, part.session_id) for part in found.parts}
    paths = {path for part in found.parts for path in digest.edited_paths(found, part, said[part.session_id])}
    return digest.of(found, said, _committed(catalog.place.top, found, sorted(paths)))


def _messages(catalog: Catalog, found: CheckpointView, session_id: str) -> list[MessageView]:
    try:
        return checkpoints.messages(catalog, found.id, session_id)
    except MissingObjectError:
        return []


def _committed(top: str, found: CheckpointView, paths: Iterable[str]) -> dict[str, str | None]:
    """Return the texts of files in the checkpoint's newest commit that is still here; None for those it lacks.

    Files whose stored form is not what an agent writes (binary, large, kept elsewhere) are left out.
    """
    names = [path for path in paths if "\n" not in path]
    recorded = history.show(top, found.recorded_commits) if names else []
    commit = recorded[-1].oid if recorded else next((linked.oid for linked in found.commits), "")
    if not commit:
        return {}
    texts: dict[str, str | None] = {}
    try:
        blobs = list(bulk.get(top, [f"{commit}:{path}" for path in names]))
    except PartialCloneError:
        return {}
    for path, blob in zip(names, blobs, strict=True):
        if blob is None:
            texts[path] = None
        elif blob.type == "blob" and len(blob.data) <= _MAX_FILE and not _is_foreign(blob.data):
            texts[path] = blob.data.decode("utf-8", "replace")
    return texts


def _is_foreign(data: bytes) -> bool:
    return b"\0" in data or data.startswith(_POINTER)
