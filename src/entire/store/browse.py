"""Many checkpoints at once, for lists: what the metadata says, without opening transcripts."""

from __future__ import annotations

from entire.git import bulk
from entire.git.read import parse_tree
from entire.model.ids import CheckpointId, is_checkpoint_id
from entire.model.records import CheckpointSummary, SessionRecord
from entire.model.times import parse_time
from entire.model.views import ListedView
from entire.store import checkpoints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def listed(where: str, tips: Sequence[str], names: Iterable[str]) -> dict[str, ListedView]:
    """Return what is stored of these checkpoints, by id; what no tip holds and what is no id is left out."""
    wanted = [CheckpointId(name) for name in names if is_checkpoint_id(name)]
    holders: dict[str, str] = {}
    for tip in tips:
        left = [one for one in wanted if one not in holders]
        trees = bulk.get(where, [f"{tip}:{one.path}" for one in left]) if left else iter(())
        holders.update((one, tip) for one, tree in zip(left, trees, strict=False) if tree is not None)
    held = [one for one in wanted if one in holders]
    summaries = _summaries(where, {one: f"{holders[one]}:{one.path}/metadata.json" for one in held})
    records = _records(where, held, holders, summaries)
    return {one: _view(one, summaries[one], records[one]) for one in held}


def session_ids(where: str, tips: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the sessions of every stored checkpoint, by checkpoint id. Reads one small record per session."""
    found = checkpoints.list_all(where, tips)
    slots: list[tuple[str, str]] = []
    for one, tree in zip(found, bulk.get(where, [one.tree for one in found]), strict=True):
        entries = parse_tree(tree.data, len(tree.oid) // 2) if tree is not None else []
        slots += [(one.id, f"{entry.oid}:metadata.json") for entry in entries if entry.name.isdigit()]
    sessions: dict[str, list[str]] = {one.id: [] for one in found}
    for (name, _), blob in zip(slots, bulk.get(where, [question for _, question in slots]), strict=True):
        value = checkpoints.parse_object(blob.data if blob is not None else None)
        session_id = value.get("session_id") if value is not None else None
        if isinstance(session_id, str) and session_id:
            sessions[name].append(session_id)
    return {name: tuple(dict.fromkeys(some)) for name, some in sessions.items()}


def _summaries(where: str, paths: Mapping[CheckpointId, str]) -> dict[CheckpointId, CheckpointSummary]:
    found = {}
    for one, blob in zip(paths, bulk.get(where, list(paths.values())), strict=True):
        value = checkpoints.parse_object(blob.data if blob is not None else None)
        found[one] = CheckpointSummary.from_json({"checkpoint_id": one, **(value or {})})
    return found


def _records(
    where: str, held: Sequence[CheckpointId], holders: Mapping[str, str],
    summaries: Mapping[CheckpointId, CheckpointSummary],
) -> dict[CheckpointId, list[SessionRecord]]:  # fmt: skip
    """Load the session records that the summaries point to; where they point nowhere, those of the first slots."""
    asked: list[tuple[CheckpointId, str]] = []
    for one in held:
        pointers = [entry.metadata for entry in summaries[one].sessions] or ["", ""]
        paths = [pointer.lstrip("/") or f"{one.path}/{n}/metadata.json" for n, pointer in enumerate(pointers)]
        asked += [(one, f"{holders[one]}:{path}") for path in paths if "\n" not in path]
    found: dict[CheckpointId, list[SessionRecord]] = {one: [] for one in held}
    for (one, _), blob in zip(asked, bulk.get(where, [name for _, name in asked]), strict=True):
        value = checkpoints.parse_object(blob.data if blob is not None else None)
        if value is not None:
            found[one].append(SessionRecord.from_json(value))
    return found


def _view(one: CheckpointId, summary: CheckpointSummary, records: Sequence[SessionRecord]) -> ListedView:
    files = summary.files_touched or tuple(sorted({path for record in records for path in record.files_touched}))
    return ListedView(
        id=one,
        created=max((parse_time(record.created_at) for record in records), default=0.0),
        branch=summary.branch or (records[-1].branch if records else ""),
        agents=tuple(dict.fromkeys(record.agent for record in records if record.agent)),
        session_ids=tuple(dict.fromkeys(record.session_id for record in records if record.session_id)),
        files=files,
        is_stored=True,
    )
