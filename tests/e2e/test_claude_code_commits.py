"""Stories with the real Claude Code: commits while it works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from script import answer, text, tool, turn
from stories import assert_quiet, assert_up_to, cost, lines, only, shell, tokens
from table import BOTH

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, BOTH]


def test_a_commit_while_the_answer_still_streams_is_complete_at_the_end(world: World) -> None:
    """Tools run as soon as their call is complete; nothing of an answer is written before all of it is there."""
    world.enable()
    repo, base = world.repo, world.repo.head()
    parts = (
        tool("Write", file_path=world.path("a.txt"), content="a\n"),
        tool("Bash", command="git add -A && git commit -q -m 'Add a'"),
        tool("Write", file_path=world.path("b.txt"), content="b\n"),
    )
    world.server.script.add(
        turn("add a and b", answer(*parts, usage=cost(0), pace=0.5), answer(text("both"), usage=cost(1)))
    )
    run = world.claude.headless("add a and b", repo.path)
    assert repo.commits(base) == [repo.head()]
    linked = only(repo.linked(repo.head()), run.session)
    assert (linked.metadata["files_touched"], linked.tokens, linked.start) == (["a.txt"], tokens(0, 1), 0)
    assert (lines(linked), linked.prompts) == ((1, 0, 100), ["add a and b"])
    assert_up_to(world, run.session, linked.transcript, "both")
    two = only(repo.linked(repo.commit("Add b")), run.session)
    assert (two.metadata["files_touched"], two.tokens, two.start) == (["b.txt"], tokens(), 0)
    assert_quiet(repo)


def test_the_agents_commit_of_a_persons_work_is_linked_without_files(world: World) -> None:
    world.enable()
    repo = world.repo
    repo.write("notes.txt", "my notes\n")
    world.server.script.add(
        turn(
            "commit my notes", shell("git add -A && git commit -q -m 'My notes'", 0), answer(text("ok"), usage=cost(1))
        )
    )
    run = world.claude.headless("commit my notes", repo.path)
    checkpoint = repo.linked(repo.head())
    session = only(checkpoint, run.session)
    assert checkpoint.root["files_touched"] == []
    assert session.tokens == tokens(0, 1)
    assert session.metadata.get("initial_attribution", {}).get("agent_lines", 0) == 0
    assert_up_to(world, run.session, session.transcript, "ok")
    assert_quiet(repo)


def test_commits_in_a_worktree_that_the_agent_adds(world: World) -> None:
    world.enable()
    repo, side = world.repo, world.folder / "side"
    world.server.script.add(
        turn(
            "work in a worktree",
            shell(f"git worktree add -q {side}", 0),
            answer(tool("Write", file_path=str(side / "a.txt"), content="a\na\n"), usage=cost(1)),
            shell(f"git -C {side} add -A && git -C {side} commit -q -m 'Add a'", 2),
            shell(f"cd {side} && printf 'b\\n' >b.txt && git add -A && git commit -q -m 'Add b'", 3),
            answer(tool("Write", file_path=world.path("c.txt"), content="c\n"), usage=cost(4)),
            answer(text("worked"), usage=cost(5)),
        )
    )
    run = world.claude.headless("work in a worktree", repo.path)
    first, second = (repo.linked(commit) for commit in repo.git("rev-list", "--reverse", "main..side").split())
    found = [checkpoint.session(run.session) for checkpoint in (first, second)]
    assert [session.metadata["files_touched"] for session in found] == [["a.txt"], ["b.txt"]]
    assert [session.metadata["branch"] for session in found] == ["side", "side"]
    assert [lines(session) for session in found] == [(2, 0, 100), (1, 0, 100)]
    assert [session.tokens for session in found] == [tokens(0, 1, 2), tokens(3, 4, 5)]
    for session in found:
        assert_up_to(world, run.session, session.transcript, "worked")
    repo.git("worktree", "remove", str(side))
    three = only(repo.linked(repo.commit("Add c")), run.session)
    assert (three.metadata["files_touched"], three.tokens) == (["c.txt"], tokens())
    assert_quiet(repo)
    assert repo.log_errors() == []
