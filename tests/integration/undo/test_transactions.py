"""Refs, HEAD, index, files and private files of a real repository, killed and failing before every single call."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entire import layout
from entire.errors import EntireError
from entire.git import head
from entire.layout import Place
from entire.model.effects import Run
from entire.undo import completion, inverse, transaction
from entire.undo.draft import Draft
from entire.undo.index_lock import IndexLock
from entire.undo.transaction import Transaction
from tests import faults
from tests.trees import tree

NOW = 1_770_000_000.0
HARDEST = "d/\udcff\n\udcfe"  # a name that is neither text nor one line


class World:
    """A repository with two commits, and a home with transcripts; and one change of all kinds of things in them."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.root, self.home = folder / "work", folder / "home"
        self.git(folder, "init", "-q", "--template=", *options, "work")
        for name, data in (("kept", b"kept\n"), ("x", b"file\n"), ("dir/z", b"z\n"), ("run", b"#!/bin/sh\n")):
            self.write(name, data)
        self.write(HARDEST, b"\xff\r\n")
        (self.root / "run").chmod(0o755)
        os.symlink("nowhere", self.root / "link")
        (self.home / "projects").mkdir(parents=True)
        (self.home / "projects/s.jsonl").write_bytes(b"one\ntwo\n")
        (self.home / "store").mkdir()
        (self.home / "store/s").write_bytes(b"before\n")
        self.commit("first")
        self.first = self.line("rev-parse", "HEAD")
        self.write("kept", b"more\n")
        self.commit("second")
        self.second = self.line("rev-parse", "HEAD")
        self.git(self.root, "branch", "other", self.first)
        self.git(self.root, "update-ref", "refs/entire/old", self.first)
        self.write("kept", b"not committed\n")
        place = layout.find(str(self.root))
        assert place is not None
        self.place: Place = place

    def git(self, where: Path, *args: str) -> str:
        return subprocess.run(["git", *args], cwd=where, check=True, capture_output=True, text=True).stdout

    def line(self, *args: str) -> str:
        return self.git(self.root, *args).strip()

    def write(self, name: str, data: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def commit(self, message: str) -> None:
        self.git(self.root, "add", "-A")
        self.git(self.root, "commit", "-q", "-m", message)

    def look(self) -> dict[str, Any]:
        """Return everything that a transaction can change, and what else it must not leave behind."""
        git_dir = self.root / ".git"
        names = {path.name for path in git_dir.iterdir()}
        return {
            "files": tree(self.root),
            "home": tree(self.home),
            "index": (git_dir / "index").read_bytes() if (git_dir / "index").exists() else None,
            "refs": self.git(self.root, "for-each-ref"),
            "head": (git_dir / "HEAD").read_text(),
            "locks": {name for name in names if name.endswith(".lock")},
        }

    def draft(self) -> Draft:
        """Return a draft that changes everything there is."""
        change = Draft(self.place, "rewind", "rewind to first", now=NOW)
        try:
            self.fill(change)
        except BaseException:
            change.discard()
            raise
        return change

    def fill(self, change: Draft) -> None:
        change.delete_file("x")
        change.write_bytes("x/y/new", b"x" * 3_000_000, 0o644)
        change.delete_file("dir/z")
        change.write_bytes("dir", b"a file now", 0o600)
        change.delete_file(HARDEST)
        change.write_bytes("run", b"", 0o644)
        change.delete_file("link")
        Path(change.after, "kept").symlink_to("kept")
        change.write_file("kept")
        change.write_private(str(self.home / "projects/s.jsonl"), b"one\n")
        change.write_private(str(self.home / "other/agent/t.jsonl"), b"three\n")
        for effect in self.commands():
            change.run(effect)
        change.move_ref("refs/heads/other", self.second, self.first)
        change.move_ref("refs/heads/main", self.first, self.second)
        change.move_ref("refs/entire/new", self.first, "")
        change.move_ref("refs/entire/old", "", self.first)
        change.set_head("refs/heads/other", "")
        index = os.path.join(change.folder, "wanted")
        env = {**os.environ, "GIT_INDEX_FILE": index}
        subprocess.run(["git", "read-tree", self.first], cwd=self.root, env=env, check=True)
        change.replace_index(index)

    def commands(self) -> tuple[Run, ...]:
        """Return commands that change an agent's store: one is fed, one reads a file of the change, one the other's."""
        store = self.home / "store"
        put = ("sh", "-c", 'cat >"$1"', "sh", str(store / "s"))
        return (
            Run(argv=put, undo_argv=put, stdin=b"after\n", undo_stdin=b"before\n"),
            Run(argv=("sh", "-c", 'cp "$HOME_OF_AGENT/other/agent/t.jsonl" "$HOME_OF_AGENT/store/t"'),
                undo_argv=("rm", "-f", str(store / "t")), env={"HOME_OF_AGENT": str(self.home)}),
            Run(argv=("cp", str(store / "s"), str(store / "u")), undo_argv=("rm", "-f", str(store / "u"))),
        )  # fmt: skip

    def change(self) -> Transaction:
        return self.draft().carry_out()

    def undo(self) -> Transaction:
        done = transaction.latest(self.place, "rewind")
        assert done is not None
        return inverse.of(self.place, done, now=NOW).carry_out()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def again(world: World, folder: Path) -> None:
    """Put the repository and the home back to a copy of them."""
    for path in (world.root, world.home):
        shutil.rmtree(path)
        shutil.copytree(folder / path.name, path, symlinks=True)


def copied(world: World, folder: Path) -> Path:
    for path in (world.root, world.home):
        shutil.copytree(path, folder / path.name, symlinks=True)
    return folder


def check_done(world: World, before: dict[str, Any]) -> None:
    """Check that the change is complete, and that undo and its undo are too."""
    after = world.look()
    assert (world.root / "x/y/new").stat().st_size == 3_000_000
    assert os.readlink(world.root / "kept") == "kept"
    assert {path for path, one in after["files"].items() if one[0] != "folder"} == {b"dir", b"kept", b"run", b"x/y/new"}
    assert (world.home / "projects/s.jsonl").read_bytes() == b"one\n"
    assert (world.home / "other/agent/t.jsonl").read_bytes() == b"three\n"
    store = {path.name: path.read_bytes() for path in (world.home / "store").iterdir()}
    assert store == {"s": b"after\n", "t": b"three\n", "u": b"after\n"}
    assert world.line("rev-parse", "main", "other", "refs/entire/new").split() == [
        world.first, world.second, world.first,
    ]  # fmt: skip
    assert world.line("symbolic-ref", "HEAD") == "refs/heads/other"
    assert world.line("write-tree") == world.line("rev-parse", f"{world.first}^{{tree}}")
    assert after["locks"] == set()
    world.undo()
    assert world.look() == before
    world.undo()
    assert world.look() == after


def test_everything_changes_and_comes_back(world: World) -> None:
    before = world.look()
    change = world.draft()
    assert world.look() == before
    done = change.carry_out()
    assert set(done.refs) == {"refs/heads/main", "refs/heads/other", "refs/entire/new", "refs/entire/old"}
    assert world.git(world.root, "log", "-g", "-1", "--format=%gs", "HEAD").strip() == "entire: rewind"
    check_done(world, before)


PARTS = 4  # a test with many kills is played in so many parts, side by side


def both(world: World, kept: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return how everything looks before and after the change, which undo and its undo bring back; nothing is changed
    in the end.
    """
    before = world.look()
    world.change()
    after = world.look()
    check_done(world, before)
    again(world, kept)
    return before, after


def check_completed(world: World, before: dict[str, Any], after: dict[str, Any], told: list[str]) -> bool:
    """Check that a killed change is wholly not there or wholly there; tell which."""
    undo = Path(world.place.own_dir, "undo")
    if (world.root / "x").is_file():
        assert world.look() == before
        assert told == []
        assert not undo.exists() or list(undo.iterdir()) == []
        return False
    assert told in (["rewind to first was interrupted and has now been finished"], [])
    assert [one.state for one in transaction.find_all(world.place)] == ["done"]
    assert world.look() == after
    return True


@pytest.mark.parametrize("part", range(PARTS))
def test_killed_before_every_call(world: World, tmp_path: Path, part: int) -> None:
    """Wholly before or wholly after, when the next one has completed it."""
    kept = copied(world, tmp_path / "kept")
    before, after = both(world, kept)
    found = []
    for count in range(part, 10_000, PARTS):
        if not faults.killed(count, Draft.carry_out, world.draft):
            break
        found.append(check_completed(world, before, after, completion.complete(world.place)))
        if found[-1]:
            world.undo()
            assert world.look() == before
        again(world, kept)
    assert found == sorted(found)  # there is one moment before which nothing happens, and after which all does
    assert found.count(False) > 1 and found.count(True) > 5


@pytest.mark.parametrize("part", range(PARTS))
def test_killed_while_a_draft_is_made(world: World, tmp_path: Path, part: int) -> None:
    before = world.look()
    count = part
    while faults.killed(count, World.draft, lambda: world):
        assert not check_completed(world, before, {}, completion.complete(world.place))
        count += 3 * PARTS
    assert count > 6 * PARTS


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("back", [False, True])
def test_killed_while_completing(world: World, tmp_path: Path, part: int, back: bool) -> None:
    """Then completed once more, to the end: forward from before everything, or back from after everything."""
    before = world.look()
    done = world.change()
    after, undo = world.look(), Path(world.place.own_dir, "undo")
    marker = undo / (done.id + (".back" if back else ".applying"))
    if not back:
        (undo / f"{done.id}.back").touch()
        completion.complete(world.place)
        assert world.look() == before
        (undo / f"{done.id}.failed").unlink()
    marker.touch()
    kept = copied(world, tmp_path / "kept")
    count = part
    while faults.killed(count, completion.complete, lambda: world.place):
        completion.complete(world.place)
        assert world.look() == (before if back else after)
        again(world, kept)
        count += 2 * PARTS
    assert count > 6 * PARTS


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("for_good", [False, True])
def test_an_error_at_every_call(world: World, tmp_path: Path, part: int, for_good: bool) -> None:
    """As before when the error is told, or when the next one has completed it."""
    kept = copied(world, tmp_path / "kept")
    before, after = both(world, kept)
    number, failed = (errno.ENOSPC, errno.EACCES)[part % 2], 0
    for count in range(part, 10_000, PARTS):
        change = world.draft()
        with faults.at_call(count, faults.fail(number), and_later=for_good) as calls:
            try:
                change.carry_out()
                is_told = False
            except EntireError:
                is_told = True
                failed += 1
        change.discard()
        states = [one.state for one in transaction.find_all(world.place)]
        completion.complete(world.place)
        if is_told and states != ["applying"]:
            assert world.look() == before, count
            assert [one.state for one in transaction.find_all(world.place)] in ([], ["rolled back"])
        else:  # told only where not even a rename was possible any more
            assert for_good or not is_told
            assert world.look() == after
        again(world, kept)
        if calls[0] <= count:
            break
    assert failed > 5


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_an_error_while_a_draft_is_made(world: World, number: int) -> None:
    before, count = world.look(), 0
    while True:
        with faults.at_call(count, faults.fail(number)) as calls:
            try:
                world.draft().discard()
            except (EntireError, OSError):
                pass
        for marker in Path(world.place.own_dir, "undo").glob("*.draft"):
            marker.write_text("")  # it could not even be deleted, and waits for the end of its process
        completion.complete(world.place)
        if calls[0] <= count:
            break
        count += 5
    assert world.look() == before
    assert count > 20
    left = [path.name for path in Path(world.place.own_dir, "undo").iterdir()]
    assert left == [], left


def test_a_lock_is_known_by_what_it_is(world: World) -> None:
    git_dir = world.root / ".git"
    folder = git_dir / "entire/undo/one"
    folder.mkdir(parents=True)
    lock = IndexLock(str(git_dir), str(folder))
    lock.take(str(git_dir / "index"), 0o100640)
    assert lock.is_ours()
    assert (git_dir / "index.lock").read_bytes() == (git_dir / "index").read_bytes()
    other = IndexLock(str(git_dir), str(folder.parent / "two"))
    with pytest.raises(EntireError):
        other.take(str(git_dir / "index"), 0o100640)
    other.release()
    assert lock.is_ours()
    (git_dir / "index.lock").unlink()
    (git_dir / "index.lock").write_bytes((git_dir / "index").read_bytes())
    assert not lock.is_ours()
    lock.release()
    assert (git_dir / "index.lock").exists()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("taken", ["before", "after"])
def test_an_index_that_somebody_holds(world: World, taken: str) -> None:
    lock = world.root / ".git/index.lock"
    before = world.look()
    if taken == "before":
        lock.write_bytes(b"theirs")
    change = world.draft()
    lock.write_bytes(b"theirs")
    with pytest.raises(EntireError, match=r"index\.lock"):
        change.carry_out()
    assert lock.read_bytes() == b"theirs"
    change.discard()
    assert completion.complete(world.place) == []
    assert lock.read_bytes() == b"theirs"
    lock.unlink()
    assert world.look() == before
    world.change()


def test_a_lock_of_somebody_else_waits_for_the_next_time(world: World) -> None:
    """Killed before the index was written, on a file system where the lock of ours can get lost."""
    before = world.look()
    done = world.change()
    undo = Path(world.place.own_dir, "undo")
    (undo / f"{done.id}.back").touch()
    lock = world.root / ".git/index.lock"
    lock.write_bytes(b"theirs")
    told = completion.complete(world.place)
    assert len(told) == 1 and "cannot be finished yet" in told[0] and "index.lock" in told[0]
    assert lock.read_bytes() == b"theirs"
    lock.unlink()
    assert "has now been rolled back" in completion.complete(world.place)[0]
    assert world.look() == before


def test_a_disk_without_second_names(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, kept = world.look(), copied(world, tmp_path / "kept")
    monkeypatch.setattr(os, "link", faults.fail_any(errno.EPERM))
    for count in range(0, 10_000, 9):
        if not faults.killed(count, Draft.carry_out, world.draft):
            break
        completion.complete(world.place)
        now = world.look()
        if now["locks"]:  # the one moment in which nobody can know whose lock it is
            assert (world.root / ".git/index.lock").read_bytes() == b""
            (world.root / ".git/index.lock").unlink()
        elif now != before:
            check_done(world, before)
        again(world, kept)
    again(world, kept)
    world.change()
    check_done(world, before)


def _edit_file(world: World) -> None:
    world.write("run", b"mine")


def _edit_private(world: World) -> None:
    (world.home / "projects/s.jsonl").write_bytes(b"one\ntwo\nthree\n")


def _move_ref(world: World) -> None:
    world.git(world.root, "update-ref", "refs/heads/other", world.second)


def _make_ref(world: World) -> None:
    world.git(world.root, "update-ref", "refs/entire/new", world.second)


def _detach(world: World) -> None:
    world.git(world.root, "checkout", "-q", "--detach")


def _stage(world: World) -> None:
    world.git(world.root, "add", "kept")


@pytest.mark.parametrize("edit", [_edit_file, _edit_private, _move_ref, _make_ref, _detach, _stage])
def test_what_changed_after_the_draft_is_refused(world: World, edit: Callable[[World], None]) -> None:
    change = world.draft()
    edit(world)
    before = world.look()
    with pytest.raises(EntireError, match="changed in the meantime"):
        change.carry_out()
    assert world.look() == before
    change.discard()
    assert list(Path(world.place.own_dir, "undo").iterdir()) == []


def test_undo_does_not_lose_what_was_committed_since(world: World) -> None:
    done = world.change()
    world.git(world.root, "commit", "-q", "--allow-empty", "-m", "third")
    before = world.look()
    with pytest.raises(EntireError, match="refs/heads/other was moved since"):
        inverse.of(world.place, done, now=NOW)
    assert world.look() == before
    world.git(world.root, "reset", "-q", "--soft", "HEAD~1")
    world.git(world.root, "checkout", "-q", "--detach")
    with pytest.raises(EntireError, match="HEAD was moved since"):
        inverse.of(world.place, done, now=NOW)
    assert [one.id for one in transaction.find_all(world.place)] == [done.id]


def test_heads_go_to_commits_and_back(world: World) -> None:
    before = world.look()
    change = Draft(world.place, "rewind", "a rewind", now=NOW)
    change.set_head("", world.first)
    done = change.carry_out()
    assert world.look()["head"] == world.first + "\n"
    assert head.read(world.place.top) == ("", world.first)
    change = Draft(world.place, "rewind", "another", now=NOW)
    change.set_head("", world.second)
    change.carry_out()
    assert world.look()["head"] == world.second + "\n"
    world.undo()
    assert world.look()["head"] == world.first + "\n"
    inverse.of(world.place, done, now=NOW).carry_out()
    assert world.look() == before


def test_before_the_first_commit(tmp_path: Path) -> None:
    """No index, no commit: an index appears and vanishes again."""
    subprocess.run(["git", "init", "-q", tmp_path / "new"], check=True)
    place = layout.find(str(tmp_path / "new"))
    assert place is not None
    change = Draft(place, "rewind", "a rewind", now=NOW)
    change.write_bytes("f", b"one", 0o644)
    change.set_head("refs/heads/elsewhere", "")
    index = Path(change.folder, "wanted")
    subprocess.run(["git", "read-tree", "--empty"], cwd=place.top, check=True, env={
        **os.environ, "GIT_INDEX_FILE": str(index)})  # fmt: skip
    change.replace_index(str(index))
    done = change.carry_out()
    assert Path(place.git_dir, "index").exists()
    assert head.read(place.top) == ("refs/heads/elsewhere", "")
    undone = inverse.of(place, done, now=NOW).carry_out()
    assert not Path(place.git_dir, "index").exists()
    assert not Path(place.git_dir, "index.lock").exists()
    assert Path(place.git_dir, "HEAD").read_text() == "ref: refs/heads/main\n"
    inverse.of(place, undone, now=NOW).carry_out()
    assert Path(place.git_dir, "index").exists()


def test_a_linked_work_tree_has_its_own(world: World, tmp_path: Path) -> None:
    world.git(world.root, "worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    place = layout.find(str(tmp_path / "linked"))
    assert place is not None
    before = world.look()
    change = Draft(place, "rewind", "a rewind", now=NOW)
    change.write_bytes("kept", b"there", 0o644)
    change.set_head("", world.first)
    done = change.carry_out()
    assert transaction.find_all(world.place) == []
    assert world.look() == before
    assert (tmp_path / "linked/kept").read_bytes() == b"there"
    inverse.of(place, done, now=NOW).carry_out()
    assert world.git(tmp_path / "linked", "status", "--porcelain") == ""
    assert world.git(tmp_path / "linked", "symbolic-ref", "HEAD") == "refs/heads/linked\n"


def test_a_git_directory_on_another_disk(tmp_path: Path) -> None:
    """Nothing is ever renamed from the git directory into the worktree: that fails between file systems."""
    if not os.access("/dev/shm", os.W_OK) or os.stat("/dev/shm").st_dev == os.stat(tmp_path).st_dev:
        pytest.skip("no second file system")
    shm = Path("/dev/shm") / f"entire-tests-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        world = World(tmp_path, f"--separate-git-dir={shm}")
        before = tree(world.root), tree(world.home)
        change = Draft(world.place, "rewind", "a rewind", now=NOW)
        change.write_bytes("kept", b"x", 0o644)
        change.delete_file("dir/z")
        change.write_private(str(world.home / "t"), b"x")
        change.carry_out()
        assert (world.root / "kept").read_bytes() == b"x"
        world.undo()
        assert (tree(world.root), tree(world.home)) == before
    finally:
        shutil.rmtree(shm, ignore_errors=True)


def test_a_git_directory_that_cannot_be_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the tests run as root, for whom every folder can be written."""
    before = world.look()
    mkdir = os.mkdir

    def refusing(path: str, mode: int = 0o777) -> None:
        if path.startswith(world.place.git_dir):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        mkdir(path, mode)

    monkeypatch.setattr(os, "mkdir", refusing)
    with pytest.raises(EntireError, match="Permission denied"):
        world.draft()
    assert completion.complete(world.place) == []
    assert world.look() == before
