"""Manual-commit: which shadow branch a step goes to, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire import layout, strategies
from entire.git import refs
from entire.model.session import Session
from entire.model.value import replace
from entire.settings import Settings
from entire.store import steps
from entire.store.journal import Journal
from entire.strategies.contract import Strategy
from entire.strategies.manual_commit import ManualCommit
from tests.unit.git.repo import Repo

A, B = "a" * 40, "b" * 40


def session(name: str, base: str = "", count: int = 0) -> Session:
    found = Session(name)
    found.worktree = replace(found.worktree, base_commit=base)
    found.work = replace(found.work, steps=count)
    return found


class Stage:
    def __init__(self, folder: Path) -> None:
        self.repo = Repo(folder)
        self.repo.write("a", "100644", b"a")
        self.repo.git("add", "-A")
        self.repo.git("commit", "-q", "-m", "a")
        self.tip = self.repo.line("rev-parse", "HEAD")
        place = layout.find(self.repo.top)
        assert place is not None
        self.place = place
        self.journal = Journal(place)
        self.strategy: Strategy = ManualCommit(place, Settings(), self.journal, 1000.0)

    def branch(self, base: str) -> str:
        return steps.branch_name(base, self.place.worktree_id)

    def with_branch(self, base: str) -> str:
        name = self.branch(base)
        refs.move(self.repo.top, [refs.RefMove(ref=f"refs/heads/{name}", new=self.tip, old="")])
        self.journal.retention.shadow_tips[name] = self.tip
        self.journal.retention.shadow_sizes[name] = 7
        return name

    def refs(self) -> dict[str, str]:
        return refs.find(self.repo.top, "refs/heads/entire", "refs/entire")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "repo")


def test_an_unknown_strategy_falls_back_to_the_default(stage: Stage) -> None:
    found = strategies.make(stage.place, Settings(strategy="of-tomorrow"), stage.journal, 0.0)
    assert found.name == "manual-commit"


def test_the_first_step_begins_a_branch(stage: Stage) -> None:
    target = stage.strategy.destination(session("s"), [], A)
    assert (target.branch, target.old, target.parent, target.moves) == (stage.branch(A), "", "", ())
    stage.strategy.note_saved(target, B, 5)
    again = stage.strategy.destination(session("s", A, 1), [], A)
    assert (again.old, again.parent) == (B, B)
    assert stage.journal.retention.shadow_sizes == {stage.branch(A): 5}


def test_steps_move_along_with_head_and_their_old_tip_is_retained(stage: Stage) -> None:
    old = stage.with_branch(A)
    target = stage.strategy.destination(session("s", A, 2), [], B)
    assert (target.branch, target.old, target.parent) == (stage.branch(B), "", stage.tip)
    refs.move(stage.repo.top, target.moves)
    assert f"refs/heads/{old}" not in stage.refs()
    stage.strategy.note_saved(target, stage.tip, 0)
    assert target.retained is not None
    assert stage.journal.retention.steps == [target.retained]
    assert (target.retained.base, target.retained.tip, target.retained.size) == (A, stage.tip, 7)


def test_a_branch_that_another_session_has_steps_on_stays(stage: Stage) -> None:
    stage.with_branch(A)
    target = stage.strategy.destination(session("s", A, 2), [session("other", A, 1)], B)
    assert (target.parent, target.moves) == ("", ())


@pytest.mark.parametrize("ask", [False, True])
def test_condensed_steps_are_released(stage: Stage, ask: bool) -> None:
    name = stage.with_branch(A)
    done = session("s", A, 1)
    refs.move(stage.repo.top, stage.strategy.release([done], [done], ask=ask))
    (retained,) = stage.journal.retention.steps
    assert stage.refs() == {retained.ref: stage.tip}
    assert name not in stage.journal.retention.shadow_tips


def test_steps_that_another_session_still_has_are_not_released(stage: Stage) -> None:
    stage.with_branch(A)
    done, other = session("s", A, 1), session("other", A, 1)
    assert stage.strategy.release([done], [done, other], ask=False) == []


def test_retained_steps_that_are_too_big_go(stage: Stage) -> None:
    stage.with_branch(A)
    small = ManualCommit(stage.place, Settings(keep_steps_bytes=3), stage.journal, 1000.0)
    done = session("s", A, 1)
    refs.move(stage.repo.top, small.release([done], [done], ask=False))
    assert stage.journal.retention.steps == []
    assert stage.refs() == {}
