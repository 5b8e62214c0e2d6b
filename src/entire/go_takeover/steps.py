"""Records the Go CLI's uncommitted work as snapshots in our journal: first its steps, then the worktree as it is.

The Go CLI's first step of a session contains everything that ``git status`` reports, later ones what the agent did
(formats.md section 3). The step that it carries forward after a commit has no metadata folder: only the transcript
tells which turn changed what.
"""

from __future__ import annotations

from entire.git import diff, history, refs
from entire.git.write import ImportStream
from entire.model import trailers
from entire.model.positions import Position
from entire.model.session import Entry, Session, Turn
from entire.model.turns import NO_TURN, RunningTurn, TurnKey
from entire.model.value import Value, replace
from entire.recording.context import Context
from entire.recording.session_transcript import SessionTranscript
from entire.snapshots import recorder, snapshot_writer
from entire.snapshots.recorder import Cause
from entire.store import checkpoints, step_transcripts, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged

    Entries = dict[str, tuple[str, str] | None]

_MAX_STEPS = 1000
_METADATA = ".entire/metadata"
_NO_FILE = "000000"


class GoSession(Value):
    """What was reconstructed about a session of the Go CLI. A running turn is the last of ``turns``."""

    session: Session
    transcript: SessionTranscript
    turns: tuple[Turn, ...]
    prompted: frozenset[str]  # paths that differed from HEAD when the running turn began
    touched: frozenset[str]  # paths that the Go CLI or the agent's tools attribute to the session
    lost: bool  # it has a running turn, but its agent is gone


class AddedSnapshots:
    """Snapshots to be added to the journal: one stream, then its ref."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._stream = ImportStream(context.place.top)
        self._tip = context.journal.retention.tip
        self._found: list[tuple[str, TurnKey, float]] = []  # key of the tree, by, time

    def add(self, tree: str, changes: Entries, by: TurnKey, time: float) -> None:
        """Add the snapshot of ``tree`` with ``changes``, without session metadata."""
        parents = (self._tip,) if self._tip else ()
        self._tip = self._stream.commit(
            message=snapshot_writer.MESSAGE,
            author=self._context.author(),
            parents=parents,
            tree=tree,
            changes={**changes, _METADATA: None},
        )
        self._found.append((self._stream.tree_of(self._tip), by, time))

    def write(self) -> None:
        """Write the snapshots that differ from the previous one."""
        journal = self._context.journal
        if not self._found:
            return
        written = self._stream.write()
        journal.retention.tip = written[self._tip]
        refs.move(self._context.place.top, [refs.RefMove(ref=journal.ref, new=journal.retention.tip)])
        for key, by, time in self._found:
            if written[key] != journal.attribution.tree:
                journal.attribution.note(
                    Entry(tree=written[key], time=time, by=by, running=(RunningTurn(by),) if by else ())
                )


def record_steps(context: Context, go_sessions: Sequence[GoSession]) -> dict[str, set[str]]:
    """Record the steps of the sessions' shadow branches in the journal; return the paths that each session changed."""
    by_session = {go_session.session.session_id: go_session for go_session in go_sessions}
    added = AddedSnapshots(context)
    made: dict[str, set[str]] = {session_id: set() for session_id in by_session}
    for name, before, rows in _branches(context, go_sessions):
        started: set[str] = set()  # sessions whose first step is already recorded
        if name not in context.journal.retention.shadow_tips:
            added.add(before, {}, NO_TURN, rows[0].time)
        for row in rows:
            commit = context.objects.commit(row.oid)
            changes = _changes(context, before, row.oid)
            if commit is None or not changes:
                continue
            session_id = next(iter(trailers.parse(row.message).get(trailers.SESSION, ())), "")
            go_session = by_session.get(session_id)
            first = session_id not in started
            extent = _extent(context, row.oid, go_session.session) if go_session else 0
            for by, part in _split(go_session, extent, changes, first=first) if go_session else ():
                added.add(before, part, by, row.time)
                if by:
                    made[session_id].update(part)
            added.add(commit.tree, {}, NO_TURN, row.time)
            started.add(session_id)
            before = commit.tree
        context.journal.retention.shadow_tips[name] = rows[-1].oid
    added.write()
    return made


def _branches(context: Context, go_sessions: Sequence[GoSession]) -> list[tuple[str, str, list[Logged]]]:
    """Return the sessions' shadow branches, oldest first: name, the tree that the first step follows, and the steps."""
    branches = []
    bases = {go_session.session.worktree.base_commit for go_session in go_sessions if go_session.session.work.steps}
    names = {steps.branch_name(base, context.place.worktree_id): base for base in bases}
    tips = refs.read(context.place.top, *(f"refs/heads/{name}" for name in names))
    for name, base in names.items():
        commit = context.objects.commit(base)
        tip = tips.get(f"refs/heads/{name}", "")
        rows = history.log(context.place.top, [tip], limit=_MAX_STEPS)[::-1] if tip else []
        recorded = [
            number for number, row in enumerate(rows) if row.oid == context.journal.retention.shadow_tips.get(name)
        ]
        if recorded:  # up to here they are in the journal
            before, rows = rows[recorded[0]].oid, rows[recorded[0] + 1 :]
            commit = context.objects.commit(before)
        if commit is not None and rows:
            branches.append((name, commit.tree, rows))
    return sorted(branches, key=lambda branch: branch[2][-1].time)


