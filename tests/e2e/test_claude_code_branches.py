"""Stories with the real Claude Code: what git brings into the tree in a turn keeps its owners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from repo import Repo
from script import answer, text, turn
from stories import assert_quiet, cost, lines, only, shell, tokens, writing
from table import BOTH

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, BOTH]


def feature(world: World) -> tuple[str, str, list[str]]:
    """Return a session that made a file on the branch ``feature``, its commit, and what a person has made on main since
    then in another clone: main has it here, and nobody has looked at it yet.
    """
    world.enable()
    repo = world.repo
    repo.git("branch", "feature")
    elsewhere = Repo.clone(repo.path, world.folder / "elsewhere", repo.environment)
    for name in ("one.txt", "two.txt", "three.txt"):
        elsewhere.write(name, f"{name}\nby a person\nlong ago\n")
        elsewhere.commit(f"Add {name}")
    repo.git("switch", "-q", "feature")
    repo.git("fetch", "-q", str(elsewhere.path), "main:main")
    people = repo.git("rev-list", "--reverse", "feature..main").split()
    assert len(people) == 3
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0))
    session = world.claude.headless("write a", repo.path).session
    return session, repo.commit("Add a"), people


def assert_theirs(world: World, people: list[str]) -> None:
    """Assert that no commit of a person is linked."""
    assert [world.repo.all_ids(commit) for commit in people] == [[] for _ in people]


@pytest.mark.parametrize("who", ["agent", "person"])
def test_another_branch_is_checked_out_in_a_turn(world: World, who: str) -> None:
    session, _, people = feature(world)
    repo = world.repo
    reached, opened, wait = world.gate("hold")
    go = "git checkout -q main"
    write = world.claude.write(world.path("b.txt"), "b\nb\n")
    world.server.script.add(
        turn(
            "go to main",
            shell(wait if who == "person" else go, 2),
            answer(write, usage=cost(3)),
            answer(text("I am on main"), usage=cost(4)),
        )
    )
    with world.claude.start("go to main", repo.path, resume=session) as running:
        if who == "person":
            world.wait(reached.exists, "the shell command")
            repo.git(*go.split()[1:])
            opened.touch()
        assert running.finish().status == 0
    assert len(repo.checkpoint_ids()) == 1
    assert_theirs(world, people)
    kept = only(repo.linked(repo.commit("Add b")), session)
    assert (kept.metadata["files_touched"], lines(kept)) == (["b.txt"], (2, 0, 100))
    assert kept.tokens == tokens(2, 3, 4)
    assert_theirs(world, people)
    repo.git("merge", "-q", "--no-edit", "feature")
    assert_quiet(repo)


def test_the_agent_rebases_onto_the_work_of_people(world: World) -> None:
    session, _, people = feature(world)
    repo = world.repo
    ids = repo.ids("HEAD")
    world.server.script.add(
        turn(
            "rebase",
            shell("git rebase -q main", 2),
            answer(world.claude.write(world.path("b.txt"), "b\n"), usage=cost(3)),
            shell("git add b.txt && git commit -q -m 'Add b'", 4),
            answer(text("rebased"), usage=cost(5)),
        )
    )
    assert world.claude.headless("rebase", repo.path, resume=session).status == 0
    picked, made = repo.commits("main")
    assert repo.ids(picked) == ids
    kept = repo.linked(made).session(session)
    assert (kept.metadata["files_touched"], lines(kept)) == (["b.txt"], (1, 0, 100))
    assert kept.tokens == tokens(2, 3, 4, 5)
    assert_theirs(world, people)
    assert len(repo.checkpoint_ids()) == 2
    assert_quiet(repo)


def test_the_agent_resets_to_the_work_of_people(world: World) -> None:
    session, _, people = feature(world)
    repo = world.repo
    world.server.script.add(
        turn(
            "start anew",
            shell("git reset -q --hard main && sed -i 's/by a person/by an agent/' two.txt", 2),
            answer(text("anew"), usage=cost(3)),
        )
    )
    assert world.claude.headless("start anew", repo.path, resume=session).status == 0
    assert_theirs(world, people)
    kept = repo.linked(repo.commit("Change two")).session(session)
    assert (kept.metadata["files_touched"], lines(kept)) == (["two.txt"], (1, 0, 100))
    assert_theirs(world, people)
