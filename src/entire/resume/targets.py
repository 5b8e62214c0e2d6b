"""Finds what a resume starts from (a branch, commit, checkpoint or session), and the stored sessions.

What is missing here is fetched: the checkpoints branch, and the named branch. Changes nothing but remote-tracking refs.
"""

from __future__ import annotations

from entire import contents
from entire.agents import capabilities, long_transcripts
from entire.agents.forms import reading
from entire.directory import AgentDirectory
from entire.errors import EntireError, MissingObjectError
from entire.git import history, refs, switch
from entire.layout import METADATA_BRANCH
from entire.model.ids import CheckpointId, is_checkpoint_id, is_session_id
from entire.model.times import parse_time
from entire.model.value import Value, replace
from entire.resume import transcript_merge
from entire.store import (
    checkpoint_listing,
    checkpoints,
    lineage_file,
    sessions,
    step_transcripts,
    steps,
    stored_contents,
    sync,
)
from entire.store.catalog import Catalog
from entire.store.links import CheckpointLinks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from entire.layout import Place
    from entire.model.transcripts import Content
    from entire.recording.context import Context
    from entire.store.checkpoints import Checkpoint, Slot
    from entire.store.links import Linked

    Progress = Callable[[str], None]

LIMIT = 60.0  # seconds per fetch
_SHOWN = 40  # characters of an invalid id
_CHAIN = 200  # linked commits examined on a branch


class StoredSession(Value):
    """A session's stored transcript, and what was saved with it."""

    session_id: str
    agent_type: str
    data: Content
    created: float = 0.0
    checkpoint_id: str = ""  # '' if it is from a step
    prompt: str = ""  # the last prompt
    turns: Sequence[Mapping[str, Any]] = ()  # as in lineage.json
    subagents: Mapping[str, str] = {}  # subagent to object id
    damage: str = ""  # why the transcript cannot be read


class ResumeTarget(Value):
    """What a request names. ``needs_switch``: check out ``branch``, creating it from ``track`` if that is set."""

    branch: str = ""
    needs_switch: bool = False
    track: str = ""
    commit: str = ""  # the commit with these checkpoints
    subject: str = ""
    newer: int = 0  # commits of the branch after ``commit``
    checkpoint_ids: tuple[str, ...] = ()
    session_id: str = ""
    elsewhere: str = ""  # the newest linked commit, if it belongs to another branch


class Remotes:
    """The remotes. Each is asked at most once for each branch."""

    def __init__(self, place: Place, progress: Progress) -> None:
        self._top = place.top
        self._progress = progress
        names = history.remotes(place.top)
        self._names = sorted(names, key=lambda name: (name != "origin", name))
        self._waiting = list(self._names)
        self.failures: dict[str, str] = {}

    def branch(self, name: str) -> str:
        """Fetch a branch from the first remote that has it; return its remote-tracking ref, or ''."""
        for remote in self._names if switch.is_branch_name(name) else ():
            self._progress(f"Fetching {name} from {remote}")
            try:
                return switch.fetch(self._top, remote, name, LIMIT)
            except EntireError as error:
                self._add_failure(remote, error.message)
        return ""

    def checkpoints(self) -> bool:
        """Fetch the next remote's checkpoints; return False if there are no more remotes."""
        if not self._waiting:
            return False
        name = self._waiting.pop(0)
        self._progress(f"Fetching {METADATA_BRANCH} from {name}")
        failed = sync.fetch(self._top, name, limit=LIMIT).failed
        if failed:
            self._add_failure(name, failed)
        return True

    def _add_failure(self, name: str, failed: str) -> None:
        if "couldn't find remote ref" not in failed:
            self.failures[name] = failed

    def hint(self) -> str:
        """Return why something was not found on any remote."""
        if self.failures:
            return "; ".join(f"cannot reach {name}: {failed}" for name, failed in self.failures.items())
        if not self._names:
            return "this repository has no remote to fetch from"
        return f"it is not on {' or '.join(self._names)} either; push it from the machine that created it"


