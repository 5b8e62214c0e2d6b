"""The pending record: what prepare-commit-msg decided, until post-commit has carried it out (linking.md section 3).

Written before the trailer is, so no trailer ever stays without a checkpoint: if post-commit never runs, the next
hook or command in the worktree completes the record from the commit, or drops it if the commit never came. A commit
that no hook saw has a record too, while it is linked by its id.
"""

from __future__ import annotations

import os

from entire import files
from entire.attribution.path_lines import PathLines
from entire.errors import CorruptError
from entire.model.choice import Choice
from entire.model.turns import Owner, RunningTurn
from entire.model.value import Value
from entire.store.journal import unreported_from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.layout import Place
    from entire.model.turns import Unreported


class CommitKind(Choice):
    """How a commit relates to earlier ones (linking.md sections 3 to 5)."""

    PLAIN = "plain"
    AMEND = "amend"
    SQUASH = "squash"  # made by `merge --squash`
    RESET = "reset"  # replaces commits that `reset --soft` undid
    MERGE = "merge"  # had conflicts, or opened an editor
    PICK = "pick"  # a cherry-pick that stopped, or one with -n
    REVERT = "revert"

    @property
    def is_new_content(self) -> bool:
        """Whether all lines of the commit count; otherwise only those that no checkpoint has yet."""
        return self in (CommitKind.PLAIN, CommitKind.AMEND, CommitKind.REVERT)


class Pending(Value):
    """The decision about a commit. ``id`` names a new checkpoint, ``update`` one to extend. Both are empty if the
    commit is not linked; ``reason`` says why.
    """

    kind: CommitKind
    head: str  # HEAD before the commit, '' for the first
    tree: str
    moment: float
    id: str = ""
    update: str = ""
    ids: tuple[str, ...] = ()  # all ids for the message's trailers
    unlinked: tuple[str, ...] = ()  # ids that a person unlinked from the commits it replaces: its message may name them
    sessions: dict[str, list[str]] = {}  # session -> its turns with new content ([]: its agent made the commit)
    ends: dict[str, list[Any]] = {}  # session -> where its transcript ended, if it had no turn in progress
    left: dict[str, list[Owner]] = {}  # path -> owners of content that stays uncommitted
    lines: tuple[PathLines, ...] = ()
    paths: tuple[str, ...] = ()
    running: tuple[RunningTurn, ...] = ()
    brought: tuple[str, ...] = ()  # trees that git brought since the last snapshot
    unreported: Unreported = {}  # of what is beyond the last snapshot
    patch_id: str = ""
    reason: str = ""
    commit: str = ""  # one that no hook saw, to be linked by its id: its message cannot be changed any more
    is_late: bool = False  # linked by hand, long after it was made
    task: str = ""  # the tool-use id of the subagent whose own commit it is
    unrecorded: str = ""  # a reason, if the agent that made the commit works in a session that was not recorded
    pid: int = 0  # of the git command; while it runs, the commit may still come
    started: str = ""


def load(place: Place) -> Pending | None:
    """Return the record, or None. A corrupt one is renamed."""
    try:
        return read(place)
    except CorruptError:
        os.replace(place.pending_file, place.pending_file + ".broken")
        return None


def read(place: Place) -> Pending | None:
    """Return the record, or None; raises CorruptError for a corrupt one."""
    value = files.read_json(place.pending_file)
    try:
        return None if value is None else _from_json(value)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CorruptError(f"{place.pending_file} is not a pending record") from error


def save(place: Place, pending: Pending) -> None:
    value: dict[str, Any] = {**pending.__dict__, "kind": pending.kind.value}
    value["lines"] = [
        [path.path, path.status, path.binary, path.added, path.removed, path.path_owner, path.old_path]
        for path in pending.lines
    ]
    files.write_json(place.pending_file, value)


def drop(place: Place) -> None:
    files.remove(place.pending_file)


def _from_json(value: dict[str, Any]) -> Pending:
    known = {name: value[name] for name in Pending._fields if name in value}
    known["kind"] = CommitKind(value["kind"])
    known["lines"] = tuple(_path_lines(line) for line in value["lines"])
    known["left"] = {path: list(map(Owner, owners)) for path, owners in value.get("left", {}).items()}
    known["running"] = tuple(map(RunningTurn, value.get("running", ())))
    known["unreported"] = unreported_from_json(value.get("unreported", {}))
    for name in ("ids", "unlinked", "paths", "brought"):
        known[name] = tuple(known.get(name, ()))
    return Pending(**known)


def _path_lines(value: list[Any]) -> PathLines:
    path, status, binary, added, removed, path_owner, old_path = value
    return PathLines(
        path=path,
        status=status,
        binary=binary,
        added=tuple((first, last, Owner(owner)) for first, last, owner in added),
        removed={Owner(owner): count for owner, count in removed.items()},
        path_owner=Owner(path_owner),
        old_path=old_path,
    )
