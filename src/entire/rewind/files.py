"""Which files a rewind changes, and how: the way from the present work tree to a point, path by path.

Only paths that sessions made or changed are looked at. Every path that differs gets one answer: written, created,
deleted, merged, or left alone for a reason that is told.
"""

from __future__ import annotations

import os

from entire import files
from entire.agents import registry
from entire.errors import EntireError
from entire.git import bulk, checkout, diff, history
from entire.git.write import Stream
from entire.model import trailers
from entire.model.value import Value
from entire.model.views import EditView, LeftView
from entire.rewind.edits import Change
from entire.store import checkpoints, sessions
from entire.undo import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from entire.lifecycle.context import Context
    from entire.model.requests import RewindRequest
    from entire.model.session import Entry, Session
    from entire.model.views import PointView
    from entire.rewind.points import Points
    from entire.undo.transaction import Draft

    Found = tuple[str, str] | None  # mode and blob id; None: there is no file

_RULES = ".gitignore"
_NO_FILE, _FILE, _LINK = "000000", "100644", "120000"
_KEEP = ("", "")  # in place of a file: what is there stays
_LABELS = ("yours", "before your change", "the point")
_SESSION_LABELS = ("now", "after the session's change", "before it")


class Then(Value):
    """The files of a point: their tree, and the last look at the work tree by then, if anybody knows it."""

    tree: str
    moment: float
    snapshot: Entry | None
    commit: str = ""  # of a checkpoint


