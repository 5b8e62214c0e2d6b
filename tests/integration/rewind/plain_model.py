"""A plain model of a worktree with people and sessions at work in it: what a rewind may and must do.

It knows files as values, who changed them in which interval, and how everything was at each point. It asks git (what
is ignored, what commits hold) and the file system, never the code under test.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.trees import Tree, tree

File = tuple[str, int, bytes]  # kind, mode bits, content or link target
Files = dict[str, File]  # by path; no folders

PERSON = ""
OWN = (".entire", ".claude", ".git")
_GIT_ALL = {"GIT_OPTIONAL_LOCKS": "0"}


def same(one: File | None, other: File | None) -> bool:
    """Tell whether two files are the same to git: bytes, executable bit, link target."""
    if one is None or other is None:
        return one is other
    return one[0] == other[0] and one[2] == other[2] and (one[1] & 0o100) == (other[1] & 0o100)


@dataclass
class World:
    """Everything that an undo must bring back, and what no rewind may touch."""

    files: Tree  # with folders, without .git
    index: str  # its entries
    index_bytes: bytes
    head: str
    refs: dict[str, str]
    git: Tree  # the git directory without what is ours, and without objects
    conversations: dict[str, bytes]


@dataclass
class Point:
    """How everything was at a point."""

    id: str
    files: Files  # what a step saves: tracked, or neither ignored nor too big
    conversations: dict[str, set[bytes]]  # the conversations that go back with it, by session
    at: int  # number of intervals before
    kind: str
    beside: dict[str, File | None] = field(
        default_factory=dict
    )  # of a commit: what lay uncommitted beside it in the last snapshot

    def allows(self, path: str, found: File | None) -> bool:
        """Tell whether a file is as it was at the point.

        No snapshot is taken when a commit is made: what lies beside it may be as in the last one of a turn.
        """
        return same(found, self.files.get(path)) or (path in self.beside and same(found, self.beside[path]))


@dataclass
class Interval:
    """What changed between two snapshots, by one session (or a person, or a rewind)."""

    owner: str
    before: dict[str, File | None]
    after: dict[str, File | None]


@dataclass
class Model:
    """The worktree of one repository."""

    root: Path
    env: dict[str, str]
    points: dict[str, Point] = field(default_factory=dict)
    intervals: list[Interval] = field(default_factory=list)
    made: set[str] = field(default_factory=set)  # by sessions, surely
    touched: set[str] = field(default_factory=set)  # by sessions, possibly
    starts: dict[str, int] = field(default_factory=dict)  # untracked when a session began: number of intervals before
    files: Files = field(default_factory=dict)  # at the last interval's end

    # ------------------------------------------------------------ what is there

    def git(self, *args: str, stdin: bytes | None = None, ok: Iterable[int] = (0,)) -> bytes:
        """Ask git something that changes nothing."""
        done = subprocess.run(
            ["git", *args], cwd=self.root, env={**self.env, **_GIT_ALL}, capture_output=True, input=stdin, check=False
        )
        assert done.returncode in ok, (args, done.stderr)
        return done.stdout

    def all_files(self) -> Files:
        """Return every file and link of the worktree but our own folders, whether git sees it or not."""
        found = tree(self.root, but=frozenset(os.fsencode(name) for name in OWN))
        return {os.fsdecode(path): one for path, one in found.items() if one[0] != "folder"}

    def visible(self) -> Files:
        """Return what git sees: tracked, or not ignored."""
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
        names = {os.fsdecode(name) for name in listed}
        return {path: one for path, one in self.all_files().items() if path in names}

    def untracked(self) -> set[str]:
        """Return what is neither tracked nor ignored."""
        listed = self.git("ls-files", "-z", "--others", "--exclude-standard").split(b"\0")
        tracked = self.git("ls-tree", "-r", "-z", "--name-only", "HEAD", ok=(0, 128)).split(b"\0")
        return {os.fsdecode(name) for name in set(listed) - set(tracked) if name}

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Return those that git ignores; it refuses to answer for a path beyond a symbolic link."""
        links = {path for path, file in self.all_files().items() if file[0] == "link"}
        within = (path for path in paths if not any(path.startswith(link + "/") for link in links))
        asked = b"\0".join(os.fsencode(path) for path in within)
        if not asked:
            return set()
        found = self.git("check-ignore", "-z", "--stdin", stdin=asked, ok=(0, 1)).split(b"\0")
        return {os.fsdecode(path) for path in found if path}

    def committed(self, commit: str, known: Files) -> Files:
        """Return the files of a commit; ``known`` spares asking git for each content."""
        found: Files = {}
        by_oid = {_oid(one): one for one in known.values()}
        for line in self.git("ls-tree", "-r", "-z", commit).split(b"\0"):
            if not line:
                continue
            words, _, name = line.partition(b"\t")
            mode, kind, oid = words.decode().split()
            path = os.fsdecode(name)
            if kind != "blob" or path.partition("/")[0] in OWN:
                continue
            data = by_oid[oid][2] if oid in by_oid else self.git("cat-file", "blob", oid)
            found[path] = ("link", 0, data) if mode == "120000" else ("file", int(mode[-3:], 8), data)
        return found

    def in_commits(self) -> set[str]:
        """Return every path that any commit of a person's branch ever had."""
        out = self.git("log", "--exclude=entire/*", "--branches", "-z", "--format=", "--name-only", "-m",
                       "--no-renames", "--reflog", ok=(0, 128))  # fmt: skip
        return {os.fsdecode(path.lstrip(b"\n")) for path in out.split(b"\0") if path}

    def world(self, conversations: Iterable[Path]) -> World:
        """Return everything, to be compared."""
        refs = self.git("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
        index = self.root / ".git/index"
        git = tree(self.root / ".git", but=frozenset((b"objects", b"entire", b"entire-sessions", b"packed-refs")))
        ours = (b"refs/entire", b"logs/refs/entire", b"refs/heads/entire", b"logs/refs/heads/entire")
        quiet = (b"index", b"logs/HEAD")
        return World(
            files=tree(self.root, but=frozenset((b".git", b".entire"))),
            index=self.git("ls-files", "-s", "-z").decode("utf-8", "surrogateescape"),
            index_bytes=index.read_bytes() if index.exists() else b"",
            head=self.git("rev-parse", "HEAD", ok=(0, 128)).decode()
            + self.git("symbolic-ref", "-q", "HEAD", ok=(0, 1)).decode(),
            refs=dict(line.split() for line in refs if not line.startswith(("refs/entire/", "refs/heads/entire/"))),
            git={path: one for path, one in git.items() if not path.startswith(ours) and path not in quiet},
            conversations={str(path): path.read_bytes() if path.exists() else b"" for path in conversations},
        )

    # ------------------------------------------------------------ what happens

    def note(self, owner: str) -> None:
        """Close an interval: what changed in it was ``owner``'s (or a rewind's: ``rewind``, ``undo``)."""
        now = self.visible()
        paths = {path for path in (*self.files, *now) if not same(self.files.get(path), now.get(path))}
        self.intervals.append(
            Interval(
                owner=owner,
                before={path: self.files.get(path) for path in paths},
                after={path: now.get(path) for path in paths},
            )
        )
        if owner not in (PERSON, "rewind", "undo"):
            self.made |= paths
            self.touched |= paths
        self.files = now

    def begin_session(self) -> None:
        """Note the start list of a session."""
        for path in set(self.untracked()) - self.made:
            self.starts.setdefault(path, len(self.intervals))

    def since(self, point: Point, path: str) -> list[str]:
        """Return who changed a path after a point, in order."""
        return [one.owner for one in self.intervals[point.at :] if path in one.after]

    def creators(self, point: Point, path: str) -> set[str]:
        """Return who may count as the creator of a path since a point: owners of intervals in which it appeared."""
        found = set()
        for one in self.intervals[point.at :]:
            if path in one.after and one.before[path] is None:
                found.add(one.owner)
        return found

    # ------------------------------------------------------------ what must hold

    def reason_is_true(self, point: Point, path: str, reason: str, tracked: set[str]) -> bool:
        """Tell whether what is said about a path that is left alone is so."""
        was_absent = point.allows(path, None)
        if reason == "a commit contains it":
            return was_absent and (path in tracked or path in self.in_commits())
        if reason == "git ignored it then, so it may have existed":
            return was_absent
        if reason == "you created it":
            return was_absent and bool(self.creators(point, path) - self.sessions())
        if reason == "it existed when a session started":
            return was_absent and self.was_there_at_a_start(path)
        at = self.root / path
        if "there is a folder in its place" in reason:
            return at.is_dir() and not at.is_symlink()
        if "is a file or a symbolic link" in reason:
            above = [self.root / one for one in Path(path).parents if str(one) != "."]
            return any(one.is_symlink() or one.is_file() for one in above)
        return False

    def was_there_at_a_start(self, path: str) -> bool:
        """Tell whether a session found a file when it began, and the file appeared (again) later."""
        appeared = [at for at, one in enumerate(self.intervals) if path in one.after and one.before[path] is None]
        born = [at for at in appeared if self.intervals[at].owner not in ("rewind", "undo")]
        return path in self.starts and (not born or self.starts[path] <= born[-1])

    def sessions(self) -> set[str]:
        """Return the sessions that changed something."""
        return {one.owner for one in self.intervals} - {PERSON, "rewind", "undo"}


def _oid(one: File) -> str:
    return hashlib.sha1(b"blob %d\0" % len(one[2]) + one[2]).hexdigest()
