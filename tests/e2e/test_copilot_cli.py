"""Stories that only Copilot CLI has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from copilot import Copilot
from proof import Part, assert_part, linked
from stories import assert_quiet, writing

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("world", [Copilot], indirect=True, ids=["copilot"])]


def test_hooks_record_nothing_until_the_person_trusts_the_folder(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copilot says nothing of hooks that it leaves out; `status` does."""
    repo, agent = world.repo, world.agent
    assert isinstance(agent, Copilot)
    world.enable()
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0), writing(world, "write b", "b.txt", "b\n", 2))
    with monkeypatch.context() as patched:
        patched.setattr(agent, "trust", lambda cwd: None)
        assert agent.headless("write a", repo.path).status == 0
    status = repo.run("entire", "status")
    assert "start it here and let it remember that you do" in status
    assert not (repo.path / ".git" / "entire-sessions").exists()

    session = agent.headless("write b", repo.path).session
    assert "start it here" not in repo.run("entire", "status")
    part = Part(files=["b.txt"], prompts=["write b"], answers=[2, 3], lines=(1, 0, 100), last="write b: done")
    assert_part(world, linked(world, repo.commit("Add b", "b.txt")), session, part)
    (repo.path / "a.txt").unlink()
    assert_quiet(repo)
    assert json.loads(agent.transcript(session).read_bytes().splitlines()[0])["data"]["copilotVersion"] == "1.0.102"
