"""Files changed all or not at all, and brought back: any names, modes, links, folders where files were."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from entire.errors import EntireError
from entire.layout import Place
from entire.undo import apply, backups, completion, inverse, transaction
from entire.undo import folder as undo_folder
from entire.undo.draft import Draft
from entire.undo.notes import Notes
from entire.undo.transaction import Transaction
from tests import faults
from tests.trees import Tree, tree

NOW = 1_770_000_000.25


def make_place(folder: Path) -> Place:
    git_dir = folder / "work" / ".git"
    git_dir.mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    return Place(top=str(folder / "work"), git_dir=str(git_dir), common_dir=str(git_dir))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


@pytest.fixture
def top(place: Place) -> Path:
    return Path(place.top)


class PointNotes(Notes):
    point: str


def draft(place: Place, now: float = NOW, command: str = "rewind") -> Draft:
    return Draft(place, command, "rewind to abc", now=now, notes=PointNotes(point="abc"))


def refused(change: Draft, path: str, why: str) -> None:
    """Check that a draft takes no change of a path."""
    with pytest.raises(EntireError, match=why):
        change.write_bytes(path, b"", 0o644)
    with pytest.raises(EntireError, match=why):
        change.write_file(path)
    with pytest.raises(EntireError, match=why):
        change.delete_file(path)
    assert change.changed() == []
    assert tree(change.folder) == {b"a": ("folder", 0o700, b""), b"b": ("folder", 0o700, b"")}


def undo(place: Place, done: Transaction) -> Transaction:
    return inverse.of(place, done, now=NOW).carry_out()


def folder_of(place: Place) -> Path:
    assert undo_folder.root(place) == os.path.join(place.git_dir, "entire", "undo")
    return Path(undo_folder.root(place))


def test_files_are_written_deleted_and_brought_back(place: Place, top: Path) -> None:
    (top / "a.txt").write_bytes(b"one\r\n")
    (top / "a.txt").chmod(0o640)
    (top / "run").write_bytes(b"#!/bin/sh\n")
    (top / "run").chmod(0o755)
    (top / "deep/er").mkdir(parents=True)
    (top / "deep/er/b").write_bytes(b"")
    (top / "deep").chmod(0o711)
    os.symlink("nowhere", top / "link")
    before = tree(top)
    change = draft(place)
    change.write_bytes("a.txt", b"two\n", 0o600)
    change.write_bytes("new/folder/c", b"three", 0o755)
    change.delete_file("deep/er/b")
    change.delete_file("link")
    Path(change.after, "run").symlink_to("a.txt")
    change.write_file("run")
    assert change.changed() == ["a.txt", "deep/er/b", "link", "new/folder/c", "run"]
    assert tree(top) == before
    done = change.carry_out()
    after = tree(top)
    assert after[b"a.txt"] == ("file", 0o600, b"two\n")
    assert after[b"new/folder/c"] == ("file", 0o755, b"three")
    assert after[b"run"] == ("link", 0, b"a.txt")
    assert set(after) == {b"a.txt", b"run", b"new", b"new/folder", b"new/folder/c"}
    assert (done.state, done.paths, done.undoes) == ("done", tuple(change.changed()), "")
    undone = undo(place, done)
    assert tree(top) == before
    assert (undone.command, undone.undoes, undone.notes) == ("rewind", done.id, {"undoes": done.id})
    undo(place, undone)
    assert tree(top) == after
    plan = apply.read_plan(str(folder_of(place) / done.id))
    assert plan is not None and plan.made == {"new": None, "new/folder": None}
    assert plan.gone == {"deep": 0o711, "deep/er": stat.S_IMODE(before[b"deep/er"][1])}
    assert completion.complete(place) == []
    assert [one.undoes for one in transaction.find_all(place)] == [undone.id, done.id, ""]


def test_a_file_takes_the_place_of_a_folder_and_the_reverse(place: Place, top: Path) -> None:
    (top / "x").write_text("file")
    (top / "y").mkdir(0o750)
    (top / "y/empty").mkdir(0o700)
    (top / "y/z").write_text("inside")
    os.symlink("y", top / "l")
    before = tree(top)
    change = draft(place)
    change.write_bytes("x/y", b"deeper", 0o644)
    change.delete_file("x")
    change.write_bytes("y", b"a file now", 0o644)
    change.delete_file("y/z")
    change.delete_file("l")
    change.write_bytes("l/z", b"a folder now", 0o644)
    done = change.carry_out()
    after = tree(top)
    assert {path for path, one in after.items() if one[0] == "file"} == {b"x/y", b"y", b"l/z"}
    undone = undo(place, done)
    assert tree(top) == before
    undo(place, undone)
    assert tree(top) == after


def test_a_folder_with_something_else_in_it_is_not_replaced(place: Place, top: Path) -> None:
    (top / "y").mkdir()
    (top / "y/z").write_text("inside")
    (top / "y/mine").write_text("not ours")
    before = tree(top)
    change = draft(place)
    change.write_bytes("y", b"a file now", 0o644)
    change.delete_file("y/z")
    with pytest.raises(EntireError, match="that holds y/mine"):
        change.carry_out()
    change.discard()
    assert tree(top) == before
    assert list(folder_of(place).iterdir()) == []


@pytest.mark.parametrize("name", ["nested", "sub"])
def test_a_repository_inside_is_left_alone(place: Place, top: Path, name: str) -> None:
    (top / name / "below").mkdir(parents=True)
    if name == "sub":
        (top / name / ".git").write_text("gitdir: ../.git/modules/sub\n")
    else:
        (top / name / ".git").mkdir()
    (top / name / "below/f").write_text("theirs")
    before = tree(top)
    change = draft(place)
    refused(change, f"{name}/below/f", "repository of its own")
    change.write_bytes(name, b"", 0o644)
    with pytest.raises(EntireError):
        change.carry_out()
    assert tree(top) == before


def test_nothing_is_touched_behind_a_link(place: Place, top: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/f").write_text("theirs")
    os.symlink(tmp_path / "outside", top / "d")
    change = draft(place)
    refused(change, "d/f", "d is a file or a symbolic link")
    (top / "e").mkdir()
    (top / "e/f").write_text("theirs")
    change.delete_file("e/f")
    os.rename(top / "e", tmp_path / "e")
    os.symlink(tmp_path / "e", top / "e")
    with pytest.raises(EntireError, match="e is a file or a symbolic link"):
        change.carry_out()
    assert (tmp_path / "outside/f").read_text() == (tmp_path / "e/f").read_text() == "theirs"


def test_no_private_file_is_written_through_a_link_in_the_worktree(place: Place, top: Path, tmp_path: Path) -> None:
    """An agent may keep its conversations in the worktree; one that a repository brings leads nowhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "chat").write_text("theirs")
    os.symlink(outside, top / "chats")
    os.symlink(outside / "chat", top / "chat")
    os.symlink(outside / "missing", top / "new")
    for path in (top / "chats/chat", top / "chats/new", top / "chat", top / "new"):
        for data in (b"ours", None):
            change = draft(place)
            with pytest.raises(EntireError, match="is a symbolic link in the worktree"):
                change.write_private(str(path), data)
            change.discard()
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("chat", "theirs")]
    os.symlink(outside, tmp_path / "home")  # elsewhere, links are the user's
    change = draft(place)
    change.write_private(str(tmp_path / "home/chat"), b"ours")
    change.carry_out()
    assert (outside / "chat").read_text() == "ours"


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../x", "a//b", "a/", "./a", ".git/x", "a/.GIT", "a\0b"])
def test_other_paths_are_refused(place: Place, path: str) -> None:
    refused(draft(place), path, "not the path of a file")


