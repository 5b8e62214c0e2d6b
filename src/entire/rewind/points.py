"""The points that one can go back to: steps, checkpoints of this branch's commits, and turns that changed no file."""

from __future__ import annotations

from entire.agents import registry
from entire.errors import EntireError
from entire.git import bulk, diff, history, reflog, refs
from entire.git.history import Logged
from entire.model import prefix, trailers
from entire.model.ids import CheckpointId
from entire.model.session import KEPT_SECONDS
from entire.model.value import replace
from entire.model.views import PointView
from entire.rewind.edits import SnapshotHistory
from entire.store import checkpoints, retained_steps, sessions, steps, turnlog
from entire.store.prompts import SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.read import Commit
    from entire.lifecycle.context import Context
    from entire.model.session import Session
    from entire.store.checkpoints import Checkpoint
    from entire.store.turnlog import TurnNote

_CARRIED = "carry forward: "  # the subject of a step that no turn made
_SAME_MOMENT = 2.0  # seconds between a turn's end and its step's commit, where the journal does not tell any more
_TURN_ID = 12  # characters of a turn's id
_SHORTEST = 4  # characters of an id that are enough to name a point


class Points:
    """Finds points. Built for one question: what it has read of git and the journal is not read again."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._top = context.place.top
        self.snapshots = SnapshotHistory(context)
        self._tips: list[str] | None = None
        self._base = ""  # the commit on which the only shadow branch stands

    def find(self, *, limit: int = 0, session_id: str = "") -> list[PointView]:
        """Return the points of the present branch, newest first; a subagent's steps follow the one they belong to.

        ``limit`` 0 returns all of them.
        """
        found = self._all(limit)
        if session_id:
            found = [one for one in found if one.session_id == session_id or self._holds(one, session_id)]
        found.sort(key=lambda one: one.time, reverse=True)
        return self._described(_nested(found[:limit] if limit else found))

    def named(self, name: str) -> PointView:
        """Return the point of that id, or of an id that begins so; raises EntireError if there is none, or several."""
        found = [one for one in self._turns(()) if one.id == name] if len(name) == _TURN_ID else []
        known_commit = self._context.objects.commit(f"{name}^{{commit}}") if name and not found else None
        commits = [_logged(known_commit)] if known_commit is not None else []
        found = found or [point for commit in commits if (point := _step(commit)) is not None]
        found = found or [point for commit in commits for point in self._of_commit(commit)][-1:]
        if not found and len(name) >= _SHORTEST:
            known = self._all(0)
            named = prefix.find(name, (key for one in known for key in (one.checkpoint_id, one.id)), "point")
            found = [one for one in known if named and named in (one.checkpoint_id, one.id)]
        if not found:
            what = "this commit is no step and has no checkpoint" if commits else "there is no such point"
            raise EntireError(f"{what}: {name}", hint="`entire rewind --list` lists the points")
        if len({one.id for one in found}) > 1:
            raise EntireError(f"several points begin with {name!r}", hint="for example " + found[0].id)
        return self._described(found[:1], sizes=False)[0]

    def checkpoint(self, point: PointView) -> Checkpoint | None:
        """Return the checkpoint of a point, None where it has none."""
        if not point.checkpoint_id:
            return None
        return checkpoints.read(self._context.objects, self._checkpoint_tips(), CheckpointId(point.checkpoint_id))

    def step_after(self, point: PointView) -> PointView | None:
        """Return the first step of a point's session at or after it: its transcript begins with that of the point."""
        mine = [replace(one, time=self._moment(one)) for one in self._steps() if one.session_id == point.session_id]
        later = [one for one in mine if one.kind == "step" and one.time >= point.time]
        return min(later, key=lambda one: one.time, default=None)

    def _moment(self, point: PointView) -> float:
        """Return when a point was made: the journal knows it better than a commit, which has whole seconds."""
        if point.kind == "checkpoint":
            return self.snapshots.committed(point.id) or point.time
        snapshot = self.snapshots.at_step(point.id) if _is_step(point) else None
        return snapshot.time if snapshot is not None else point.time

    def _all(self, limit: int) -> list[PointView]:
        found = [*self._steps(), *self._checkpoints(limit)]
        found += self._turns(found)
        return [replace(one, time=self._moment(one)) for one in found]

    # ------------------------------------------------------------ steps

    def _steps(self) -> list[PointView]:
        """Return the steps on commits that HEAD reaches, each once; what a shadow branch has is not condensed."""
        live, condensed = self._step_tips()
        found: dict[str, PointView] = {}
        for tips, is_condensed in ((live, False), (condensed, True)):
            for commit in history.log(self._top, tips) if tips else ():
                point = _step(commit)
                if point is not None and not point.message.startswith(_CARRIED):
                    found.setdefault(point.id, replace(point, is_condensed=is_condensed))
        return list(found.values())

    def _step_tips(self) -> tuple[list[str], list[str]]:
        """Return the tips of this worktree's shadow branches, and those that are kept for a while."""
        place, now = self._context.place, self._context.now()
        bases: dict[str, str] = {}
        live, condensed = [], []
        for ref, oid in refs.find(place.top, steps.PREFIX.rstrip("/")).items():
            named = steps.parse_branch(ref)
            if named is not None and (named[1] == place.worktree_id or not (named[1] or place.worktree_name)):
                bases[oid] = named[0]
                live.append(oid)
        for one in retained_steps.find(place.top, place.worktree_id):
            if now - one.time <= self._context.settings.keep_steps_days * 86400.0:
                bases[one.tip] = one.base
                condensed.append(one.tip)
        here = self._reached(set(bases.values()))
        self._base = bases[live[0]] if len(live) == 1 else ""
        return [tip for tip in live if bases[tip] in here], [tip for tip in condensed if bases[tip] in here]

    def _reached(self, bases: set[str]) -> set[str]:
        """Return those of the commits (ids, or beginnings) that HEAD reaches, or whose amended form it does; all zeros
        stand for none.
        """
        first = {base for base in bases if not base.strip("0")}
        asked = sorted(bases - first)
        oids = dict(zip(asked, bulk.ids(self._top, [f"{base}^{{commit}}" for base in asked]), strict=True))
        outside = history.outside(self._top, "HEAD", [oid for oid in oids.values() if oid])
        outside = outside - reflog.amended(self._context.place) if outside else outside
        return first | {base for base, oid in oids.items() if oid and oid not in outside}

    # ------------------------------------------------------------ checkpoints

    def _checkpoints(self, limit: int) -> list[PointView]:
        linked = history.containing(self._top, trailers.CHECKPOINT, start="HEAD", limit=limit)
        return [point for commit in linked for point in self._of_commit(commit)]

    def _of_commit(self, commit: Logged) -> list[PointView]:
        """Return a commit's points, one for each of its checkpoints that is stored."""
        found = []
        for one in trailers.checkpoint_ids(commit.message):
            stored = checkpoints.read(self._context.objects, self._checkpoint_tips(), one)
            if stored is not None:
                found.append(self._of_checkpoint(commit, stored))
        return found

    def _of_checkpoint(self, commit: Logged, stored: Checkpoint) -> PointView:
        slot = stored.latest
        record = slot.record if slot is not None else None
        prompts = checkpoints.prompts(self._context.objects, slot) if slot is not None else []
        return PointView(
            id=commit.oid,
            kind="checkpoint",
            time=commit.time,
            message=commit.subject,
            checkpoint_id=stored.id,
            session_id=record.session_id if record is not None else "",
            agent=record.agent if record is not None else "",
            prompt=prompts[-1] if prompts else "",
            session_prompt=prompts[0] if prompts else "",
            files=tuple(stored.summary.files_touched),
        )

    def _checkpoint_tips(self) -> list[str]:
        if self._tips is None:
            self._tips = list(checkpoints.tips(self._top).values())
        return self._tips

    def _holds(self, point: PointView, session_id: str) -> bool:
        """Tell whether a checkpoint's point is also one of a session that is not its latest."""
        stored = self.checkpoint(point)
        return stored is not None and stored.slot_of(session_id) is not None

    # ------------------------------------------------------------ turns without a step

    def _turns(self, known: Sequence[PointView]) -> list[PointView]:
        """Return the turns of this work tree's sessions that wrote no step, where the files of then are known.

        A subagent's step does not count: where nothing changed after it, its turn ended without one.
        """
        with_steps = self.snapshots.turns_with_steps({one.id for one in known if one.kind == "task"})
        found = []
        for session in filter(self._context.in_this_worktree, sessions.list_states(self._context.place)):
            notes = turnlog.read(self._context.place, session.session_id)
            moments = [
                one.time
                for one in known
                if one.kind == "step" and one.session_id == session.session_id and not self.snapshots.at_step(one.id)
            ]
            found += [
                _turn(session, note, notes)
                for note in _ended(notes)
                if f"{session.session_id}/{note.turn}" not in with_steps
                and self._context.now() - note.ended <= KEPT_SECONDS
                and self.snapshots.at(note.ended) is not None
                and not any(abs(moment - note.ended) < _SAME_MOMENT for moment in moments)
            ]
        return found

    # ------------------------------------------------------------ what is shown of them

    def _described(self, points: Sequence[PointView], *, sizes: bool = True) -> list[PointView]:
        """Add prompts and agents, files and sizes; two git processes for all points."""
        states = {one: self._context.session(one) for one in {point.session_id for point in points}}
        agents = {one: state.agent_type for one, state in states.items() if state is not None}
        names = [f"{one.id}:{steps.metadata_folder(one.session_id)}/prompt.txt" for one in points]
        asked = [name if _is_step(one) else "" for name, one in zip(names, points, strict=True)]
        blobs = (
            list(bulk.get(self._top, asked)) if len(asked) > 1 else [self._context.objects.get(one) for one in asked]
        )
        pairs = [self._pair(one) if sizes else None for one in points]
        known = [pair for pair in pairs if pair is not None]
        changes = dict(zip(known, diff.sizes(self._top, known), strict=True))
        out: list[PointView] = []
        for point, blob, pair in zip(points, blobs, pairs, strict=True):
            prompts = blob.data.decode("utf-8", "replace").split(SEPARATOR) if blob is not None else []
            if point.kind == "task":  # the turn's own prompt is noted at its end
                holder = next((one for one in out if one.id == point.parent), point)
                prompts = [holder.session_prompt or (prompts[0] if prompts else ""), holder.prompt]
            size = changes[pair] if pair is not None else {}
            changed = {path: lines for path, lines in size.items() if not path.startswith(".entire/")}
            out.append(replace(
                point,
                agent=point.agent or agents.get(point.session_id, ""),
                prompt=point.prompt or (prompts[-1] if prompts else ""),
                session_prompt=point.session_prompt or (prompts[0] if prompts else ""),
                files=point.files or tuple(changed),
                added=sum(added for added, _ in changed.values()),
                removed=sum(removed for _, removed in changed.values()),
            ))  # fmt: skip
        return out

    def _pair(self, point: PointView) -> tuple[str, str] | None:
        """Return the two trees whose difference is what came about up to a point; None if nobody knows."""
        snapshot = self.snapshots.at_step(point.id) if _is_step(point) else None
        if point.kind == "turn":
            snapshot = self.snapshots.of_turn(f"{point.session_id}/{point.id}")
        before = self.snapshots.before(snapshot) if snapshot is not None else None
        if snapshot is not None and before is not None:
            return before.tree, snapshot.tree
        if point.kind == "turn":
            return None
        commit = self._context.objects.commit(point.id)
        if commit is None:
            return None
        parent = self._context.objects.commit(commit.parents[0]) if commit.parents else None
        if parent is not None:
            return parent.tree, commit.tree
        base = diff.EMPTY_TREE[len(commit.tree)]
        if _is_step(point) and self._base.strip("0"):
            base = self._context.objects.tree_id(self._base)
        return (base, commit.tree) if base and (self._base or not _is_step(point)) else None


