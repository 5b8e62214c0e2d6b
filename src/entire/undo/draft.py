"""A change while it is prepared: copies of what is there, and what becomes of it."""

from __future__ import annotations

import os
import stat

from entire import contents, files, tree_files
from entire.errors import EntireError
from entire.git import head, refs
from entire.model.effects import Delete, Run, Write
from entire.redact import seals
from entire.undo import apply, backups, changed_transcripts, commands, completion, transaction
from entire.undo.apply import ChangePlan, PathChange, PlanRunner, PreflightCheck
from entire.undo.backups import State, shown
from entire.undo.commands import UndoCommand
from entire.undo.folder import APPLYING, DRAFT, begin, cannot, forget, root
from entire.undo.index_lock import IndexLock
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from entire.layout import Place
    from entire.model.transcripts import Content
    from entire.undo.backups import Mark
    from entire.undo.changed_transcripts import ChangedTranscript
    from entire.undo.transaction import Transaction


class Draft:
    """Collects changes; changes nothing outside its own folder before ``carry_out``.

    Each path is copied when it is first named. Delete first: a link that a folder replaces, and a file whose name
    changes in letter case only. End a draft with ``carry_out`` or ``discard``.
    """

    def __init__(
        self, place: Place, command: str, title: str, *, now: float, notes: Notes | None = None,
        undone: Transaction | None = None,
    ) -> None:  # fmt: skip
        """``undone``: what the change undoes."""
        self.place = place
        self.notes = notes or Notes()
        self._undone = undone
        self._named: tuple[str, float, str] = (command, now, title)
        self._tree = backups.SavedTree(place.top)
        self._items: dict[str, PathChange] = {}
        self._marks: dict[str, Mark] = {}
        self._copied = 0
        self._refs: dict[str, tuple[str, str, str]] = {}
        self._new_head: tuple[tuple[str, str], tuple[str, str]] | None = None
        self._index: PathChange | None = None
        self._commands: list[UndoCommand] = []
        self._transcripts: dict[str, ChangedTranscript] = {}
        self._folders: dict[str, int | None] = {}  # to create if missing
        self._empty: tuple[str, ...] = ()  # to remove if empty
        self._drop = True  # remove also folders that deletions leave empty
        self.id = begin(place, now)
        self.folder = os.path.join(root(place), self.id)

    @property
    def undone(self) -> Transaction:
        """What the change undoes."""
        assert self._undone is not None
        return self._undone

    @property
    def before(self) -> str:
        """The folder with the worktree's files before the change."""
        return os.path.join(self.folder, "a")

    @property
    def after(self) -> str:
        """The folder with the worktree's files after the change."""
        return os.path.join(self.folder, "b")

    def write_file(self, path: str) -> None:
        """Replace a file of the worktree with the one at the same path in ``after``: bytes, mode bits or link."""
        self._check(path)
        try:
            mode = os.lstat(os.path.join(self.after, path)).st_mode
        except OSError as error:
            raise cannot(error, f"read the new content of {shown(path)}", "nothing was changed") from error
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            raise EntireError(f"the new {shown(path)} is neither a regular file nor a symbolic link")
        self._become(path, f"a/{path}", State(copy=f"b/{path}", mode=mode))

    def write_bytes(self, path: str, data: bytes, mode: int) -> None:
        """Replace a file of the worktree with a regular one with this content and exactly these mode bits."""
        self._check(path)
        self._write_copy(f"b/{path}", data, mode)
        self._become(path, f"a/{path}", State(copy=f"b/{path}", mode=stat.S_IFREG | mode & 0o7777))

    def delete_file(self, path: str) -> None:
        """Delete a file or link of the worktree, and the folders above it that become empty."""
        self._check(path)
        prepared = os.path.join(self.after, path)
        if os.path.islink(prepared) or os.path.isfile(prepared):
            files.remove(prepared)
        self._become(path, f"a/{path}", None)

    def write_private(self, path: str, data: Content | None, *, mode: int = 0o600) -> None:
        """Write a file outside the worktree, by its absolute path; None deletes it. Links are followed."""
        if data is None:
            self._become_private(path, None)
            return
        copy = self._new_copy("pb")
        self._write_copy(copy, data, mode)
        self._become_private(path, State(copy=copy, mode=stat.S_IFREG | mode & 0o7777))

    def move_ref(self, ref: str, new: str, old: str) -> None:
        """Move a ref from ``old`` to ``new``. '' as ``new`` deletes it; '' as ``old``: it must not exist."""
        known = self._refs.pop(ref, None)
        old = known[1] if known is not None else old
        if new != old:
            self._refs[ref] = (ref, old, new)

    def moved(self, ref: str) -> tuple[str, str]:
        """Return where a ref moves from and to; both are '' if it stays."""
        return self._refs[ref][1:] if ref in self._refs else ("", "")

    def set_head(self, ref: str, oid: str) -> None:
        """Set HEAD to a ref (``refs/heads/...``), or with '' for the ref to the commit ``oid``."""
        before = self._new_head[0] if self._new_head else head.read(self.place.top)
        self._new_head = None if apply.same_head(before, (ref, oid)) else (before, (ref, oid))

    def replace_index(self, path: str) -> None:
        """Replace the index with the file at ``path``, which is in this draft's folder and not called ``index``."""
        copy = os.path.relpath(path, self.folder)
        if copy == "index" or copy.startswith(".."):
            raise ValueError(path)
        index = os.path.join(self.place.git_dir, "index")
        try:
            was, self._marks[index] = self._tree.save(index, self.folder, "index")
            mode = was.mode if was is not None else stat.S_IFREG | backups.default_mode(False)
            becomes = State(copy=copy, mode=mode)
            changes = not backups.same_states(self.folder, was, becomes)
        except OSError as error:
            raise cannot(error, "save the index", "nothing was changed") from error
        self._index = PathChange(path="", was=was, becomes=becomes) if changes else None

    def run(self, effect: Run) -> None:
        """Run a command, after the ones before it and when all files are in place."""
        try:
            self._commands.append(commands.record(self.folder, len(self._commands), effect))
        except OSError as error:
            raise cannot(error, "prepare the change", "nothing was changed") from error

    def apply(self, effects: Iterable[Write | Delete | Run]) -> None:
        """Add what an adapter planned. A file that is there keeps its mode."""
        for effect in effects:
            if isinstance(effect, Run):
                self.run(effect)
                continue
            try:
                mode = stat.S_IMODE(os.stat(effect.path).st_mode)
            except (OSError, ValueError):
                mode = 0o600
            self.write_private(effect.path, effect.data if isinstance(effect, Write) else None, mode=mode)

    def note_transcript(self, ref: str, was: Content, becomes: Content) -> None:
        """Note what commands make of a transcript that is not a file; ``transaction.copies`` finds it."""
        try:
            self._transcripts[ref] = changed_transcripts.note(self.folder, len(self._transcripts), ref, was, becomes)
        except OSError as error:
            raise cannot(error, f"save {shown(ref)}", "nothing was changed") from error

    @property
    def runs_commands(self) -> bool:
        return bool(self._commands)

    def noted(self) -> dict[str, Content]:
        """Return the noted transcripts as they are before the change, by their references."""
        return {
            ref: changed_transcripts.read(self.folder, transcript.was) for ref, transcript in self._transcripts.items()
        }

    def planned(self, path: str) -> bytes | None:
        """Return the new content of a private file; None if it does not change or is deleted."""
        content = self.planned_transcript(path)
        return None if content is None else bytes(content)

    def planned_transcript(self, path: str) -> Content | None:
        """Return the new content of a transcript, also a noted one; None if it does not change or is deleted."""
        if path in self._transcripts:
            return changed_transcripts.read(self.folder, self._transcripts[path].becomes) or None
        item = self._items.get(os.path.realpath(path))
        if item is None or item.becomes is None:
            return None
        return contents.of_file(os.path.join(self.folder, item.becomes.copy))

    def changes(self, path: str) -> bool:
        """Tell whether a private file or noted transcript changes."""
        return path in self._transcripts or os.path.realpath(path) in self._items

    def leave_blocked(self) -> dict[str, str]:
        """Drop the writes that something in the worktree blocks; return the reasons, by path."""
        try:
            blocked = PreflightCheck(self._tree, self._items.values()).blocked()
        except OSError as error:
            raise cannot(error, "read the worktree", "nothing was changed") from error
        for path in blocked:
            del self._items[path]
            self._tree.appearing.discard(path)
            files.remove(os.path.join(self.after, path))
        return {path: error.message for path, error in blocked.items()}

    def changed(self) -> list[str]:
        """Return the paths of the worktree that will change."""
        return sorted(path for path in self._items if not os.path.isabs(path))

    def discard(self) -> None:
        """Delete the draft. Does nothing once ``carry_out`` has started to change something."""
        if os.path.lexists(self.folder + DRAFT):
            try:
                forget(self.place, self.id)
            except EntireError:
                pass  # `complete` deletes it when this process has ended

    def carry_out(self, progress: Callable[[str], None] = lambda _: None) -> Transaction:
        """Change everything, or after an error nothing. Raises EntireError if anything changed since it was copied.

        ``progress`` gets a message before slow work.
        """
        try:
            plan = self._plan()
            self._verify()
            lock = IndexLock(self.place.git_dir, self.folder)
            if self._index is not None and self._index.becomes is not None:
                lock.take(os.path.join(self.folder, self._index.becomes.copy), self._index.becomes.mode)
            try:
                self._verify_index()
                if plan.commands:
                    commands.get_ready(self.folder)
                apply.write_plan(self.folder, plan)
                os.rename(self.folder + DRAFT, self.folder + APPLYING)
            except BaseException:
                lock.release()
                raise
        except OSError as error:
            raise cannot(error, "prepare the change", "nothing was changed") from error
        try:
            PlanRunner(self.place, self.folder, plan, marks=self._marks, progress=progress).carry_out()
        except BaseException as error:
            failure = completion.roll_back(self.place, self.id, plan, error)
            if isinstance(error, (OSError, EntireError)):
                raise failure from error
            raise
        try:
            os.unlink(self.folder + APPLYING)
        except OSError:
            pass  # the next `complete` finds everything done
        return transaction.of_plan(self.id, plan, "")

    def _check(self, path: str) -> None:
        """Raise EntireError for a path that is not in this worktree, or is behind a link."""
        backups.check_name(path)
        try:
            obstacle = self._tree.obstacle(path)
            if not obstacle or stat.S_ISLNK(os.lstat(self._tree.at(obstacle)).st_mode):
                apply.check_place(self._tree, path, self._tree.vanishing)  # a file above it may be deleted later
        except OSError as error:
            raise cannot(error, f"read {shown(path)}", "nothing was changed") from error

    def _become_private(self, path: str, becomes: State | None) -> None:
        if not os.path.isabs(path):
            raise EntireError(f"{shown(path)} is not an absolute path")
        link = tree_files.link_to(path)
        if link:
            raise EntireError(f"{shown(path)} cannot be changed: {shown(link)} is a symbolic link in the worktree",
                              hint=tree_files.REMEDY)  # fmt: skip
        real = os.path.realpath(path)
        self._become(real, self._new_copy("pa"), becomes, given=path)

    def _become(self, path: str, copy: str, becomes: State | None, *, given: str = "") -> None:
        """Copy the file at a path, and record what it becomes, if that differs."""
        try:
            known = self._items.get(path)
            if known is None:
                was, self._marks[path] = self._tree.save(path, self.folder, copy)
            else:
                was = known.was
            if backups.same_states(self.folder, was, becomes):
                self._items.pop(path, None)
                for state in (was, becomes):
                    if state is not None:  # a draft keeps copies only of what changes
                        files.remove(os.path.join(self.folder, state.copy))
            else:
                self._items[path] = PathChange(path=path, was=was, becomes=becomes, given=given)
            self._tree.vanishing.discard(path)
            self._tree.appearing.discard(path)
            if path in self._items:
                (self._tree.vanishing if becomes is None else self._tree.appearing).add(path)
        except OSError as error:
            raise cannot(error, f"save {shown(path)}", "nothing was changed") from error

    def _new_copy(self, folder: str) -> str:
        self._copied += 1
        return f"{folder}/{self._copied}"

    def _write_copy(self, copy: str, data: Content, mode: int) -> None:
        try:
            backups.write_copy(os.path.join(self.folder, copy), data, mode)
        except OSError as error:
            raise cannot(error, "prepare the change", "nothing was changed") from error

    def _plan(self) -> ChangePlan:
        """Check the worktree once more, and return the plan."""
        items = tuple(self._items[path] for path in sorted(self._items))
        preflight = PreflightCheck(self._tree, items, drop=self._drop)
        preflight.check()
        gone = preflight.gone(self._empty)
        command, now, title = self._named
        return ChangePlan(
            command=command, title=title, time=now, notes=self.notes.to_json(), items=items, gone=gone,
            made=preflight.made(self._folders, gone), index=self._index, refs=tuple(self._refs.values()),
            head=self._new_head, commands=tuple(self._commands), transcripts=tuple(self._transcripts.values()),
        )  # fmt: skip

    def _verify(self) -> None:
        """Raise EntireError if anything changed since it was copied."""
        differ = [item.given or path for path, item in sorted(self._items.items()) if not self._is_as_copied(item)]
        present = refs.read(self.place.top, *self._refs) if self._refs else {}
        differ += [ref for ref, old, _ in self._refs.values() if present.get(ref, "") != old]
        if self._new_head is not None and not apply.same_head(head.read(self.place.top), self._new_head[0]):
            differ.append("HEAD")
        self._refuse(differ)

    def _verify_index(self) -> None:
        index = os.path.join(self.place.git_dir, "index")
        if self._index is not None and not self._is_as_copied(
            PathChange(path=index, was=self._index.was, becomes=None)
        ):
            self._refuse(["the index"])

    def _is_as_copied(self, item: PathChange) -> bool:
        facts = self._tree.find(item.path)
        if facts is not None and backups.mark(facts) == self._marks.get(item.path):
            return True
        return self._tree.is_like(item.path, self.folder, item.was)

    def _refuse(self, differ: list[str]) -> None:
        if differ:
            names = ", ".join(map(shown, differ[:5])) + (f" and {len(differ) - 5} more" if len(differ) > 5 else "")
            raise EntireError(f"{names} changed in the meantime; nothing was done", hint="try again")

    # ------------------------------------------------------------ undo

    def revert(self, *undone: Transaction, instead: Mapping[str, str] | None = None) -> None:
        """Restore what some transactions, newest first, changed; without any, what this change undoes.

        ``instead``: what refs become that were moved since ('' deletes); any other such ref is an error.
        """
        undone = undone or (self.undone,)
        try:
            self._revert([(os.path.join(root(self.place), done.id), _read_plan(self.place, done)) for done in undone],
                         instead or {})  # fmt: skip
        except OSError as error:
            raise cannot(error, f"undo {undone[-1].title}", "nothing was changed") from error

    def _revert(self, plans: Sequence[tuple[str, ChangePlan]], instead: Mapping[str, str]) -> None:
        """Add the reverse of some plans, newest first; each comes with its folder."""
        self._drop = False  # keep folders that were empty before
        earliest: dict[str, tuple[str, PathChange]] = {}
        for folder, plan in plans:
            self._folders.update(plan.gone)
            self._empty = (*self._empty, *plan.made)
            earliest.update({item.path: (folder, item) for item in plan.items})
            self._revert_refs(plan, instead)
        deletions_first = sorted(earliest.values(), key=lambda located: located[1].was is not None)
        for folder, item in deletions_first:
            becomes, copy = None, f"b/{item.path}" if not item.given else self._new_copy("pb")
            if item.was is not None:
                becomes = State(copy=copy, mode=item.was.mode)
                _copy_back(os.path.join(folder, item.was.copy), os.path.join(self.folder, copy), item)
            if item.given:
                self._become_private(item.given, becomes)
            else:
                self._check(item.path)
                self._become(item.path, f"a/{item.path}", becomes)
        indexes = [(folder, plan.index) for folder, plan in plans if plan.index is not None]
        if indexes:
            self._revert_index(*indexes[-1])
        for effect in commands.way_back([commands.effects(folder, plan.commands) for folder, plan in plans]):
            self.run(effect)
        for ref, ends in changed_transcripts.way_back([(folder, plan.transcripts) for folder, plan in plans]).items():
            self.note_transcript(ref, *ends)

    def _revert_refs(self, plan: ChangePlan, instead: Mapping[str, str]) -> None:
        """Restore refs and HEAD. Raises EntireError if any was moved since, because its new position would be lost."""
        present = refs.read(self.place.top, *(ref for ref, _, _ in plan.refs)) if plan.refs else {}
        present.update({ref: new for ref, _, new in self._refs.values()})  # later transactions are reverted already
        moved = [ref for ref, old, new in plan.refs if present.get(ref, "") not in (old, new) and ref not in instead]
        if plan.head is not None:
            present_head = self._new_head[1] if self._new_head is not None else head.read(self.place.top)
            moved += [] if any(apply.same_head(present_head, known) for known in plan.head) else ["HEAD"]
            self.set_head(*plan.head[0])
        if moved:
            raise EntireError(
                f"{plan.title} cannot be undone: {', '.join(map(shown, moved))} was moved since; nothing was changed",
                hint="use `git reflog` to move it back first",
            )
        for ref, old, _ in plan.refs:
            self.move_ref(ref, instead.get(ref, old), present.get(ref, ""))

    def _revert_index(self, folder: str, index: PathChange) -> None:
        """Restore the index, or delete it if there was none."""
        was = index.was
        target = os.path.join(self.folder, "index.was")
        if was is None:
            backups.write_copy(target, b"", 0o600)
            self.replace_index(target)
            if self._index is not None:
                self._index = PathChange(path="", was=self._index.was, becomes=None)
        else:
            backups.duplicate(os.path.join(folder, was.copy), target, was.mode)
            self.replace_index(target)


def _read_plan(place: Place, done: Transaction) -> ChangePlan:
    plan = apply.read_plan(os.path.join(root(place), done.id))
    if plan is None or done.state != "done":
        raise EntireError(f"{done.title} cannot be undone: it was not carried out, or its undo point was deleted")
    return plan


def _copy_back(source: str, target: str, item: PathChange) -> None:
    """Copy what a path was; a conversation without the thinking blocks that the agent's service would refuse."""
    mode = item.was.mode if item.was is not None else 0
    own = contents.of_file(source) if item.given and stat.S_ISREG(mode) else b""
    whole = seals.without_broken(own)
    if whole is own:
        backups.duplicate(source, target, mode)
    else:
        backups.write_copy(target, whole, mode)
