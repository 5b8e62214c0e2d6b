"""Which files of sessions stay open after a commit."""

from __future__ import annotations

from typing import Any

from entire.commits import carry_forward
from entire.model.session import Session
from entire.model.turns import Owner
from entire.model.value import replace
from entire.recording.pending import CommitKind, Pending


def decided(**fields: Any) -> Pending:
    return Pending(**{"kind": CommitKind.PLAIN, "head": "a" * 40, "tree": "b" * 40, "moment": 1.0, **fields})


def session(name: str, *files: str) -> Session:
    found = Session(name)
    found.work = replace(found.work, open_files=list(files))
    return found


def test_committed_files_are_closed_and_those_with_more_in_the_worktree_stay_open() -> None:
    mine, other = session("mine", "done", "more", "untouched"), session("other", "elsewhere")
    commit = decided(paths=("done", "more"), left={"more": [Owner("mine/t")]})
    assert carry_forward.close_files(commit, [mine, other]) == [mine]
    assert (mine.work.open_files, other.work.open_files) == (["more", "untouched"], ["elsewhere"])


def test_what_an_amend_takes_out_is_open_again() -> None:
    mine = session("mine")
    left = {"out": [Owner("mine/t")], "theirs": [Owner("other/t")]}
    assert carry_forward.close_files(decided(kind=CommitKind.AMEND, left=left), [mine]) == [mine]
    assert mine.work.open_files == ["out"]
    again = session("mine")
    assert carry_forward.close_files(decided(left=left), [again]) == []
