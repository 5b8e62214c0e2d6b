"""HEAD and the index move to a commit of ours together, also after a kill in between."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

import pytest

from entire import layout
from entire.commits import head_update
from entire.errors import EntireError
from entire.undo.index_lock import IndexLock
from tests.faults import fail_any
from tests.integration.story import Story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path / "repo", enable=False)


def place_of(story: Story) -> layout.Place:
    place = layout.find(str(story.root))
    assert place is not None
    return place


def basis(index: str) -> str:
    return os.path.join(os.path.dirname(index), "basis")


def prepared(story: Story, place: layout.Place) -> tuple[str, str]:
    """Make a commit that HEAD does not have yet, and the index that goes with it."""
    index = os.path.join(head_update.new_folder(place), "next")
    shutil.copyfile(os.path.join(place.git_dir, "index"), basis(index))
    blob = story.git("hash-object", "-w", "--stdin", stdin="a\n").strip()
    env = {"GIT_INDEX_FILE": index}
    story.git("read-tree", "HEAD", env=env)
    story.git("update-index", "--add", "--cacheinfo", f"100644,{blob},a.txt", env=env)
    tree = story.git("write-tree", env=env).strip()
    return story.git("commit-tree", "-p", "HEAD", "-m", "New", tree).strip(), index


def test_both_move(story: Story) -> None:
    place = place_of(story)
    oid, index = prepared(story, place)
    head_update.to(place, oid, story.head(), index=index, basis=basis(index), subject="New")
    assert story.head() == oid
    assert story.git("ls-files").split() == ["README.md", "a.txt"]
    assert not (story.root / ".git/index.lock").exists()


def test_neither_moves_if_head_or_the_index_is_another_programs(story: Story) -> None:
    place = place_of(story)
    oid, index = prepared(story, place)
    before = story.head()
    with pytest.raises(EntireError):
        head_update.to(place, oid, oid, index=index, basis=basis(index), subject="New")
    assert not (story.root / ".git/index.lock").exists()
    (story.root / ".git/index.lock").write_bytes(b"")
    with pytest.raises(EntireError):
        head_update.to(place, oid, before, index=index, basis=basis(index), subject="New")
    assert (story.head(), story.git("ls-files").split()) == (before, ["README.md"])
    assert (story.root / ".git/index.lock").exists(), "it is the other program's"
    head_update.settle(place, is_made=True)
    assert (story.root / ".git/index.lock").exists()


@pytest.mark.parametrize("is_made", [True, False])
def test_a_lock_that_a_kill_left_is_settled(story: Story, is_made: bool) -> None:
    place = place_of(story)
    _, index = prepared(story, place)
    IndexLock(place.git_dir, os.path.dirname(index)).take(index, stat.S_IFREG | 0o644)
    head_update.settle(place, is_made=is_made)
    assert not (story.root / ".git/index.lock").exists()
    assert story.git("ls-files").split() == (["README.md", "a.txt"] if is_made else ["README.md"])
    assert os.listdir(head_update.folder(place)) == []


def test_neither_moves_if_another_program_has_written_the_index(story: Story) -> None:
    place = place_of(story)
    oid, index = prepared(story, place)
    before = story.head()
    story.write("staged.txt", "staged\n")
    story.git("add", "staged.txt")
    with pytest.raises(EntireError, match="changed the index"):
        head_update.to(place, oid, before, index=index, basis=basis(index), subject="New")
    assert (story.head(), story.git("ls-files").split()) == (before, ["README.md", "staged.txt"])
    assert not (story.root / ".git/index.lock").exists()


def test_commits_that_are_made_at_once_have_a_folder_each(story: Story) -> None:
    place = place_of(story)
    stale, mine = head_update.new_folder(place), head_update.new_folder(place)
    os.utime(stale, (0, 0))
    head_update.new_folder(place)
    assert (os.path.isdir(stale), os.path.isdir(mine)) == (False, True)


def test_what_an_error_leaves_half_done_can_still_be_settled(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """HEAD has moved, and the index could not be replaced."""
    place = place_of(story)
    oid, index = prepared(story, place)
    mine = os.path.dirname(index)
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", fail_any(errno.ENOSPC))
        with pytest.raises(OSError, match="No space left"):
            head_update.to(place, oid, story.head(), index=index, basis=basis(index), subject="New")
    assert (story.head(), story.git("ls-files").split()) == (oid, ["README.md"])
    head_update.clear(place, mine)
    assert head_update.holds_lock(place, mine)
    head_update.settle(place, is_made=True)
    assert story.git("ls-files").split() == ["README.md", "a.txt"]
    assert (os.path.exists(mine), head_update.holds_lock(place, mine)) == (False, False)


def test_both_have_moved_if_only_the_file_beside_the_lock_stays(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_of(story)
    oid, index = prepared(story, place)
    unlink = os.unlink

    def unlinked(path: str) -> None:
        if path.endswith("index.staged") and story.head() == oid:
            fail_any(errno.EIO)()
        unlink(path)

    monkeypatch.setattr(os, "unlink", unlinked)
    head_update.to(place, oid, story.head(), index=index, basis=basis(index), subject="New")
    assert (story.head(), story.git("ls-files").split()) == (oid, ["README.md", "a.txt"])
