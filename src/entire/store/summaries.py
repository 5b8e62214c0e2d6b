"""Adds a model's summary to a session's record in a checkpoint; nothing else of the checkpoint changes."""

from __future__ import annotations

from entire.errors import EntireError
from entire.model import jsontext, records
from entire.model.records import Summary
from entire.model.value import Value
from entire.store import checkpoint_writer, checkpoints, gojson
from entire.store.checkpoint_writer import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Objects
    from entire.model.ids import CheckpointId
    from entire.redact import Redacted, Redactor
    from entire.store.checkpoint_writer import Changes

_TREE = "040000"


def redacted(summary: Summary, redactor: Redactor) -> Redacted:
    """Return a summary without secrets, in the form that ``write`` takes."""
    return redactor.redact_json(gojson.dumps(summary.to_json()))


class NewSummary(Value):
    """A session's summary to be stored; ``replaces``: also one that is there already."""

    checkpoint_id: CheckpointId
    session_id: str
    summary: Redacted
    replaces: bool = False


def write(where: str, objects: Objects, new: NewSummary, author: str) -> bool:
    """Store a summary in a commit of its own; return False if another process was faster.

    A checkpoint that only a remote's branch has is taken over into the local one. Raises EntireError if the session is
    not in the checkpoint any more.
    """
    changes: Changes = {}
    message = checkpoint_writer.summary_message(new.checkpoint_id, new.session_id)
    for attempt in checkpoint_writer.attempts(where, objects):
        changes = _changes(where, objects, attempt.base, new)
        attempt.write(changes, message=message, author=author)
    return bool(changes)


def _changes(where: str, objects: Objects, base: str, new: NewSummary) -> Changes:
    root = new.checkpoint_id.path
    existing = checkpoints.read_at(objects, base, new.checkpoint_id)
    checkpoint = existing or checkpoints.read(objects, checkpoints.tips(where), new.checkpoint_id)
    slot = checkpoint.slot_of(new.session_id) if checkpoint is not None else None
    value = checkpoints.parse_object(objects.small_blob(slot.files["metadata.json"])) if slot is not None else None
    if checkpoint is None or slot is None or value is None:
        raise EntireError(f"checkpoint {new.checkpoint_id} changed: session {new.session_id} is no longer in it",
                          hint=f"run `entire explain {new.checkpoint_id}` to see what it holds")  # fmt: skip
    if not new.replaces and Summary.from_json(value.get("summary")) not in (None, Summary()):
        return {}
    changes: Changes = {} if existing is not None else {root: (_TREE, checkpoint.tree)}
    data = gojson.dumps(records.with_summary(value, jsontext.loads(new.summary)))
    return {**changes, f"{root}/{slot.number}/metadata.json": (FILE, data)}
