"""The points of a rewind: steps, checkpoints of this branch's commits, and turns that changed no file."""

from __future__ import annotations

from entire.directory import AgentDirectory
from entire.errors import EntireError
from entire.git import bulk, diff, history, reflog, refs
from entire.git.history import Logged
from entire.model import prefix, trailers
from entire.model.ids import CheckpointId
from entire.model.requests import AUTO_COMMIT, BEFORE_LAST_PROMPT
from entire.model.session import KEPT_SECONDS
from entire.model.value import replace
from entire.model.views.points import PointView
from entire.rewind.chronology import Chronology
from entire.rewind.edits import SnapshotHistory
from entire.store import checkpoints, retained_steps, sessions, steps, turnlog
from entire.store.catalog import Catalog
from entire.store.links import CheckpointLinks
from entire.store.steps import SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.git.read import Commit
    from entire.model.session import Entry, Session
    from entire.recording.context import Context
    from entire.store.checkpoints import Checkpoint
    from entire.store.links import Linked
    from entire.store.turnlog import TurnNote

_CARRIED = "carry forward: "  # the subject of a step that a commit made, not a turn
_SAME_MOMENT = 2.0  # seconds between a turn's end and its step's commit, if the journal no longer has the step
_TURN_ID = 12  # characters of a turn's id
_BEFORE = "before-"  # and a turn's id: the point at the turn's start
_SHORTEST = 4  # characters of an id prefix that names a point


