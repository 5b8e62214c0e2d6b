"""A whole repository as it stands: all worktrees, states and branches of steps. Read for ``clean``, ``reset`` and
``doctor``; reading it writes nothing.
"""

from __future__ import annotations

import os

from entire import files, layout, process
from entire.errors import CorruptError
from entire.git import refs, worktrees
from entire.git.read import Objects
from entire.layout import METADATA_BRANCH
from entire.lifecycle import liveness
from entire.model.session import KEPT_SECONDS
from entire.store import sessions, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.worktrees import Worktree
    from entire.layout import Place
    from entire.model.session import Session

_METADATA_REF = f"refs/heads/{METADATA_BRANCH}"


class Repository:
    """What is there, asked once and remembered."""

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
        """The ids of all worktrees that git knows, also of those whose folder is not there at the moment."""
        return {layout.worktree_id(one.name) for one in self.worktrees}

    @property
    def heads(self) -> set[str]:
        """The commits on which the worktrees stand."""
        return {one.head or steps.NO_COMMIT for one in self.worktrees}

    @property
    def checked_out(self) -> set[str]:
        """The branches on which the worktrees stand."""
        return {one.branch for one in self.worktrees if one.branch}

    @property
    def shadows(self) -> dict[str, str]:
        """The branches of steps with their tips: named so, and with the trailers of a step at the tip."""
        if self._shadows is None:
            named = {ref: oid for ref, oid in self.refs.items() if steps.parse_branch(ref) is not None}
            with Objects(self.place.top) as objects:
                self._shadows = {ref: oid for ref, oid in named.items() if steps.is_shadow(objects, ref, oid)}
        return self._shadows

    @property
    def missing(self) -> list[Worktree]:
        """The worktrees that git knows and whose folder is not there."""
        return [one for one in self.worktrees if not one.is_there]

    def is_gone(self, session: Session) -> bool:
        """Tell whether a session's worktree was removed. One that was moved or lies on another disk was not."""
        return bool(session.worktree_name) and session.worktree_name not in {one.name for one in self.worktrees}

    def is_alive(self, session: Session) -> bool:
        """Tell whether a session's agent still runs."""
        return liveness.is_alive(session, self.now, silence=KEPT_SECONDS)

    def is_at_work(self, session: Session) -> bool:
        """Tell whether a session's agent, or a subagent of it, is working."""
        return liveness.is_at_work(session, self.now, silence=KEPT_SECONDS)

    def stands_on(self, session: Session, ref: str) -> bool:
        """Tell whether a session stands on a branch of steps (in its old form, that of any worktree)."""
        found = steps.parse_branch(ref)
        if found is None:
            return False
        base, worktree = found
        same = not worktree or worktree == layout.worktree_id(session.worktree_name)
        return same and (session.base_commit or steps.NO_COMMIT).startswith(base)


def lock(place: Place) -> files.Lock:
    """Return the repository's lock."""
    return files.Lock(place.lock_file)


def is_committing(place: Place) -> bool:
    """Tell whether git is making a commit that was decided: its editor may be open for long."""
    try:
        value = files.read_json(place.pending_file) or {}
    except CorruptError:
        return False
    pid = value.get("pid")
    return isinstance(pid, int) and pid > 0 and process.is_running(pid, str(value.get("started", "")))


def _places(found: list[Worktree], here: Place) -> dict[str, Place]:
    places = {}
    for one in found:
        place = layout.find(one.path) if one.is_there and one.path else None
        if place is not None and os.path.realpath(place.common_dir) == os.path.realpath(here.common_dir):
            places[place.worktree_id] = place
    return places