class Restoring:
    """Plans the files of one rewind and prepares them in a draft. The journal's last snapshot is the present."""

    def __init__(
        self, context: Context, points: Points, point: PointView, request: RewindRequest, draft: Draft
    ) -> None:
        self._context = context
        self._top = context.place.top
        self._snapshots = points.snapshots
        self._request = request
        self._draft = draft
        self.then = _then(context, points, point)
        self.edits: list[EditView] = []
        self.left: list[LeftView] = []
        self.yours: list[str] = []
        self._writes: dict[str, tuple[str, str]] = {}
        self._merged: dict[str, str] = {}  # path: merge or conflict
        self._since: dict[str, list[Change]] = {}
        self._has_new_rules = False  # what git ignores is not what it ignored then

    def plan(self) -> None:
        """Fill the draft and say what it will do."""
        differing = [one for one in self._differing() if self._is_wanted(one.path)]
        for change in self._snapshots.since(self.then.moment, {one.path for one in differing}):
            self._since.setdefault(change.path, []).append(change)
        chosen = [one for one in differing if self._is_free(one)]
        deletions = []
        for one in chosen:
            target = self._target(one)
            if target is None:
                deletions.append(one.path)
            elif target not in (_KEEP, (one.old_mode, one.old_oid)):
                self._writes[one.path] = target
        created = {one.path for one in chosen if one.old_mode == _NO_FILE}
        self._prepare(self._deletable(deletions), created)

    # ------------------------------------------------------------ which paths

    def _differing(self) -> list[diff.Change]:
        """Return what differs between now and then in the paths that count: those that sessions made."""
        found = diff.changes(self._top, self._context.journal.attribution.tree, self.then.tree)
        found = [one for one in found if one.path != ".entire" and not one.path.startswith(".entire/")]
        self._has_new_rules = any(os.path.basename(one.path) == _RULES for one in found)
        if self._request.session_id:
            mine = self._made_since(self._request.session_id)
            return [one for one in found if one.path in mine]
        made = self._snapshots.made() | self._known_otherwise()
        if self._request.reset:
            made |= {one.path for one in diff.changes(self._top, self._context.journal.snapshot.head, self.then.commit)}
        return [one for one in found if one.path in made]

    def _made_since(self, session_id: str) -> set[str]:
        if self.then.snapshot is None:
            raise EntireError("what single sessions did since that point is not known any more",
                              hint="rewind without --session, or by --file")  # fmt: skip
        return {one.path for one in self._snapshots.since(self.then.moment) if one.session_id == session_id}

    def _known_otherwise(self) -> set[str]:
        """Return what states and checkpoints say that sessions made: the journal forgets, other clones have none."""
        found = {path for one in self._context.relevant_sessions() for path in one.open_files}
        if self.then.snapshot is not None or not self.then.commit:
            return found
        newer = history.containing(self._top, trailers.CHECKPOINT, start=f"{self.then.commit}^!")
        newer += history.containing(self._top, trailers.CHECKPOINT, start=f"{self.then.commit}..HEAD")
        tips = list(checkpoints.tips(self._top).values())
        for one in {one for commit in newer for one in trailers.checkpoint_ids(commit.message)}:
            stored = checkpoints.read(self._context.objects, tips, one)
            found.update(stored.summary.files_touched if stored is not None else ())
        return found

    def _is_wanted(self, path: str) -> bool:
        wanted = self._request.paths
        return not wanted or any(one in ("", ".") or path == one or path.startswith(one + "/") for one in wanted)

    def _is_free(self, change: diff.Change) -> bool:
        """Tell whether a path may be touched at all; says why, if not."""
        if diff.GITLINK in (change.old_mode, change.new_mode):
            return self._leave(change.path, "a submodule")
        if change.path.partition("/")[0] in registry.protected_dirs():
            return self._leave(change.path, "it belongs to the agent itself")
        return True

    def _leave(self, path: str, reason: str) -> bool:
        self.left.append(LeftView(path=path, reason=reason))
        return False

    # ------------------------------------------------------------ what becomes of one path

    def _target(self, change: diff.Change) -> Found:
        """Return what is to be there."""
        path, now = change.path, _found(change.old_mode, change.old_oid)
        then = _found(change.new_mode, change.new_oid)
        since = self._since.get(path, [])
        if self._request.session_id:
            if any(one.is_shared for one in since):
                self._leave(path, "another session changed it at the same time")
                return _KEEP
            others = [one for one in since if one.session_id != self._request.session_id]
            return self._without_session(path, now, since) if others else then
        if not self._persons(path, then, since):
            return then
        if not self._request.keep_mine:
            self.yours.append(path)
            return then
        return self._with_mine(path, now, then, since)

    def _persons(self, path: str, then: Found, since: Sequence[Change]) -> bool:
        """Tell whether a person changed a path since; what a checkpoint's commit has of it already does not count."""
        person = [one for one in since if not one.session_id]
        if not self.then.commit or then is None:
            return bool(person)
        return any(oid != then[1] for oid in _blobs(self._top, [(one.new_tree, path) for one in person]))

    def _with_mine(self, path: str, now: Found, then: Found, since: Sequence[Change]) -> Found:
        """Return the point's file with what a person changed in it since merged in, three-way."""
        if now is None or then is None:
            self.yours.append(path)
            self._leave(path, "you deleted it since" if now is None else "you changed it, and it was not there then")
            return _KEEP
        groups = [some for some in self._groups(path, since) if not some[0].session_id]
        content = self._content(then)
        versions = [self._versions(path, some[0], some[-1]) for some in groups]
        if content is None or any(None in pair for pair in versions):
            self.yours.append(path)
            self._leave(path, "you changed it since, and it is no text that can be merged")
            return _KEEP
        self.yours.append(path)
        return self._merge(path, then, content, [(new, old) for old, new in versions], theirs_last=True)

    def _without_session(self, path: str, now: Found, since: Sequence[Change]) -> Found:
        """Return the present file without what one session changed in it since, taken back from the last on."""
        mine = self._request.session_id
        groups = [some for some in self._groups(path, since) if some[0].session_id == mine]
        content = self._content(now)
        versions = [self._versions(path, some[0], some[-1]) for some in reversed(groups)]
        if now is None or content is None or any(None in pair for pair in versions):
            self._leave(path, "others changed it too, and it cannot be merged")
            return _KEEP
        return self._merge(path, now, content, versions, theirs_last=False)

    def _merge(
        self, path: str, kept: tuple[str, str], content: bytes,
        versions: Sequence[tuple[bytes | None, bytes | None]], *, theirs_last: bool,
    ) -> tuple[str, str]:  # fmt: skip
        """Merge changes into a content, one after the other; store the result.

        A pair is (result, base) of a person's change where the point's content is theirs, and (before, after) of a
        session's that is taken back where the present content is ours.
        """
        conflicts = False
        for one, base in versions:
            assert one is not None
            assert base is not None
            if theirs_last:
                sides, labels = (one, base, content), _LABELS
            else:
                sides, labels = (content, base, one), _SESSION_LABELS
            content, some = checkout.merge(self._top, self._draft.folder, *sides, labels)
            conflicts = conflicts or some
        self._merged[path] = "conflict" if conflicts else "merge"
        return kept[0], checkout.store(self._top, content)

    def _content(self, found: Found) -> bytes | None:
        """Return a text's content; None for what cannot be merged (a link, binary data, nothing)."""
        if found is None or found[0] == _LINK:
            return None
        data = self._context.objects.blob(found[1])
        return None if data is None or checkout.is_binary(data) else data

    def _groups(self, path: str, since: Sequence[Change]) -> list[list[Change]]:
        ids = _blobs(self._top, [(tree, path) for change in since for tree in (change.old_tree, change.new_tree)])
        return _groups(since, list(zip(ids[::2], ids[1::2], strict=True)))

    def _versions(self, path: str, first: Change, last: Change) -> tuple[bytes | None, bytes | None]:
        """Return a path before the first and after the last of some changes, as texts."""
        ids = _blobs(self._top, [(first.old_tree, path), (last.new_tree, path)])
        old, new = (self._content((_FILE, oid) if oid else None) for oid in ids)
        return old, new

    # ------------------------------------------------------------ deletions

    def _deletable(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that sessions created since and nobody else knows; says why of the others."""
        if not paths:
            return []
        creations = self._snapshots.creations(self.then.moment, paths)
        committed, hidden = self._committed(paths), self._hidden(paths)
        known = [path for path in paths if path in committed or path in hidden]
        for path in known:
            self._leave(path, "a commit has it" if path in committed else "git ignored it then: nobody saw it")
        return [path for path in paths if path not in known and self._may_delete(path, creations.get(path))]

    def _hidden(self, paths: Sequence[str]) -> set[str]:
        """Return the paths that git ignored at the point: they were unseen then, not missing."""
        if not self._has_new_rules:
            return set()
        folders = {path[:at] for path in paths for at in range(len(path)) if not at or path[at - 1] == "/"}
        rules = diff.entries(self._top, self.then.tree, sorted(folder + _RULES for folder in folders))
        folder = os.path.join(self._draft.folder, "rules")
        if rules:
            checkout.stage(self._top, rules, folder)
        return checkout.ignored_by(self._context.place.git_dir, folder, paths)

    def _may_delete(self, path: str, creation: Change | None) -> bool:
        if self.then.snapshot is None and self.then.commit:
            return self._leave(path, "nobody knows whether it was there then")
        if creation is not None and not creation.session_id:
            return self._leave(path, "you created it")
        if path in self._context.journal.attribution.oversized_paths:
            return self._leave(path, "it was too big to be seen for a while")
        born = creation.time if creation is not None else float("inf")
        if any(path in one.untracked_at_start for one in self._relevant() if one.started <= born):
            return self._leave(path, "it was there when a session began")
        return True

    def _relevant(self) -> list[Session]:
        return [one for one in sessions.list_states(self._context.place) if self._context.in_this_worktree(one)]

    def _committed(self, paths: Sequence[str]) -> set[str]:
        """Return the paths that HEAD has, or that a commit since the point had; with ``reset`` those come and go."""
        if self._request.reset:
            return set()
        head = self._context.journal.snapshot.head
        if not head:
            return set()
        new = {
            one.path
            for one in diff.changes(self._top, head, self._context.journal.attribution.tree)
            if one.status == "A"
        }
        committed = {path for path in paths if path not in new}
        revs = [head, f"--since=@{int(self.then.moment)}"]
        return committed | checkout.in_commits(self._top, revs, [path for path in paths if path not in committed])

    @property
    def becomes(self) -> dict[str, str]:
        """What the edits make of their paths: blob ids, '' where a file goes."""
        return {one.path: self._writes[one.path][1] if one.what != "delete" else "" for one in self.edits}

    # ------------------------------------------------------------ the draft

    def _prepare(self, deletions: Sequence[str], created: set[str]) -> None:
        """Put everything into the draft that neither git ignores nor the work tree's form forbids."""
        taken = self._context.journal.snapshot.files  # what status reported, or has in the index, is not ignored
        unsure = [path for path in (*deletions, *self._writes) if path not in taken]
        tracked = diff.entries(self._top, self._context.journal.snapshot.head_tree, unsure)
        ignored = checkout.ignored(self._top, [path for path in unsure if path not in tracked])
        for path in sorted(ignored):
            self._leave(path, "git ignores it")
        for path in deletions:
            if path not in ignored and self._in_draft(path, self._draft.delete_file):
                self.edits.append(EditView(path=path, what="delete"))
        writes = {path: found for path, found in self._writes.items() if path not in ignored}
        if writes:
            checkout.stage(self._top, writes, self._draft.after)
        for path in writes:
            if self._in_draft(path, self._draft.write_file):
                what = self._merged.get(path, "create" if path in created else "write")
                self.edits.append(EditView(path=path, what=what))
        for path, why in self._draft.leave_blocked().items():
            self._leave(path, why)
        changed = set(self._draft.changed())  # what is there already byte for byte is no edit
        for path in writes.keys() - changed:
            files.remove(os.path.join(self._draft.after, path))
        self.edits = sorted((one for one in self.edits if one.path in changed), key=lambda one: one.path)
        self.yours = [path for path in self.yours if path in changed or self._request.keep_mine]

    def _in_draft(self, path: str, put: Callable[[str], None]) -> bool:
        try:
            put(path)
        except EntireError as error:
            if isinstance(error.__cause__, OSError) and not self._is_closed(error.__cause__):
                raise  # a full disk is no reason to go back in part
            return self._leave(path, error.message)
        return True

    def _is_closed(self, error: OSError) -> bool:
        """Tell whether the person's own file may not be looked at."""
        path = str(error.filename)
        ours = path.startswith(self._draft.folder)
        return isinstance(error, PermissionError) and path.startswith(self._top) and not ours


def _found(mode: str, oid: str) -> Found:
    return None if mode == _NO_FILE else (mode, oid)


def _groups(changes: Sequence[Change], ids: Sequence[tuple[str, str]]) -> list[list[Change]]:
    """Put changes of one path together that have the same session, or a person, and follow each other.

    ``ids`` has the blobs before and after each: between two that a rewind kept there may be one that it took back.
    """
    groups: list[list[Change]] = []
    last = ""
    for change, (old, new) in zip(changes, ids, strict=True):
        if groups and groups[-1][0].session_id == change.session_id and old == last:
            groups[-1].append(change)
        else:
            groups.append([change])
        last = new
    return groups


def _then(context: Context, points: Points, point: PointView) -> Then:
    """Return the files of a point as they were in the work tree."""
    snapshots = points.snapshots
    if point.kind == "turn":
        snapshot = snapshots.of_turn(f"{point.session_id}/{point.id}") or snapshots.at(point.time)
        if snapshot is None:
            raise EntireError("the files of that turn are not known any more", hint="rewind with --logs-only")
        return Then(tree=snapshot.tree, moment=max(point.time, snapshot.time), snapshot=snapshot)
    commit = context.objects.commit(point.id)
    if commit is None:
        raise EntireError(f"the commit {point.id} is gone", hint="`entire rewind --list` lists the points")
    if point.kind != "checkpoint":
        snapshot = snapshots.at_step(point.id)
        moment = snapshot.time if snapshot is not None else point.time + 1
        return Then(tree=commit.tree, moment=moment, snapshot=snapshot or snapshots.at(moment))
    moment = snapshots.committed(point.id) or float(commit.committer.rsplit(" ", 2)[-2]) + 1
    snapshot = snapshots.at(moment)
    tree = commit.tree if snapshot is None else _with_open_work(context, snapshot, commit.oid, commit.tree)
    return Then(tree=tree, moment=moment, snapshot=snapshot, commit=commit.oid)


def _with_open_work(context: Context, snapshot: Entry, commit: str, tree: str) -> str:
    """Return a commit's tree with what lay uncommitted beside it in the work tree."""
    top = context.place.top
    changed = diff.changes(top, snapshot.tree, tree)
    new = {one.path for one in changed if one.status == "A"}
    beside = {one.path: (one.old_mode, one.old_oid) for one in changed if one.status == "D"}
    for path in history.changed_paths(top, commit):
        beside.pop(path, None)  # the commit took it away
    folders = {folder for path in new for folder in backups.parents(path)}
    for path in [one for one in beside if one in folders or not new.isdisjoint(backups.parents(one))]:
        del beside[path]  # the commit has a folder in its place, or a file in the place of one above it
    for path, found in diff.entries(top, snapshot.head, list(beside)).items():
        if beside[path] == found:
            del beside[path]  # it lay committed there, on a branch that was left since
    if not beside:
        return tree
    stream = Stream(top)
    key = stream.tree_of(stream.commit(message=b"", author=context.author(), tree=tree, changes=beside))
    return stream.write()[key]


def unlike(present: Mapping[str, tuple[str, str]], found: Mapping[str, str]) -> set[str]:
    """Return those of the paths (to blob ids, '' for none) that are not as in a commit's entries."""
    return {path for path, oid in found.items() if oid != (present[path][1] if path in present else "")}


def _blobs(top: str, places: Sequence[tuple[str, str]]) -> list[str]:
    """Return the blob ids of paths in trees, '' where there is none."""
    return bulk.ids(top, [f"{tree}:{path}" for tree, path in places], "blob")
