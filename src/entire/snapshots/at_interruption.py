"""Tells a turn's content from what a person wrote into the same files after it was interrupted.

No hook runs at an interruption, so no snapshot has the files as they were. The transcript has what the tools wrote:
their edits are carried out again on the previous snapshot's files. Where that does not work out, the files stay the
turn's.
"""

from __future__ import annotations

import os

from entire import files
from entire.agents import readings
from entire.git.write import blob_id
from entire.model.value import replace
from entire.snapshots import unreported_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.session import Session, Turn
    from entire.model.transcripts import Edit
    from entire.recording.context import Context
    from entire.snapshots.recorder import SnapshotChange

_MAX_TRANSCRIPT = 32 << 20  # bytes; of a larger one, the files stay the turn's
_MAX_FILE = 4 << 20
_REGULAR = ("100644", "100755")


def change(context: Context, session: Session, seen: SnapshotChange, reported: Sequence[str]) -> SnapshotChange:
    """Return the change as it was when the session's turn was interrupted; ``seen`` if nothing changed since."""
    turn, top = session.turn, context.place.top
    if turn is None or not turn.interrupted or seen.tree:
        return seen
    paths = [path for path in reported if path in seen.taken.changes]
    later = [path for path in paths if unreported_changes.changed_at(top, path)[0] > turn.interrupted]
    edits = _edits(context, session, turn) if later else {}
    known = {path: _content(context, seen, path, edits.get(path, ())) for path in later}
    contents = {path: content for path, content in known.items() if content is not None}
    if not contents:
        return seen
    snapshot, size = seen.taken.snapshot, len(seen.taken.base_tree)
    ids = {path: blob_id(content, size) for path, content in contents.items()}
    facts = {path: [snapshot.files[path][0], oid, 0, 0, 0, 0] for path, oid in ids.items()}  # to be read again
    changes = {path: (snapshot.files[path][0], oid) for path, oid in ids.items()}
    taken = replace(
        seen.taken,
        snapshot=replace(snapshot, files={**snapshot.files, **facts}),
        changes={**seen.taken.changes, **changes},
        links={**seen.taken.links, **contents},
    )
    return replace(seen, taken=taken)


def _edits(context: Context, session: Session, turn: Turn) -> dict[str, list[Edit]]:
    """Return the edits of the turn's successful calls by path, in order."""
    transcript = context.transcripts.of(session)
    if transcript.size() > _MAX_TRANSCRIPT:
        return {}
    edits: dict[str, list[Edit]] = {}
    whole = readings.of(context.adapters.reader(session), transcript.native.snapshot())
    for message in whole.messages():
        call = message.call if message.at >= turn.start.count else None
        for edit in call.edits if call is not None and not call.has_failed else ():
            edits.setdefault(transcript.relative(edit.path), []).append(edit)
    return edits


def _content(context: Context, seen: SnapshotChange, path: str, edits: Sequence[Edit]) -> bytes | None:
    """Return what a path's edits made of it; None if they cannot be carried out, or if git stores something else."""
    mode, oid = seen.taken.changes[path] or ("", "")
    now = files.read(os.path.join(context.place.top, path)) if mode in _REGULAR else None
    if not edits or now is None or len(now) > _MAX_FILE or blob_id(now, len(oid)) != oid:
        return None
    before = context.objects.blob(f"{context.journal.attribution.tree}:{path}")
    try:
        text = _carried_out((before or b"").decode(), edits)
    except UnicodeDecodeError:
        return None
    content = text.encode("utf-8", "surrogatepass") if text is not None else None
    return content if content != now else None


def _carried_out(text: str, edits: Sequence[Edit]) -> str | None:
    for edit in edits:
        if edit.is_whole:
            text = edit.new
        elif edit.old and edit.old in text:
            text = text.replace(edit.old, edit.new)
        else:
            return None
    return text