def test_a_file_that_is_neither_file_nor_link_is_refused(place: Place, top: Path) -> None:
    os.mkfifo(top / "pipe")
    with pytest.raises(EntireError, match="neither a regular file nor a symbolic link"):
        draft(place).write_bytes("pipe", b"", 0o644)
    assert stat.S_ISFIFO(os.lstat(top / "pipe").st_mode)


@pytest.mark.parametrize("edit", ["bytes", "mode", "gone", "new", "link", "folder"])
def test_what_changed_after_the_draft_is_refused(place: Place, top: Path, edit: str) -> None:
    (top / "f").write_text("one")
    (top / "g").write_text("stays")
    change = draft(place)
    change.write_bytes("f", b"two", 0o644)
    change.write_bytes("new", b"two", 0o644)
    change.delete_file("g")
    if edit == "bytes":
        (top / "f").write_text("mne")
    elif edit == "mode":
        (top / "f").chmod(0o600)
    elif edit == "new":
        (top / "new").write_text("mine")
    else:
        (top / "f").unlink()
    if edit == "link":
        os.symlink("g", top / "f")
    elif edit == "folder":
        (top / "f").mkdir()
        (top / "f/mine").write_text("mine")
    before = tree(top)
    with pytest.raises(EntireError, match="new changed" if edit == "new" else r"\bf\b"):
        change.carry_out()
    assert tree(top) == before
    change.discard()
    assert transaction.find_all(place) == []


