"""Carries out the plan of a transaction, forward or back, and skips what is already done.

So the same code carries a transaction out, rolls it back after an error, and finishes either after a kill. Each path
is compared with its copies from before and after; a path that matches neither was changed by another program and is
left unchanged.

Commands come last, forward and back: they find every file as it shall be, and since nothing that can fail follows them,
a command has to be taken back only if another one fails.
"""

from __future__ import annotations

import errno
import os
import stat

from entire import files
from entire.errors import CorruptError, EntireError
from entire.git import head, refs
from entire.model.value import Value
from entire.undo import changed_transcripts, commands
from entire.undo.backups import SavedTree, State, mark, parents, shown, state_from_json
from entire.undo.commands import CommandRunner, UndoCommand
from entire.undo.index_lock import IndexLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from entire.layout import Place
    from entire.undo.backups import Mark
    from entire.undo.changed_transcripts import ChangedTranscript

PLAN = "plan.json"
_STAYS = (errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY, errno.EINVAL, errno.ENOENT, errno.ENOTDIR)


class PathChange(Value):
    """The file or link at one path before and after; None for nothing (or a folder)."""

    path: str  # relative to the worktree, or absolute for a private file
    was: State | None
    becomes: State | None
    given: str = ""  # a private file's path as the caller gave it, before links were resolved to ``path``


class ChangePlan(Value):
    """Everything that a transaction changes."""

    command: str
    title: str
    time: float
    notes: dict[str, Any]
    items: tuple[PathChange, ...] = ()
    made: dict[str, int | None] = {}  # folders to create, with their mode bits (None: the process default)
    gone: dict[str, int | None] = {}  # folders to remove
    index: PathChange | None = None
    refs: tuple[tuple[str, str, str], ...] = ()  # ref, old and new object id; '' if the ref does not exist
    head: tuple[tuple[str, str], tuple[str, str]] | None = None  # (ref or '', commit) before and after
    commands: tuple[UndoCommand, ...] = ()
    transcripts: tuple[ChangedTranscript, ...] = ()  # those that the commands change


def write_plan(folder: str, plan: ChangePlan) -> None:
    value = dict(plan.__dict__, version=1, items=[_item_json(item) for item in plan.items])
    value["commands"] = [command.to_json() for command in plan.commands]
    value["transcripts"] = [transcript.to_json() for transcript in plan.transcripts]
    value["index"] = None if plan.index is None else _item_json(plan.index)
    files.write_json(os.path.join(folder, PLAN), value)


