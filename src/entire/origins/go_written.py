"""What checkpoints of the Go CLI tell about lines: only how many of a commit's were the agent's, and in which files.

So a line's owner is a conclusion, where there is one: all lines of the commit were the agent's. That none were is no
basis: after a commit of a part of the work, the Go CLI records 0 % for commits that are the agent's alone.
"""

from __future__ import annotations

from entire.git import diff
from entire.model.turns import Owner, TurnKey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from entire.git.read import Commit
    from entire.model.ids import CheckpointId
    from entire.model.records import SessionRecord
    from entire.origins.copies import Span
    from entire.origins.stored import StoredCheckpoints

_SILENT = "checkpoint {} was written by the Go CLI, which does not record whose each line is"
_WHOLE = 1 << 60


class GoWritten:
    """Draws conclusions about commits that have one checkpoint of one session."""

    def __init__(self, where: str, stored: StoredCheckpoints) -> None:
        self._where = where
        self._stored = stored
        self._sizes: dict[str, dict[str, tuple[int, int]]] = {}  # by commit and path, added and removed lines

    def load(self, commits: Iterable[tuple[Commit, str, CheckpointId]]) -> None:
        """Read the sessions' records; count the lines of commits, given with their parents' trees."""
        wanted = [entry for entry in commits if entry[0].oid not in self._sizes]
        if not wanted:
            return
        self._stored.load_sessions(checkpoint_id for _, _, checkpoint_id in wanted)
        pairs = [(parent or diff.EMPTY_TREE[len(commit.tree)], commit.tree) for commit, parent, _ in wanted]
        sizes = dict(zip(pairs, diff.sizes(self._where, pairs), strict=False))
        self._sizes.update(
            {commit.oid: sizes.get(pair, {}) for (commit, _, _), pair in zip(wanted, pairs, strict=True)}
        )

    def owners(self, oid: str, path: str, ids: Sequence[CheckpointId]) -> tuple[tuple[Span, ...], str]:
        """Return the owner of a file's lines in a commit, or the reason why it is not known."""
        reason = _SILENT.format(", ".join(ids))
        records = [slot.record for slot in self._stored.sessions(ids[0]).values()]
        if len(ids) != 1 or len(records) != 1:
            return (), reason
        owner = self._only_owner(records[0], self._sizes.get(oid, {}), path)
        return (((1, _WHOLE, owner),), "") if owner else ((), reason)

    def _only_owner(self, record: SessionRecord, sizes: dict[str, tuple[int, int]], path: str) -> Owner:
        """Return the turn that wrote all added lines of the commit, '' if the counts do not say so."""
        lines = record.initial_attribution
        total = sum(added for added, _ in sizes.values())
        if lines is None or not total or lines.total_committed != total:
            return Owner("")
        is_whole = lines.agent_lines == total and path in record.files_touched
        return Owner(TurnKey.of(record.session_id, record.turn_id)) if is_whole else Owner("")
