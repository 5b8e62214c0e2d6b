"""Which files of a session are committed when its turn ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.git.diff import FileChange
from entire.git.partial_commit import StagedPaths
from entire.layout import Place
from entire.model.session import Session
from entire.model.value import replace
from entire.strategies.auto_commit.turn_files import TurnFiles
from entire.strategies.selection import Selection

OLD, NEW, OTHER, GONE = "1" * 40, "2" * 40, "3" * 40, "0" * 40


def staged(**oids: str) -> StagedPaths:
    mode = "100644"
    changes = {
        path: FileChange(
            path=path,
            old_path=path,
            status="M",
            old_mode=mode,
            old_oid=OLD,
            new_oid=oid,
            new_mode="000000" if oid == GONE else mode,
        )
        for path, oid in oids.items()
    }
    return StagedPaths(changes=changes)


def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def known(before: dict[str, str] | None = None, *, is_known: bool = True) -> Session:
    session = Session("s")
    session.work = replace(session.work, staged_before=before or {}, is_staged_known=is_known)
    return session


def select(
    tmp_path: Path, given: StagedPaths, *, before: dict[str, str] | None = None, is_known: bool = True
) -> Selection:
    session = known(before, is_known=is_known)
    return TurnFiles(place(tmp_path)).select(session, {"a": ("100644", NEW), "b": None}, given)


def test_all_files_of_the_session_are_committed(tmp_path: Path) -> None:
    assert select(tmp_path, staged(other=OTHER)) == Selection(paths=("a", "b"))


def test_what_the_agent_staged_itself_is_committed(tmp_path: Path) -> None:
    assert select(tmp_path, staged(a=NEW, b=GONE)) == Selection(paths=("a", "b"))


def test_what_was_staged_before_the_turn_is_held_back(tmp_path: Path) -> None:
    assert select(tmp_path, staged(a=NEW), before={"a": NEW}).held == {"a": "it was staged before the turn"}
    assert select(tmp_path, staged(a=NEW), before={"a": OTHER}).held == {}


def test_what_may_have_been_staged_before_the_turn_is_held_back(tmp_path: Path) -> None:
    found = select(tmp_path, staged(a=NEW), is_known=False)
    assert (found.paths, found.held) == (("b",), {"a": "it is staged, maybe since before the turn"})


def test_a_file_with_other_content_staged_is_held_back(tmp_path: Path) -> None:
    found = select(tmp_path, staged(a=OTHER, b=OTHER))
    assert (found.paths, set(found.held)) == ((), {"a", "b"})
    assert select(tmp_path, staged(a=GONE)).held == {"a": "other content of it is staged"}


def test_an_id_with_zeros_at_its_ends_is_compared_whole(tmp_path: Path) -> None:
    oid = f"00{'1' * 36}00"
    found = TurnFiles(place(tmp_path)).select(known(), {"a": ("100644", oid)}, staged(a=oid))
    assert found == Selection(paths=("a",))


def test_a_file_whose_bit_was_staged_is_held_back(tmp_path: Path) -> None:
    found = TurnFiles(place(tmp_path)).select(known(), {"a": ("100755", NEW)}, staged(a=NEW))
    assert found.held == {"a": "other content of it is staged"}


@pytest.mark.parametrize(("mine", "theirs"), [("d", "d/x"), ("d", "d/e/x"), ("d/x", "d"), ("d/e/x", "d")])
def test_a_file_in_the_place_of_what_is_staged_is_held_back(tmp_path: Path, mine: str, theirs: str) -> None:
    chosen = TurnFiles(place(tmp_path)).select(known(), {mine: ("100644", NEW)}, staged(**{theirs: OTHER}))
    assert chosen.held == {mine: "something else is staged in its place"}
    removed = TurnFiles(place(tmp_path)).select(known(), {mine: ("100644", NEW)}, staged(**{theirs: GONE}))
    assert removed == chosen, "the commit still has what a person removed"
    own = TurnFiles(place(tmp_path)).select(
        Session("s"), {mine: ("100644", NEW), theirs: None}, staged(**{theirs: NEW})
    )
    assert set(own.held) == {mine, theirs}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("MERGE_HEAD", "a merge is in progress; finish or abort it"),
        ("rebase-apply", "a rebase is in progress; finish or abort it"),
        ("REVERT_HEAD", "a revert is in progress; finish or abort it"),
        ("BISECT_LOG", "a bisect is in progress; end it with `git bisect reset`"),
        ("SQUASH_MSG", "a squashed merge is in progress; commit it, or run `git reset`"),
        (
            "index.lock",
            "another program holds the index lock; delete index.lock if no git process is running",
        ),
    ],
)
def test_nothing_is_committed_while_git_is_busy(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / name).write_text("")
    assert select(tmp_path, staged()) == Selection(obstacle=reason)


def test_nothing_is_committed_with_a_conflict(tmp_path: Path) -> None:
    assert select(tmp_path, StagedPaths(unmerged=("x",))) == Selection(obstacle="x has a conflict; resolve it")