class PointList:
    """Finds points. Make a new one for each query, since it caches what it has read."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._top = context.place.top
        self.snapshots = SnapshotHistory(context)
        self._tips: list[str] | None = None
        self._known_notes: list[tuple[Session, list[TurnNote]]] | None = None
        self._bases: dict[str, str] = {}  # of each step
        self._parents: dict[str, str] = {}  # of each commit with a checkpoint
        self._committed: dict[str, Entry] = {}  # the steps that commits of their own turns replace, by commit

    def find(self, *, limit: int = 0, session_id: str = "") -> list[PointView]:
        """Return the points of the current branch, newest first; a subagent's steps follow the point they belong to.

        ``limit`` 0 returns all of them.
        """
        points = self._all(limit)
        if session_id:
            points = [point for point in points if point.session_id == session_id or self._holds(point, session_id)]
        described = self._describe(_nested(points[:limit] if limit else points))
        starts = {start.id: start for start in self._starts()} if described else {}
        return [self._with_start(point, starts) for point in described]

    def named(self, name: str, session_id: str = "") -> PointView:
        """Return the point with an id or id prefix, or for BEFORE_LAST_PROMPT that of ``session_id`` if given; raises
        EntireError if there is none, or several.
        """
        if name == BEFORE_LAST_PROMPT:
            return self._before_last_prompt(session_id)
        points = [point for point in self._turns(()) if point.id == name] if len(name) == _TURN_ID else []
        if name.startswith(_BEFORE):
            points = [point for point in self._starts() if point.id == name]
        known_commit = self._context.objects.commit(f"{name}^{{commit}}") if name and not points else None
        commits = [_logged(known_commit)] if known_commit is not None else []
        points = points or [point for commit in commits if (point := _step(commit)) is not None]
        points = (
            points
            or [point for linked in self._links().linked(commits) for point in self._points_of_commit(linked)][-1:]
        )
        if not points and len(name) >= _SHORTEST:
            known = self._all(0)
            named = prefix.find(name, (key for point in known for key in (point.checkpoint_id, point.id)), "point")
            points = [point for point in known if named and named in (point.checkpoint_id, point.id)]
        if not points:
            names = [name, *(one for linked in self._links().linked(commits) for one in linked.checkpoint_ids)]
            if gone := next(filter(None, map(Catalog(self._context.place).forgotten, names)), None):
                raise gone
            problem = f"commit {name} is not a step and has no checkpoint" if commits else f"no such point: {name}"
            raise EntireError(problem, hint="run `entire rewind --list` to see the points")
        if len({point.id for point in points}) > 1:
            raise EntireError(f"several points belong to {name!r}", hint=f"use the id of one, as in {points[0].id}")
        return self._describe(points[:1], sizes=False)[0]

    def checkpoint(self, point: PointView) -> Checkpoint | None:
        """Return the checkpoint of a point, None if it has none."""
        if not point.checkpoint_id:
            return None
        return checkpoints.read(self._context.objects, self._checkpoint_tips(), CheckpointId(point.checkpoint_id))

    def step_after(self, point: PointView) -> PointView | None:
        """Return the first step of a point's session at or after it: its transcript starts with the point's."""
        steps_of_session = [step for step in self._steps() if step.session_id == point.session_id]
        own = [replace(step, time=self._recorded(step) or step.time) for step in steps_of_session]
        later = [step for step in own if step.kind == "step" and step.time >= point.time]
        return min(later, key=lambda step: step.time, default=None)

    def _recorded(self, point: PointView) -> float:
        """Return when a step or a commit was made according to the journal, 0.0 if it is not recorded."""
        if point.kind == "checkpoint":
            return self.snapshots.committed(point.id)
        snapshot = self.snapshots.at_step(point.id)
        return snapshot.time if snapshot is not None else 0.0

    def _all(self, limit: int) -> list[PointView]:
        points = [*self._steps(), *self._checkpoints(limit)]
        turns = self._turns(points)
        replaced = {str(step.mark) for step in self._committed.values()}
        points = [point for point in points if point.id not in replaced]
        moments = {point.id: moment for point in points if (moment := self._recorded(point))}
        moments.update((turn.id, turn.time) for turn in turns)
        return Chronology(moments, self._bases, self._parents).in_order([*points, *turns])

    # ------------------------------------------------------------ steps

    def _steps(self) -> list[PointView]:
        """Return the steps on commits that HEAD reaches, each once; those on a shadow branch are not condensed."""
        live, condensed = self._step_tips()
        by_id: dict[str, PointView] = {}
        for tips, is_condensed in ((live, False), (condensed, True)):
            for commit in history.log(self._top, list(tips)) if tips else ():
                self._bases[commit.oid] = base = tips.get(commit.oid) or self._bases.get(commit.oid, "")
                self._bases.update((parent, base) for parent in commit.parents)
                point = _step(commit)
                if point is not None and not point.message.startswith(_CARRIED):
                    by_id.setdefault(point.id, replace(point, is_condensed=is_condensed))
        return list(by_id.values())

    def _step_tips(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the tips of this worktree's shadow branches, and of its retained steps, each with its base commit."""
        place, now = self._context.place, self._context.now()
        bases: dict[str, str] = {}
        live, condensed = [], []
        for ref, oid in refs.find(place.top, steps.PREFIX.rstrip("/")).items():
            branch = steps.parse_branch(ref)  # base commit and worktree
            if branch is not None and (branch[1] == place.worktree_id or not (branch[1] or place.worktree_name)):
                bases[oid] = branch[0]
                live.append(oid)
        for retained in retained_steps.find(place.top, place.worktree_id):
            if now - retained.time <= self._context.settings.keep_steps_days * 86400.0:
                bases[retained.tip] = retained.base
                condensed.append(retained.tip)
        here = self._reached(set(bases.values()))
        return (
            {tip: bases[tip] for tip in live if bases[tip] in here},
            {tip: bases[tip] for tip in condensed if bases[tip] in here},
        )

    def _reached(self, bases: set[str]) -> set[str]:
        """Return the commits (ids or id prefixes) that HEAD reaches, in their amended form if need be.

        All zeros stand for "no commit yet" and are always included.
        """
        first = {base for base in bases if not base.strip("0")}
        commits = sorted(bases - first)
        oids = dict(zip(commits, bulk.ids(self._top, [f"{base}^{{commit}}" for base in commits]), strict=True))
        outside = history.outside(self._top, "HEAD", [oid for oid in oids.values() if oid])
        outside = outside - reflog.amended(self._context.place) if outside else outside
        return first | {base for base, oid in oids.items() if oid and oid not in outside}

    # ------------------------------------------------------------ checkpoints

    def _checkpoints(self, limit: int) -> list[PointView]:
        linked = self._links().log(start="HEAD", limit=limit)
        commits = [linked_commit.commit for linked_commit in linked]
        self._parents = {commit.oid: commit.parents[0] if commit.parents else "" for commit in commits}
        return [point for linked_commit in linked for point in self._points_of_commit(linked_commit)]

    def _links(self) -> CheckpointLinks:
        return CheckpointLinks(self._top, self._context.objects, self._checkpoint_tips())

    def _points_of_commit(self, linked: Linked) -> list[PointView]:
        """Return a commit's points, one per stored checkpoint."""
        points = []
        for checkpoint_id in linked.checkpoint_ids:
            stored = checkpoints.read(self._context.objects, self._checkpoint_tips(), checkpoint_id)
            if stored is not None:
                points.append(self._point_of_checkpoint(linked.commit, stored))
        return points

    def _point_of_checkpoint(self, commit: Logged, stored: Checkpoint) -> PointView:
        if stored.summary.strategy == AUTO_COMMIT:
            step = self.snapshots.step_committed(commit.oid, [slot.session_id for slot in stored.slots])
            self._committed.update({commit.oid: step} if step is not None else {})
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
            tool_use_id=record.tool_use_id if record is not None and record.is_task else "",
            files=tuple(stored.summary.files_touched),
        )

    def _checkpoint_tips(self) -> list[str]:
        if self._tips is None:
            self._tips = list(checkpoints.tips(self._top).values())
        return self._tips

    def _holds(self, point: PointView, session_id: str) -> bool:
        """Return whether a checkpoint holds a session, also if that is not its latest."""
        stored = self.checkpoint(point)
        return stored is not None and stored.slot_of(session_id) is not None

    # ------------------------------------------------------------ turns without a step

    def _notes(self) -> list[tuple[Session, list[TurnNote]]]:
        if self._known_notes is None:
            here = filter(self._context.in_this_worktree, sessions.list_states(self._context.place))
            self._known_notes = [(state, turnlog.read(self._context.place, state.session_id)) for state in here]
        return self._known_notes

    def _turns(self, known: Sequence[PointView]) -> list[PointView]:
        """Return the turns of this worktree's sessions that wrote no step and whose files are still recorded.

        A subagent's step does not count: if nothing changed after it, its turn ended without a step.
        """
        with_steps = self.snapshots.turns_with_steps({point.id for point in known if point.kind == "task"})
        turns = []
        for session, notes in self._notes():
            steps = [step for step in known if step.kind == "step" and step.session_id == session.session_id]
            moments = [moment for step in steps if (moment := self._unassigned(step))]
            ended = _ended(notes)
            wrote = [note for moment in moments if (note := _ended_at(moment, ended)) is not None]
            turns += [
                _turn(session, note, notes)
                for note in ended
                if f"{session.session_id}/{note.turn}" not in with_steps
                and self._context.now() - note.ended <= KEPT_SECONDS
                and self.snapshots.reaches(note.ended)
                and note not in wrote
            ]
        return turns

    def _unassigned(self, step: PointView) -> float:
        """Return when a step was written, 0.0 if the journal says by which turn: it does not if it no longer has the
        step, or if no hook told of the turn's start.
        """
        entry = self.snapshots.at_step(step.id)
        return step.time if entry is None else 0.0 if entry.by else entry.time

    # ------------------------------------------------------------ starts of turns

    def _starts(self) -> list[PointView]:
        """Return the starts of the turns that a person prompted and whose files are still recorded."""
        return [
            _start(session, note, notes)
            for session, notes in self._notes()
            for note in _first_of_turns(notes)
            if self._context.now() - note.time <= KEPT_SECONDS and self.snapshots.reaches(note.time)
        ]

    def _before_last_prompt(self, session_id: str) -> PointView:
        starts = [point for point in self._starts() if session_id in ("", point.session_id)]
        if not starts:
            raise EntireError("no start of a turn is recorded here",
                              hint="run `entire rewind --list` to see the points")  # fmt: skip
        return max(starts, key=lambda point: point.time)

    def _with_start(self, point: PointView, starts: Mapping[str, PointView]) -> PointView:
        start = starts.get(_BEFORE + self._turn_of(point))
        return replace(point, before_prompt=start.id, prompted=start.time) if start is not None else point

    def _turn_of(self, point: PointView) -> str:
        """Return the id of the turn that ended at a point, '' for other points."""
        if point.kind == "turn":
            return point.id
        snapshot = self.snapshots.at_step(point.id) if point.kind == "step" else self._committed.get(point.id)
        return snapshot.by.turn_id if snapshot is not None else ""

    # ------------------------------------------------------------ details

    def _describe(self, points: Sequence[PointView], *, sizes: bool = True) -> list[PointView]:
        """Add prompts and agents, files and sizes; two git processes for all points."""
        states = [self._context.session(session_id) for session_id in {point.session_id for point in points}]
        agents = {state.session_id: state.agent.type for state in states if state is not None}
        files = [f"{point.id}:{steps.metadata_folder(point.session_id)}/prompt.txt" for point in points]
        names = [name if _is_step(point) else "" for name, point in zip(files, points, strict=True)]
        blobs = (
            list(bulk.get(self._top, names)) if len(names) > 1 else [self._context.objects.get(name) for name in names]
        )
        pairs = [self._trees(point) if sizes else None for point in points]
        known = [pair for pair in pairs if pair is not None]
        changes = dict(zip(known, diff.sizes(self._top, known), strict=True))
        out: list[PointView] = []
        for point, blob, pair in zip(points, blobs, pairs, strict=True):
            prompts = blob.data.decode("utf-8", "replace").split(SEPARATOR) if blob is not None else []
            if point.kind == "task":  # its step was written before the turn's prompt was noted
                holder = next((other for other in out if other.id == point.parent), point)
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

    def _trees(self, point: PointView) -> tuple[str, str] | None:
        """Return the trees before and at a point; None if they are unknown."""
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
        base, known = diff.EMPTY_TREE[len(commit.tree)], self._bases.get(point.id, "")
        if _is_step(point) and known.strip("0"):
            base = self._context.objects.tree_id(known)
        return (base, commit.tree) if base and (known or not _is_step(point)) else None


