"""The history of commits with what sessions say about it: the request and the rows. Times are as in the views."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.tokens import TokenUsage


class LogRequest(Value):
    """Which commits to list. Without revisions, those of HEAD."""

    revisions: tuple[str, ...] = ()  # as git understands them: A..B, A...B, branches
    everywhere: bool = False  # what any branch or tag reaches
    paths: tuple[str, ...] = ()  # only commits that change one of them (git's pathspecs)
    folder: str = ""  # where the paths start; '': the worktree's root
    author: str = ""  # a part of name or address
    agent: str = ""  # name or display name
    session_id: str = ""  # id or id prefix
    since: str = ""  # an age such as 7d, or a time as git understands it
    until: str = ""
    limit: int = 0  # 0: no limit
    checkpoints: int = 0  # go on after the limit until so many checkpoints are listed
    with_lines: bool = False  # who wrote the lines of each file


class LineOwnerView(Value):
    """Who added or removed lines of a file in a commit.

    ``who``: turn, person, nobody (the commit's own hooks), or unknown if no checkpoint here records it.
    """

    who: str
    session_id: str = ""
    turn: str = ""
    prompt: str = ""  # of the turn
    ranges: tuple[tuple[int, int], ...] = ()  # first and last added line, neighbouring ones merged
    added: int = 0  # lines, if their numbers are not known
    removed: int = 0


class OwnedFileView(Value):
    """A file of a commit with the owners of its lines. ``status`` is git's letter."""

    path: str
    status: str = ""
    old_path: str = ""
    owners: tuple[LineOwnerView, ...] = ()


class MergedView(Value):
    """What a merge brought in: its tip, the branch that the subject names, the commits (the newest ones)."""

    oid: str
    branch: str = ""
    commits: tuple[str, ...] = ()
    is_complete: bool = True  # False: there are more commits


class LogRow(Value):
    """A commit, and what its checkpoints say. Figures are None if they are unknown."""

    oid: str
    subject: str
    author: str
    time: float
    prompt: str = ""  # the first prompt of this commit's part of its first session
    agents: tuple[str, ...] = ()
    session_ids: tuple[str, ...] = ()
    checkpoint_ids: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # checkpoints that are not stored here
    forgotten: Mapping[str, str] = {}  # those of them that were forgotten, and on which day
    files: int | None = None
    added: int | None = None  # lines
    removed: int | None = None
    tokens: TokenUsage | None = None
    reason: str = ""  # why a commit near a live session was not linked
    merged: tuple[MergedView, ...] = ()
    lines: tuple[OwnedFileView, ...] | None = None  # None: not asked for, or a merge
