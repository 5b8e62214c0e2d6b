"""What the Go Entire CLI left open, as looks of our journal: its steps, then the work tree as it is.

The Go CLI puts into a session's first step everything that ``git status`` reports, into later ones what the agent did
(formats.md section 3); what it carries forward after a commit has no metadata folder, so that only the transcript tells
which turn made it.
"""

from __future__ import annotations

from entire.git import diff, history, refs
from entire.git.write import Stream
from entire.lifecycle import worktree
from entire.lifecycle.reading import Reading
from entire.lifecycle.scene import Scene, turn_key
from entire.model import trailers
from entire.model.session import WEAK, Entry, Session, Turn
from entire.model.transcripts import Position
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
    reading: Reading
    turns: tuple[Turn, ...]
    prompted: frozenset[str]  # paths that differed from HEAD when the running turn began
    touched: frozenset[str]  # paths that the Go CLI or the agent's tools call the session's
    lost: bool  # its running turn will not end by itself: the agent is gone


class Looks:
    """Looks to be added to the journal: one stream, then its ref."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._stream = Stream(scene.place.top)
        self._tip = scene.journal.tip
        self._found: list[tuple[str, str, float]] = []  # key of the tree, by, time

    def add(self, tree: str, changes: Entries, by: str, time: float) -> None:
        """Add the look that has ``tree`` with ``changes``, without what is no part of the work tree."""
        parents = (self._tip,) if self._tip else ()
        self._tip = self._stream.commit(message=b"look\n", author=self._scene.author(), parents=parents, tree=tree,
                                        changes={**changes, _METADATA: None})  # fmt: skip
        self._found.append((self._stream.tree_of(self._tip), by, time))

    def write(self) -> None:
        """Write them; a look like the one before is left out."""
        journal = self._scene.journal
        if not self._found:
            return
        written = self._stream.write()
        journal.tip = written[self._tip]
        refs.move(self._scene.place.top, [refs.Move(ref=journal.ref, new=journal.tip)])
        for key, by, time in self._found:
            if written[key] != journal.tree:
                journal.note(Entry(tree=written[key], time=time, by=by, running=(by,) if by else ()))


def note_steps(scene: Scene, taken: Sequence[Past]) -> dict[str, set[str]]:
    """Write the steps of the sessions' shadow branches into the journal; return the paths that each session made."""
    by_session = {past.session.session_id: past for past in taken}
    looks = Looks(scene)
    made: dict[str, set[str]] = {one: set() for one in by_session}
    for name, before, rows in _branches(scene, taken):
        started: set[str] = set()  # sessions whose first step is behind
        if name not in scene.journal.shadows:
            looks.add(before, {}, "", rows[0].time)
        for row in rows:
            commit = scene.objects.commit(row.oid)
            changes = _changes(scene, before, row.oid)
            if commit is None or not changes:
                continue
            session_id = next(iter(trailers.parse(row.message).get(trailers.SESSION, ())), "")
            past = by_session.get(session_id)
            first = session_id not in started
            for by, part in _split(past, _lines(scene, row.oid, session_id), changes, first=first) if past else ():
                looks.add(before, part, by, row.time)
                if by:
                    made[session_id].update(part)
            looks.add(commit.tree, {}, "", row.time)
            started.add(session_id)
            before = commit.tree
        scene.journal.shadows[name] = rows[-1].oid
    looks.write()
    return made


def _branches(scene: Scene, taken: Sequence[Past]) -> list[tuple[str, str, list[Logged]]]:
    """Return the sessions' shadow branches, oldest first: name, the tree that the first step follows, and the steps."""
    found = []
    bases = {one.session.base_commit for one in taken if one.session.steps}
    names = {steps.branch_name(base, scene.place.worktree_id): base for base in bases}
    tips = refs.read(scene.place.top, *(f"refs/heads/{name}" for name in names))
    for name, base in names.items():
        commit = scene.objects.commit(base)
        tip = tips.get(f"refs/heads/{name}", "")
        rows = history.log(scene.place.top, [tip], limit=_MAX_STEPS)[::-1] if tip else []
        ours = [number for number, row in enumerate(rows) if row.oid == scene.journal.shadows.get(name)]
        if ours:  # up to here they are in the journal
            before, rows = rows[ours[0]].oid, rows[ours[0] + 1 :]
            commit = scene.objects.commit(before)
        if commit is not None and rows:
            found.append((name, commit.tree, rows))
    return sorted(found, key=lambda one: one[2][-1].time)