def read_plan(folder: str) -> ChangePlan | None:
    """Read a plan; None if there is none. Raises CorruptError if it is invalid."""
    path = os.path.join(folder, PLAN)
    value = files.read_json(path)
    if value is None:
        return None
    try:
        if value.pop("version") != 1:
            raise ValueError("unknown version")
        value["items"] = tuple(_item(item) for item in value["items"])
        value["index"] = None if value["index"] is None else _item(value["index"])
        value["refs"] = tuple((ref, old, new) for ref, old, new in value["refs"])
        value["commands"] = tuple(map(commands.from_json, value.get("commands", ())))
        value["transcripts"] = tuple(map(changed_transcripts.from_json, value.get("transcripts", ())))
        if value["head"] is not None:
            (ref, oid), (new_ref, new_oid) = value["head"]
            value["head"] = ((ref, oid), (new_ref, new_oid))
        return ChangePlan(**value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CorruptError(f"{path} is not a valid plan: {error}", hint="run `entire doctor`") from error


def _item_json(item: PathChange) -> list[Any]:
    states = (None if state is None else state.to_json() for state in (item.was, item.becomes))
    return [item.path, *states, item.given]


def _item(value: list[Any]) -> PathChange:
    path, was, becomes, given = value
    if not isinstance(path, str):
        raise ValueError("no path")
    return PathChange(path=path, was=state_from_json(was), becomes=state_from_json(becomes), given=given)


def under_way(folder: str) -> str:
    """Return the prefix of a transaction's temporary files."""
    return ".entire-" + os.path.basename(folder)


def is_here(facts: os.stat_result) -> bool:
    """Tell whether a folder is the current directory, which must not be deleted."""
    try:
        here = os.stat(".")
    except OSError:
        return False
    return (here.st_dev, here.st_ino) == (facts.st_dev, facts.st_ino)


class PlanRunner:
    """One pass over a plan. With ``marks`` (of unchanged files), a path that changed since is an error; without, it is
    left unchanged and reported.
    """

    def __init__(
        self, place: Place, folder: str, plan: ChangePlan, *, back: bool = False,
        marks: Mapping[str, Mark] | None = None, progress: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._place = place
        self._folder = folder
        self._plan = plan
        self._back = back
        self._marks = marks
        self._tree = SavedTree(place.top)
        self._tree.vanishing = {item.path for item in plan.items if self._ends(item)[1] is None}
        self._tree.appearing = {item.path for item in plan.items} - self._tree.vanishing
        self._commands = CommandRunner(place.top, folder, plan.commands, progress)
        self.left: list[str] = []  # messages about what was left unchanged

    def carry_out(self) -> list[str]:
        """Do everything that is not done yet; return messages about what was left unchanged.

        ``progress`` gets a message before slow work. Raises CommandError if a command fails.
        """
        steps = [self._change_files, self._change_index, self._move_refs, self._move_head]
        for step in (*reversed(steps), self._commands.back) if self._back else (*steps, self._commands.forward):
            step()
        return self.left

    def _leave(self, name: str, reason: str) -> None:
        message = f"{shown(name)} {reason}"
        if self._marks is not None:
            raise EntireError(message)
        self.left.append(f"{message}; left unchanged")

    def _ends(self, item: PathChange) -> tuple[State | None, State | None]:
        """Return the state of a path before and after this pass."""
        return (item.becomes, item.was) if self._back else (item.was, item.becomes)

    def _is_due(self, item: PathChange) -> bool:
        before, after = self._ends(item)
        facts = self._tree.find(item.path)
        if facts is not None and self._marks and self._marks.get(item.path) == mark(facts):
            return True
        if self._tree.is_like(item.path, self._folder, after):
            return False
        if self._tree.is_like(item.path, self._folder, before):
            return True
        self._leave(item.path, "was changed by another program in the meantime")
        return False

    def _change_files(self) -> None:
        """Delete files, remove and create folders, then write files: so a file can replace a folder or the reverse, and
        a name can change in letter case on a case-insensitive file system.
        """
        made, gone = (self._plan.gone, self._plan.made) if self._back else (self._plan.made, self._plan.gone)
        numbered = list(enumerate(self._plan.items))
        for number, item in reversed(numbered):
            if self._marks is None and self._tree.can_hold(item.path):
                files.remove(self._temporary(number, item))  # what a kill left
            if self._ends(item)[1] is None and self._is_due(item):
                os.unlink(self._tree.at(item.path))
        for folder in sorted(gone, reverse=True):
            self._drop(folder)
        for folder, mode in sorted(made.items()):
            self._make(folder, mode)
        for number, item in numbered:
            after = self._ends(item)[1]
            if after is not None and self._is_due(item):
                if self._tree.can_hold(item.path) and self._tree.folder(item.path) is None:
                    self._tree.put(item.path, self._folder, after, self._temporary(number, item))
                else:
                    self._leave(item.path, "cannot be written: another file or folder is in the way")

    def _temporary(self, number: int, item: PathChange) -> str:
        above = os.path.dirname(self._tree.at(item.path))
        return os.path.join(above, f"{under_way(self._folder)}-{number}")

    def _drop(self, folder: str) -> None:
        """Remove a folder if it is empty and not the current directory."""
        facts = self._tree.folder(folder)
        if facts is None or is_here(facts):
            return
        try:
            os.rmdir(self._tree.at(folder))
        except OSError as error:
            if error.errno not in _STAYS:
                raise

    def _make(self, folder: str, mode: int | None) -> None:
        path = self._tree.at(folder)
        facts = self._tree.folder(folder)
        if facts is None:
            if self._tree.find(folder) is not None or not self._tree.can_hold(folder):
                return  # each path in it is reported on its own
            os.mkdir(path, 0o777 if mode is None else mode | 0o700)
            facts = os.lstat(path)
        if mode is not None and stat.S_IMODE(facts.st_mode) != mode:
            os.chmod(path, mode)

    def _change_index(self) -> None:
        """Change the index under git's lock, which a transaction that has just begun already holds."""
        item = self._plan.index
        if item is None:
            return
        lock = IndexLock(self._place.git_dir, self._folder)
        item = PathChange(path=lock.index, was=item.was, becomes=item.becomes)
        after = self._ends(item)[1]
        if not self._is_due(item):
            lock.release()
            return
        if self._back or after is None or not lock.is_ours():
            lock.release()
            held = after or self._ends(item)[0]
            if held is not None:
                lock.take(os.path.join(self._folder, held.copy), held.mode)
        if after is not None:
            lock.commit()
        else:
            os.unlink(lock.index)
            lock.release()

    def _move_refs(self) -> None:
        if not self._plan.refs:
            return
        present = refs.read(self._place.top, *(ref for ref, _, _ in self._plan.refs))
        moves = []
        for ref, old, new in self._plan.refs:
            before, after = (new, old) if self._back else (old, new)
            if present.get(ref, "") == before:
                moves.append(refs.RefMove(ref=ref, new=after, old=before))
            elif present.get(ref, "") != after:
                self._leave(ref, "was moved by another program in the meantime")
        refs.move(self._place.top, moves, reason=f"entire: {self._plan.command}")

    def _move_head(self) -> None:
        if self._plan.head is None:
            return
        before, after = reversed(self._plan.head) if self._back else self._plan.head
        present = head.read(self._place.top)
        if same_head(present, before):
            head.write(self._place.top, *after, reason=f"entire: {self._plan.command}")
        elif not same_head(present, after):
            self._leave("HEAD", "was moved by another program in the meantime")


def same_head(left: tuple[str, str], right: tuple[str, str]) -> bool:
    """Tell whether two values of HEAD name the same branch, at whatever commit, or the same detached commit."""
    return left[0] == right[0] and (bool(left[0]) or left[1] == right[1])


class PreflightCheck:
    """Checks a worktree before anything is changed: what is in the way, and which folders to create and remove."""

    def __init__(self, tree: SavedTree, items: Iterable[PathChange], *, drop: bool = True) -> None:
        """Prepare the check of ``items``. ``drop``: remove the folders of deleted files that become empty."""
        self._tree = tree
        self._writes = [item.path for item in items if item.becomes is not None]
        self._deletes = {item.path for item in items if item.becomes is None}
        self._kept = {folder for path in self._writes for folder in parents(path)}
        self._candidates: set[str] = {
            folder for path in self._deletes if drop and not os.path.isabs(path) for folder in parents(path)
        }

    def check(self) -> None:
        """Raise EntireError if a path can no longer be changed."""
        for error in self.blocked().values():
            raise error
        for path in self._deletes:
            if not os.path.isabs(path):
                check_place(self._tree, path, self._deletes)

    def blocked(self) -> dict[str, EntireError]:
        """Return the files that cannot be written because something is in the way, with the reason."""
        blocked = {}
        for path in self._writes:
            try:
                if not os.path.isabs(path):
                    check_place(self._tree, path, self._deletes)
                    if self._tree.folder(path) is not None:
                        self._clear(path)
            except EntireError as error:
                blocked[path] = error
        return blocked

    def _clear(self, path: str) -> None:
        """Raise EntireError if a file is to replace a folder in which something would stay."""
        problem = f"{shown(path)} cannot be written: there is a folder in its place"
        for folder, below, names in os.walk(self._tree.at(path)):
            own = path + folder[len(self._tree.at(path)) :]
            if is_here(os.lstat(folder)):
                raise EntireError(f"{problem} with the current directory in it", hint="change to another directory")
            links = [name for name in below if os.path.islink(os.path.join(folder, name))]
            for name in (*names, *links):
                if f"{own}/{name}" not in self._deletes:
                    raise EntireError(f"{problem} that holds {shown(own)}/{shown(name)}", hint="move that file away")
            if ".git" in below:
                raise EntireError(f"{problem} with a repository of its own")
            self._candidates.add(own)

    def gone(self, others: Iterable[str]) -> dict[str, int | None]:
        """Return the folders that will be empty, among those of deleted files and ``others``."""
        gone: dict[str, int | None] = {}
        for folder in sorted(self._candidates.union(others) - self._kept, reverse=True):
            there = self._tree.folder(folder)
            if there is None or is_here(there):
                continue
            inside = (f"{folder}/{name}" for name in os.listdir(self._tree.at(folder)))
            if all(path in self._deletes or path in gone for path in inside):
                gone[folder] = stat.S_IMODE(there.st_mode)
        return gone

    def made(self, wanted: Mapping[str, int | None], gone: Iterable[str]) -> dict[str, int | None]:
        """Return the folders to create: those in ``wanted`` and those of written files, if they are missing or will be
        removed (under another spelling).
        """
        below = [*self._writes, *(f"{folder}/" for folder in wanted)]
        above = [folder for path in below for folder in parents(path)]
        return {
            folder: wanted.get(folder, 0o700 if os.path.isabs(folder) else None)
            for folder in above
            if self._tree.folder(folder) is None or self._tree.spelled(folder) in gone
        }


def check_place(tree: SavedTree, path: str, deleted: Iterable[str]) -> None:
    """Raise EntireError for a path behind a link or a file that stays, or in a nested repository."""
    obstacle = tree.obstacle(path)
    if obstacle and obstacle not in deleted:
        raise EntireError(f"{shown(path)} cannot be changed: {shown(obstacle)} is a file or a symbolic link")
    nested = "" if obstacle else tree.nested(path)
    if nested:
        raise EntireError(f"{shown(path)} cannot be changed: {shown(nested)} is a repository of its own")