def test_a_touched_file_with_the_same_bytes_is_the_same(place: Place, top: Path) -> None:
    (top / "f").write_text("one")
    change = draft(place)
    change.write_bytes("f", b"two", 0o644)
    (top / "f").write_text("one")
    change.carry_out()
    assert (top / "f").read_text() == "two"


def test_what_is_so_already_is_not_written(place: Place, top: Path) -> None:
    (top / "f").write_bytes(b"one")
    (top / "f").chmod(0o644)
    inode = (top / "f").stat().st_ino
    change = draft(place)
    change.write_bytes("f", b"one", 0o644)
    change.delete_file("not there")
    change.write_bytes("g", b"twice", 0o644)
    change.delete_file("g")
    assert change.changed() == []
    assert set(tree(change.folder)) == {b"a", b"b"}
    change.carry_out()
    assert (top / "f").stat().st_ino == inode


def test_mode_bits_are_a_change_of_their_own(place: Place, top: Path) -> None:
    (top / "f").write_bytes(b"one")
    (top / "f").chmod(0o644)
    change = draft(place)
    change.write_bytes("f", b"one", 0o755)
    assert change.changed() == ["f"]
    done = change.carry_out()
    assert stat.S_IMODE((top / "f").stat().st_mode) == 0o755
    undo(place, done)
    assert stat.S_IMODE((top / "f").stat().st_mode) == 0o644


def test_the_current_directory_is_not_deleted(place: Place, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "d/e").mkdir(parents=True)
    (top / "d/e/f").write_text("x")
    before = tree(top)
    monkeypatch.chdir(top / "d/e")
    change = draft(place)
    change.delete_file("d/e/f")
    done = change.carry_out()
    assert set(tree(top)) == {b"d", b"d/e"}
    undo(place, done)
    assert tree(top) == before
    change = draft(place)
    change.delete_file("d/e/f")
    change.write_bytes("d", b"", 0o644)
    with pytest.raises(EntireError, match="current directory"):
        change.carry_out()
    assert tree(top) == before


def test_private_files_go_and_come_back_with_their_folders(place: Place, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "old.jsonl").write_bytes(b"long\nago\n")
    (home / "gone.jsonl").write_bytes(b"\xff\x00")
    (home / "gone.jsonl").chmod(0o400)
    os.symlink("old.jsonl", home / "link.jsonl")
    before = tree(home)
    change = draft(place)
    change.write_private(str(home / "link.jsonl"), b"cut\n")
    change.write_private(str(home / "gone.jsonl"), None)
    change.write_private(str(home / "projects/new/s.jsonl"), b"written\n", mode=0o640)
    with pytest.raises(EntireError, match="absolute"):
        change.write_private("relative", b"")
    assert tree(home) == before
    done = change.carry_out()
    after = tree(home)
    assert after[b"link.jsonl"] == ("link", 0, b"old.jsonl")
    assert after[b"old.jsonl"] == ("file", 0o600, b"cut\n")
    assert after[b"projects/new/s.jsonl"] == ("file", 0o640, b"written\n")
    assert b"gone.jsonl" not in after
    assert set(done.private) == {str(home / name) for name in ("link.jsonl", "gone.jsonl", "projects/new/s.jsonl")}
    assert done.paths == ()
    undone = undo(place, done)
    assert tree(home) == before
    undo(place, undone)
    assert tree(home) == after


def test_a_conversation_comes_back_without_thoughts_that_its_service_refuses(place: Place, tmp_path: Path) -> None:
    talk, note = tmp_path / "home/s.jsonl", tmp_path / "home/note"
    talk.parent.mkdir()
    thought = '{"type":"thinking","thinking":"hm","signature":"REDACTED"}'
    talk.write_text(f'{{"content":[{thought},{{"type":"text","text":"REDACTED"}}]}}\n')
    note.write_bytes(b"REDACTED")
    change = draft(place)
    change.write_private(str(talk), b"another\n")
    change.write_private(str(note), b"another\n")
    undo(place, change.carry_out())
    assert talk.read_text() == '{"content":[{"type":"text","text":"REDACTED"}]}\n'
    assert note.read_bytes() == b"REDACTED"