def _changes(scene: Scene, before: str, oid: str) -> Entries:
    """Return what a step changed in the work tree."""
    return {
        one.path: None if one.new_mode == _NO_FILE else (one.new_mode, one.new_oid)
        for one in diff.changes(scene.place.top, before, oid)
        if not one.path.startswith(_METADATA + "/")
    }


def _split(past: Past, lines: int, changes: Entries, *, first: bool) -> list[tuple[str, Entries]]:
    """Return the changes of a step by who made them, the turns in order; each part holds those before it too."""
    if not past.turns:
        return []
    last = next((one for one in reversed(past.turns) if one.prompt_position < lines), past.turns[0])
    makers = dict.fromkeys(changes, last) if lines else _makers(past, changes)
    person = [path for path in changes if first and lines and path not in past.touched]
    parts: list[tuple[str, Entries]] = []
    so_far: Entries = {path: changes[path] for path in person}
    if person:
        parts.append(("", dict(so_far)))
    for one in past.turns:
        mine = [path for path, maker in makers.items() if maker is one and path not in person]
        if mine:
            so_far.update({path: changes[path] for path in mine})
            parts.append((f"{past.session.session_id}/{one.id}", dict(so_far)))
    return parts


def _lines(scene: Scene, oid: str, session_id: str) -> int:
    """Return how many transcript lines a step holds; 0 if it holds none (carried forward)."""
    folder = f"{oid}:{steps.metadata_folder(session_id)}"
    names = [one.name for one in scene.objects.tree(folder) if one.name.startswith("full.jsonl")]
    parts = [scene.objects.blob(f"{folder}/{name}") or b"" for name in sorted(names)]
    return sum(part.count(b"\n") + (not part.endswith(b"\n")) for part in parts if part)


def _makers(past: Past, changes: Entries) -> dict[str, Turn]:
    """Return which turn made each carried path: the last that reported it, else the last that is over."""
    over = [one for one in past.turns if one.ended] or past.turns[:1]
    makers = dict.fromkeys(changes, over[-1])
    open_paths = set(changes)
    until = past.reading.end()
    for turn in reversed(past.turns):
        start = Position(count=turn.prompt_position)
        for path in open_paths.intersection(past.reading.files(start, until)) if open_paths else ():
            makers[path] = turn
            open_paths.remove(path)
        until = start
    return makers


def note_present(scene: Scene, taken: Sequence[Past]) -> None:
    """Look at the work tree: what differs from the last step is the running turns' work, or a person's without any.

    What a person had changed before the running turn began is the person's, unless the turn's tools report it.
    """
    scene.journal.snapshot = replace(scene.journal.snapshot, tree="")  # the steps came after it
    seen = worktree.look(scene)
    running = [past for past in taken if past.session.is_running or past.lost]
    keys = [turn_key(past.session) for past in running]
    for past, key in zip(running, keys, strict=True):
        turn = past.session.turn
        scene.journal.reports[key] = past.reading.files(turn.start, past.reading.end()) if turn is not None else []
    looks = Looks(scene)
    head = scene.objects.commit("HEAD")
    if not scene.journal.tree and head is not None:
        looks.add(head.tree, {}, "", seen.snapshot.time)
        looks.write()
        looks = Looks(scene)
    reported = {path for key in keys for path in scene.journal.reports[key]}
    person: Entries = {}
    for path in frozenset().union(*(past.prompted for past in running)) - reported:
        facts = seen.snapshot.files.get(path)
        if facts is not None:
            person[path] = None if facts[0] == _NO_FILE else (facts[0], facts[1])
    if person and scene.journal.tree:
        looks.add(scene.journal.tree, person, "", seen.snapshot.time)
        looks.write()
    alive = [key for past, key in zip(running, keys, strict=True) if not past.lost]
    weak = [WEAK + key for past, key in zip(running, keys, strict=True) if past.lost]
    worktree.record(scene, seen, by=alive[0] if alive else "", running=[*alive, *weak])
