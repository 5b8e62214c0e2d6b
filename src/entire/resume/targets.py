"""What somebody wants to resume: a branch, commit, checkpoint or session, found here or fetched, and what is stored.

Only what is needed is fetched: the checkpoints branch, and the branch that was named. Reads everything, changes nothing
but remote-tracking refs.
"""

from __future__ import annotations

from entire import layout
from entire.errors import EntireError
from entire.git import history, refs, switch
from entire.layout import METADATA_BRANCH
from entire.model import trailers
from entire.model.ids import CheckpointId, is_checkpoint_id, is_session_id
from entire.model.times import parse_time
from entire.model.value import Value, replace
from entire.resume import transcript_merge
from entire.store import browse, checkpoints, lineage_file, sessions, steps, sync
from entire.store.catalog import Catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from entire.git.history import Logged
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.session import Session
    from entire.store.checkpoints import Checkpoint, Slot

    Say = Callable[[str], None]

LIMIT = 60.0  # seconds for one remote


class StoredSession(Value):
    """A session's transcript as it is stored, and what was kept beside it."""

    session_id: str
    agent_type: str
    data: bytes
    created: float = 0.0
    checkpoint_id: str = ""  # '' if it comes from a step
    prompt: str = ""  # the last one
    turns: Sequence[Mapping[str, Any]] = ()  # as lineage.json tells them
    subagents: Mapping[str, str] = {}  # to object ids


class ResumeTarget(Value):
    """What was asked for. ``branch`` is to be checked out if ``needs_switch`` (made from ``track``, if that is set)."""

    branch: str = ""
    needs_switch: bool = False
    track: str = ""
    commit: str = ""  # whose checkpoints these are
    subject: str = ""
    newer: int = 0  # commits of the branch after it
    checkpoint_ids: tuple[str, ...] = ()
    session_id: str = ""
    elsewhere: str = ""  # the newest linked commit, where it is not the branch's own


class Remotes:
    """The remotes, each asked at most once for each thing."""

    def __init__(self, place: Place, say: Say) -> None:
        self._top = place.top
        self._say = say
        names = history.remotes(place.top)
        self._names = sorted(names, key=lambda one: (one != "origin", one))
        self._waiting = list(self._names)
        self.failures: dict[str, str] = {}

    def branch(self, name: str) -> str:
        """Fetch a branch from the first remote that has it; return its remote-tracking ref, or ''."""
        for one in self._names if switch.is_branch_name(name) else ():
            self._say(f"Fetching {name} from {one}")
            try:
                return switch.fetch(self._top, one, name, LIMIT)
            except EntireError as error:
                self._note(one, error.message)
        return ""

    def checkpoints(self) -> bool:
        """Fetch the next remote's checkpoints; False if there is no more remote to ask."""
        if not self._waiting:
            return False
        name = self._waiting.pop(0)
        self._say(f"Fetching {METADATA_BRANCH} from {name}")
        failed = sync.fetch(self._top, name, limit=LIMIT).failed
        if failed:
            self._note(name, failed)
        return True

    def _note(self, name: str, failed: str) -> None:
        if "couldn't find remote ref" not in failed:
            self.failures[name] = failed

    def hint(self) -> str:
        """Say what could not be reached."""
        if self.failures:
            return "; ".join(f"{name} could not be asked: {failed}" for name, failed in self.failures.items())
        if not self._names:
            return "there is no remote that could be asked"
        return f"it is not on {' or '.join(self._names)} either; the machine that made it may not have pushed it"