def test_a_private_file_may_lie_behind_links_and_its_copies_are_private(place: Place, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "home")
    change = draft(place)
    change.write_private(str(tmp_path / "home/s"), b"secret")
    change.carry_out()
    assert (tmp_path / "real/s").read_bytes() == b"secret"
    assert stat.S_IMODE(folder_of(place).stat().st_mode) == 0o700


def test_a_transaction_is_found_removed_and_pruned(place: Place, top: Path) -> None:
    ids = []
    for number in range(4):
        change = draft(place, NOW, "rewind" if number < 3 else "resume")  # the clock stands still: order is kept
        change.write_bytes("f", b"%d" % number * 1000, 0o644)
        ids.append(change.carry_out().id)
    assert [one.id for one in transaction.find_all(place)] == ids[::-1]
    found = transaction.latest(place, "rewind")
    assert found is not None and (found.id, found.title, found.time, found.notes) == (
        ids[2], "rewind to abc", NOW, {"point": "abc"},
    )  # fmt: skip
    assert transaction.latest(place, "no such") is None
    assert transaction.prune(place, now=NOW, seconds=60, max_count=3, max_bytes=10**9) == [ids[0]]
    assert transaction.prune(place, now=NOW, seconds=60, max_count=3, max_bytes=5000) == [ids[1]]
    transaction.remove(place, ids[3])
    assert [one.id for one in transaction.find_all(place)] == [ids[2]]
    assert transaction.prune(place, now=NOW, seconds=60, max_count=0, max_bytes=0) == []
    assert transaction.prune(place, now=NOW + 61, seconds=60, max_count=9, max_bytes=10**9) == [ids[2]]
    assert list(folder_of(place).iterdir()) == []
    with pytest.raises(EntireError, match="cannot be undone"):
        inverse.of(place, found, now=NOW)


def test_a_clock_that_went_back_keeps_the_order(place: Place) -> None:
    first, second = draft(place, NOW), draft(place, NOW - 1000)
    assert second.id > first.id
    second.discard()
    first.discard()


def test_a_draft_is_removed_only_when_its_process_is_gone(place: Place, top: Path) -> None:
    change = draft(place)
    change.write_bytes("f", b"one", 0o644)
    assert completion.complete(place) == []
    assert transaction.find_all(place) == []
    assert Path(change.folder).is_dir()
    Path(change.folder + ".draft").write_text(f"{os.getpid()} of another start")
    (folder_of(place) / "20200101T000000000000Z-000000.draft.tmp0").write_text("")
    assert completion.complete(place) == []
    assert list(folder_of(place).iterdir()) == []
    assert not (top / "f").exists()


def test_nothing_to_complete_is_one_look(place: Place) -> None:
    assert completion.complete(place) == []
    assert transaction.find_all(place) == []
    change = draft(place)
    change.write_bytes("f", b"one", 0o644)
    change.carry_out()
    with faults.at_call(0, faults.fail(5)) as calls:
        assert completion.complete(place) == []
    assert calls == [0]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"version": 9}', b'{"version": 1, "items": [1]}'])
def test_a_plan_that_nobody_can_read_is_kept_and_told(place: Place, top: Path, content: bytes) -> None:
    (top / "f").write_text("one")
    change = draft(place)
    change.write_bytes("f", b"two", 0o644)
    done = change.carry_out()
    Path(change.folder, "plan.json").write_bytes(content)
    assert transaction.find_all(place) == []
    Path(change.folder + ".applying").touch()
    told = completion.complete(place)
    assert len(told) == 1 and change.folder + "/a" in told[0]
    assert Path(change.folder, "a/f").read_text() == "one"
    assert (top / "f").read_text() == "two"
    with pytest.raises(EntireError):
        inverse.of(place, done, now=NOW)


def test_what_somebody_changed_after_a_kill_is_left_alone(place: Place, top: Path) -> None:
    for name in "abc":
        (top / name).write_text("old")
    change = draft(place)
    for name in "abc":
        change.write_bytes(name, b"new", 0o644)
    change.carry_out()
    Path(change.folder + ".applying").touch()
    (top / "a").write_text("old")
    (top / "a").chmod(stat.S_IMODE((top / "c").stat().st_mode))
    (top / "b").write_text("mine")
    told = completion.complete(place)
    assert any(sentence.startswith("b was changed") for sentence in told) and len(told) == 2
    assert [(top / name).read_text() for name in "abc"] == ["new", "mine", "new"]
    assert completion.complete(place) == []


