"""A file is the repository's own if it came, or will go, with a commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.errors import GitError
from entire.git import tracked

NAME = ".entire/entire.json"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / ".entire").mkdir()
    (tmp_path / NAME).write_text("{}")
    return tmp_path


def git(top: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", top, *words], check=True, capture_output=True, text=True).stdout.strip()


def is_tracked(top: Path) -> bool:
    return tracked.is_tracked(str(top), NAME)


def test_from_the_index_until_no_commit_has_it(top: Path) -> None:
    assert not is_tracked(top), "no commit yet"
    git(top, "add", "-f", NAME)
    assert is_tracked(top)
    git(top, "commit", "-qm", "Add it")
    git(top, "rm", "-q", "--cached", NAME)
    assert is_tracked(top), "HEAD has it"
    git(top, "commit", "-qm", "Remove it")
    assert not is_tracked(top)


@pytest.mark.parametrize("name", [".Entire/entire.json", ".ENTIRE/ENTIRE.JSON", ".entire/Entire.json"])
def test_letter_case_does_not_count(top: Path, name: str) -> None:
    oid = git(top, "hash-object", "-w", NAME)
    git(top, "update-index", "--add", "--cacheinfo", f"100644,{oid},{name}")
    assert is_tracked(top)


@pytest.mark.parametrize(
    "name", [".entire/settings.json", ".entire/entire.json.bak", "entire/entire.json", "x/" + NAME]
)
def test_other_files_do_not_count(top: Path, name: str) -> None:
    oid = git(top, "hash-object", "-w", NAME)
    git(top, "update-index", "--add", "--cacheinfo", f"100644,{oid},{name}")
    git(top, "commit", "-qm", "Another one")
    assert not is_tracked(top)


def test_a_folder_that_is_tracked_as_something_else(top: Path) -> None:
    """A submodule that is not checked out, or a link."""
    oid = "1" * len(git(top, "hash-object", NAME))
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{oid},.entire")
    assert is_tracked(top)


def test_a_repository_of_its_own(top: Path) -> None:
    git(top, "init", "-q", ".entire")
    assert is_tracked(top)


def test_git_that_cannot_tell(top: Path) -> None:
    (top / ".git" / "index").write_text("broken")
    with pytest.raises(GitError):
        is_tracked(top)


def test_a_head_that_cannot_be_read(top: Path) -> None:
    (top / ".git" / "HEAD").write_text("1" * len(git(top, "hash-object", NAME)) + "\n")
    with pytest.raises(GitError):
        is_tracked(top)
