"""What the Go Entire CLI left open, as looks of our journal: its steps, then the work tree as it is.

The Go CLI puts into a session's first step everything that ``git status`` reports, into later ones what the agent did
(formats.md section 3); what it carries forward after a commit has no metadata folder, so that only the transcript tells
which turn made it.
"""

from __future__ import annotations

from entire.git import diff, history, refs
from entire.git.write import Stream
from entire.lifecycle.context import Context
from entire.lifecycle.session_transcript import SessionTranscript
from entire.lifecycle.snapshots import recorder
from entire.lifecycle.snapshots.recorder import Cause
from entire.model import trailers
from entire.model.session import Entry, Session, Turn
from entire.model.transcripts import Position
from entire.model.turns import NO_TURN, RunningTurn, TurnKey
from entire.model.value import Value, replace
from entire.store import steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged

    Entries = dict[str, tuple[str, str] | None]

_MAX_STEPS = 1000
_METADATA = ".entire/metadata"
_NO_FILE = "000000"


class Past(Value):
    """What was found again about a session: its turns up to now, the running one last."""

    session: Session
    transcript: SessionTranscript
    turns: tuple[Turn, ...]
    prompted: frozenset[str]  # paths that differed from HEAD when the running turn began
    touched: frozenset[str]  # paths that the Go CLI or the agent's tools call the session's
    lost: bool  # its running turn will not end by itself: the agent is gone


class AddedSnapshots:
    """Looks to be added to the journal: one stream, then its ref."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._stream = Stream(context.place.top)
        self._tip = context.journal.retention.tip
        self._found: list[tuple[str, TurnKey, float]] = []  # key of the tree, by, time

    def add(self, tree: str, changes: Entries, by: TurnKey, time: float) -> None:
        """Add the look that has ``tree`` with ``changes``, without what is no part of the work tree."""
        parents = (self._tip,) if self._tip else ()
        self._tip = self._stream.commit(
            message=recorder.MESSAGE,
            author=self._context.author(),
            parents=parents,
            tree=tree,
            changes={**changes, _METADATA: None},
        )
        self._found.append((self._stream.tree_of(self._tip), by, time))

    def write(self) -> None:
        """Write them; a look like the one before is left out."""
        journal = self._context.journal
        if not self._found:
            return
        written = self._stream.write()
        journal.retention.tip = written[self._tip]
        refs.move(self._context.place.top, [refs.Move(ref=journal.ref, new=journal.retention.tip)])
        for key, by, time in self._found:
            if written[key] != journal.attribution.tree:
                journal.attribution.note(
                    Entry(tree=written[key], time=time, by=by, running=(RunningTurn(by),) if by else ())
                )


def note_steps(context: Context, imported: Sequence[Past]) -> dict[str, set[str]]:
    """Write the steps of the sessions' shadow branches into the journal; return the paths that each session made."""
    by_session = {past.session.session_id: past for past in imported}
    added = AddedSnapshots(context)
    made: dict[str, set[str]] = {one: set() for one in by_session}
    for name, before, rows in _branches(context, imported):
        started: set[str] = set()  # sessions whose first step is behind
        if name not in context.journal.retention.shadow_tips:
            added.add(before, {}, NO_TURN, rows[0].time)
        for row in rows:
            commit = context.objects.commit(row.oid)
            changes = _changes(context, before, row.oid)
            if commit is None or not changes:
                continue
            session_id = next(iter(trailers.parse(row.message).get(trailers.SESSION, ())), "")
            past = by_session.get(session_id)
            first = session_id not in started
            for by, part in _split(past, _lines(context, row.oid, session_id), changes, first=first) if past else ():
                added.add(before, part, by, row.time)
                if by:
                    made[session_id].update(part)
            added.add(commit.tree, {}, NO_TURN, row.time)
            started.add(session_id)
            before = commit.tree
        context.journal.retention.shadow_tips[name] = rows[-1].oid
    added.write()
    return made


def _branches(context: Context, imported: Sequence[Past]) -> list[tuple[str, str, list[Logged]]]:
    """Return the sessions' shadow branches, oldest first: name, the tree that the first step follows, and the steps."""
    found = []
    bases = {one.session.base_commit for one in imported if one.session.steps}
    names = {steps.branch_name(base, context.place.worktree_id): base for base in bases}
    tips = refs.read(context.place.top, *(f"refs/heads/{name}" for name in names))
    for name, base in names.items():
        commit = context.objects.commit(base)
        tip = tips.get(f"refs/heads/{name}", "")
        rows = history.log(context.place.top, [tip], limit=_MAX_STEPS)[::-1] if tip else []
        ours = [number for number, row in enumerate(rows) if row.oid == context.journal.retention.shadow_tips.get(name)]
        if ours:  # up to here they are in the journal
            before, rows = rows[ours[0]].oid, rows[ours[0] + 1 :]
            commit = context.objects.commit(before)
        if commit is not None and rows:
            found.append((name, commit.tree, rows))
    return sorted(found, key=lambda one: one[2][-1].time)