def test_a_roll_back_is_finished_backwards(place: Place, top: Path) -> None:
    (top / "a").write_text("old")
    before = tree(top)
    change = draft(place)
    change.write_bytes("a", b"new", 0o644)
    change.write_bytes("x/y", b"new", 0o644)
    change.carry_out()
    Path(change.folder + ".back").touch()
    assert [one.state for one in transaction.find_all(place)] == ["rolling back"]
    assert "has now been rolled back" in completion.complete(place)[0]
    assert tree(top) == before
    assert [one.state for one in transaction.find_all(place)] == ["rolled back"]
    assert transaction.latest(place, "rewind") is None
    with pytest.raises(EntireError, match="cannot be undone"):
        inverse.of(place, transaction.find_all(place)[0], now=NOW)


def test_undo_brings_back_what_was_deleted_since_and_keeps_what_was_made_since(place: Place, top: Path) -> None:
    (top / "d").mkdir()
    (top / "d/a").write_text("old")
    change = draft(place)
    change.delete_file("d/a")
    change.write_bytes("n/b", b"new", 0o644)
    done = change.carry_out()
    (top / "d").mkdir()
    (top / "d/mine").write_text("mine")
    (top / "n/mine").write_text("mine")
    (top / "n/b").write_text("mine too")
    undone = undo(place, done)
    assert {path: one[2] for path, one in tree(top).items() if one[0] == "file"} == {
        b"d/a": b"old", b"d/mine": b"mine", b"n/mine": b"mine",
    }  # fmt: skip
    undo(place, undone)
    assert (top / "n/b").read_text() == "mine too"