class Finder:
    """Finds resume targets and stored sessions in one repository and its remotes."""

    def __init__(self, context: Context, progress: Progress) -> None:
        self._context = context
        self.place = context.place
        self.objects = context.objects
        self.remotes = Remotes(self.place, progress)
        self._catalog = Catalog(self.place, agents=self._context.agents)

    def _fetch(self) -> bool:
        """Fetch and include the next remote's checkpoints; return False if there are no more remotes."""
        if not self.remotes.checkpoints():
            return False
        self._catalog = Catalog(self.place, agents=self._context.agents)
        return True

    # ------------------------------------------------------------ targets

    def find(self, target: str) -> ResumeTarget:
        """Return what ``target`` names ('': the current branch); raises EntireError if it names nothing."""
        current = history.branch(self.place.top)
        if not target:
            return self._branch(current, current, {}) if current else self._commit("HEAD")
        by_ref = switch.find(self.place.top, target)
        if target == METADATA_BRANCH or any(steps.parse_branch(ref) for ref in by_ref):
            raise EntireError(f"{target} holds Entire's own data and cannot be resumed")
        if by_ref:
            return self._branch(target, current, by_ref)
        known = self._find_here(target)
        if known is not None:
            return known
        if gone := self.forgotten(target):
            raise gone
        tracking = self.remotes.branch(target)
        if tracking:
            return self._branch(target, current, {tracking: refs.read(self.place.top, tracking)[tracking]})
        while self._fetch():
            known = self._find_here(target)
            if known is not None:
                return known
        raise EntireError(f"{target!r} is not a branch, commit, checkpoint or session here", hint=self.remotes.hint(),
                          unknown=target, known=self._catalog.branches)  # fmt: skip

    def _find_here(self, name: str) -> ResumeTarget | None:
        target = self._catalog.find(name)
        if target is None:
            return None
        if target.kind == "commit":
            return self._commit(target.id)
        return (
            self._latest_of_session(target.id)
            if target.kind == "session"
            else ResumeTarget(checkpoint_ids=(target.id,))
        )

    def _latest_of_session(self, session_id: str) -> ResumeTarget:
        """Return a session with its newest checkpoint; without one if it has only steps or a transcript."""
        names = [name for name, ids in self._catalog.sessions_by_checkpoint.items() if session_id in ids]
        newest, latest = "", -1.0
        for name in names:
            checkpoint = checkpoints.read(self.objects, self._catalog.commits, CheckpointId(name))
            slot = checkpoint.slot_of(session_id) if checkpoint is not None else None
            created = parse_time(slot.record.created_at) if slot is not None and slot.record is not None else 0.0
            if created > latest:
                newest, latest = name, created
        return ResumeTarget(session_id=session_id, checkpoint_ids=(newest,) if newest else ())

    def _commit(self, name: str) -> ResumeTarget:
        commits = history.show(self.place.top, [history.resolve(self.place.top, name)])
        if not commits:
            raise EntireError("there are no commits yet")
        return _linked_by(self._links().linked(commits)[0])

    def _branch(self, name: str, current: str, by_ref: Mapping[str, str]) -> ResumeTarget:
        """Return a branch with the newest linked commit of its own first-parent chain."""
        ref = next(iter(by_ref), "HEAD")
        track = ref if ref.startswith("refs/remotes/") else ""
        target = ResumeTarget(branch=name, needs_switch=name != current, track=track)
        has_commit = history.resolve(self.place.top, ref)
        chain = self._links().log(start=ref, limit=_CHAIN, first_parent=True) if has_commit else []
        if not chain:
            return target
        own = _linked_by(chain[0])
        newer = switch.later(self.place.top, own.commit, ref)
        base = switch.default_branch(self.place.top)
        may_be_inherited = newer and base not in ("", f"refs/heads/{name}", f"refs/remotes/origin/{name}")
        if may_be_inherited and switch.is_on_chain(self.place.top, own.commit, base):
            return replace(target, elsewhere=own.commit)
        return replace(target, newer=newer, commit=own.commit, subject=own.subject, checkpoint_ids=own.checkpoint_ids)

    def _links(self) -> CheckpointLinks:
        return CheckpointLinks(self.place.top, self.objects, self._catalog.commits)

    # ------------------------------------------------------------ stored sessions

    def stored_sessions(self, target: ResumeTarget) -> tuple[list[StoredSession], list[str]]:
        """Return each session's latest stored transcript, the most recent last, and the checkpoints that were not found
        here or on any remote.
        """
        missing = self._missing(target)
        while any(is_checkpoint_id(name) and not self.forgotten(name) for name in missing) and self._fetch():
            missing = self._missing(target)
        tips = self._catalog.commits
        latest: dict[str, StoredSession] = {}
        for name in target.checkpoint_ids:
            checkpoint = checkpoints.read(self.objects, tips, CheckpointId(name)) if is_checkpoint_id(name) else None
            for slot in checkpoint.slots if checkpoint is not None else ():
                if checkpoint is not None and target.session_id in ("", slot.session_id):
                    _keep_latest(latest, stored_session(self._context, checkpoint, slot))
        if target.session_id:
            _keep_latest(latest, self._from_step(target.session_id))
        return sorted(latest.values(), key=_recency), missing

    def forgotten(self, name: str) -> EntireError | None:
        """Return the error that a checkpoint was forgotten; None if it was not."""
        return self._catalog.forgotten(name)

    def _missing(self, target: ResumeTarget) -> list[str]:
        listed = checkpoint_listing.listed(self.place.top, self._catalog.commits, target.checkpoint_ids)
        return [name for name in target.checkpoint_ids if name not in listed]

    def _from_step(self, session_id: str) -> StoredSession | None:
        """Return a session from its newest step; without one it is empty, but its transcript may be here."""
        state = sessions.find(self.place, session_id)
        if state is None:
            return None
        commit = step_transcripts.newest_step(self.place, self.objects, state)
        slot = transcript_merge.slot_of_step(self.objects, commit, session_id, state.agent.type)
        data, damage = _transcript(self._context, slot)
        return StoredSession(
            session_id=session_id,
            agent_type=state.agent.type,
            data=data,
            damage=damage,
            prompt=(checkpoints.prompts(self.objects, slot) or [state.first_prompt])[-1],
            subagents=transcript_merge.subagents_of_step(self.objects, commit, session_id) if commit else {},
        )