def _logged(commit: Commit) -> Logged:
    name, *when = commit.author.rsplit(" ", 2)
    moment = float(when[0]) if len(when) == 2 and when[0].isdigit() else 0.0
    return Logged(oid=commit.oid, parents=commit.parents, time=moment, author=name,
                  message=commit.message.decode("utf-8", "surrogateescape"))  # fmt: skip


def _step(commit: Logged) -> PointView | None:
    values = trailers.parse(commit.message)
    session_id = values.get(trailers.SESSION, [""])[0]
    folder = values.get(trailers.METADATA, [""])[0]
    task = values.get(trailers.METADATA_TASK, [""])[0]
    if not session_id or (trailers.METADATA not in values and not task):
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


def _ended_at(moment: float, notes: Sequence[TurnNote]) -> TurnNote | None:
    """Return the turn at whose end a step was written."""
    nearest = min(notes, key=lambda note: abs(note.ended - moment), default=None)
    return nearest if nearest is not None and abs(nearest.ended - moment) < _SAME_MOMENT else None


def _ended(notes: Sequence[TurnNote]) -> list[TurnNote]:
    """Return the last note of each turn that ended."""
    return list({note.turn: note for note in notes if note.turn and note.ended and note.end}.values())


def _first_of_turns(notes: Sequence[TurnNote]) -> list[TurnNote]:
    """Return the first note of each turn that a person prompted."""
    return list({note.turn: note for note in reversed(notes) if note.turn and note.prompt and note.ended}.values())


