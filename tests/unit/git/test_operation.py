"""Which git command makes the commit: from command lines, and from what lies in the git directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire import process
from entire.git import operation
from entire.layout import Place
from entire.process import Program


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / ".git" / "logs").mkdir(parents=True)
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def above(monkeypatch: pytest.MonkeyPatch, *commands: str) -> operation.GitCommand:
    programs = [
        Program(pid=100 + n, parent=101 + n, name=line.split()[0], started="1", argv=tuple(line.split()))
        for n, line in enumerate(commands)
    ]
    monkeypatch.setattr(process, "ancestors", lambda pid: programs)
    return operation.find()


@pytest.mark.parametrize(
    ("commands", "command", "outer", "amends", "picks"),
    [
        (["sh hook", "git commit -m x", "bash"], "commit", "", False, False),
        (["sh hook", "git commit --amend --no-edit"], "commit", "", True, False),
        (["git commit --ame"], "commit", "", True, False),
        (["git -C /x -c a.b=c --no-pager commit -m x"], "commit", "", False, False),
        (["git commit -m x -- --amend"], "commit", "", False, False),
        (["git-commit --amend"], "commit", "", True, False),
        (["git commit -n -F msg", "git rebase -i main"], "commit", "rebase", False, True),
        (["git rebase main"], "rebase", "", False, True),
        (["git cherry-pick abc"], "cherry-pick", "", False, True),
        (["git merge x", "git pull"], "merge", "pull", False, False),
        (["sh", "make", "bash"], "", "", None, False),
        (["git"], "", "", None, False),
    ],
)
def test_the_command_above_a_hook(
    monkeypatch: pytest.MonkeyPatch, commands: list[str], command: str, outer: str, amends: bool | None, picks: bool
) -> None:
    found = above(monkeypatch, *commands)
    assert (found.command, found.outer, found.amends, found.picks) == (command, outer, amends, picks)


def test_what_lies_in_the_git_directory(place: Place) -> None:
    folder = Path(place.git_dir)
    (folder / "MERGE_HEAD").write_text("a" * 40 + "\n" + "b" * 40 + "\n")
    (folder / "CHERRY_PICK_HEAD").write_text("c" * 40 + "\n")
    (folder / "rebase-merge").mkdir()
    (folder / "rebase-merge" / "done").write_text(f"pick {'d' * 40} x\nfixup -C {'e' * 40} y\n\n")
    (folder / "SQUASH_MSG").write_text(
        "Squashed commit of the following:\n\n"
        f"commit {'2' * 40}\nAuthor: A\n\n    second\n\n    Entire-Checkpoint: bbbbbbbbbbbb\n\n"
        f"commit {'1' * 40}\nAuthor: A\n\n    first\n\n    Entire-Checkpoint: aaaaaaaaaaaa\n"
    )
    found = operation.state(place)
    assert found.merge_heads == ("a" * 40, "b" * 40)
    assert (found.picked, found.rebasing, found.folds) == ("c" * 40, True, "e" * 40)
    assert found.squashed == ("1" * 40, "2" * 40), "the oldest first"


def test_nothing_in_progress(place: Place) -> None:
    assert operation.state(place) == operation.Operation()


def test_files_that_are_no_text_break_nothing(place: Place) -> None:
    for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "SQUASH_MSG"):
        Path(place.git_dir, name).write_bytes(b"\xff\x00\ncommit \n\t\n" * 3)
    assert operation.state(place).folds == ""


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("git push --dry-run origin", True),
        ("git push --dry", True),
        ("git push -n", True),
        ("git push -un origin main", True),
        ("git push --all -o name", False),
        ("git push -oname origin", False),
        ("git push --no-verify --force origin -- -n", False),
        ("git -n push origin", False),
    ],
)
def test_options_in_all_their_spellings(line: str, given: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert above(monkeypatch, line).has_option("--dry-run", "n") is given


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ("git commit", ""),
        ("git commit --cleanup=scissors -v", "scissors"),
        ("git commit --cleanup verbatim", "verbatim"),
        ("git commit --clean=strip -m x", "strip"),
        ("git commit -m --cl", ""),
    ],
)
def test_how_a_message_is_cleaned_up(line: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert above(monkeypatch, line).cleanup == mode
