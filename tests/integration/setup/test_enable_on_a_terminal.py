"""``entire enable`` on a terminal: which agents are marked, what is written for those chosen, and what for none."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from entire.agents import registry
from tests.integration.commandline import Repo
from tests.screen import Screen

Start = Callable[..., Screen]
QUESTION = "Which agents do you use in this repository.*"
LINES = 12 + len(registry.BUILTIN)
OFFERED = [name for name in registry.BUILTIN if name != registry.EXAMPLE]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    monkeypatch.chdir(top)
    return Repo(top, capsys)


@pytest.fixture
def start(repo: Repo) -> Iterator[Start]:
    screens = []

    def begin(columns: int = 110, **env: str) -> Screen:
        program = (
            f"import os\nos.chdir({str(repo.top)!r})\nfrom entire import cli\nraise SystemExit(cli.main(['enable']))"
        )
        screens.append(Screen(program, env, columns=columns, rows=LINES))
        return screens[-1]

    yield begin
    for screen in screens:
        screen.close()


def highlight(screen: Screen, name: str) -> None:
    """Search for an agent, so that the order and the number of agents does not matter."""
    screen.type(f"/{name}\r")
    screen.wait_for(rf"> \[.\] {name} .*1/1   ↑↓ move")


def show_all(screen: Screen, count: int) -> None:
    screen.type("\033")
    screen.wait_for(rf"/{count}   ↑↓ move")


def answer_no(screen: Screen) -> None:
    """Answer that nothing is pushed and nothing hidden."""
    screen.wait_for("every .git push.*y/N")
    screen.type("\n")
    screen.wait_for("in .git log.*y/N")
    screen.type("\n")


def test_marking_another_agent(repo: Repo, start: Start) -> None:
    screen = start()
    screen.wait_for(QUESTION + r"\[x\] claude-code .*\[ \] gemini ")
    highlight(screen, "gemini")
    screen.type(" ")
    screen.wait_for(r"\[x\] gemini")
    show_all(screen, len(OFFERED))
    screen.type("\r")
    answer_no(screen)
    out = screen.end()
    assert "Claude Code: " in out
    assert "Gemini CLI: " in out
    assert screen.process.returncode == 0
    assert screen.is_as_before()
    assert "[x]" not in screen.shown  # the list is gone, and the question after it is on lines
    assert (repo.top / ".claude/settings.json").exists()
    assert (repo.top / ".gemini/settings.json").exists()


def test_agents_that_are_here_are_preset_and_unmarking_removes_their_hooks(repo: Repo, start: Start) -> None:
    repo.ok("enable", "--agent", "demo", "--skip-push-sessions")
    screen = start()
    screen.wait_for(QUESTION + r"\[ \] claude-code .*\[x\] demo ")
    highlight(screen, "demo")
    screen.type(" ")
    screen.wait_for(r"\[ \] demo .*mark at least one")
    show_all(screen, len(OFFERED) + 1)
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


@pytest.mark.parametrize("columns", [40, 80])
def test_a_narrow_terminal_shows_question_agents_and_keys(repo: Repo, start: Start, columns: int) -> None:
    screen = start(columns=columns)
    shown = screen.wait_for(r"\[x\] claude-code .*number or name")
    lines = shown.split("\n")
    assert all(cell_len(line) <= columns for line in lines)
    assert "Which agents do you use in this" in shown
    assert "repository?" in shown  # on a second line if need be
    agent = next(line for line in lines if "claude-code" in line)
    assert agent.endswith("…" if columns == 40 else "for the terminal")
    screen.type("\033")
    screen.end()
    assert screen.is_as_before()


def test_a_name_that_is_typed_is_marked(repo: Repo, start: Start) -> None:
    screen = start()
    screen.wait_for(QUESTION + r"\[x\] claude-code .*\[ \] gemini ")
    screen.type("gem")
    screen.wait_for("/gem.*enter mark")
    screen.type("\r")
    screen.wait_for(r"\[x\] claude-code .*\[x\] gemini ")
    screen.type("\r")
    answer_no(screen)
    out = screen.end()
    assert "Claude Code: " in out
    assert "Gemini CLI: " in out


def test_a_number_that_is_typed_marks_that_line(repo: Repo, start: Start) -> None:
    screen = start()
    screen.wait_for(QUESTION + r"\[x\] claude-code .*\[ \] gemini ")
    screen.type(f"{OFFERED.index('gemini') + 1}{OFFERED.index('claude-code') + 1}9")
    screen.wait_for(r"\[ \] claude-code .*\[x\] gemini ")
    screen.type("\r")
    answer_no(screen)
    screen.end()
    assert (repo.top / ".gemini").exists()
    assert not (repo.top / ".claude").exists()


def test_an_example_is_offered_only_where_its_hooks_are(repo: Repo, start: Start) -> None:
    screen = start()
    assert " demo " not in screen.wait_for(QUESTION + "claude-code.*quit")
    screen.type("\033")
    screen.end()
    repo.ok("enable", "--agent", "demo")  # by name it is taken
    screen = start()
    screen.wait_for(QUESTION + r"\[x\] demo ")  # its hooks can be removed


def test_refs_are_hidden_on_request(repo: Repo, start: Start) -> None:
    screen = start(ACCESSIBLE="1")
    screen.wait_for("Numbers or names")
    screen.type("claude-code\n")
    screen.wait_for("every .git push.*y/N")
    screen.type("\n")
    screen.wait_for("in .git log.*y/N")
    screen.type("y\n")
    assert "\ngit log: log.excludeDecoration and alias.log-all hide Entire's refs in this clone\n" in screen.end()
    assert repo.git("config", "--get-all", "log.excludeDecoration").count("entire/") == 3
    repo.ok("enable", "--skip-push-sessions", "--agent", "claude-code")
    assert repo.git("config", "--get-all", "log.excludeDecoration").count("entire/") == 3
