"""Which files a rewind changes, and how: from the present worktree to a point, path by path.

Only paths that sessions created or changed count. Each that differs is written, created, deleted, merged, or left as it
is for a reason that is shown.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.git import bulk, checkout, diff, history
from entire.git.write import ImportStream
from entire.model.value import Value
from entire.model.views.points import EditView, LeftView, RewindView
from entire.rewind.edits import PathEdit
from entire.snapshots import snapshot_writer
from entire.store import checkpoints, sessions
from entire.store.links import CheckpointLinks
from entire.undo import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from entire.model.requests import RewindRequest
    from entire.model.session import Entry, Session
    from entire.model.views.points import PointView
    from entire.recording.context import Context
    from entire.rewind.commits_since import CommitsSince
    from entire.rewind.points import PointList
    from entire.undo.draft import Draft

    BlobEntry = tuple[str, str] | None  # mode and blob id; None: no file

_RULES = ".gitignore"
_NO_FILE, _FILE, _LINK = "000000", "100644", "120000"
_KEEP = ("", "")  # instead of a file: leave the path as it is
_LABELS = ("yours", "before your change", "the point")
_COMMIT_LABELS = ("committed", "now", "the point")
_SESSION_LABELS = ("now", "after the session's change", "before it")


class PointFiles(Value):
    """The files of a point: their tree, and the last snapshot up to it, if one is left."""

    tree: str
    moment: float
    snapshot: Entry | None
    commit: str = ""  # the commit of a checkpoint


class Restoring:
    """Plans the files of one rewind in a draft. The journal's last snapshot is the present state."""

    def __init__(
        self, context: Context, points: PointList, point: PointView, request: RewindRequest, draft: Draft,
        gone: CommitsSince | None = None,
    ) -> None:  # fmt: skip
        """Prepare the plan. ``gone``: what the branch loses of the commits since, or a new commit takes back."""
        self._context = context
        self._top = context.place.top
        self._snapshots = points.snapshots
        self._request = request
        self._draft = draft
        self.then = _files_of_point(context, points, point)
        self.edits: list[EditView] = []
        self.left: list[LeftView] = []
        self.yours: list[str] = []
        self.uncommitted: list[str] = []
        self.untouched = 0
        self._protected = context.agents.protected_dirs()
        self.gone = gone
        self._dropped = gone.added if gone is not None else {}  # files that these commits added
        self._now: dict[str, BlobEntry] = {}  # the present files, where they differ from the point
        self._writes: dict[str, tuple[str, str]] = {}
        self._merged: dict[str, str] = {}  # path: merge or conflict
        self._since: dict[str, list[PathEdit]] = {}
        self._has_new_rules = False  # git ignores other paths now than at the point

    def plan(self) -> None:
        """Fill the draft and what ``view`` shows."""
        differing = [difference for difference in self._differing() if self._is_requested(difference.path)]
        for change in self._snapshots.since(self.then.moment, {difference.path for difference in differing}):
            self._since.setdefault(change.path, []).append(change)
        chosen = [difference for difference in differing if self._may_touch(difference)]
        deletions = []
        for difference in chosen:
            self._now[difference.path] = _entry(difference.old_mode, difference.old_oid)
            target = self._decide(difference)
            if target is None:
                deletions.append(difference.path)
            elif target not in (_KEEP, (difference.old_mode, difference.old_oid)):
                self._writes[difference.path] = target
        created = {difference.path for difference in chosen if difference.old_mode == _NO_FILE}
        self._prepare(self._deletable(deletions), created)

    def view(self, title: str) -> RewindView:
        """Return what is shown of the files."""
        return RewindView(title=title, edits=tuple(self.edits), left=tuple(self.left), yours=tuple(self.yours),
                          uncommitted=tuple(self.uncommitted), untouched=self.untouched)  # fmt: skip

    # ------------------------------------------------------------ which paths

    def _differing(self) -> list[diff.FileChange]:
        """Return the differences between now and the point in the paths that sessions created or changed."""
        changed = diff.changes(self._top, self._context.journal.attribution.tree, self.then.tree)
        changed = [change for change in changed if not _is_own(change.path)]
        self._has_new_rules = any(os.path.basename(change.path) == _RULES for change in changed)
        if self._request.session_id:
            made = self._changed_since(self._request.session_id)
        else:
            made = self._snapshots.made() | self._paths_outside_journal()
            made |= self._leave_commits(self.gone) if self.gone is not None else set()
        self.untouched = sum(change.path not in made and self._is_requested(change.path) for change in changed)
        return [change for change in changed if change.path in made]

    def _leave_commits(self, gone: CommitsSince) -> set[str]:
        """Return the paths that the commits after the point changed."""
        beside = {change.path for change in diff.changes(self._top, self.then.commit, self.then.tree)}
        self.uncommitted = sorted(path for path in self._dropped if path in beside and not _is_own(path))
        return gone.paths

    def _changed_since(self, session_id: str) -> set[str]:
        if self.then.snapshot is None:
            raise EntireError("each session's changes since that point are no longer recorded",
                              hint="omit --session, or choose paths with --file")  # fmt: skip
        changes = self._snapshots.since(self.then.moment)
        return {change.path for change in changes if change.session_id == session_id}

    def _paths_outside_journal(self) -> set[str]:
        """Return the paths that sessions changed according to states and checkpoints.

        The journal drops old snapshots, and another clone's journal is not here.
        """
        paths = {path for session in self._context.relevant_sessions() for path in session.work.open_files}
        if self.then.snapshot is not None or not self.then.commit:
            return paths
        tips = list(checkpoints.tips(self._top).values())
        links = CheckpointLinks(self._top, self._context.objects, tips)
        newer = [*links.log(start=f"{self.then.commit}^!"), *links.log(start=f"{self.then.commit}..HEAD")]
        for checkpoint_id in {name for linked in newer for name in linked.checkpoint_ids}:
            stored = checkpoints.read(self._context.objects, tips, checkpoint_id)
            paths.update(stored.summary.files_touched if stored is not None else ())
        return paths

    def _is_requested(self, path: str) -> bool:
        requested = self._request.paths
        return not requested or any(
            name in ("", ".") or path == name or path.startswith(name + "/") for name in requested
        )

    def _may_touch(self, change: diff.FileChange) -> bool:
        """Return whether a rewind may touch a path at all; if not, record why."""
        if diff.GITLINK in (change.old_mode, change.new_mode):
            return self._leave(change.path, "it is a submodule")
        if any(f"{change.path}/".startswith(f"{folder}/") for folder in self._protected):
            return self._leave(change.path, "it belongs to the agent")
        return True

    def _leave(self, path: str, reason: str) -> bool:
        self.left.append(LeftView(path=path, reason=reason))
        return False

    # ------------------------------------------------------------ the result for one path

    def _decide(self, change: diff.FileChange) -> BlobEntry:
        """Return the file to put at a path: None to delete it, ``_KEEP`` to leave it."""
        path, now = change.path, _entry(change.old_mode, change.old_oid)
        then = _entry(change.new_mode, change.new_oid)
        since = self._since.get(path, [])
        if self._request.session_id:
            if any(edit.is_shared for edit in since):
                self._leave(path, "another session changed it at the same time")
                return _KEEP
            others = [edit for edit in since if edit.session_id != self._request.session_id]
            return self._without_session(path, now, since) if others else then
        stays = self.gone is not None and path in self.gone.shared_paths  # a commit of it does
        if not (stays or self._has_personal_edits(path, now, then, since)):
            return then
        if not self._request.keep_mine:
            self.yours.append(path)
            return then
        return self._with_mine(path, now, then, since)

    def _has_personal_edits(self, path: str, now: BlobEntry, then: BlobEntry, since: Sequence[PathEdit]) -> bool:
        """Return whether a person changed a path since; what a checkpoint's commit already contains does not count, and
        neither does what a dropped commit contains, which the backup ref keeps.
        """
        person = [change for change in since if not change.session_id]
        if path in self._dropped and now is not None:
            return now[1] != self._dropped[path] and bool(person or not since)
        if not self.then.commit or then is None:
            return bool(person)
        return any(oid != then[1] for oid in _blobs(self._top, [(change.new_tree, path) for change in person]))

    def _with_mine(self, path: str, now: BlobEntry, then: BlobEntry, since: Sequence[PathEdit]) -> BlobEntry:
        """Return the point's file with a person's changes since then merged in, three-way."""
        if not since:
            self.yours.append(path)
            self._leave(path, "a commit that stays changed it too, and who changed what is not recorded here")
            return _KEEP
        if now is None or then is None:
            self.yours.append(path)
            self._leave(path, "you deleted it since" if now is None else "you changed it, and it did not exist then")
            return _KEEP
        groups = [group for group in self._groups(path, since) if not group[0].session_id]
        content = self._content(then)
        versions = [self._versions(path, group[0], group[-1]) for group in groups]
        if content is None or any(None in pair for pair in versions):
            self.yours.append(path)
            self._leave(path, "you changed it since, and only text files can be merged")
            return _KEEP
        self.yours.append(path)
        return self._merge(path, then, content, [(new, old) for old, new in versions], theirs_last=True)

    def _without_session(self, path: str, now: BlobEntry, since: Sequence[PathEdit]) -> BlobEntry:
        """Return the present file without one session's changes since, taken back newest first."""
        session_id = self._request.session_id
        groups = [group for group in self._groups(path, since) if group[0].session_id == session_id]
        content = self._content(now)
        versions = [self._versions(path, group[0], group[-1]) for group in reversed(groups)]
        if now is None or content is None or any(None in pair for pair in versions):
            self._leave(path, "others changed it too, and it cannot be merged")
            return _KEEP
        return self._merge(path, now, content, versions, theirs_last=False)

    def _merge(
        self, path: str, present: tuple[str, str], content: bytes,
        versions: Sequence[tuple[bytes | None, bytes | None]], *, theirs_last: bool,
    ) -> tuple[str, str]:  # fmt: skip
        """Merge changes into ``content``, one after the other, and store the result.

        Each pair is (wanted side, base): (after, before) for a person's change that is replayed, (before, after) for a
        session's change that is taken back. ``theirs_last`` puts ``content`` on the other side of the merge.
        """
        conflicts = False
        for wanted, base in versions:
            assert wanted is not None
            assert base is not None
            if theirs_last:
                sides, labels = (wanted, base, content), _LABELS
            else:
                sides, labels = (content, base, wanted), _SESSION_LABELS
            content, is_conflict = checkout.merge(self._top, self._draft.folder, *sides, labels)
            conflicts = conflicts or is_conflict
        self._merged[path] = "conflict" if conflicts else "merge"
        return present[0], checkout.store(self._top, content)

    def _content(self, entry: BlobEntry) -> bytes | None:
        """Return a file's text; None if it cannot be merged (a link, binary data, no file)."""
        if entry is None or entry[0] == _LINK:
            return None
        data = self._context.objects.blob(entry[1])
        return None if data is None or checkout.is_binary(data) else data

    def _groups(self, path: str, since: Sequence[PathEdit]) -> list[list[PathEdit]]:
        ids = _blobs(self._top, [(tree, path) for change in since for tree in (change.old_tree, change.new_tree)])
        return _groups(since, list(zip(ids[::2], ids[1::2], strict=True)))

    def _versions(self, path: str, first: PathEdit, last: PathEdit) -> tuple[bytes | None, bytes | None]:
        """Return the texts of a path before the first and after the last of several changes."""
        ids = _blobs(self._top, [(first.old_tree, path), (last.new_tree, path)])
        old, new = (self._content((_FILE, oid) if oid else None) for oid in ids)
        return old, new

    # ------------------------------------------------------------ deletions

    def _deletable(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that only sessions created, after the point; record why the others stay."""
        if not paths:
            return []
        creations = self._snapshots.creations(self.then.moment, paths)
        committed, hidden = self._committed(paths), self._hidden(paths)
        spared = [path for path in paths if path in committed or path in hidden]
        for path in spared:
            self._leave(
                path, "a commit contains it" if path in committed else "git ignored it then, so it may have existed"
            )
        return [path for path in paths if path not in spared and self._may_delete(path, creations.get(path))]

    def _hidden(self, paths: Sequence[str]) -> set[str]:
        """Return the paths that git ignored at the point: its snapshot lacks them even if they existed."""
        if not self._has_new_rules:
            return set()
        folders = {path[:at] for path in paths for at in range(len(path)) if not at or path[at - 1] == "/"}
        rules = diff.entries(self._top, self.then.tree, sorted(folder + _RULES for folder in folders))
        folder = os.path.join(self._draft.folder, "rules")
        if rules:
            checkout.stage(self._top, rules, folder)
        return checkout.ignored_by(self._context.place.git_dir, folder, paths)

    def _may_delete(self, path: str, creation: PathEdit | None) -> bool:
        if path in self._dropped:
            return True
        if self.then.snapshot is None and self.then.commit:
            return self._leave(path, "it may have existed then")
        if creation is not None and not creation.session_id:
            return self._leave(path, "you created it")
        if path in self._context.journal.attribution.oversized_paths:
            return self._leave(path, "it was too large to be tracked for a while")
        born = creation.time if creation is not None else float("inf")
        if any(
            path in session.work.untracked_at_start for session in self._sessions() if session.times.started <= born
        ):
            return self._leave(path, "it existed when a session started")
        return True

    def _sessions(self) -> list[Session]:
        return list(filter(self._context.in_this_worktree, sessions.list_states(self._context.place)))

    def _committed(self, paths: Sequence[str]) -> set[str]:
        """Return the paths in HEAD or in a commit since the point, without those of commits that go; none with
        ``reset``, which moves the branch too.
        """
        if self._request.reset:
            return set()
        paths = [path for path in paths if path not in self._dropped]
        head = self._context.journal.snapshot.head
        if not head:
            return set()
        new = {
            change.path
            for change in diff.changes(self._top, head, self._context.journal.attribution.tree)
            if change.status == "A"
        }
        committed = {path for path in paths if path not in new}
        rest = [path for path in paths if path not in committed]
        return committed | checkout.in_commits(self._top, [head], rest, since=self.then.moment)

    @property
    def new_blobs(self) -> dict[str, str]:
        """The blob id that each edited path will have, '' where the file is deleted."""
        return {edit.path: self._writes[edit.path][1] if edit.what != "delete" else "" for edit in self.edits}

    # ------------------------------------------------------------ the commit that takes back

    def taken_back(self) -> dict[str, BlobEntry]:
        """Return the entries of a commit that takes back what went: the point's, with a person's edits where they were
        merged. What is left as it is stays in the branch too.
        """
        left = {entry.path for entry in self.left}
        changes = self.gone.changes if self.gone is not None else ()
        chosen = [change for change in changes if change.path not in left and not _is_own(change.path)]
        entries = {change.path: self._taken_back(change) for change in chosen if self._may_touch(change)}
        old = {change.path: _entry(change.old_mode, change.old_oid) for change in chosen}
        return {path: entry for path, entry in entries.items() if entry != old[path]}

    def _taken_back(self, change: diff.FileChange) -> BlobEntry:
        """Return a path's entry: the point's or, where a person's edits were merged, HEAD's with what the merge does to
        the present file, so what is uncommitted in it stays so.
        """
        path, committed = change.path, _entry(change.old_mode, change.old_oid)
        if path not in self._merged:
            return _entry(change.new_mode, change.new_oid)
        now, target = self._now[path], self._writes.get(path) or self._now[path]
        if self._merged[path] != "conflict" and committed is not None:
            mine, base, theirs = (self._content(entry) or b"" for entry in (committed, now, target))
            merged, has_conflict = checkout.merge(self._top, self._draft.folder, mine, base, theirs, _COMMIT_LABELS)
            if not has_conflict:
                return committed[0], checkout.store(self._top, merged)
        raise EntireError(
            f"your own edits of {backups.shown(path)} conflict with the point, so no commit can hold both;"
            " nothing was changed",
            hint="omit --keep-mine to commit the point's file, or omit --take-back to resolve the conflict by hand",
        )

    # ------------------------------------------------------------ the draft

    def _prepare(self, deletions: Sequence[str], created: set[str]) -> None:
        """Add all changes to the draft but those to ignored paths, and those that the worktree's folders block."""
        known = self._context.journal.snapshot.files  # git does not ignore what its status reported
        unsure = [path for path in (*deletions, *self._writes) if path not in known]
        tracked = diff.entries(self._top, self._context.journal.snapshot.head_tree, unsure)
        ignored = checkout.ignored(self._top, [path for path in unsure if path not in tracked])
        for path in sorted(ignored):
            self._leave(path, "git ignores it")
        for path in deletions:
            if path not in ignored and self._add_to_draft(path, self._draft.delete_file):
                self.edits.append(EditView(path=path, what="delete"))
        writes = {path: entry for path, entry in self._writes.items() if path not in ignored}
        if writes:
            checkout.stage(self._top, writes, self._draft.after)
        for path in writes:
            if self._add_to_draft(path, self._draft.write_file):
                what = self._merged.get(path, "create" if path in created else "write")
                self.edits.append(EditView(path=path, what=what))
        for path, reason in self._draft.leave_blocked().items():
            self._leave(path, reason)
        changed = set(self._draft.changed())  # identical files are not edits
        for path in writes.keys() - changed:
            files.remove(os.path.join(self._draft.after, path))
        self.edits = sorted((edit for edit in self.edits if edit.path in changed), key=lambda edit: edit.path)
        self.yours = [path for path in self.yours if path in changed or self._request.keep_mine]

    def _add_to_draft(self, path: str, add: Callable[[str], None]) -> bool:
        try:
            add(path)
        except EntireError as error:
            if isinstance(error.__cause__, OSError) and not self._is_unreadable(error.__cause__):
                raise  # for example a full disk: do not rewind in part
            return self._leave(path, error.message)
        return True

    def _is_unreadable(self, error: OSError) -> bool:
        """Return whether permissions of a file in the worktree caused an error."""
        path = str(error.filename)
        ours = path.startswith(self._draft.folder)
        return isinstance(error, PermissionError) and path.startswith(self._top) and not ours


def _is_own(path: str) -> bool:
    return path == ".entire" or path.startswith(".entire/")


def _entry(mode: str, oid: str) -> BlobEntry:
    return None if mode == _NO_FILE else (mode, oid)


def _groups(changes: Sequence[PathEdit], ids: Sequence[tuple[str, str]]) -> list[list[PathEdit]]:
    """Group successive changes of one path by the same session, or by a person.

    ``ids`` holds the blobs before and after each change. A gap between two starts a new group: a rewind may have taken
    back what was between them.
    """
    groups: list[list[PathEdit]] = []
    last = ""
    for change, (old, new) in zip(changes, ids, strict=True):
        if groups and groups[-1][0].session_id == change.session_id and old == last:
            groups[-1].append(change)
        else:
            groups.append([change])
        last = new
    return groups


def _files_of_point(context: Context, points: PointList, point: PointView) -> PointFiles:
    """Return the files of a point as they were in the worktree."""
    snapshots = points.snapshots
    if point.kind in ("turn", "start"):
        end = snapshots.of_turn(f"{point.session_id}/{point.id}") if point.kind == "turn" else None
        snapshot = end or snapshots.at(point.time)
        if snapshot is None:
            raise EntireError(
                "the files of that turn are no longer recorded", hint="use --logs-only to rewind the conversation"
            )
        return PointFiles(tree=snapshot.tree, moment=max(point.time, snapshot.time), snapshot=snapshot)
    commit = context.objects.commit(point.id)
    if commit is None:
        raise EntireError(f"commit {point.id} no longer exists", hint="run `entire rewind --list` to see the points")
    if point.kind != "checkpoint":
        snapshot = snapshots.at_step(point.id)
        moment = snapshot.time if snapshot is not None else point.time + 1
        return PointFiles(tree=commit.tree, moment=moment, snapshot=snapshot or snapshots.at(moment))
    moment = snapshots.committed(point.id) or float(commit.committer.rsplit(" ", 2)[-2]) + 1
    snapshot = snapshots.at(moment)
    tree = commit.tree if snapshot is None else _with_uncommitted_work(context, snapshot, commit.oid, commit.tree)
    return PointFiles(tree=tree, moment=moment, snapshot=snapshot, commit=commit.oid)


def _with_uncommitted_work(context: Context, snapshot: Entry, commit: str, tree: str) -> str:
    """Return a commit's tree with what was uncommitted in the worktree at the time."""
    top = context.place.top
    changed = diff.changes(top, snapshot.tree, tree)
    new = {change.path for change in changed if change.status == "A"}
    uncommitted = {change.path: (change.old_mode, change.old_oid) for change in changed if change.status == "D"}
    for path in history.changed_paths(top, commit):
        uncommitted.pop(path, None)  # the commit deleted it
    folders = {folder for path in new for folder in backups.parents(path)}
    for path in list(uncommitted):
        if path in folders or not new.isdisjoint(backups.parents(path)):
            del uncommitted[path]  # the commit has a folder at this path, or a file at one of its parents
    for path, entry in diff.entries(top, snapshot.head, list(uncommitted)).items():
        if uncommitted[path] == entry:
            del uncommitted[path]  # committed, on a branch that was current then
    if not uncommitted:
        return tree
    stream = ImportStream(top)
    key = stream.tree_of(
        stream.commit(message=snapshot_writer.MESSAGE, author=context.author(), tree=tree, changes=uncommitted)
    )
    return stream.write()[key]


def differing_paths(entries: Mapping[str, tuple[str, str]], blobs: Mapping[str, str]) -> set[str]:
    """Return the paths whose blob id ('' for no file) differs from a commit's entry."""
    return {path for path, oid in blobs.items() if oid != (entries[path][1] if path in entries else "")}


def _blobs(top: str, places: Sequence[tuple[str, str]]) -> list[str]:
    """Return the blob id at each (tree, path), '' where there is none."""
    return bulk.ids(top, [f"{tree}:{path}" for tree, path in places], "blob")
