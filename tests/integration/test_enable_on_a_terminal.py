"""``entire enable`` on a terminal: which agents are marked, what is written for those chosen, and what for none."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from entire.agents import registry
from tests.integration.commandline import Repo
from tests.screen import Screen

Start = Callable[..., Screen]
QUESTION = "Which agents do you use in this repository.*"
LINES = 12 + len(registry.BUILTIN)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    monkeypatch.chdir(top)
    return Repo(top, capsys)


@pytest.fixture
def start(repo: Repo) -> Iterator[Start]:
    screens = []

    def begin(**env: str) -> Screen:
        program = (
            f"import os\nos.chdir({str(repo.top)!r})\nfrom entire import cli\nraise SystemExit(cli.main(['enable']))"
        )
        screens.append(Screen(program, env, columns=110, rows=LINES))
        return screens[-1]

    yield begin
    for screen in screens:
        screen.close()


def highlight(screen: Screen, name: str) -> None:
    """Search for an agent, so that the order and the number of agents does not matter."""
    screen.type(f"/{name}\r")
    screen.wait_for(rf"> \[.\] {name} .*1/1   ↑↓ move")


def show_all(screen: Screen) -> None:
    screen.type("\033")
    screen.wait_for(rf"/{len(registry.BUILTIN)}   ↑↓ move")


def answer_no(screen: Screen) -> None:
    screen.wait_for("every .git push.*y/N")
    screen.type("\n")


def test_marking_another_agent(repo: Repo, start: Start) -> None:
    screen = start()
    screen.wait_for(QUESTION + r"\[x\] claude-code .*\[ \] demo ")
    highlight(screen, "demo")
    screen.type(" ")
    screen.wait_for(r"\[x\] demo")
    show_all(screen)
    screen.type("\r")
    answer_no(screen)
    out = screen.end()
    assert "Claude Code: " in out
    assert "Demo Agent: " in out
    assert screen.process.returncode == 0
    assert screen.is_as_before()
    assert "[x]" not in screen.shown  # the list is gone, and the question after it is on lines
    assert (repo.top / ".claude/settings.json").exists()
    assert (repo.top / ".demo-agent/settings.json").exists()


def test_agents_that_are_here_are_preset_and_unmarking_removes_their_hooks(repo: Repo, start: Start) -> None:
    repo.ok("enable", "--agent", "demo", "--skip-push-sessions")
    screen = start()
    screen.wait_for(QUESTION + r"\[ \] claude-code .*\[x\] demo ")
    highlight(screen, "demo")
    screen.type(" ")
    screen.wait_for(r"\[ \] demo .*mark at least one")
    show_all(screen)
    highlight(screen, "claude-code")
    screen.type(" \r")
    assert "Demo Agent: hooks removed" in screen.end()
    assert (repo.top / ".claude/settings.json").exists()
    assert not (repo.top / ".demo-agent").exists()


@pytest.mark.parametrize("key", ["q", "\033", "\x03", "\x04"])
def test_leaving_writes_nothing(repo: Repo, start: Start, key: str) -> None:
    before = repo.files()
    screen = start()
    screen.wait_for(QUESTION + "quit")
    screen.type(key)
    assert screen.end() == ""
    assert screen.process.returncode not in (0, None)
    assert screen.is_as_before()
    assert repo.files() == before


@pytest.mark.parametrize("env", [{"ACCESSIBLE": "1"}, {"TERM": "dumb"}])
def test_plain_lines(repo: Repo, start: Start, env: dict[str, str]) -> None:
    screen = start(**env)
    screen.wait_for(QUESTION + "Numbers or names")
    assert "\033" not in screen.seen
    screen.type("demo\n")
    answer_no(screen)
    assert "Demo Agent: " in screen.end()
    assert not (repo.top / ".claude").exists()
