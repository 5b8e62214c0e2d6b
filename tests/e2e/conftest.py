"""A world for the scenarios: a scratch home, a repository with `entire` in it, a model server and the real agent."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import shapes
from claude import Claude
from driver import Driver, binary
from modelserver import ModelServer
from repo import Repo, person
from script import Script
from terminal import search_path, wait_for


class World:
    """What a scenario needs, wired together."""

    def __init__(self, folder: Path, agent: type[Driver], server: ModelServer, *, origin: Path | None = None) -> None:
        """Build the world in an empty folder; with an ``origin``, as a clone under another home and another path."""
        self.folder = folder
        self.server = server
        self.others: list[World] = []
        path = search_path(_entire(), folder / "bin")
        home = folder / ("home" if origin is None else "home of robin")
        someone = person(home, path)
        if origin is None:
            self.repo = Repo(folder / "project", someone)
        else:
            self.repo = Repo.clone(origin, folder / "deep" / "My_Clone.v2 (x)", someone)
        program = binary(agent)
        assert program, agent.package
        self.agent = agent(program, home, server.url, path)

    @property
    def claude(self) -> Claude:
        """Return the agent of a story that is Claude Code's."""
        assert isinstance(self.agent, Claude)
        return self.agent

    def share(self) -> Path:
        """Make a bare repository, the origin of this one from now on, and push to it; return its path."""
        origin = self.folder / "origin.git"
        self.repo.git("init", "-q", "--bare", "-b", "main", str(origin))
        self.repo.git("remote", "add", "origin", str(origin))
        self.repo.git("push", "-q", "-u", "origin", "main")
        return origin

    def elsewhere(self, origin: Path) -> World:
        """Return another person's world with a clone, the same model behind it; ``entire`` is enabled there."""
        made = World(self.folder / "elsewhere", type(self.agent), self.server, origin=origin)
        self.others.append(made)
        made.enable("--push-sessions")
        return made

    def enable(self, *options: str) -> None:
        """Enable `entire` as a person does, and commit what it added to the repository."""
        self.repo.run("entire", "enable", "--agent", self.agent.name, *self.agent.enabling, *options)
        if self.repo.git("status", "--porcelain"):
            assert self.repo.ids(self.repo.commit("Use entire")) == []

    def path(self, name: str) -> str:
        """Return the absolute path of a file of the repository, as the agent's tools want it."""
        return str(self.repo.path / name)

    def gate(self, name: str) -> tuple[Path, Path, str]:
        """Return a file that tells that a shell command runs, one that lets it go on, and the command that waits."""
        reached, opened = self.folder / f"{name}.reached", self.folder / f"{name}.open"
        return (
            reached,
            opened,
            f"touch {reached}; timeout 60 sh -c 'until [ -e {opened} ]; do sleep 0.1; done'",
        )

    def wait(self, fact: Callable[[], bool], what: str) -> None:
        """Wait for a fact."""
        wait_for(fact, what)


def _entire() -> Path:
    """Return the command under test: ENTIRE_E2E_ENTIRE, else the one of the environment that runs the tests."""
    named = os.environ.get("ENTIRE_E2E_ENTIRE") or shutil.which("entire", path=str(Path(sys.executable).parent))
    assert named, "the command `entire` is not installed beside the Python that runs the tests"
    return Path(named)


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Give a world that is not enabled yet, with Claude Code or the agent that the test names as its parameter.

    At its end nothing may have gone wrong unseen.
    """
    agent: type[Driver] = getattr(request, "param", Claude)
    if binary(agent) is None:
        missing = f"{agent.package} is not installed; see tests/e2e/agents"
        pytest.fail(missing) if os.environ.get("ENTIRE_E2E_REQUIRED") else pytest.skip(missing)
    with ModelServer(Script()) as server:
        made = World(tmp_path, agent, server)
        yield made
        for opened in {p.with_suffix(".open") for p in tmp_path.glob("*.reached")}:
            opened.touch()
    for place in (made, *made.others):
        shapes.note(place.agent)
    assert server.problems == []
    for place in (made, *made.others):
        assert place.repo.log_errors() == []
