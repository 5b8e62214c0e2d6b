"""What git brought of a path: lines that a tree had keep their owners there, only the others are somebody's change."""

from __future__ import annotations

from entire.attribution.brought import BroughtPath, BroughtTree
from entire.attribution.owner_runs import REST
from entire.git.diff import FileChange, FilePatch, Hunk
from entire.model.turns import BASE, Owner

OLD, NEW, NONE = "1" * 40, "2" * 40, "0" * 40
THEIRS = Owner("s/t")


def change(status: str = "M", old_mode: str = "100644", new_mode: str = "100644") -> FileChange:
    old, new = (NONE if mode == "000000" else oid for mode, oid in ((old_mode, OLD), (new_mode, NEW)))
    return FileChange(
        path="a", old_path="a", status=status, old_mode=old_mode, new_mode=new_mode, old_oid=old, new_oid=new
    )


def tree(*lines: bytes, status: str = "M", old_mode: str = "100644", new_mode: str = "100644") -> BroughtTree:
    """A tree with another version of the path, by the lines of its patch."""
    split = tuple((line[:1], line[1:]) for line in lines)
    hunk = Hunk(old_start=1, old_count=sum(kind != b"+" for kind, _ in split),
                new_start=1, new_count=sum(kind != b"-" for kind, _ in split), lines=split)  # fmt: skip
    return BroughtTree([FilePatch(change=change(status, old_mode, new_mode), binary=False, hunks=(hunk,))])


def unknown(_path: str, _oid: str, _is_made: bool) -> None:
    return None


def test_without_a_tree_nothing_was_brought() -> None:
    found = BroughtPath(change(), [], unknown)
    assert (found.is_whole, found.is_removed, found.has_mode, found.maker) == (False, False, False, None)
    assert found.owners(0, [b"one\n", b"written\n"]) == [None, None]
    assert not found.removes(b"x\n")


def test_lines_that_a_tree_had_and_lines_that_it_had_not() -> None:
    found = BroughtPath(change(), [tree(b" one\n", b"-gone\n", b"+written\n", b" two\n")], unknown)
    assert not found.is_whole
    assert found.owners(0, [b"one\n", b"written\n", b"two\n"]) == [BASE, None, BASE]
    assert found.maker == BASE
    assert not found.removes(b"gone\n"), "git had brought it"
    assert found.removes(b"other\n")


def test_a_known_version_says_who_wrote_its_lines() -> None:
    found = BroughtPath(
        change(), [tree(b" one\n", b"+written\n")], lambda _path, _oid, _is_made: ([(THEIRS, REST)], THEIRS)
    )
    assert found.owners(0, [b"one\n", b"written\n"]) == [THEIRS, None]
    assert found.maker == THEIRS


def test_a_tree_that_has_the_path_as_it_is() -> None:
    found = BroughtPath(change(), [tree(b"+all\n", status="A", old_mode="000000"), BroughtTree([])], unknown)
    assert found.is_whole
    assert found.owners(0, [b"all\n"]) == [BASE]


def test_a_path_that_git_removed() -> None:
    gone = change("D", new_mode="000000")
    assert BroughtPath(gone, [BroughtTree([])], unknown).is_removed
    assert not BroughtPath(gone, [tree(b"-a\n", status="D", new_mode="000000")], unknown).is_removed


def test_a_line_that_a_tree_had_in_another_place() -> None:
    moved = tree(b" one\n", b"-gone\n", b"-}\n", b"+two\n", b" three\n", b"+gone\n", b"+}\n")
    found = BroughtPath(change(), [moved], unknown)
    assert found.owners(1, [b"two\n"]) == [None]
    assert found.owners(3, [b"gone\n", b"}\n"]) == [BASE, None]
