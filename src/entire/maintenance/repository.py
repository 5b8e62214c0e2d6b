"""What a whole repository holds: all worktrees, session states and shadow branches, for ``clean``, ``reset`` and
``doctor``. Read only.
"""

from __future__ import annotations

import os

from entire import files, layout, process
from entire.errors import CorruptError
from entire.git import refs, worktrees
from entire.git.read import Objects
from entire.model.session import KEPT_SECONDS, NO_COMMIT
from entire.recording import liveness
from entire.store import sessions, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.worktrees import Worktree
    from entire.layout import Place
    from entire.model.session import Session


class Repository:
    """The state of a repository, read once."""

    def __init__(self, place: Place, now: float) -> None:
        self.place = place
        self.now = now
        self.worktrees = worktrees.find_all(place.top, place.common_dir)
        self.places = {**_places(self.worktrees, place), place.worktree_id: place}  # by worktree id
        self.states = sessions.list_states(place)
        self.refs = refs.find(place.top, "refs/heads/entire", "refs/entire")
        self._shadows: dict[str, str] | None = None

    @property
    def ids(self) -> set[str]:
        """The ids of all worktrees that git knows, including those whose folder is missing."""
        return {layout.worktree_id(worktree.name) for worktree in self.worktrees}

    @property
    def heads(self) -> set[str]:
        """HEAD of each worktree."""
        return {worktree.head or NO_COMMIT for worktree in self.worktrees}

    @property
    def checked_out(self) -> set[str]:
        """The branches that worktrees have checked out."""
        return {worktree.branch for worktree in self.worktrees if worktree.branch}

    @property
    def shadows(self) -> dict[str, str]:
        """The shadow branches with their tips. The name is not enough: the tip must carry the trailers of a step."""
        if self._shadows is None:
            named = {ref: oid for ref, oid in self.refs.items() if steps.parse_branch(ref) is not None}
            with Objects(self.place.top) as objects:
                self._shadows = {ref: oid for ref, oid in named.items() if steps.is_shadow(objects, ref, oid)}
        return self._shadows

    @property
    def missing(self) -> list[Worktree]:
        """The worktrees that git knows but whose folder is missing."""
        return [worktree for worktree in self.worktrees if not worktree.is_there]

    def is_gone(self, session: Session) -> bool:
        """Tell whether a session's worktree was removed; one that was moved or is on an unmounted disk was not."""
        names = {worktree.name for worktree in self.worktrees}
        return bool(session.worktree.name) and session.worktree.name not in names

    def is_alive(self, session: Session) -> bool:
        return liveness.is_alive(session, self.now, silence=KEPT_SECONDS)

    def is_at_work(self, session: Session) -> bool:
        """Tell whether a session's agent, or one of its subagents, is working."""
        return liveness.is_at_work(session, self.now, silence=KEPT_SECONDS)

    def uses_shadow(self, session: Session, ref: str) -> bool:
        """Tell whether a session's steps belong on a shadow branch; the old form of its name fits any worktree."""
        branch = steps.parse_branch(ref)
        if branch is None:
            return False
        base, worktree = branch
        fits = not worktree or worktree == layout.worktree_id(session.worktree.name)
        return fits and (session.worktree.base_commit or NO_COMMIT).startswith(base)


def lock(place: Place) -> files.Lock:
    return files.Lock(place.lock_file)


def is_committing(place: Place) -> bool:
    """Tell whether git is making the commit of the pending record; its editor may be open for a long time."""
    try:
        value = files.read_json(place.pending_file) or {}
    except CorruptError:
        return False
    pid = value.get("pid")
    return isinstance(pid, int) and pid > 0 and process.is_running(pid, str(value.get("started", "")))


def _places(known: list[Worktree], here: Place) -> dict[str, Place]:
    places = {}
    for worktree in known:
        place = layout.find(worktree.path) if worktree.is_there and worktree.path else None
        if place is not None and os.path.realpath(place.common_dir) == os.path.realpath(here.common_dir):
            places[place.worktree_id] = place
    return places
