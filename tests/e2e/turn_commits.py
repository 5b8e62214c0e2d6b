"""The situations of the strategy auto-commit, which follow the others in the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from between_turns import SITUATIONS, Situation
from proof import Part, assert_part, assert_task, linked, task_of, tokens_of
from script import Usage, answer, text, turn
from stories import asked, assert_quiet, cost, lines, writing
from table import own_commit, situation
from turns import delegating, in_shell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conftest import World

__all__ = ["SITUATIONS", "Situation"]  # once this module is imported, all are in the table


@situation("Auto-commit")
def auto_commit(world: World) -> None:
    """With the strategy auto-commit the agent writes a file while the person has staged one; its files of the session
    are deleted, `entire resume` brings them back, and the session goes on.

    Each turn is a commit with its files, tokens and lines, named after its prompt. What is staged stays staged. The
    model gets the whole conversation.
    """
    world.enable("--strategy", "auto-commit")
    repo, agent, base = world.repo, world.agent, world.repo.head()
    world.server.script.add(
        writing(world, "please write a", "a.txt", "a\n", 0), writing(world, "now write b", "b.txt", "b\nb\n", 2)
    )
    repo.write("mine.txt", "mine\n")
    repo.git("add", "mine.txt")
    session = agent.headless("please write a", repo.path).session
    agent.transcript(session).unlink()
    repo.resume("main")
    assert agent.headless("now write b", repo.path, resume=session).status == 0
    assert asked(world.server.last("now write b")) == ["please write a", "now write b"]
    first, second = repo.commits(base)
    assert repo.git("log", "--format=%s", f"{base}..").splitlines() == ["Write b", "Write a"]
    prompts = ["please write a", "now write b"]
    part = Part(files=["a.txt"], prompts=prompts[:1], answers=[0, 1], lines=(1, 0, 100), last="please write a: done")
    checkpoint = linked(world, first)
    assert_part(world, checkpoint, session, part)
    assert checkpoint.root["strategy"] == "auto-commit"
    part = Part(files=["b.txt"], prompts=prompts, answers=[2, 3], lines=(2, 0, 100), last="now write b: done")
    assert_part(world, linked(world, second), session, part, since="now write b")
    assert repo.git("status", "--porcelain") == "A  mine.txt\n"
    assert repo.all_ids(repo.commit("Add mine")) == []
    assert_quiet(repo)


@situation("Auto-commit of a subagent")
def auto_commit_of_a_subagent(world: World) -> None:
    """With auto-commit the agent writes a file, and hands a prompt to a subagent, which writes another.

    The subagent's file is a commit of its own, with its transcript and tokens; the turn's commit has the rest.
    """
    world.enable("--strategy", "auto-commit")
    repo, agent, base = world.repo, world.agent, world.repo.head()
    _, inner = delegating(world, 1)
    world.server.script.add(
        turn(
            "delegate",
            answer(agent.write(world.path("a.txt"), "a\n"), usage=cost(0)),
            answer(*agent.delegate("write the note"), usage=cost(1)),
            answer(text("delegated"), usage=cost(2)),
        ),
        inner,
    )
    session = agent.headless("delegate", repo.path).session
    commits = repo.commits(base)
    named = repo.message(commits[0]).startswith("Completed '")
    assert (len(commits), named, repo.message(commits[1]).splitlines()[0]) == (2, True, "Delegate")
    found = [linked(world, commit) for commit in commits]
    assert [checkpoint.root["files_touched"] for checkpoint in found] == [["note.txt"], ["a.txt"]]
    assert_task(world, found[0], task_of(world, session))
    assert not any(path.startswith("tasks/") for path in found[1].files)
    spent = [checkpoint.session(session) for checkpoint in found]
    assert total(world, [stored.tokens for stored in spent]) == agent.counters(cost(0) + cost(1) + cost(2), 3)
    assert total(world, [stored.subagent_tokens for stored in spent]) == agent.counters(cost(3) + cost(4), 2)
    assert_quiet(repo)


@situation("Auto-commit beside the agent's own commit", own_commit)
def auto_commit_beside_an_own_commit(world: World) -> None:
    """With auto-commit the agent writes a file and commits it, then writes another and ends its turn.

    The agent's commit is linked, and what it holds is not committed again; the turn's commit has the other file.
    """
    world.enable("--strategy", "auto-commit")
    repo, agent, base = world.repo, world.agent, world.repo.head()
    world.server.script.add(
        turn(
            "add a and commit",
            answer(agent.write(world.path("a.txt"), "a\nb\n"), usage=cost(0)),
            in_shell(world, "git add -A && git commit -q -m 'Add a'", 1),
            answer(agent.write(world.path("b.txt"), "b\n"), usage=cost(2)),
            answer(text("committed"), usage=cost(3)),
        )
    )
    session = agent.headless("add a and commit", repo.path).session
    own, made = repo.commits(base)
    assert [repo.message(commit).splitlines()[0] for commit in (own, made)] == ["Add a", "Add a and commit"]
    prompts = ["add a and commit"]
    part = Part(files=["a.txt"], prompts=prompts, answers=[0, 1], lines=(2, 0, 100), last="committed")
    assert_part(world, linked(world, own, by_agent=True), session, part)
    part = Part(files=["b.txt"], prompts=prompts, answers=[2, 3], lines=(1, 0, 100), last="committed")
    assert_part(world, linked(world, made), session, part)
    assert_quiet(repo)


@situation("Auto-commit that a hook refuses")
def auto_commit_refused(world: World) -> None:
    """With auto-commit a pre-commit hook fails at a turn's end; it is removed, HEAD is detached, and a turn follows.

    The first turn is kept as a step, and the agent shows the person why. The second turn's end commits both, and the
    agent shows that no branch has the commit.
    """
    world.enable("--strategy", "auto-commit")
    repo, base = world.repo, world.repo.head()
    hook = repo.path / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho 'tests are red' >&2\nexit 1\n")
    hook.chmod(0o755)
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0), writing(world, "write b", "b.txt", "b\n", 2))
    with world.agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        if world.agent.shows_notices:
            terminal.wait(lambda: "tests are red" in terminal.screen, "the reason")
        assert "tests are red" in repo.run("entire", "status")
        assert (repo.head(), repo.blobs(repo.shadow(base))["a.txt"]) == (base, b"a\n")
        hook.unlink()
        repo.git("checkout", "-q", "--detach")
        terminal.turn("write b")
        if world.agent.shows_notices:
            terminal.wait(lambda: "detached HEAD" in terminal.screen, "the word on the detached HEAD")
        terminal.exit()
    (made,) = repo.commits(base)
    checkpoint = linked(world, made)
    found = checkpoint.session(terminal.session)
    assert (found.metadata["files_touched"], found.prompts) == (["a.txt", "b.txt"], ["write a", "write b"])
    assert (lines(found), "branch" in found.metadata) == ((2, 0, 100), False)
    spent = sum((cost(number) for number in range(4)), Usage())
    assert tokens_of(world, checkpoint, terminal.session) == world.agent.counters(spent, 4)
    repo.git("branch", "-q", "-f", "main", made)
    repo.git("switch", "-q", "main")
    assert_quiet(repo)


@situation("Strategy switched in a session")
def strategy_switched(world: World) -> None:
    """A turn ends with manual-commit; the person switches to auto-commit, and back after a second turn, while the
    session is open. A third turn is committed by the person.

    The second turn's end commits what both turns wrote; the third turn's files wait for the person.
    """
    world.enable()
    repo, base = world.repo, world.repo.head()
    world.server.script.add(*(writing(world, f"write {name}", f"{name}.txt", f"{name}\n", 2 * number)
                              for number, name in enumerate("abc")))  # fmt: skip
    with world.agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        assert repo.head() == base
        repo.run("entire", "enable", "--agent", world.agent.name, "--strategy", "auto-commit", "--local")
        terminal.turn("write b")
        (made,) = repo.commits(base)
        repo.run("entire", "enable", "--agent", world.agent.name, "--strategy", "manual-commit", "--local")
        terminal.turn("write c")
        assert repo.head() == made
        last = repo.commit("Add c")
        terminal.exit()
    prompts = ["write a", "write b"]
    part = Part(files=["a.txt", "b.txt"], prompts=prompts, answers=range(4), lines=(2, 0, 100), last="write b: done")
    checkpoint = linked(world, made)
    assert_part(world, checkpoint, terminal.session, part)
    part = Part(files=["c.txt"], prompts=[*prompts, "write c"], answers=[4, 5], lines=(1, 0, 100), last="write c: done")
    assert_part(world, linked(world, last), terminal.session, part, since="write c")
    strategies = [linked(world, commit).root["strategy"] for commit in (made, last)]
    assert strategies == ["auto-commit", "manual-commit"]
    assert_quiet(repo)


@situation("Two strategies in two worktrees")
def two_strategies(world: World) -> None:
    """A linked worktree has the strategy auto-commit, the main one manual-commit; a session works in each.

    Only the linked worktree's branch gets a commit; the person commits in the other one.
    """
    world.enable()
    repo, agent, base = world.repo, world.agent, world.repo.head()
    side = world.folder / "side"
    repo.git("worktree", "add", "-q", "-b", "side", str(side))
    repo.run("entire", "enable", "--agent", agent.name, "--strategy", "auto-commit", "--local", cwd=side)
    world.server.script.add(
        turn(
            "write b",
            answer(agent.write(str(side / "b.txt"), "b\n"), usage=cost(0)),
            answer(text("write b: done"), usage=cost(1)),
        ),
        writing(world, "write a", "a.txt", "a\n", 2),
    )
    inside = agent.headless("write b", side).session
    session = agent.headless("write a", repo.path).session
    assert repo.head() == base
    made = repo.git("rev-parse", "side").strip()
    assert repo.git("rev-list", f"{base}..side").split() == [made]
    part = Part(files=["b.txt"], prompts=["write b"], answers=[0, 1], lines=(1, 0, 100), last="write b: done")
    assert_part(world, linked(world, made), inside, part, branch="side")
    repo.git("worktree", "remove", "--force", str(side))
    part = Part(files=["a.txt"], prompts=["write a"], answers=[2, 3], lines=(1, 0, 100), last="write a: done")
    assert_part(world, linked(world, repo.commit("Add a")), session, part)
    assert_quiet(repo)


def total(world: World, counted: Sequence[dict[str, int]]) -> dict[str, int]:
    """Return the sums of what checkpoints count of what the agent tells."""
    return {name: sum(found[name] for found in counted) for name in world.agent.counters(Usage(), 0)}
