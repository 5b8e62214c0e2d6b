"""The lines of a commit by path, with their owners, and what they count."""

from __future__ import annotations

from entire.model.turns import PERSON, PERSON_INSTEAD, Owner
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.records import Attribution


class PathLines(Value):
    """The lines of one path of a commit, against its first parent.

    ``added`` partitions the added lines into (first line, last line, owner), numbered in the new file from 1.
    ``removed`` counts removed lines by who removed them; ``PERSON_INSTEAD``: a person's line replaced them.
    ``path_owner`` created, removed or moved the file, changed its mode, or wrote it as a binary file; BASE if only
    lines changed.
    """

    path: str
    status: str
    binary: bool
    added: tuple[tuple[int, int, Owner], ...]
    removed: dict[Owner, int]
    path_owner: Owner
    old_path: str = ""  # of a moved file

    def owners(self) -> set[Owner]:
        """Return all owners of this path's change."""
        owners = {owner for _, _, owner in self.added} | set(self.removed)
        if self.path_owner:
            owners.add(self.path_owner)
        return owners


def files_of(session_id: str, lines: Sequence[PathLines]) -> list[str]:
    """Return the sorted paths of a commit that a session changed; a file that it moved appears under both names."""
    mine = [path for path in lines if any(owner.session_id == session_id for owner in path.owners())]
    moved = [path.old_path for path in mine if path.old_path and path.path_owner.session_id == session_id]
    return sorted({*(path.path for path in mine), *moved})


def attribution(session_id: str, lines: Sequence[PathLines], calculated_at: str) -> Attribution:
    """Count a commit's lines by owner (linking.md section 6)."""
    from entire.model.records import Attribution

    added = [(last - first + 1, owner) for path in lines for first, last, owner in path.added]
    removed = [(count, who) for path in lines for who, count in path.removed.items()]
    total = sum(count for count, _ in added)
    agent = sum(count for count, owner in added if owner.session_id == session_id)
    modified = sum(count for count, owner in added if owner == PERSON_INSTEAD)
    human_removed = sum(count for count, who in removed if who == PERSON)
    all_removed = sum(count for count, _ in removed)
    agent_removed = sum(count for count, who in removed if who.session_id == session_id)
    share = agent / total if total else agent_removed / all_removed if all_removed else 0.0
    return Attribution(
        calculated_at=calculated_at,
        agent_lines=agent,
        human_added=sum(count for count, owner in added if owner == PERSON),
        human_modified=modified,
        human_removed=human_removed,
        total_committed=total,
        agent_percentage=share * 100,
    )
