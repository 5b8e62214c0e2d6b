"""Who wrote the lines of a commit, file by file, from what its checkpoints record."""

from __future__ import annotations

from entire.git.log_stream import LoggedChange
from entire.model.histories import LineOwnerView, OwnedFileView
from entire.model.jsontext import whole
from entire.model.turns import NOBODY, Owner
from entire.model.value import replace
from entire.queries import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from entire.store.lineage_file import FileLines, LineageFile
    from entire.store.links import Linked
    from entire.store.listed_sessions import ListedCheckpoint

    _Key = tuple[str, str, str]  # who, session, turn
    Prompts = dict[tuple[str, str], str]  # by session and turn


def of_commit(linked: Linked, listed: Sequence[ListedCheckpoint]) -> tuple[OwnedFileView, ...] | None:
    """Return the owners of a commit's lines, given its stored checkpoints; None if its files are not known either.

    A commit without checkpoints is a person's. The record that was made for the commit knows all of its lines; a
    squashed commit has several, which know a part each, as it was before.
    """
    commit = linked.commit
    changed = commit.files if isinstance(commit, LoggedChange) else None
    records = [own for checkpoint in listed if (own := checkpoint.own) is not None]
    records = [record for record in records if record.numbered_in == commit.oid][-1:] or records
    prompts = {key: prompt for checkpoint in listed for key, prompt in _prompts(checkpoint).items()}
    is_numbered = len(records) == 1 and records[0].numbered_in in ("", commit.oid)
    if changed is None:
        paths = dict.fromkeys(path for record in records for path in record.files)
        return tuple(_file(path, _naming(path, records), prompts, is_numbered=is_numbered) for path in paths) or None
    rest = "unknown" if linked.checkpoint_ids or linked.foreign_ids else "person"
    return tuple(
        _file(path, naming, prompts, is_numbered=is_numbered)
        if (naming := _naming(path, records))
        else _owned_by(rest, path, added, removed)
        for path, added, removed in changed
    )


def _naming(path: str, records: Sequence[LineageFile]) -> list[FileLines]:
    return [record.files[path] for record in records if path in record.files]


def _owned_by(who: str, path: str, added: int, removed: int) -> OwnedFileView:
    """Return a file with one owner, who is a conclusion, not recorded; a binary file has no lines."""
    return OwnedFileView(path=path, owners=(LineOwnerView(who=who, added=max(added, 0), removed=max(removed, 0)),))


def _prompts(checkpoint: ListedCheckpoint) -> Prompts:
    own = checkpoint.own
    prompts: Prompts = {}
    for session in checkpoint.sessions:
        session_id = str(session.record.get("session_id", ""))
        for turn, prompt in turns.paired(turns.in_record(own, session_id), session.prompts):
            prompts.setdefault((session_id, str(turn.get("turn", ""))), prompt)
    return prompts


def _file(path: str, naming: Sequence[FileLines], prompts: Prompts, *, is_numbered: bool) -> OwnedFileView:
    """Return a file as one or several records name it. What several of them count is not what their sum changed."""
    latest = naming[-1]
    keys = dict.fromkeys(key for lines in naming for key in _owners(lines))
    counted = _counted(latest, is_numbered=is_numbered) if len(naming) == 1 else {}
    return OwnedFileView(
        path=path,
        status=str(latest.status),
        old_path=str(latest.old_path),
        owners=tuple(
            replace(counted.get(key, LineOwnerView(who=key[0])), session_id=key[1], turn=key[2],
                    prompt=prompts.get(key[1:], ""))
            for key in keys
        ),
    )  # fmt: skip


def _owners(lines: FileLines) -> list[_Key]:
    """Return who added or removed lines of a file, or made a file that has none."""
    named = [_key(who) for who in (*(who for _, _, who in lines.added), *lines.removed)]
    return named or ([_key(lines.made_by)] if lines.made_by else [])


def _counted(lines: FileLines, *, is_numbered: bool) -> dict[_Key, LineOwnerView]:
    """Return each owner's lines: where they are, or how many if the numbers are another commit's."""
    spans: dict[_Key, list[tuple[int, int]]] = {}
    removed: dict[_Key, int] = {}
    for first, last, who in lines.added:
        spans.setdefault(_key(who), []).append((first, last))
    for who, count in lines.removed.items():
        removed[_key(who)] = removed.get(_key(who), 0) + whole(count)
    return {
        key: LineOwnerView(
            who=key[0],
            ranges=merged(spans.get(key, ())) if is_numbered else (),
            added=0 if is_numbered else sum(last - first + 1 for first, last in spans.get(key, ())),
            removed=removed.get(key, 0),
        )
        for key in (*spans, *removed)
    }


def _key(who: object) -> _Key:
    owner = Owner(str(who))
    if owner.is_turn:
        return "turn", owner.session_id, owner.turn.turn_id
    return ("nobody" if owner == NOBODY else "person"), "", ""


def merged(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return ranges of lines in order, neighbouring and overlapping ones as one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)
