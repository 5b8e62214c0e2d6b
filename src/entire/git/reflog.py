"""Reads reflogs: how HEAD moved in this worktree, and what was stashed. With the reftable backend nothing is found."""

from __future__ import annotations

import os

from entire import files
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

_REFLOG_END = 1 << 16


class Move(Value):
    """One line of HEAD's reflog: HEAD moved from ``old`` (zeros before the first commit) to ``new``."""

    old: str
    new: str
    subject: str = ""


def moves(place: Place) -> list[Move]:
    """Return how HEAD moved in this worktree lately, oldest first."""
    data = files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""
    found = []
    for line in data[-_REFLOG_END:].decode("utf-8", "surrogateescape").splitlines():
        ids, _, subject = line.partition("\t")
        words = ids.split()
        if len(words) > 1:
            found.append(Move(old=words[0], new=words[1], subject=subject))
    return found


def amended(place: Place) -> set[str]:
    """Return the commits that were recently amended here, by HEAD's reflog."""
    data = files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""
    lines = [line.partition("\t") for line in data[-65536:].decode("utf-8", "surrogateescape").splitlines()]
    return {ids.split()[0] for ids, _, subject in lines if subject.startswith("commit (amend)") and ids.split()}


def reset_from(place: Place) -> str:
    """Return the commit from which the last ``git reset`` moved HEAD, if only commits followed; else ''."""
    data = files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""
    for line in reversed(data[-8192:].decode("utf-8", "surrogateescape").splitlines()[-20:]):
        ids, _, subject = line.partition("\t")
        if subject.startswith("reset: moving to "):
            words = ids.split()
            if len(words) > 1 and words[0] != words[1]:
                return words[0]
            continue  # it only unstaged something
        if not subject.startswith("commit"):
            return ""
    return ""


def moves_since(place: Place, commit: str) -> list[str]:
    """Return how HEAD has moved in this worktree since it was at a commit, as git describes it, oldest first."""
    data = files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""
    found: list[str] = []
    for line in reversed(data[-_REFLOG_END:].decode("utf-8", "replace").splitlines()):
        ids, _, subject = line.partition("\t")
        if ids.split()[1:2] == [commit]:
            return found[::-1]
        found.append(subject)
    return []


def merged(place: Place) -> set[str]:
    """Return the merge commits that git made in this worktree, by HEAD's reflog."""
    data = files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""
    found = set()
    for line in data[-_REFLOG_END:].decode("utf-8", "replace").splitlines():
        ids, _, subject = line.partition("\t")
        words = ids.split()
        if len(words) > 1 and subject.startswith(("merge ", "pull")) and not subject.endswith("Fast-forward"):
            found.add(words[1])
    return found


def last_stash(place: Place) -> int:
    """Return when the newest stash was made, in seconds since the epoch; 0 if there is none."""
    data = files.read(os.path.join(place.common_dir, "logs", "refs", "stash"))
    words = data.rpartition(b"\t")[0].rpartition(b"\n")[2].split() if data else []
    return int(words[-2]) if len(words) > 2 and words[-2].isdigit() else 0
