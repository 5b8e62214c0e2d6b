"""What reflogs tell: resets, amends, merges and stashes, read from files as git writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire import layout
from entire.git import reflog
from entire.git.reflog import HeadMove
from entire.layout import Place

WHO = "Ada <ada@example.com> 1700000000 +0000"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / ".git" / "logs" / "refs").mkdir(parents=True)
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def write(place: Place, name: str, *subjects: str) -> None:
    lines = [f"{n:040} {n + 1:040} {WHO}\t{subject}\n" for n, subject in enumerate(subjects)]
    Path(place.git_dir, "logs", name).write_text("".join(lines))


def test_no_reflog(place: Place) -> None:
    assert reflog.reset_from(place) == ""


@pytest.mark.parametrize(
    ("subjects", "found"),
    [
        (["commit: a", "reset: moving to HEAD~2"], True),
        (["reset: moving to HEAD~2", "commit: a"], True),
        (["reset: moving to HEAD~2", "checkout: moving from a to b"], False),
        (["commit: a"], False),
    ],
)
def test_a_reset_before_the_commit(place: Place, subjects: list[str], found: bool) -> None:
    lines = [f"{'1' * 40} {'2' * 40} Ada <a@b> 1700000000 +0000\t{subject}\n" for subject in subjects]
    Path(place.git_dir, "logs", "HEAD").write_text("".join(lines))
    assert reflog.reset_from(place) == ("1" * 40 if found else "")


def test_resets_in_a_row(place: Place) -> None:
    moves = [(1, 2, "commit: a"), (2, 3, "commit: b"), (3, 2, "reset: moving to HEAD~1"), (2, 2, "reset: x"),
             (2, 1, "reset: moving to HEAD~1"), (1, 4, "commit: c")]  # fmt: skip
    Path(place.git_dir, "logs", "HEAD").write_text("".join(f"{a:040} {b:040} {WHO}\t{what}\n" for a, b, what in moves))
    assert reflog.reset_from(place) == f"{3:040}"


def test_files_that_are_no_text_break_nothing(place: Place) -> None:
    for name in ("HEAD", "refs/stash"):
        Path(place.git_dir, "logs", name).write_bytes(b"\xff\x00\ncommit \n\t\n" * 3)
    assert reflog.reset_from(place) == ""
    assert reflog.amended(place) | reflog.merged(place) == set()
    assert reflog.last_stash(place) == 0


def test_commits_that_were_replaced_by_an_amend(place: Place) -> None:
    assert reflog.amended(place) == set()
    write(place, "HEAD", "commit: One", "commit (amend): Two", "commit: Three")
    assert reflog.amended(place) == {f"{1:040}"}


def test_merges_made_here_but_no_fast_forward(place: Place) -> None:
    assert reflog.merged(place) == set()
    write(place, "HEAD", "merge side: Merge made", "pull: Fast-forward", "pull --no-rebase: Merge made", "commit: x")
    assert reflog.merged(place) == {f"{1:040}", f"{3:040}"}


def test_the_newest_stash(place: Place) -> None:
    assert reflog.last_stash(place) == 0
    write(place, "refs/stash", "WIP on main: one", "On main: two")
    assert reflog.last_stash(place) == 1700000000


def test_moves_after_a_place(place: Place) -> None:
    assert reflog.moves_after(place, (0, "")) == []
    write(place, "HEAD", "commit: One", "checkout: Two", "commit: Three")
    log = Path(place.git_dir, "logs", "HEAD")
    whole = log.read_text()
    first, second, _ = whole.splitlines()

    def subjects(size: int, line: str) -> list[str]:
        return [move.subject for move in reflog.moves_after(place, (size, line))]

    assert subjects(0, "") == ["commit: One", "checkout: Two", "commit: Three"]
    assert subjects(len(first) + 1, first) == ["checkout: Two", "commit: Three"]
    assert subjects(*layout.head_log_end(place)) == []
    assert subjects(-1, "") == [], "the place is not known"
    log.write_text(whole.partition("\n")[2])
    assert subjects(len(first) + len(second) + 2, second) == ["commit: Three"], "git has removed old lines"
    assert subjects(len(first) + 1, first) == [], "git has removed the place itself"
    log.unlink()
    assert subjects(len(first) + 1, first) == []


@pytest.mark.parametrize(
    ("subject", "is_made"),
    [
        ("commit: one", True),
        ("commit (cherry-pick): one", True),
        ("cherry-pick: one", True),
        ("rebase (pick): one", True),
        ("rebase (continue): one", True),
        ("pull --rebase (pick): one", True),
        ("rebase (start): checkout main", False),
        ("pull --rebase (start): checkout main", False),
        ("pull: Fast-forward", False),
        ("merge main: Fast-forward", False),
        ("checkout: moving from one to two", False),
        ("reset: moving to HEAD~1", False),
    ],
)
def test_which_moves_made_a_commit(subject: str, is_made: bool) -> None:
    assert HeadMove(old="1" * 40, new="2" * 40, subject=subject).is_made is is_made