def test_a_case_only_rename_where_case_does_not_count(place: Place, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Played by a file system that finds names in any spelling."""
    (top / "ReadMe").write_text("one")
    (top / "Dir").mkdir()
    (top / "Dir/f").write_text("two")

    listdir = os.listdir

    def spelled(path: object) -> object:
        text = os.fsdecode(path) if isinstance(path, (str, bytes)) else ""
        if not text.startswith(place.top + "/") or text.startswith(place.git_dir):
            return path
        at = place.top
        for part in text[len(place.top) + 1 :].split("/"):
            names = listdir(at) if os.path.isdir(at) else []
            at = os.path.join(at, next((name for name in names if name.casefold() == part.casefold()), part))
        return at

    def blind(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **named: call(*map(spelled, args), **named)

    def prepared(self: backups.SavedTree, top: str) -> None:
        plain(self, top)
        monkeypatch.setattr(self, "_ignores_case", True)

    plain = backups.SavedTree.__init__
    monkeypatch.setattr(backups.SavedTree, "__init__", prepared)
    for name in ("lstat", "unlink", "rmdir", "mkdir", "rename", "open", "listdir"):
        monkeypatch.setattr(os, name, blind(getattr(os, name)))
    change = draft(place)
    change.delete_file("ReadMe")
    change.write_bytes("readme", b"three", 0o644)
    change.delete_file("Dir/f")
    change.write_bytes("dir/f", b"four", 0o644)
    done = change.carry_out()
    assert set(tree(top)) == {b"readme", b"dir", b"dir/f"}
    assert (top / "readme").read_text() == "three"
    undo(place, done)
    assert set(tree(top)) == {b"ReadMe", b"Dir", b"Dir/f"}
    assert ((top / "ReadMe").read_text(), (top / "Dir/f").read_text()) == ("one", "two")
    lone = draft(place)
    lone.write_bytes("README", b"x", 0o644)
    lone.write_bytes("DIR/new", b"y", 0o644)
    undo(place, lone.carry_out())
    assert ((top / "ReadMe").read_text(), (top / "Dir/f").read_text()) == ("one", "two")


# A property: any set of files becomes any other, comes back, and goes again.

NAMES = ("a", "b", "void", "a/x", "a/y", "b/a", "b/a/c", "d/e/f", "d/\udcff\udcfe", "new\nline", "a/x/q", "ü")
Files = dict[str, tuple[str, int, bytes]]


def contents() -> st.SearchStrategy[tuple[str, int, bytes]]:
    modes = st.sampled_from([0o644, 0o755, 0o600, 0o444, 0o664, 0o6755, 0o777])
    data = st.sampled_from([b"", b"one\n", b"two\r\n", b"\x00\xff", b"x" * 100_000])
    links = st.sampled_from([b"a", b"nowhere", b"d/e", b"\xff", b"..", b"/"])
    return st.one_of(st.tuples(st.just("file"), modes, data), st.tuples(st.just("link"), st.just(0), links))


def trees() -> st.SearchStrategy[Files]:
    return st.dictionaries(st.sampled_from(NAMES), contents(), max_size=8).map(without_clashes)


def without_clashes(found: Files) -> Files:
    """Leave out what lies below a file."""
    return {path: one for path, one in found.items() if not any(path.startswith(f"{other}/") for other in found)}


def build(root: str, wanted: Files) -> None:
    for path, (kind, mode, data) in wanted.items():
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if kind == "link":
            os.symlink(data, os.fsencode(target))
        else:
            with open(target, "wb") as file:
                file.write(data)
            os.chmod(target, mode)


def with_folders(wanted: Files, standing: Tree) -> set[bytes]:
    paths = {os.fsencode(path) for path in wanted}
    return paths | {os.fsencode(folder) for path in wanted for folder in backups.parents(path)} | set(standing)


def prepare(change: Draft, first: Files, second: Files, by_bytes: bool) -> None:
    for path in first:
        if path not in second:
            change.delete_file(path)
    regular = {path: one for path, one in second.items() if one[0] == "file" and by_bytes}
    build(change.after, {path: one for path, one in second.items() if path not in regular})
    for path, (_, mode, data) in second.items():
        if path in regular:
            change.write_bytes(path, data, mode)
        else:
            change.write_file(path)


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees")


@given(trees(), trees(), st.booleans(), st.dictionaries(st.sampled_from(("a", "d", "b/a")), st.just(0o2750)))
@settings(max_examples=60)
def test_any_files_become_any_others_and_come_back(
    rooms: Path, first: Files, second: Files, by_bytes: bool, modes: dict[str, int]
) -> None:
    place = make_place(rooms / os.urandom(8).hex())
    build(place.top, first)
    os.makedirs(os.path.join(place.top, "empty"))
    if "void" not in first:
        os.mkdir(os.path.join(place.top, "void"))
    for path, mode in modes.items():
        if os.path.isdir(os.path.join(place.top, path)) and not os.path.islink(os.path.join(place.top, path)):
            os.chmod(os.path.join(place.top, path), mode)
    before = tree(place.top)
    change = draft(place)
    prepare(change, first, second, by_bytes)
    assert tree(place.top) == before
    assert change.changed() == sorted(
        path for path in {*first, *second} if first.get(path) != second.get(path)
    )  # fmt: skip
    done = change.carry_out()
    after = tree(place.top)
    assert {path: one for path, one in after.items() if one[0] != "folder"} == {
        os.fsencode(path): one for path, one in second.items()
    }
    empties = {path: one for path, one in before.items() if path in (b"empty", b"void") and one[0] == "folder"}
    assert set(after) == with_folders(second, empties)
    undone = undo(place, done)
    assert tree(place.top) == before
    again = undo(place, undone)
    assert tree(place.top) == after
    assert (undo(place, again).paths, tree(place.top)) == (done.paths, before)


@given(trees(), trees(), st.integers(0, 120), st.sampled_from([28, 13]), st.booleans())
@settings(max_examples=60)
def test_after_an_error_anywhere_everything_is_as_before(
    rooms: Path, first: Files, second: Files, count: int, number: int, for_good: bool
) -> None:
    assume(first != second)
    place = make_place(rooms / os.urandom(8).hex())
    build(place.top, first)
    before = tree(place.top)
    change = draft(place)
    prepare(change, first, second, by_bytes=True)
    with faults.at_call(count, faults.fail(number), and_later=for_good):
        try:
            change.carry_out()
            failed = False
        except EntireError:
            failed = True
    change.discard()
    begun = [one.state for one in transaction.find_all(place)] not in ([], ["rolled back"])
    completion.complete(place)
    now = tree(place.top)
    if failed and not (for_good and begun):
        assert now == before
    else:
        assert {path: one for path, one in now.items() if one[0] != "folder"} == {
            os.fsencode(path): one for path, one in second.items()
        } or now == before
    assert not [name for name in now if b".entire-" in name]
