"""The real Pi plays those situations of the table in which it is special, and stories that only Pi has.

Two situations are no stories of Pi: it runs the calls of one answer at the same time, and tells the end of a turn also
when the person stops it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import turn_commits
from pi import Pi
from proof import Part, assert_part, linked, tokens_of
from script import answer, text, turn
from stories import asked, assert_quiet, cost, dialogue, writing

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("world", [Pi], indirect=True, ids=["pi"])]

PLAYED = (
    "new_session", "several_turns", "session_in_a_folder", "commit_by_the_person_in_a_turn", "commit_by_the_agent",
    "compaction", "commit_after_an_interrupt", "killed", "error_of_the_api", "rewind_and_continue",
    "resume_in_another_clone", "auto_commit_refused",
)  # fmt: skip


@pytest.mark.parametrize("name", PLAYED)
def test_a_situation(world: World, name: str) -> None:
    (found,) = [situation for situation in turn_commits.SITUATIONS if situation.name == name]
    found.play(world)


def test_a_branch_that_was_left(world: World) -> None:
    """After a jump in the tree, the conversation goes on without what was said on the branch that was left. What that
    branch changed and took counts, and the list of prompts has all that were asked.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    assert isinstance(agent, Pi)
    world.server.script.add(*(writing(world, f"write {name}", f"{name}.txt", f"{name}\n", 2 * number)
                              for number, name in enumerate("abc")))  # fmt: skip
    with agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        terminal.turn("write b")
        terminal.tree(up=4)
        first = linked(world, repo.commit("Add a and b"))
        terminal.turn("write c")
        second = linked(world, repo.commit("Add c"))
        terminal.exit()
    assert asked(world.server.last("write c")) == ["write a", "write c"]
    prompts = ["write a", "write b"]
    part = Part(files=["a.txt", "b.txt"], prompts=prompts, answers=range(4), lines=(2, 0, 100), last="write b: done")
    assert_part(world, first, terminal.session, part)
    prompts += ["write c"]
    part = Part(files=["c.txt"], prompts=prompts, answers=[4, 5], lines=(1, 0, 100), last="write c: done")
    assert_part(world, second, terminal.session, part, since="write c")
    shown = repo.run("entire", "explain", "--checkpoint", second.id, "--full")
    assert [f"{prompt}: done" in shown for prompt in prompts] == [True, False, True]
    assert_quiet(repo)


def test_sessions_driven_by_rpc(world: World) -> None:
    """A fork goes on in a copy, whose history counts for the first session. Each session starts once, although Pi tells
    that twice.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    assert isinstance(agent, Pi)
    world.server.script.add(*(writing(world, f"write {name}", f"{name}.txt", f"{name}\n", 2 * number)
                              for number, name in enumerate("abcd")))  # fmt: skip
    with agent.rpc(repo.path) as rpc:
        rpc.prompt("write a")
        rpc.prompt("write b")
        (entry,) = [m["entryId"] for m in rpc.ask("get_fork_messages")["messages"] if m["text"] == "write b"]
        rpc.ask("fork", entryId=entry)
        rpc.prompt("write c")
        rpc.ask("new_session")
        rpc.prompt("write d")
    assert asked(world.server.last("write c")) == ["write a", "write c"]
    starts = [str(event["session_id"]) for event in agent.events("session_start")]
    first, fork, new = dict.fromkeys(starts)
    assert len(starts) > 3
    checkpoint = linked(world, repo.commit("Add all"))
    parts = {
        first: (["a.txt", "b.txt"], ["write a", "write b"], range(4), 50),
        fork: (["c.txt"], ["write a", "write c"], [4, 5], 25),
        new: (["d.txt"], ["write d"], [6, 7], 25),
    }
    assert {session.id for session in checkpoint.sessions} == parts.keys()
    for session, (files, prompts, answers, share) in parts.items():
        part = Part(files=files, prompts=prompts, answers=answers, lines=(len(files), 0, share), last="")
        assert_part(world, checkpoint, session, part, alone=False, since="write c" if session == fork else "")
    assert_quiet(repo)


def test_a_subagent_and_a_rewind_past_it(world: World) -> None:
    """What a subagent did is in the result of the tool that ran it; its own session has no file."""
    world.enable()
    repo, agent = world.repo, world.agent
    assert isinstance(agent, Pi)
    agent.add_subagents()
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn(
            "delegate",
            answer(*agent.delegate("write the note"), usage=cost(2)),
            answer(text("delegated"), usage=cost(3)),
        ),
        turn(
            "Task: write the note",
            answer(agent.write(world.path("note.txt"), "note\n"), usage=cost(4)),
            answer(text("note written"), usage=cost(5)),
        ),
        writing(world, "another way", "b.txt", "b\n", 6),
    )  # fmt: skip
    session = agent.headless("write a", repo.path).session
    assert agent.headless("delegate", repo.path, resume=session).status == 0
    states = [path.stem for path in (repo.path / ".git" / "entire-sessions").glob("*.json")]
    assert states == [session]
    first = linked(world, repo.commit("Add the note"))
    found = first.session(session)
    assert found.metadata["files_touched"] == ["a.txt", "note.txt"]
    assert tokens_of(world, first, session) == agent.counters(cost(0) + cost(1) + cost(2) + cost(3), 4)
    assert {name: found.subagent_tokens[name] for name in agent.counters(cost(0), 0)} == agent.counters(
        cost(4) + cost(5), 2
    )
    (task,) = [path for path in first.files if path.endswith("/checkpoint.json")]
    assert json.loads(first.files[task])["session_id"] == session

    repo.rewind("--to", repo.point("write a"))
    assert agent.headless("another way", repo.path, resume=session).status == 0
    history = ["> write a", "I write it.", "write a: done", "> another way", "I write it."]
    assert dialogue(world.server.last("another way")) == history
