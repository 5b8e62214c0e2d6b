"""Who wrote the lines of this worktree that are not committed: the journal's snapshots, replayed up to this moment.

The question is the same as at a commit: whose would the lines be if everything here were committed now? Only what
changed after the last snapshot is judged more strictly: while turns run, it is a turn's if the tools of no other turn
report the path. Writes nothing in the repository: what git must store for the comparison goes to a temporary folder.
"""

from __future__ import annotations

import os
import tempfile

from entire.attribution import content
from entire.attribution.content import CommitTrees, Recorded
from entire.commits import ownership
from entire.errors import GitError
from entire.git import blame, diff, history, operation, scratch
from entire.git.blame import BlameSource
from entire.git.read import Objects
from entire.git.write import ImportStream
from entire.model.turns import BASE, NOBODY, PERSON, Owner, RunningTurn
from entire.model.value import Value, replace
from entire.snapshots import brought, snapshot_writer, unreported_changes, worktree
from entire.store import journal, setup_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from entire.attribution.content import Content
    from entire.attribution.path_lines import PathLines
    from entire.git.blame import Blame
    from entire.git.diff import FilePatch
    from entire.model.turns import TurnKey
    from entire.recording.context import Context
    from entire.snapshots.worktree import TakenSnapshot

    Judged = tuple[Owner, str]  # an owner, and why it is UNKNOWN

UNKNOWN = Owner("unknown")
_AUTHOR = "Unknown <unknown@local> 0 +0000"
_TOO_LARGE = "the file is too large for a snapshot"
_NOT_WATCHED = "Entire is not enabled here"
_NOT_IMPORTED = "a session changed the file, but no snapshot shows what it did"
_SETUP = "`entire enable` wrote it"
_HOOKS = "a commit's hooks changed it"


class OwnedRange(Value):
    """Neighbouring lines of the same owner, counted from 1; ``reason``: why it is UNKNOWN."""

    first: int
    last: int
    owner: Owner
    reason: str = ""


class UncommittedFile(Value):
    """A file that differs from HEAD. ``ranges``: the lines that HEAD has not, in order.

    ``owner`` created, deleted or moved the file, changed its mode, or wrote it as a binary one; '' if only its lines
    changed.
    """

    path: str
    status: str  # git's letter
    head_path: str = ""  # in HEAD, '' if it is new
    blob: str = ""  # in HEAD's form, after filters; '' if the file is deleted
    is_binary: bool = False
    ranges: tuple[OwnedRange, ...] = ()
    removed: int = 0  # lines that HEAD has and the file has not
    owner: Owner = Owner("")
    reason: str = ""  # why the owner is UNKNOWN
    text: bytes = b""  # that blob; empty if it is binary
    blame: Blame | None = None  # if it was asked for


def find(context: Context, path: str = "", blame_options: Sequence[str] | None = None) -> list[UncommittedFile]:
    """Return the files that differ from HEAD, by path; only one of them with ``path``, also blamed with options of git
    as if it were committed: then git follows lines out of other files of HEAD.
    """
    place, known, limit = context.place, context.journal, context.settings.max_untracked_bytes
    oid_size = len(known.attribution.tree) or history.oid_size(place.top)
    with tempfile.TemporaryDirectory(prefix="entire-") as folder:
        variables = scratch.make(folder, place, oid_size)
        taken = worktree.take(place, known.snapshot, context.objects, limit, known.caches.trees, variables)
        changed = [name for name in taken.snapshot.files if path in ("", name)]
        files = _Comparison(context, folder, taken, oid_size).files(changed) if changed else []
        if blame_options is not None:
            files = [_blamed(file, folder, taken, blame_options) for file in files]
    files += [
        _too_large(place.top, name, with_lines=bool(path)) for name in taken.snapshot.left_out if path in ("", name)
    ]
    return sorted(files, key=lambda file: file.path)


def _too_large(top: str, path: str, *, with_lines: bool) -> UncommittedFile:
    """Return an untracked file that snapshots leave out; its lines only if it was asked for."""
    text = b""
    if with_lines:
        with open(os.path.join(top, path), "rb") as file:
            text = file.read()
    count = text.count(b"\n") + (not text.endswith(b"\n"))
    lines = (OwnedRange(first=1, last=count, owner=UNKNOWN, reason=_TOO_LARGE),) if text else ()
    return UncommittedFile(path=path, status="A", ranges=lines, owner=UNKNOWN, reason=_TOO_LARGE, text=text)