def _changes(context: Context, before: str, oid: str) -> Entries:
    """Return what a step changed in the work tree."""
    return {
        one.path: None if one.new_mode == _NO_FILE else (one.new_mode, one.new_oid)
        for one in diff.changes(context.place.top, before, oid)
        if not one.path.startswith(_METADATA + "/")
    }


def _split(past: Past, lines: int, changes: Entries, *, first: bool) -> list[tuple[TurnKey, Entries]]:
    """Return the changes of a step by who made them, the turns in order; each part holds those before it too."""
    if not past.turns:
        return []
    last = next((one for one in reversed(past.turns) if one.prompt_position < lines), past.turns[0])
    makers = dict.fromkeys(changes, last) if lines else _makers(past, changes)
    person = [path for path in changes if first and lines and path not in past.touched]
    parts: list[tuple[TurnKey, Entries]] = []
    so_far: Entries = {path: changes[path] for path in person}
    if person:
        parts.append((NO_TURN, dict(so_far)))
    for one in past.turns:
        mine = [path for path, maker in makers.items() if maker is one and path not in person]
        if mine:
            so_far.update({path: changes[path] for path in mine})
            parts.append((TurnKey.of(past.session.session_id, one.id), dict(so_far)))
    return parts


def _lines(context: Context, oid: str, session_id: str) -> int:
    """Return how many transcript lines a step holds; 0 if it holds none (carried forward)."""
    folder = f"{oid}:{steps.metadata_folder(session_id)}"
    names = [one.name for one in context.objects.tree(folder) if one.name.startswith("full.jsonl")]
    parts = [context.objects.blob(f"{folder}/{name}") or b"" for name in sorted(names)]
    return sum(part.count(b"\n") + (not part.endswith(b"\n")) for part in parts if part)


def _makers(past: Past, changes: Entries) -> dict[str, Turn]:
    """Return which turn made each carried path: the last that reported it, else the last that is over."""
    over = [one for one in past.turns if one.ended] or past.turns[:1]
    makers = dict.fromkeys(changes, over[-1])
    open_paths = set(changes)
    until = past.transcript.end()
    for turn in reversed(past.turns):
        start = Position(count=turn.prompt_position)
        for path in open_paths.intersection(past.transcript.files(start, until)) if open_paths else ():
            makers[path] = turn
            open_paths.remove(path)
        until = start
    return makers


def note_present(context: Context, imported: Sequence[Past]) -> None:
    """Look at the work tree: what differs from the last step is the running turns' work, or a person's without any.

    What a person had changed before the running turn began is the person's, unless the turn's tools report it.
    """
    context.journal.snapshot = replace(context.journal.snapshot, tree="")  # the steps came after it
    taken = recorder.take(context)
    running = [past for past in imported if past.session.is_running or past.lost]
    keys = [past.session.turn_key for past in running]
    for past, key in zip(running, keys, strict=True):
        turn = past.session.turn
        context.journal.attribution.reports[key] = (
            past.transcript.files(turn.start, past.transcript.end()) if turn is not None else []
        )
    added = AddedSnapshots(context)
    head = context.objects.commit("HEAD")
    if not context.journal.attribution.tree and head is not None:
        added.add(head.tree, {}, NO_TURN, taken.snapshot.time)
        added.write()
        added = AddedSnapshots(context)
    reported = {path for key in keys for path in context.journal.attribution.reports[key]}
    person: Entries = {}
    for path in frozenset().union(*(past.prompted for past in running)) - reported:
        facts = taken.snapshot.files.get(path)
        if facts is not None:
            person[path] = None if facts[0] == _NO_FILE else (facts[0], facts[1])
    if person and context.journal.attribution.tree:
        added.add(context.journal.attribution.tree, person, NO_TURN, taken.snapshot.time)
        added.write()
    alive = [key for past, key in zip(running, keys, strict=True) if not past.lost]
    lost = [RunningTurn.background(key) for past, key in zip(running, keys, strict=True) if past.lost]
    cause = Cause(by=alive[0] if alive else NO_TURN, running=(*map(RunningTurn, alive), *lost))
    recorder.record(context, recorder.compare(context, taken), cause)