class Finder:
    """Looks things up in one repository."""

    def __init__(self, place: Place, objects: Objects, say: Say) -> None:
        self.place = place
        self.objects = objects
        self.remotes = Remotes(place, say)
        self._catalog = Catalog(place)

    def _fetch(self) -> bool:
        """Fetch the next remote's checkpoints, and look at all of them from then on; False if there is none to ask."""
        if not self.remotes.checkpoints():
            return False
        self._catalog = Catalog(self.place)
        return True

    # ------------------------------------------------------------ what is meant

    def find(self, target: str) -> ResumeTarget:
        """Return what ``target`` means, '' the present branch; raises EntireError if it means nothing here."""
        current = history.branch(self.place.top)
        if not target:
            return self._branch(current, current, {}) if current else self._commit("HEAD")
        found = switch.find(self.place.top, target)
        if target == METADATA_BRANCH or any(steps.parse_branch(ref) for ref in found):
            raise EntireError(f"{target} is a branch of ours, not one to work on")
        if found:
            return self._branch(target, current, found)
        known = self._known(target)
        if known is not None:
            return known
        tracking = self.remotes.branch(target)
        if tracking:
            return self._branch(target, current, {tracking: refs.read(self.place.top, tracking)[tracking]})
        while self._fetch():
            known = self._known(target)
            if known is not None:
                return known
        raise EntireError(f"{target!r} is no branch, commit, checkpoint or session here", hint=self.remotes.hint())

    def _known(self, name: str) -> ResumeTarget | None:
        """Look a name up among what is here."""
        found = self._catalog.find(name)
        if found is None:
            return None
        if found.kind == "commit":
            return self._commit(found.id)
        return self._of_session(found.id) if found.kind == "session" else ResumeTarget(checkpoint_ids=(found.id,))

    def _of_session(self, session_id: str) -> ResumeTarget:
        """Return the newest checkpoint of a session; none if it has steps or a transcript only."""
        mine = [name for name, some in self._catalog.sessions_by_checkpoint.items() if session_id in some]
        newest, latest = "", -1.0
        for name in mine:
            found = checkpoints.read(self.objects, self._catalog.commits, CheckpointId(name))
            slot = found.slot_of(session_id) if found is not None else None
            created = parse_time(slot.record.created_at) if slot is not None and slot.record is not None else 0.0
            if created > latest:
                newest, latest = name, created
        return ResumeTarget(session_id=session_id, checkpoint_ids=(newest,) if newest else ())

    def _commit(self, name: str) -> ResumeTarget:
        found = history.show(self.place.top, [history.resolve(self.place.top, name)])
        if not found:
            raise EntireError("there is no commit yet")
        return _linked_by(found[0])

    def _branch(self, name: str, current: str, found: Mapping[str, str]) -> ResumeTarget:
        """Return a branch's newest linked commit: the newest of its own first-parent chain, merges without a link
        skipped.
        """
        ref = next(iter(found), "HEAD")
        track = ref if ref.startswith("refs/remotes/") else ""
        wanted = ResumeTarget(branch=name, needs_switch=name != current, track=track)
        chain = switch.linked(self.place.top, ref, trailers.CHECKPOINT) if self._has_commit(ref) else []
        commit = next((one for one in chain if _ids(one)), None)
        if commit is None:
            return wanted
        newer = switch.later(self.place.top, commit.oid, ref)
        base = switch.default_branch(self.place.top)
        foreign = newer and base not in ("", f"refs/heads/{name}", f"refs/remotes/origin/{name}")
        if foreign and switch.is_on_chain(self.place.top, commit.oid, base):
            return replace(wanted, elsewhere=commit.oid)
        own = _linked_by(commit)
        return replace(wanted, newer=newer, commit=own.commit, subject=own.subject, checkpoint_ids=own.checkpoint_ids)

    def _has_commit(self, ref: str) -> bool:
        return bool(history.resolve(self.place.top, ref))

    # ------------------------------------------------------------ what is stored

    def pieces(self, wanted: ResumeTarget) -> tuple[list[StoredSession], list[str]]:
        """Return each session's latest stored transcript, the one that went on last at the end, and the checkpoints
        that are missing everywhere.
        """
        missing = self._missing(wanted)
        while any(map(is_checkpoint_id, missing)) and self._fetch():
            missing = self._missing(wanted)
        tips = self._catalog.commits
        found: dict[str, StoredSession] = {}
        for name in wanted.checkpoint_ids:
            checkpoint = checkpoints.read(self.objects, tips, CheckpointId(name)) if is_checkpoint_id(name) else None
            for slot in checkpoint.slots if checkpoint is not None else ():
                if checkpoint is not None and wanted.session_id in ("", slot.session_id):
                    _take(found, piece(self.objects, checkpoint, slot))
        if wanted.session_id:
            _take(found, self._step(wanted.session_id))
        return sorted(found.values(), key=_age), missing

    def _missing(self, wanted: ResumeTarget) -> list[str]:
        there = browse.listed(self.place.top, self._catalog.commits, wanted.checkpoint_ids)
        return [name for name in wanted.checkpoint_ids if name not in there]

    def _step(self, session_id: str) -> StoredSession | None:
        """Return what the session's newest step holds; without one an empty piece, for what may lie on this disk."""
        state = sessions.find(self.place, session_id)
        if state is None:
            return None
        commit = self._newest_step(state)
        slot = transcript_merge.slot_of_step(self.objects, commit, session_id, state.agent_type)
        return StoredSession(
            session_id=session_id,
            agent_type=state.agent_type,
            data=checkpoints.transcript(self.objects, slot),
            prompt=(checkpoints.prompts(self.objects, slot) or [state.first_prompt])[-1],
            subagents=transcript_merge.subagents_of_step(self.objects, commit, session_id) if commit else {},
        )

    def _newest_step(self, state: Session) -> str:
        if not state.steps:
            return ""
        ref = "refs/heads/" + steps.branch_name(state.base_commit, layout.worktree_id(state.worktree_name))
        tip = refs.read(self.place.top, ref).get(ref, "")
        steps_here = history.log(self.place.top, [tip]) if tip else []  # other sessions' too
        return next((one.oid for one in steps_here if _session_of(one) == state.session_id), "")


