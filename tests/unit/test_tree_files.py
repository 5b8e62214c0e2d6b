"""Files of a worktree: whatever a repository brings in their place, nothing outside of it is read or written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from entire import tree_files
from entire.errors import EntireError
from tests import hostile_worktree

NAMES = (".entire", ".entire/settings.json", ".entire/logs")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "top/.git").mkdir(parents=True)
    return tmp_path / "top"


def test_a_file_is_written_read_and_removed(top: Path) -> None:
    path = top / ".entire/a/b.json"
    assert tree_files.read(str(top), str(path)) is None
    tree_files.write(str(top), str(path), b"1")
    assert (tree_files.read(str(top), str(path)), oct(path.stat().st_mode & 0o777)) == (b"1", "0o644")
    path.chmod(0o600)
    tree_files.write(str(top), str(path), b"2")
    assert (path.read_bytes(), oct(path.stat().st_mode & 0o777)) == (b"2", "0o600")
    assert list(tree_files.below(str(top), str(top / ".entire"))) == [(str(path), 1)]
    assert list(tree_files.below(str(top), str(top / ".entire"), deep=False)) == []
    tree_files.put_aside(str(top), str(path))
    assert os.listdir(path.parent) == ["b.json.broken"]
    for _ in range(2):
        tree_files.remove(str(top), str(path) + ".broken")
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", hostile_worktree.KINDS, ids=lambda kind: kind.__name__)
def test_nothing_leads_out(top: Path, tmp_path: Path, name: str, kind: Callable[[Path, Path], None]) -> None:
    outside = hostile_worktree.outside(tmp_path / "outside")
    before = hostile_worktree.picture(outside)
    path = top / name
    path.parent.mkdir(exist_ok=True)
    kind(path, outside)
    for target in dict.fromkeys([top / ".entire/logs/entire.log", top / ".entire/settings.json", path]):
        with hostile_worktree.bounds(5):
            reason = tree_files.refusal(str(top), str(target))
            if reason:
                with pytest.raises(OSError, match=reason):
                    tree_files.read(str(top), str(target))
                with pytest.raises(EntireError, match=reason) as raised:
                    tree_files.write(str(top), str(target), b"ours")
                assert raised.value.hint == tree_files.REMEDY
            else:
                assert tree_files.read(str(top), str(target)) in (None, hostile_worktree.SECRET)
            list(tree_files.below(str(top), str(target)))
            tree_files.remove_empty(str(top), str(target))
            tree_files.put_aside(str(top), str(target))
    if kind.__name__ not in hostile_worktree.HARMLESS:
        kind(path.with_name("again"), outside)
        assert tree_files.refusal(str(top), str(path.with_name("again")))
    assert hostile_worktree.picture(outside) == before


def test_the_temporary_file_may_be_a_link(top: Path, tmp_path: Path) -> None:
    outside = tmp_path / "bashrc"
    outside.write_bytes(b"theirs")
    path = top / "settings.json"
    Path(f"{path}.tmp{os.getpid()}").symlink_to(outside)
    tree_files.write(str(top), str(path), b"ours")
    assert (path.read_bytes(), outside.read_bytes()) == (b"ours", b"theirs")
    assert sorted(os.listdir(top)) == [".git", "settings.json"]


def test_a_path_outside_of_the_worktree_is_refused(top: Path) -> None:
    for path in (f"{top}/../x", f"{top}x/y", "/etc/passwd"):
        with pytest.raises(OSError, match="it is not in"):
            tree_files.read(str(top), path)
        with pytest.raises(EntireError):
            tree_files.write(str(top), path, b"")


def test_in_which_worktree_a_path_is(top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "sub/.git").mkdir(parents=True)
    (top / ".claude").symlink_to("sub")
    (tmp_path / "other").symlink_to("top")
    found = {name: tree_files.top_of(str(tmp_path / name)) for name in (
        "x", "top/x", "top/sub/x", "top/.claude/x", "top/.git/hooks/x", "other/x", "other/.claude/x")}  # fmt: skip
    assert found == {
        "x": "", "top/x": str(top), "top/sub/x": str(top / "sub"), "top/.claude/x": str(top), "top/.git/hooks/x": "",
        "other/x": str(tmp_path / "other"), "other/.claude/x": str(tmp_path / "other"),
    }  # fmt: skip
    assert tree_files.link_to(str(top / ".claude/x")) == str(top / ".claude")
    assert tree_files.link_to(str(top / ".claude")) == str(top / ".claude")
    assert tree_files.link_to(str(top / "sub/x")) == ""
    assert tree_files.link_to(str(tmp_path / "other")) == ""
    monkeypatch.setenv("HOME", str(top))
    assert (tree_files.top_of(str(top / "x")), tree_files.link_to(str(top / ".claude/x"))) == ("", "")
