"""The situations in which a person or a branch comes between two turns; they follow the first ones in the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof import Part, assert_part, linked
from script import answer, text, turn
from situations import SITUATIONS, Situation
from stories import asked, assert_quiet, cost, writing
from table import situation
from turns import in_shell, interrupted_turn

if TYPE_CHECKING:
    from conftest import World

__all__ = ["SITUATIONS", "Situation"]  # once this module is imported, all are in the table


@situation("Turn that only changes branch")
def turn_that_only_changes_branch(world: World) -> None:
    """The agent only makes a branch and goes to it; the person commits a file of their own there; then the agent writes
    one, and the person commits that.

    The first commit has no link. The second has both prompts and their tokens, the agent's file and the new branch; its
    part of the transcript begins with the turn that wrote.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    branch = in_shell(world, "git switch -q -c side", 0)
    world.server.script.add(
        turn("make a branch", branch, answer(text("made"), usage=cost(1))), writing(world, "write a", "a.txt", "a\n", 2)
    )
    session = agent.headless("make a branch", repo.path).session
    assert repo.git("branch", "--show-current") == "side\n"
    repo.write("mine.txt", "mine\n")
    assert repo.all_ids(repo.commit("Add mine")) == []
    agent.headless("write a", repo.path, resume=session)
    prompts = ["make a branch", "write a"]
    part = Part(files=["a.txt"], prompts=prompts, answers=range(4), lines=(1, 0, 100), last="write a: done")
    assert_part(world, linked(world, repo.commit("Add a")), session, part, since="write a", branch="side")
    assert_quiet(repo)


@situation("Interrupt, then the person's own work")
def interrupt_then_own_work(world: World) -> None:
    """The person stops a turn with Escape while a shell command runs, adds a line to the agent's file and makes one of
    their own, and commits both.

    The agent's lines are the agent's and the person's the person's; the turn's tokens are there, with its prompt.
    """
    world.enable()
    repo = world.repo
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait))
    with world.agent.terminal(repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.interrupt()
        repo.write("a.txt", "a\na\nmine\n")
        repo.write("mine.txt", "mine\n")
        checkpoint = linked(world, repo.commit("Add both"))
        terminal.exit()
    part = Part(files=["a.txt"], prompts=["work long"], answers=[0, 1], lines=(2, 2, 50), last="")
    assert_part(world, repo.checkpoint(checkpoint.id), terminal.session, part)
    assert_quiet(repo)


@situation("Diverged resume")
def diverged_resume(world: World) -> None:
    """A session goes on in two clones. One pushes its work; the other, whose turn is newer, pulls it and resumes the
    session, then does so with `--force`, goes on and commits.

    Its own conversation stays until it is told to give way; then the model gets the other one, and the commit has only
    the new turn's tokens.
    """
    world.enable("--push-sessions")
    origin, repo, agent = world.share(), world.repo, world.agent
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        writing(world, "write b", "b.txt", "b\n", 2),
        turn("only talk", answer(text("we talked"), usage=cost(4))),
    )
    session = agent.headless("write a", repo.path).session
    repo.commit("Add a")
    repo.git("push", "-q")
    there = world.elsewhere(origin)
    there.repo.resume("main")
    agent.headless("write b", repo.path, resume=session)
    repo.commit("Add b")
    repo.git("push", "-q")
    there.agent.headless("only talk", there.repo.path, resume=session)
    own = there.agent.transcript(session).read_bytes()

    there.repo.git("pull", "-q", "--rebase")
    (found,) = there.repo.resume("main")["sessions"]
    assert (found["what"], found["kept"]) == ("kept", True)
    assert there.agent.transcript(session).read_bytes() == own
    (found,) = there.repo.resume("main", "--force")["sessions"]
    assert found["what"] == "written"
    world.server.script.add(writing(there, "write c", "c.txt", "c\n", 5))
    assert there.agent.headless("write c", there.repo.path, resume=session).status == 0
    prompts = ["write a", "write b", "write c"]
    assert asked(world.server.last("write c")) == prompts
    part = Part(files=["c.txt"], prompts=prompts, answers=[5, 6], lines=(1, 0, 100), last="write c: done")
    assert_part(there, linked(there, there.repo.commit("Add c")), session, part, since="write c")
