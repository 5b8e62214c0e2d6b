"""Turns that several situations have, in the words of whichever agent plays them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from script import Answer, Turn, answer, text, turn
from stories import cost

if TYPE_CHECKING:
    from conftest import World

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
MARK = "[REDACTED:github-token]"


def in_shell(world: World, command: str, number: int) -> Answer:
    """Return an answer that runs a shell command."""
    return answer(world.agent.shell(command), usage=cost(number))


def delegating(world: World, first: int) -> tuple[Turn, Turn]:
    """Return a turn that hands work to a subagent, and the subagent's; their answers have four numbers."""
    agent = world.agent
    write = agent.write(world.path("note.txt"), "note\nmore\n")
    return (
        turn(
            "delegate",
            answer(*agent.delegate("write the note"), usage=cost(first)),
            answer(text("delegated"), usage=cost(first + 1)),
        ),
        turn(
            "write the note",
            answer(write, usage=cost(first + 2)),
            answer(*agent.report("note written"), usage=cost(first + 3)),
        ),
    )


def three_turns(world: World, first: str) -> tuple[Turn, Turn, Turn]:
    """Return turns that make, change and delete files by tools and by the shell; the answers have the numbers 0-9."""
    agent = world.agent
    return (
        turn(
            first,
            answer(text(f"I keep {SECRET} to myself."), agent.write(world.path("a.txt"), "1\n2\n"), usage=cost(0)),
            in_shell(world, f"echo b > b.txt; echo saw {SECRET}", 1),
            answer(text("begun"), usage=cost(2)),
        ),
        turn(
            "change it",
            answer(agent.read(world.path("a.txt")), usage=cost(3)),
            answer(agent.edit(world.path("a.txt"), "2", "two"), usage=cost(4)),
            in_shell(world, "rm b.txt && mkdir sub && echo c > sub/c.txt", 5),
            answer(text("changed"), usage=cost(6)),
        ),
        turn(
            "go on",
            in_shell(world, "echo three >> a.txt", 7),
            answer(agent.write(world.path("d.txt"), "d\n"), usage=cost(8)),
            answer(text("gone on"), usage=cost(9)),
        ),
    )


def interrupted_turn(world: World, command: str) -> Turn:
    """Return a turn that writes a file and then waits in the shell."""
    write = world.agent.write(world.path("a.txt"), "a\na\n")
    never = answer(text("never said"), usage=cost(2))
    return turn("work long", answer(write, usage=cost(0)), in_shell(world, command, 1), never)
