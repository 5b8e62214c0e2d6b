"""Who made a change between two snapshots of the worktree."""

from __future__ import annotations

from entire.model.turns import PERSON, Owner, RunningTurn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from entire.model.turns import TurnKey


def owner_between(
    by: TurnKey, running: Sequence[RunningTurn], reports: Mapping[TurnKey, Sequence[str]]
) -> Callable[[str], Owner]:
    """Return a function from a path to who changed it between two snapshots.

    - One running turn: that turn, whatever tool it used.
    - Several: the turn whose tools report the path, else the turn whose event caused the snapshot.
    - None: a person, except for paths that a background turn reports.
    """
    keys = [*([by] if by else []), *(turn.key for turn in running if not turn.is_background)]
    foreground = [Owner(key) for key in dict.fromkeys(keys)]
    candidates = [*foreground, *(Owner(turn.key) for turn in running if turn.is_background)]
    if len(candidates) == 1 and foreground:
        return lambda _path: foreground[0]
    reported = {owner: frozenset(reports.get(owner.turn, ())) for owner in candidates}

    def owner(path: str) -> Owner:
        for candidate in candidates:
            if path in reported[candidate]:
                return candidate
        return foreground[0] if foreground else PERSON

    return owner
