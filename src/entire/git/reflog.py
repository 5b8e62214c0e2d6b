"""Reads reflogs: how HEAD moved in this worktree, and what was stashed. With the reftable backend nothing is found."""

from __future__ import annotations

import os

from entire import files
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from entire.git.history import Logged
    from entire.layout import LogEnd, Place

_REFLOG_END = 1 << 16
_RESET_WITHIN = 20  # moves
_LEFT = 5  # branches
_STASHES = 10
AMENDED = "commit (amend)"
"""How the subject of an amend starts."""
_COPYING = ("am", "checkout", "cherry-pick", "clone", "merge", "pull", "rebase", "reset")
"""First words of the subject where HEAD moves to commits that exist, or to copies of them."""


class HeadMove(Value):
    """One line of HEAD's reflog: HEAD moved from ``old`` (zeros before the first commit) to ``new``."""

    old: str
    new: str
    subject: str = ""
    time: int = 0  # in seconds since the epoch

    @property
    def is_amend(self) -> bool:
        """Tell whether HEAD moved to an amended commit."""
        return self.subject.startswith(AMENDED)

    @property
    def is_resolved_pick(self) -> bool:
        """Tell whether HEAD moved to a commit that was picked with a conflict, which somebody has resolved."""
        return self.subject.startswith("commit (cherry-pick)")

    @property
    def is_reset(self) -> bool:
        """Tell whether ``git reset`` moved HEAD; the reflog does not tell whether it changed files, too."""
        return self._word == "reset"

    @property
    def copies(self) -> bool:
        """Tell whether HEAD may have moved to a copy of a commit, changed by an amend or not."""
        return self.is_amend or self._word in ("am", "cherry-pick", "pull", "rebase")

    @property
    def is_made(self) -> bool:
        """Tell whether git made the commit that HEAD moved to, as a new one or as a copy."""
        how = self.subject.partition(":")[0]
        return self.is_new or (self.copies and how != "pull" and not how.endswith(("(start)", "(finish)")))

    @property
    def _word(self) -> str:
        return self.subject.partition(":")[0].partition(" ")[0]

    def makes(self, commit: Logged) -> bool:
        """Tell whether this move made a commit."""
        on_parent = self.old == commit.parents[0] if commit.parents else not self.old.strip("0")
        return self.new == commit.oid and self.is_new and (on_parent or self.is_amend)

    @property
    def is_new(self) -> bool:
        """Tell whether HEAD moved to a commit that did not exist before, and is not a copy."""
        return self._word not in _COPYING


def moves(place: Place) -> list[HeadMove]:
    """Return how HEAD moved in this worktree lately, oldest first."""
    return _parse(_head_log(place))


def moves_after(place: Place, end: LogEnd) -> list[HeadMove]:
    """Return how HEAD moved in this worktree since its reflog ended at ``end``, oldest first; nothing if that place is
    not known, or git has removed it.
    """
    data = _head_log(place)
    size, line = end[0], os.fsencode(end[1])
    if size < 0 or (line and line not in data):
        return []
    if size > len(data) or not data[:size].rstrip(b"\n").endswith(line):
        size = data.rfind(line) + len(line) if line else len(data)
    return _parse(data[size:])


def _head_log(place: Place) -> bytes:
    return files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""


def _parse(data: bytes) -> list[HeadMove]:
    moves = []
    for line in data[-_REFLOG_END:].decode("utf-8", "surrogateescape").split("\n"):
        ids, _, subject = line.partition("\t")
        words = ids.split()
        if len(words) > 1:
            time = int(words[-2]) if words[-2].isdigit() and len(words) > 3 else 0
            moves.append(HeadMove(old=words[0], new=words[1], subject=subject, time=time))
    return moves


def through_amends(moves: Sequence[HeadMove], move: HeadMove, is_known: Callable[[str], object]) -> HeadMove:
    """Return a move as if the commits that it amended and that are not known had never been."""
    for earlier in reversed(moves):
        if not move.is_amend or is_known(move.old):
            break
        if earlier.new == move.old and earlier.is_new:
            move = replace(earlier, new=move.new, time=move.time)
    return move


def amended(place: Place) -> set[str]:
    """Return the commits that were recently amended here, by HEAD's reflog."""
    return {move.old for move in moves(place) if move.is_amend}


def reset_from(place: Place) -> str:
    """Return the commit from which the last ``git reset``, or several in a row, moved HEAD, if only commits followed;
    else ''.
    """
    tip = ""
    for move in reversed(moves(place)[-_RESET_WITHIN:]):
        if move.old == move.new:
            continue  # it only unstaged something, or went to another branch at the same commit
        is_reset = move.is_reset and tip in ("", move.new)
        if not is_reset and (tip or not move.subject.startswith("commit")):
            return tip
        tip = move.old if is_reset else tip
    return tip


def left(place: Place) -> list[str]:
    """Return the commits at which HEAD lately left a branch, newest first."""
    commits = [move.old for move in reversed(moves(place)) if move.subject.startswith("checkout: ")]
    return list(dict.fromkeys(commits))[:_LEFT]


def left_before(place: Place, commit: str) -> list[str]:
    """Return the commits that HEAD lately left by a reset, a rebase or a checkout, before it first came to a commit;
    newest first.
    """
    commits = []
    for move in moves(place):
        if move.new == commit:
            break
        if move.subject.startswith(("reset: ", "rebase ", "checkout: ")) and move.old != move.new:
            commits.append(move.old)
    return list(dict.fromkeys(reversed(commits)))[:_LEFT]


def merged(place: Place) -> set[str]:
    """Return the merge commits that git made in this worktree, by HEAD's reflog."""
    return {
        move.new
        for move in moves(place)
        if move.subject.startswith(("merge ", "pull")) and not move.subject.endswith("Fast-forward")
    }


def stashes(place: Place) -> tuple[str, ...]:
    """Return the commits of the newest stashes, oldest first."""
    data = files.read(os.path.join(place.common_dir, "logs", "refs", "stash")) or b""
    return tuple(move.new for move in _parse(data)[-_STASHES:])


def last_stash(place: Place) -> int:
    """Return when the newest stash was made, in seconds since the epoch; 0 if there is none."""
    data = files.read(os.path.join(place.common_dir, "logs", "refs", "stash"))
    words = data.rpartition(b"\t")[0].rpartition(b"\n")[2].split() if data else []
    return int(words[-2]) if len(words) > 2 and words[-2].isdigit() else 0
