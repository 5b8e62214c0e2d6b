"""Who wrote the lines of a commit, file by file, from what its checkpoints record."""

from __future__ import annotations

from entire.model.histories import LineOwnerView, OwnedFileView
from entire.model.turns import NOBODY, Owner
from entire.queries import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from entire.store.lineage_file import FileLines
    from entire.store.listed_sessions import ListedCheckpoint

    Prompts = dict[tuple[str, str], str]  # by session and turn


def of_commit(oid: str, found: Sequence[ListedCheckpoint]) -> tuple[OwnedFileView, ...] | None:
    """Return the owners of a commit's lines; None if none of its checkpoints records them.

    The latest checkpoint that was made for this commit knows all of them.
    """
    records = [own for checkpoint in found if (own := checkpoint.own) is not None]
    if not records:
        return None
    own = next(
        (record for record in reversed(records) if any(link.commit == oid for link in record.commits)), records[-1]
    )
    prompts = {key: prompt for checkpoint in found for key, prompt in _prompts(checkpoint).items()}
    return tuple(_file(path, lines, prompts) for path, lines in own.files.items())


def _prompts(checkpoint: ListedCheckpoint) -> Prompts:
    own = checkpoint.own
    found: Prompts = {}
    for session in checkpoint.sessions:
        session_id = str(session.record.get("session_id", ""))
        for turn, prompt in turns.paired(turns.in_record(own, session_id), session.prompts):
            found.setdefault((session_id, str(turn.get("turn", ""))), prompt)
    return found


def _file(path: str, lines: FileLines, prompts: Mapping[tuple[str, str], str]) -> OwnedFileView:
    spans: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    removed: dict[tuple[str, str, str], int] = {}
    for first, last, who in lines.added:
        spans.setdefault(_key(who), []).append((first, last))
    for who, count in lines.removed.items():
        if isinstance(count, int):
            removed[_key(who)] = removed.get(_key(who), 0) + count
    keys = dict.fromkeys((*spans, *removed)) or ({_key(lines.made_by): None} if lines.made_by else {})
    return OwnedFileView(
        path=path,
        status=str(lines.status),
        old_path=str(lines.old_path),
        owners=tuple(
            LineOwnerView(who=key[0], session_id=key[1], turn=key[2], prompt=prompts.get(key[1:], ""),
                          ranges=merged(spans.get(key, ())), removed=removed.get(key, 0))
            for key in keys
        ),
    )  # fmt: skip


def _key(who: object) -> tuple[str, str, str]:
    owner = Owner(str(who))
    if owner.is_turn:
        return "turn", owner.session_id, owner.turn.turn_id
    return ("nobody" if owner == NOBODY else "person"), "", ""


def merged(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return ranges of lines in order, neighbouring and overlapping ones as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)