def piece(objects: Objects, checkpoint: Checkpoint, slot: Slot) -> StoredSession | None:
    """Return what a checkpoint holds of a session; None if its record cannot be read."""
    if slot.record is None or not is_session_id(slot.session_id):
        return None
    own = lineage_file.read(objects, checkpoint)
    turns = own.turns.get(slot.session_id, ()) if own is not None else ()
    return StoredSession(
        session_id=slot.session_id,
        agent_type=slot.record.agent,
        data=checkpoints.transcript(objects, slot),
        created=parse_time(slot.record.created_at),
        checkpoint_id=checkpoint.id,
        prompt=(checkpoints.prompts(objects, slot) or [""])[-1],
        turns=[one for one in turns if isinstance(one, dict)] if isinstance(turns, list | tuple) else (),
        subagents=transcript_merge.subagents_of_checkpoint(objects, checkpoint, slot.session_id),
    )


def _session_of(step: Logged) -> str:
    """Return the session that a step is of."""
    return trailers.parse(step.message).get(trailers.SESSION, [""])[0]


def _ids(commit: Logged) -> list[str]:
    return [*trailers.checkpoint_ids(commit.message), *trailers.ulid_ids(commit.message)]


def _linked_by(commit: Logged) -> ResumeTarget:
    return ResumeTarget(commit=commit.oid, subject=commit.subject, checkpoint_ids=tuple(dict.fromkeys(_ids(commit))))


def _take(found: dict[str, StoredSession], piece: StoredSession | None) -> None:
    """Keep the transcript that went on longest of each session; of equal ones the one of a checkpoint."""
    if piece is None:
        return
    known = found.get(piece.session_id)
    if known is None or _age(piece) > _age(known):
        found[piece.session_id] = piece


def _age(piece: StoredSession) -> tuple[float, float, int]:
    return (transcript_merge.last_time(piece.data), piece.created, len(piece.data))
