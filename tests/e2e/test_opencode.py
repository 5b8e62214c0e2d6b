"""Stories that only OpenCode has."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from opencode import OpenCode
from proof import Part, assert_part, assert_task, linked, task_of
from stories import assert_quiet, writing
from turns import delegating

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("world", [OpenCode], indirect=True, ids=["opencode"])]


def test_a_fork_counts_once_and_goes_back_past_its_subagent(world: World) -> None:
    """With the plugin in the project and for the user. The subagent's session and the one that was forked stay."""
    repo, agent = world.repo, world.agent
    assert isinstance(agent, OpenCode)
    world.enable()
    world.enable("--user")
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0), *delegating(world, 2))
    session = agent.headless("write a", repo.path).session
    part = Part(files=["a.txt"], prompts=["write a"], answers=[0, 1], lines=(1, 0, 100), last="write a: done")
    assert_part(world, linked(world, repo.commit("Add a")), session, part)
    assert [event["hook_event_name"] for event in agent.events()] == [
        "session-start", "turn-start", "turn-end", "session-end"
    ]  # fmt: skip

    fork = agent.fork("delegate", repo.path, session).session
    assert fork != session
    forked, before = agent.messages(session), agent.messages(fork)
    task = task_of(world, fork)
    exported = agent.home / "export.json"
    with exported.open("wb") as file:  # through a pipe, OpenCode cuts what it exports
        command = [str(agent.program), "--pure", "export", fork]
        subprocess.run(command, cwd=repo.path, env=agent.environment, stdout=file, stderr=subprocess.PIPE, check=True)
    assert agent.is_export(exported.read_bytes(), before)

    start = next(p for p in repo.points() if p["session_id"] == fork and p.get("before_prompt"))
    repo.rewind("--to", start["before_prompt"])
    assert not (repo.path / "note.txt").exists()
    assert [m["info"]["role"] for m in agent.messages(fork)] == [m["info"]["role"] for m in forked]
    assert agent.messages(task.agent)
    assert agent.messages(session) == forked
    repo.run("entire", "rewind", "--undo", "--yes")
    assert agent.messages(fork) == before

    checkpoint = linked(world, repo.commit("Add the note"))
    prompts = ["write a", "delegate"]
    part = Part(files=["note.txt"], prompts=prompts, answers=[2, 3], lines=(2, 0, 100), last="delegated")
    assert_part(world, checkpoint, fork, part, since="delegate", subagents=[4, 5])
    assert_task(world, checkpoint, task)
    assert_quiet(repo)
