"""Finds the owners of a commit's lines: its patch from the parent, with the owners that the replay found.

The rules are in linking.md section 6.
"""

from __future__ import annotations

from entire.attribution import replay
from entire.attribution.owner_runs import OwnerReader
from entire.attribution.path_lines import PathLines
from entire.git.diff import GITLINK
from entire.model.turns import BASE, NOBODY, PERSON, PERSON_INSTEAD, Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.attribution.replay import Lineage, Path
    from entire.git.diff import FilePatch

    Span = tuple[int, int, Owner]  # first line, last line, owner

_LEAST_LIKENESS = 4  # a new file is a session's if more than one line in so many is


def attribute(lineage: Lineage, patches: Sequence[FilePatch]) -> list[PathLines]:
    """Return the owners of a commit's lines. ``patches`` lead to it from its parent; ``lineage`` is at its tree."""
    return [
        _path_lines(lineage.path(patch.change.path), lineage.path(patch.change.old_path), patch) for patch in patches
    ]


def _path_lines(path: Path, source: Path, patch: FilePatch) -> PathLines:
    change = patch.change
    added, removed = _count(path, source if change.status == "R" else path, patch)
    if is_rewritten := change.status == "A" and path.maker.is_turn and _is_rewritten(path, patch, added):
        added = [(first, last, PERSON if owner.is_turn else owner) for first, last, owner in added]
    return PathLines(
        path=change.path,
        status=change.status,
        binary=patch.binary,
        added=tuple(added),
        removed=removed,
        path_owner=PERSON if is_rewritten else _path_owner(path, patch),
        old_path=change.old_path if change.status == "R" else "",
    )


def _count(path: Path, source: Path, patch: FilePatch) -> tuple[list[Span], dict[Owner, int]]:
    """Return the owners of the added lines, and how many lines each owner removed. ``source`` is the file's path in the
    parent.
    """
    added: list[Span] = []
    removed: dict[Owner, int] = {}
    removed_by = {text: list(owners) for text, owners in (*source.removed_by.items(), *path.removed_by.items())}
    for hunk in patch.hunks:
        line = hunk.new_start
        reader = OwnerReader(path.runs)
        reader.pieces(line - 1)
        for minus, plus, unchanged in hunk.blocks():
            makers = [reader.take() for _ in plus]
            if replay.FORMATTED in makers:
                makers = _owners_of_parent(minus, plus, makers)
            if patch.change.status == "D":
                removers = [path.remover or PERSON] * len(minus)
            else:
                removers = [_take_remover(path, removed_by, text) for text in minus]
            for who in _add_block(added, line, makers, removers):
                removed[who] = removed.get(who, 0) + 1
            reader.pieces(unchanged)
            line += len(plus) + unchanged
    return added, removed


def _take_remover(path: Path, removed_by: dict[bytes, list[Owner]], text: bytes) -> Owner:
    """Return who removed a line, each of the removals once; a person if no snapshot shows it."""
    removers = removed_by.get(text)
    return (removers.pop() if removers else path.committed_lines.get(text)) or PERSON


def _owners_of_parent(minus: Sequence[bytes], plus: Sequence[bytes], makers: Sequence[Owner]) -> list[Owner]:
    """Return the owners of a block's added lines; of lines that a hook formatted, the parent's are nobody's, and others
    are a person's.
    """
    formatted = replay.compare_format(minus, plus)
    sources = formatted.sources if formatted is not None else [-1] * len(plus)
    sourced = zip(makers, sources, strict=True)
    return [(PERSON if source < 0 else NOBODY) if maker == replay.FORMATTED else maker for maker, source in sourced]


def _add_block(added: list[Span], line: int, makers: Sequence[Owner], removers: list[Owner]) -> list[Owner]:
    """Add the owners of a block's added lines from ``line`` on; return who removed its removed lines.

    A line that a person replaced is one removed and one added line. The removal then belongs to the person's line, even
    if an agent had written something else there in between.
    """
    # Removals by people that may belong to people's lines from before the first snapshot.
    free = sum(not who.is_turn and who != NOBODY for who in removers)
    for place, owner in enumerate(makers):
        if not owner.is_turn and owner != NOBODY:
            instead = owner == PERSON_INSTEAD or (owner != PERSON and free > 0)
            owner = PERSON_INSTEAD if instead else PERSON
            if instead:
                free -= 1
                _take_removal(removers, place)
        if added and added[-1][2] == owner and added[-1][1] == line - 1:
            added[-1] = (added[-1][0], line, owner)
        else:
            added.append((line, line, owner))
        line += 1
    return removers


def _take_removal(removers: list[Owner], place: int) -> None:
    """Assign a removal to the person's line at ``place``: one by people, else the agent's in the same place."""
    if PERSON in removers:
        removers[removers.index(PERSON)] = PERSON_INSTEAD
    elif place < len(removers) and removers[place].is_turn:
        removers[place] = PERSON_INSTEAD


def _is_rewritten(path: Path, patch: FilePatch, added: Sequence[Span]) -> bool:
    """Tell whether a person threw a new file of a turn away and wrote it again: no more of the turns' lines remain than
    are gone, and these are at most a quarter of the file. Trivial lines do not count.
    """
    texts = [text for hunk in patch.hunks for _, text in hunk.lines]
    total = remaining = 0
    for first, last, owner in added:
        count = sum(not replay.is_trivial(text) for text in texts[first - 1 : last])
        total += count
        remaining += count if owner.is_turn else 0
    if not any(owner.is_turn for _, _, owner in added):
        return any(owner != NOBODY for _, _, owner in added)
    return bool(total) and path.discarded >= remaining and _LEAST_LIKENESS * remaining <= total


def _path_owner(path: Path, patch: FilePatch) -> Owner:
    change = patch.change
    if change.status == "D":
        return path.remover
    if patch.is_unread:  # without its lines, the file is whoever's has written some of it
        return next((owner for owner, _ in path.runs if owner.is_new), path.maker)
    if change.status in "ART" or patch.binary or GITLINK in (change.old_mode, change.new_mode):
        return path.maker
    return path.mode_changer if change.old_mode != change.new_mode else BASE
