"""What reflogs tell: how HEAD moved in this worktree, and what was stashed. Only with the files backend: a reftable
repository has no such files, and nothing is found then.
"""

from __future__ import annotations

import os

from entire import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

_REFLOG_END = 1 << 16


def amended(place: Place) -> set[str]:
    """Return the commits that were replaced by an amend here lately, as HEAD's reflog tells."""
    data = files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""
    lines = [line.partition("\t") for line in data[-65536:].decode("utf-8", "surrogateescape").splitlines()]
    return {ids.split()[0] for ids, _, subject in lines if subject.startswith("commit (amend)") and ids.split()}


def reset_from(place: Place) -> str:
    """Return the commit that HEAD was moved away from by the last ``git reset``, with only commits since; '' if
    none.
    """
    data = files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""
    for line in reversed(data[-8192:].decode("utf-8", "surrogateescape").splitlines()[-20:]):
        ids, _, subject = line.partition("\t")
        if subject.startswith("reset: moving to "):
            words = ids.split()
            if len(words) > 1 and words[0] != words[1]:
                return words[0]
            continue  # it only took something out of the index
        if not subject.startswith("commit"):
            return ""
    return ""


def merged(place: Place) -> set[str]:
    """Return the merge commits that git made in this work tree, as HEAD's reflog tells."""
    data = files.read(os.path.join(place.git_dir, "logs", "HEAD")) or b""
    found = set()
    for line in data[-_REFLOG_END:].decode("utf-8", "replace").splitlines():
        ids, _, subject = line.partition("\t")
        words = ids.split()
        if len(words) > 1 and subject.startswith(("merge ", "pull")) and not subject.endswith("Fast-forward"):
            found.add(words[1])
    return found


def last_stash(place: Place) -> int:
    """Return when the newest stash was made, in seconds since the epoch; 0 without one."""
    data = files.read(os.path.join(place.common_dir, "logs", "refs", "stash"))
    words = data.rpartition(b"\t")[0].rpartition(b"\n")[2].split() if data else []
    return int(words[-2]) if len(words) > 2 and words[-2].isdigit() else 0