class _Comparison:
    """The worktree as a tree, compared with HEAD and with the last snapshot."""

    def __init__(self, context: Context, folder: str, taken: TakenSnapshot, oid_size: int) -> None:
        self._context = context
        self._folder = folder
        self._worktree = context.place.top
        self._taken = taken
        self._head_tree = taken.snapshot.head_tree or diff.EMPTY_TREE[oid_size]
        self._tree = _write(folder, taken) or self._head_tree
        self._setup = setup_lines.load(context.place)
        self._running, self._reports = _at_work(context)
        self._elsewhere = {
            path for state in context.relevant_sessions() if state.foreign for path in state.work.open_files
        }

    def files(self, changed: Sequence[str]) -> list[UncommittedFile]:
        """Return these files. One that was moved counts under its new path."""
        paths = [*changed, *self._moved_away(changed)]
        last = self._context.journal.attribution.tree
        pairs = [(self._head_tree, self._tree), *([(last, self._tree)] if last else [])]
        patches, *since = diff.patches(self._folder, pairs, paths)
        late = {patch.change.path: patch for patch in (since[0] if since else ())}
        lines = {path.path: path for path in self._examine(paths)}
        wanted = {*changed}
        with Objects(self._folder) as objects:
            return [
                self._file(patch, lines.get(patch.change.path), late.get(patch.change.path), objects)
                for patch in patches
                if patch.change.path in wanted
            ]

    def _moved_away(self, changed: Sequence[str]) -> list[str]:
        """Return paths that are gone and of which one of ``changed`` may be the new place, now or in a snapshot."""
        files, snapshots = self._taken.snapshot.files, self._context.journal.attribution.entries
        gone = {path for path, facts in files.items() if facts[0] == journal.NO_FILE}
        for entry in snapshots:
            if not entry.commit and not set(changed).isdisjoint(entry.paths):
                gone.update(path for path in entry.paths if not os.path.lexists(os.path.join(self._worktree, path)))
        return sorted(gone.difference(changed))

    def _examine(self, paths: Sequence[str]) -> tuple[PathLines, ...]:
        """Return the owners of these paths' lines; none if no snapshot, here or where a stash came from, tells any."""
        trees = CommitTrees(tree=self._tree, parent_tree=self._head_tree)
        own = self._replay(trees, paths) if self._context.journal.attribution.tree else None
        is_busy = operation.in_progress(self._context.place)
        popped = None if is_busy else ownership.popped(self._context, trees, paths, self._folder)
        if popped is not None:
            own = content.joined(own, popped) if own is not None else popped
        return content.without_setup(own, self._setup).lines if own is not None else ()

    def _replay(self, trees: CommitTrees, paths: Sequence[str]) -> Content:
        context, head = self._context, self._taken.snapshot.head
        attribution = context.journal.attribution
        entries = brought.present(context, attribution.entries_without(*ownership.abandoned(context, head)))
        recorded = Recorded(
            entries=tuple(entries),
            reports={**attribution.reports, **self._reports},
            running=self._running,
            unreported=unreported_changes.find(context, self._running, paths),
        )
        trees = replace(trees, brought=brought.trees(context, head) if entries else ())
        return content.examine(self._folder, recorded, trees, paths, attribution.stashed_paths)

    def _file(
        self, patch: FilePatch, lines: PathLines | None, late: FilePatch | None, objects: Objects
    ) -> UncommittedFile:
        change = patch.change
        late_lines = content.numbered(late) if late is not None else {}
        numbers = content.numbered(patch)
        owners = {
            number: owner for first, last, owner in (lines.added if lines else ()) for number in range(first, last + 1)
        }
        judged = {
            number: self._judged(change.path, owners.get(number), is_late=number in late_lines) for number in numbers
        }
        is_changed = change.status != "M" or patch.binary or change.old_mode != change.new_mode
        blob = change.new_oid if change.new_oid.strip("0") else ""
        path_owner = lines.path_owner if lines is not None else None
        whole = self._judged(change.path, path_owner, is_late=late is not None) if is_changed else (BASE, "")
        return UncommittedFile(
            path=change.path,
            status=change.status,
            head_path="" if change.status == "A" else change.old_path,
            blob=blob,
            text=b"" if patch.binary or not blob else objects.blob(blob) or b"",
            is_binary=patch.binary,
            ranges=tuple(_ranges(judged)),
            removed=sum(kind == b"-" for hunk in patch.hunks for kind, _ in hunk.lines),
            owner=whole[0],
            reason=whole[1],
        )

    def _judged(self, path: str, owner: Owner | None, *, is_late: bool) -> Judged:
        """Return whose a line or the path itself is, by its owner in the replay; ``is_late``: no snapshot has it."""
        if owner is None:
            return self._without_record(path)
        if is_late and path in self._elsewhere:
            return UNKNOWN, _NOT_IMPORTED
        if owner == NOBODY:
            return UNKNOWN, _HOOKS
        if not owner.is_turn:
            return PERSON, ""
        keys = {turn.key for turn in self._running}
        reporting = [key for key in keys if path in self._reports.get(key, ())]
        if is_late and owner.turn in keys and len(reporting) != 1:
            return UNKNOWN, _while_turns_ran(len(keys), len(reporting))
        return owner, ""

    def _without_record(self, path: str) -> Judged:
        """Return whose something is that the replay left out, or that no snapshot can tell of."""
        if self._context.journal.attribution.tree:
            return UNKNOWN, _SETUP
        if path in self._elsewhere:
            return UNKNOWN, _NOT_IMPORTED
        if reporting := [key for key, paths in self._reports.items() if path in paths]:  # turns of other worktrees
            is_one = len(reporting) == 1
            return (Owner(reporting[0]), "") if is_one else (UNKNOWN, _while_turns_ran(len(reporting), len(reporting)))
        return (PERSON, "") if self._context.settings.enabled else (UNKNOWN, _NOT_WATCHED)