def _changes(context: Context, before: str, oid: str) -> Entries:
    return {
        change.path: None if change.new_mode == _NO_FILE else (change.new_mode, change.new_oid)
        for change in diff.changes(context.place.top, before, oid)
        if not change.path.startswith(_METADATA + "/")
    }


def _split(go_session: GoSession, extent: int, changes: Entries, *, first: bool) -> list[tuple[TurnKey, Entries]]:
    """Return the changes of a step by who made them, in order of the turns; each part includes the previous ones."""
    if not go_session.turns:
        return []
    last = next((turn for turn in reversed(go_session.turns) if turn.prompt_position < extent), go_session.turns[0])
    makers = dict.fromkeys(changes, last) if extent else _makers(go_session, changes)
    person = [path for path in changes if first and extent and path not in go_session.touched]
    parts: list[tuple[TurnKey, Entries]] = []
    so_far: Entries = {path: changes[path] for path in person}
    if person:
        parts.append((NO_TURN, dict(so_far)))
    for turn in go_session.turns:
        mine = [path for path, maker in makers.items() if maker is turn and path not in person]
        if mine:
            so_far.update({path: changes[path] for path in mine})
            parts.append((TurnKey.of(go_session.session.session_id, turn.id), dict(so_far)))
    return parts


def _extent(context: Context, oid: str, session: Session) -> int:
    """Return the number of records in a step's transcript; 0 if the step was carried forward."""
    files = checkpoints.transcript_files(step_transcripts.session_files(context.objects, oid, session.session_id))
    agent = context.adapters.of(session)
    if not files or agent is None:
        return 0
    content = agent.reassemble_transcript([context.objects.blob(oid) or b"" for oid in files.values()])
    return agent.transcript(session.session_ref, content).end().count


def _makers(go_session: GoSession, changes: Entries) -> dict[str, Turn]:
    """Return the turn that changed each carried path: the last one that reported it, else the last that ended."""
    ended = [turn for turn in go_session.turns if turn.ended] or go_session.turns[:1]
    makers = dict.fromkeys(changes, ended[-1])
    open_paths = set(changes)
    until = go_session.transcript.end()
    for turn in reversed(go_session.turns):
        start = Position(count=turn.prompt_position)
        for path in open_paths.intersection(go_session.transcript.files(start, until)) if open_paths else ():
            makers[path] = turn
            open_paths.remove(path)
        until = start
    return makers


def record_present(context: Context, go_sessions: Sequence[GoSession]) -> None:
    """Record the worktree: what differs from the last step belongs to the running turns, or to a person if none runs.

    What differed before the running turn began belongs to a person, unless the turn's tools report it.
    """
    context.journal.snapshot = replace(context.journal.snapshot, tree="")  # the steps recorded above came after it
    taken = recorder.take(context)
    running = [go_session for go_session in go_sessions if go_session.session.is_running or go_session.lost]
    keys = [go_session.session.turn_key for go_session in running]
    for go_session, key in zip(running, keys, strict=True):
        turn = go_session.session.turn
        context.journal.attribution.reports[key] = (
            go_session.transcript.files(turn.start, go_session.transcript.end()) if turn is not None else []
        )
    added = AddedSnapshots(context)
    head = context.objects.commit("HEAD")
    if not context.journal.attribution.tree and head is not None:
        added.add(head.tree, {}, NO_TURN, taken.snapshot.time)
        added.write()
        added = AddedSnapshots(context)
    reported = {path for key in keys for path in context.journal.attribution.reports[key]}
    person: Entries = {}
    for path in frozenset().union(*(go_session.prompted for go_session in running)) - reported:
        facts = taken.snapshot.files.get(path)
        if facts is not None:
            person[path] = None if facts[0] == _NO_FILE else (facts[0], facts[1])
    if person and context.journal.attribution.tree:
        added.add(context.journal.attribution.tree, person, NO_TURN, taken.snapshot.time)
        added.write()
    alive = [key for go_session, key in zip(running, keys, strict=True) if not go_session.lost]
    lost = [RunningTurn.background(key) for go_session, key in zip(running, keys, strict=True) if go_session.lost]
    cause = Cause(by=alive[0] if alive else NO_TURN, running=(*map(RunningTurn, alive), *lost))
    recorder.record(context, recorder.compare(context, taken), cause)
