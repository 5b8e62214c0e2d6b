"""Reads the metadata of many checkpoints at once, for lists, without opening transcripts."""

from __future__ import annotations

from entire.git import bulk
from entire.git.read import parse_tree
from entire.model.ids import CheckpointId, is_checkpoint_id
from entire.model.records import CheckpointSummary, SessionRecord
from entire.model.times import parse_time
from entire.model.views.checkpoints import ListedView
from entire.store import checkpoints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def listed(where: str, tips: Sequence[str], names: Iterable[str]) -> dict[str, ListedView]:
    """Return the stored checkpoints among ``names``, by id; unknown and malformed ids are left out."""
    wanted = [CheckpointId(name) for name in names if is_checkpoint_id(name)]
    holders: dict[str, str] = {}
    for tip in tips:
        missing = [checkpoint_id for checkpoint_id in wanted if checkpoint_id not in holders]
        trees = bulk.get(where, [f"{tip}:{checkpoint_id.path}" for checkpoint_id in missing]) if missing else iter(())
        holders.update(
            (checkpoint_id, tip) for checkpoint_id, tree in zip(missing, trees, strict=False) if tree is not None
        )
    stored = [checkpoint_id for checkpoint_id in wanted if checkpoint_id in holders]
    summaries = _summaries(
        where,
        {checkpoint_id: f"{holders[checkpoint_id]}:{checkpoint_id.path}/metadata.json" for checkpoint_id in stored},
    )
    records = _records(where, stored, holders, summaries)
    return {
        checkpoint_id: _view(checkpoint_id, summaries[checkpoint_id], records[checkpoint_id])
        for checkpoint_id in stored
    }


def session_ids(where: str, tips: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the session ids of every stored checkpoint, by checkpoint id. Reads one small record per session."""
    stored = checkpoints.list_all(where, tips)
    slots: list[tuple[str, str]] = []
    for checkpoint, tree in zip(stored, bulk.get(where, [checkpoint.tree for checkpoint in stored]), strict=True):
        entries = parse_tree(tree.data, len(tree.oid) // 2) if tree is not None else []
        slots += [(checkpoint.id, f"{entry.oid}:metadata.json") for entry in entries if entry.name.isdigit()]
    sessions: dict[str, list[str]] = {checkpoint.id: [] for checkpoint in stored}
    for (checkpoint_id, _), blob in zip(slots, bulk.get(where, [path for _, path in slots]), strict=True):
        value = checkpoints.parse_object(blob.data if blob is not None else None)
        session_id = value.get("session_id") if value is not None else None
        if isinstance(session_id, str) and session_id:
            sessions[checkpoint_id].append(session_id)
    return {checkpoint_id: tuple(dict.fromkeys(ids)) for checkpoint_id, ids in sessions.items()}


def _summaries(where: str, paths: Mapping[CheckpointId, str]) -> dict[CheckpointId, CheckpointSummary]:
    summaries = {}
    for checkpoint_id, blob in zip(paths, bulk.get(where, list(paths.values())), strict=True):
        value = checkpoints.parse_object(blob.data if blob is not None else None)
        summaries[checkpoint_id] = CheckpointSummary.from_json({"checkpoint_id": checkpoint_id, **(value or {})})
    return summaries


def _records(
    where: str, held: Sequence[CheckpointId], holders: Mapping[str, str],
    summaries: Mapping[CheckpointId, CheckpointSummary],
) -> dict[CheckpointId, list[SessionRecord]]:  # fmt: skip
    """Load the session records that the summaries point to; without pointers, those of the first slots."""
    requests: list[tuple[CheckpointId, str]] = []
    for checkpoint_id in held:
        pointers = [entry.metadata for entry in summaries[checkpoint_id].sessions] or ["", ""]
        paths = [
            f"{checkpoint_id.path}/{checkpoints.path_in(pointer, checkpoint_id) or f'{n}/metadata.json'}"
            for n, pointer in enumerate(pointers[: checkpoints.MAX_SLOTS])
        ]
        requests += [(checkpoint_id, f"{holders[checkpoint_id]}:{path}") for path in paths if "\n" not in path]
    loaded: dict[CheckpointId, list[SessionRecord]] = {checkpoint_id: [] for checkpoint_id in held}
    for (checkpoint_id, _), blob in zip(requests, bulk.get(where, [name for _, name in requests]), strict=True):
        value = checkpoints.parse_object(blob.data if blob is not None else None)
        if value is not None:
            loaded[checkpoint_id].append(SessionRecord.from_json(value))
    return loaded


def _view(checkpoint_id: CheckpointId, summary: CheckpointSummary, records: Sequence[SessionRecord]) -> ListedView:
    files = summary.files_touched or tuple(sorted({path for record in records for path in record.files_touched}))
    return ListedView(
        id=checkpoint_id,
        created=max((parse_time(record.created_at) for record in records), default=0.0),
        branch=summary.branch or (records[-1].branch if records else ""),
        agents=tuple(dict.fromkeys(record.agent for record in records if record.agent)),
        session_ids=tuple(dict.fromkeys(record.session_id for record in records if record.session_id)),
        files=files,
        is_stored=True,
    )