def _while_turns_ran(running: int, reporting: int) -> str:
    turns = "a turn" if running == 1 else f"{running} turns"
    tools = f"the tools of {reporting} of them report" if reporting else "no tool reports"
    return f"changed while {turns} ran, and {tools} the file"


def _at_work(context: Context) -> tuple[tuple[RunningTurn, ...], dict[TurnKey, list[str]]]:
    """Return the turns in progress that may have changed something here, and the paths that their tools report."""
    here = context.running_turns()
    reports = unreported_changes.reports_so_far(context) if here else {}
    for session_id in journal.running_elsewhere(context.place):
        session = context.session(session_id)
        if session is None or session.turn is None:
            continue
        transcript = context.transcripts.of(session)
        if paths := transcript.files(session.turn.start, transcript.end()):
            reports[session.turn_key] = paths
            here.append(RunningTurn.background(session.turn_key))
    return tuple(here), reports


def _write(folder: str, taken: TakenSnapshot) -> str:
    """Write the worktree's tree to the repository in ``folder``; return its id, '' if it is empty."""
    return _commit(folder, taken)[0] if taken.changes else taken.base_tree


def _commit(folder: str, taken: TakenSnapshot) -> tuple[str, str]:
    """Write the worktree as a commit on HEAD to the repository in ``folder``; return the ids of its tree and of it."""
    stream = ImportStream(folder)
    for target in taken.links.values():
        stream.blob(target)
    parents = (taken.snapshot.head,) if taken.snapshot.head else ()
    mark = stream.commit(
        message=snapshot_writer.MESSAGE, author=_AUTHOR, parents=parents, tree=taken.base_tree, changes=taken.changes
    )
    tree = stream.tree_of(mark)
    written = stream.write()
    return written[tree], written[mark]


def _blamed(file: UncommittedFile, folder: str, taken: TakenSnapshot, options: Sequence[str]) -> UncommittedFile:
    """Return a file with its blame, in which the lines that are not committed have zeros as their commit."""
    if file.is_binary or not file.text:
        return file
    _, commit = _commit(folder, taken)
    try:
        blamed = blame.of(folder, options, file.path, commit, mailmap=f"{commit}:.mailmap")
    except GitError:  # a partial clone
        return file
    zeros = "0" * len(commit)
    groups = tuple(replace(group, oid=zeros) if group.oid == commit else group for group in blamed.groups)
    sources = {oid: source for oid, source in blamed.sources.items() if oid != commit} | {zeros: BlameSource(oid=zeros)}
    return replace(file, blame=replace(blamed, groups=groups, sources=sources))


def _ranges(judged: Mapping[int, Judged]) -> Iterator[OwnedRange]:
    """Yield neighbouring lines with the same answer as one range."""
    first = last = 0
    for number in sorted(judged):
        if last and (number > last + 1 or judged[number] != judged[last]):
            yield _range(first, last, judged)
            first = 0
        first, last = first or number, number
    if last:
        yield _range(first, last, judged)


def _range(first: int, last: int, judged: Mapping[int, Judged]) -> OwnedRange:
    owner, reason = judged[first]
    return OwnedRange(first=first, last=last, owner=owner, reason=reason)