def _logged(commit: Commit) -> Logged:
    """Return a commit that was read as an object as the log tells it."""
    name, *when = commit.author.rsplit(" ", 2)
    moment = float(when[0]) if len(when) == 2 and when[0].isdigit() else 0.0
    return Logged(oid=commit.oid, parents=commit.parents, time=moment, author=name,
                  message=commit.message.decode("utf-8", "surrogateescape"))  # fmt: skip


def _step(commit: Logged) -> PointView | None:
    told = trailers.parse(commit.message)
    session_id = told.get(trailers.SESSION, [""])[0]
    folder = told.get(trailers.METADATA, [""])[0]
    task = told.get(trailers.METADATA_TASK, [""])[0]
    if not session_id or (trailers.METADATA not in told and not task):
        return None
    return PointView(
        id=commit.oid,
        kind="task" if task else "step",
        time=commit.time,
        session_id=session_id,
        message=commit.subject,
        metadata_dir=task or folder,
        tool_use_id=task.rpartition("/")[2],
    )


def _is_step(point: PointView) -> bool:
    return point.kind in ("step", "task")


def _ended(notes: Sequence[TurnNote]) -> list[TurnNote]:
    """Return the last prompt's note of each turn that came to its end."""
    return list({note.turn: note for note in notes if note.turn and note.ended and note.end}.values())


def _turn(session: Session, note: TurnNote, notes: Sequence[TurnNote]) -> PointView:
    return PointView(
        id=note.turn,
        kind="turn",
        time=note.ended,
        session_id=session.session_id,
        agent=session.agent_type,
        message=steps.subject(note.prompt, registry.spoken_names()),
        prompt=note.prompt,
        session_prompt=next((one.prompt for one in notes if one.prompt), ""),
    )


def _nested(found: Sequence[PointView]) -> list[PointView]:
    """Put each subagent's steps behind the next later point of their session: that turn they were part of."""
    holders: dict[str, str] = {}
    tasks: dict[str, list[PointView]] = {}
    out = []
    for point in found:
        if point.kind != "task":
            holders[point.session_id] = point.id
            out.append(point)
        elif point.session_id in holders:
            holder = holders[point.session_id]
            tasks.setdefault(holder, []).append(replace(point, parent=holder))
        else:
            out.append(point)
    return [one for point in out for one in (point, *tasks.pop(point.id, ()))]