def _turn(session: Session, note: TurnNote, notes: Sequence[TurnNote]) -> PointView:
    return PointView(
        id=note.turn,
        kind="turn",
        time=note.ended,
        session_id=session.session_id,
        agent=session.agent.type,
        message=steps.subject(note.prompt, AgentDirectory.without_plugins().spoken_names(session.agent.name)),
        prompt=note.prompt,
        session_prompt=next((other.prompt for other in notes if other.prompt), ""),
    )


def _start(session: Session, note: TurnNote, notes: Sequence[TurnNote]) -> PointView:
    end = _turn(session, note, notes)
    return replace(end, id=_BEFORE + note.turn, kind="start", time=note.time, is_before_prompt=True)


def turn_id(point: PointView) -> str:
    """Return the turn that a point is the start of, or the end without a step."""
    return point.id.removeprefix(_BEFORE)


def _nested(points: Sequence[PointView]) -> list[PointView]:
    """Put each subagent's steps after the next later point of its session, whose turn they were part of."""
    holders: dict[str, str] = {}
    tasks: dict[str, list[PointView]] = {}
    out = []
    for point in points:
        if point.kind != "task":
            holders[point.session_id] = point.id
            out.append(point)
        elif point.session_id in holders:
            holder = holders[point.session_id]
            tasks.setdefault(holder, []).append(replace(point, parent=holder))
        else:
            out.append(point)
    return [entry for point in out for entry in (point, *tasks.pop(point.id, ()))]
