"""Looks up checkpoints and sessions by name in one repository."""

from __future__ import annotations

import functools

from entire.errors import EntireError
from entire.git import history, refs
from entire.git.read import Objects
from entire.model import prefix
from entire.model.ids import is_checkpoint_id
from entire.model.views.checkpoints import TargetView
from entire.store import checkpoint_listing, checkpoints, redactor_of, sessions, tombstones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from entire.directory import AgentDirectory
    from entire.layout import Place
    from entire.model.ids import CheckpointId
    from entire.redact import Redactor
    from entire.store.checkpoints import Checkpoint

    Shared = TypeVar("Shared")

_FORGOTTEN = "`entire forget --undo` restores what this clone forgot last, if git still has it"


class Catalog:
    """Caches the checkpoints branches as they were at the first call; create a new one after a fetch."""

    def __init__(
        self, place: Place, redactor: Redactor | None = None, agents: AgentDirectory | None = None, *,
        only_reads: bool = False,
    ) -> None:  # fmt: skip
        self.place = place
        self.only_reads = only_reads  # nothing that was found is kept for later commands
        self._redactor = redactor
        self._agents = agents
        self._tips: Mapping[str, str] | None = None
        self._checkpoint_ids: list[str] | None = None
        self._sessions: Mapping[str, tuple[str, ...]] | None = None
        self._last: Checkpoint | None = None
        self._shared: dict[Callable[[Catalog], Any], Any] = {}

    def shared(self, kind: Callable[[Catalog], Shared]) -> Shared:
        """Return the one object of a class that all who use this catalog share."""
        if kind not in self._shared:
            self._shared[kind] = kind(self)
        shared: Shared = self._shared[kind]
        return shared

    @property
    def redactor(self) -> Redactor:
        """What redacts the texts of this repository."""
        if self._redactor is None:
            self._redactor = redactor_of(self.place)
        return self._redactor

    @property
    def agents(self) -> AgentDirectory:
        """Which agents there are, also as plugins; enter it to end what it started."""
        if self._agents is None:
            from entire.directory import AgentDirectory

            self._agents = AgentDirectory.with_plugins(self.place)
        return self._agents

    @property
    def tips(self) -> Mapping[str, str]:
        """The checkpoints branches and their commits, the local one first."""
        if self._tips is None:
            self._tips = checkpoints.tips(self.place.top)
        return self._tips

    @property
    def branches(self) -> dict[str, str]:
        """The names of local branches and tags, except our own, and which of the two each is."""
        names: dict[str, str] = {}
        for ref in refs.find(self.place.top, "refs/heads", "refs/tags"):
            kind, _, name = ref.removeprefix("refs/").partition("/")
            if not name.startswith("entire/"):
                names.setdefault(name, "branch" if kind == "heads" else "tag")
        return names

    @property
    def commits(self) -> list[str]:
        """The tips' commits, in search order."""
        return list(self.tips.values())

    @property
    def checkpoint_ids(self) -> list[str]:
        """The ids of all stored checkpoints, sorted."""
        if self._checkpoint_ids is None:
            self._checkpoint_ids = [listed.id for listed in checkpoints.list_all(self.place.top, self.commits)]
        return self._checkpoint_ids

    @property
    def sessions_by_checkpoint(self) -> Mapping[str, tuple[str, ...]]:
        if self._sessions is None:
            self._sessions = checkpoint_listing.session_ids(self.place.top, self.commits)
        return self._sessions

    def forgotten(self, name: str) -> EntireError | None:
        """Return the error that a checkpoint or session, by its whole id, was forgotten; None if it was not."""
        with Objects(self.place.top) as objects:
            if is_checkpoint_id(name) and (moment := tombstones.checkpoint(objects, self.commits, name)):
                of = tombstones.sessions_of(objects, self.commits, name)
                which = f" (it was of session {' and '.join(of)})" if of else ""
                message = f"checkpoint {name} was forgotten on {tombstones.day(moment)}{which}"
                return EntireError(message, hint=_FORGOTTEN)
            if moment := tombstones.session(objects, self.commits, name):
                return EntireError(f"session {name} was forgotten on {tombstones.day(moment)}", hint=_FORGOTTEN)
        return None

    @functools.cached_property
    def has_forgotten(self) -> bool:
        """Whether any checkpoint was forgotten."""
        with Objects(self.place.top) as objects:
            return tombstones.are_there(objects, self.commits)

    def forgotten_days(self, names: Sequence[str]) -> dict[str, str]:
        """Return on which day each of these checkpoints was forgotten, of those that were."""
        if not names or not self.has_forgotten:
            return {}
        with Objects(self.place.top) as objects:
            moments = {name: tombstones.checkpoint(objects, self.commits, name) for name in names}
        return {name: tombstones.day(moment) for name, moment in moments.items() if moment}

    def has_checkpoint(self, checkpoint_id: str) -> bool:
        """Tell whether a checkpoint is stored; ``checkpoint_id`` must be complete."""
        return checkpoint_id in checkpoint_listing.listed(self.place.top, self.commits, [checkpoint_id])

    def read(self, objects: Objects, checkpoint_id: CheckpointId) -> Checkpoint | None:
        """Return a stored checkpoint, None if there is none. The last one is kept: it is asked for with each session
        that it holds.
        """
        if self._last is None or self._last.id != checkpoint_id:
            self._last = checkpoints.read(objects, self.commits, checkpoint_id)
        return self._last

    @property
    def session_ids(self) -> set[str]:
        """The ids of all sessions, from states and checkpoints."""
        return {*sessions.ids(self.place), *(name for named in self.sessions_by_checkpoint.values() for name in named)}

    def checkpoint(self, name: str) -> str:
        """Return the id of the stored checkpoint with the prefix ``name``, '' if there is none."""
        return prefix.find(name, self.checkpoint_ids, "checkpoint")

    def session(self, name: str) -> str:
        """Return the id of the session with the prefix ``name``, from states and checkpoints; '' if there is none."""
        known = set(sessions.ids(self.place))
        return prefix.find(name, known if name in known else self.session_ids, "session")

    def unknown_session(self, name: str) -> EntireError:
        """Return the error that no session starts with ``name``, or that it was forgotten."""
        return self.forgotten(name) or prefix.unknown(
            name, self.session_ids, "session", "run `entire status --detailed` to list sessions"
        )

    def find(self, name: str) -> TargetView | None:
        """Resolve a name: a complete checkpoint id, a commit, a session, or a checkpoint id prefix, in this order."""
        if is_checkpoint_id(name) and self.has_checkpoint(name):
            return TargetView(kind="checkpoint", id=name)
        commit = history.resolve(self.place.top, name)
        if commit:
            return TargetView(kind="commit", id=commit)
        session_id = self.session(name)
        if session_id:
            return TargetView(kind="session", id=session_id)
        checkpoint_id = self.checkpoint(name)
        return TargetView(kind="checkpoint", id=checkpoint_id) if checkpoint_id else None