def stored_session(context: Context, checkpoint: Checkpoint, slot: Slot) -> StoredSession | None:
    """Return what a checkpoint holds of a session; None if its record cannot be read, though git has it."""
    objects = context.objects
    if slot.record is None and (lost := checkpoints.lost_record(objects, slot, checkpoint.id.path)):
        name = f"{slot.number} of checkpoint {checkpoint.id}"
        return StoredSession(session_id=name, agent_type="", data=b"", damage=f"{lost}; {checkpoints.REFETCH}")
    if slot.record is None or not slot.session_id:
        return None
    if not is_session_id(slot.session_id):
        name = f"{slot.number} of checkpoint {checkpoint.id}"
        problem = f"{slot.session_id[:_SHOWN]!r} is no session's id"
        return StoredSession(session_id=name, agent_type="", data=b"", damage=problem)
    own = lineage_file.read(objects, checkpoint)
    turns = own.turns.get(slot.session_id, ()) if own is not None else ()
    data, damage = _transcript(context, slot)
    return StoredSession(
        session_id=_own_session_id(context, slot.session_id, slot.record.agent, data),
        agent_type=slot.record.agent,
        data=data,
        created=parse_time(slot.record.created_at),
        checkpoint_id=checkpoint.id,
        prompt=(checkpoints.prompts(objects, slot) or [""])[-1],
        turns=[turn for turn in turns if isinstance(turn, dict)] if isinstance(turns, list | tuple) else (),
        subagents=transcript_merge.subagents_of_checkpoint(objects, checkpoint, slot.session_id),
        damage=damage,
    )


def _transcript(context: Context, slot: Slot) -> tuple[Content, str]:
    """Return a stored transcript, empty if git lacks a part of it; then also what is missing."""
    try:
        agent = context.agents.make_by_type(slot.record.agent) if slot.record is not None else None
        return stored_contents.of_slot(context.objects, slot, agent), ""
    except MissingObjectError as error:
        return b"", f"{error.message}; {error.hint}"


def _own_session_id(context: Context, session_id: str, agent_type: str, transcript: Content) -> str:
    agent = context.agents.make_by_type(agent_type)
    resumer = capabilities.session_resumer(agent) if agent is not None else None
    own_id = getattr(resumer, "own_session_id", None)  # missing in plugins of earlier protocol versions
    beginning = contents.read(transcript, 0, contents.MOST)
    own = str(own_id(session_id, beginning)) if own_id is not None else session_id
    return own if is_session_id(own) else session_id


def _linked_by(linked: Linked) -> ResumeTarget:
    return ResumeTarget(commit=linked.commit.oid, subject=linked.commit.subject,
                        checkpoint_ids=(*linked.checkpoint_ids, *linked.foreign_ids))  # fmt: skip


def _keep_latest(latest: dict[str, StoredSession], stored: StoredSession | None) -> None:
    """Add a session to ``latest`` unless a later transcript of it is there; a checkpoint wins over an equal step."""
    if stored is None:
        return
    known = latest.get(stored.session_id)
    if known is None or _recency(stored) > _recency(known):
        latest[stored.session_id] = stored


def _recency(stored: StoredSession) -> tuple[float, float, int]:
    if stored.damage:  # it precedes an older copy, which would hide that the newer one is lost
        return (stored.created or float("inf"), stored.created, 0)
    agent = AgentDirectory.without_plugins().make_by_type(stored.agent_type)
    transcript = long_transcripts.opened(agent, "", stored.data) if agent is not None else None
    known = transcript_merge.last_time(agent, transcript) if agent is not None and transcript is not None else 0.0
    return (known or reading.last_time(stored.data), stored.created, len(stored.data))
