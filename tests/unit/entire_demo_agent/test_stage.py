"""The stage of the demonstration: real programs, plain words, colour only where it is wanted."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import pytest

from entire_demo_agent.stage import AGENT, Failed, Stage, Teller


class Screen(io.StringIO):
    """A terminal, as far as printing goes."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path, Teller(io.StringIO()))


def test_a_conversation_with_the_agent(tmp_path: Path) -> None:
    out = io.StringIO()
    stage = Stage(tmp_path, Teller(out))
    with stage.converse() as conversation:
        conversation.say("create a file a.txt with ```\n> x\n``` then say fine")
        assert (stage.repository / "a.txt").read_text() == "> x\n"
        conversation.say("say again\n")
        with pytest.raises(Failed, match="could not follow"):
            conversation.say("delete nothing")
    assert [line.strip() for line in out.getvalue().splitlines()] == [
        f"$ {shlex.join(AGENT)}",
        "> create a file a.txt with ```",
        "> x",
        "``` then say fine",
        "* I write a.txt.",
        "created a.txt (1 line)",
        "fine",
        "Done.",
        "> say again",
        "again",
        "> delete nothing",
        "* I delete nothing.",
        "nothing: No such file or directory",
        "Done, but 1 went wrong: nothing: No such file or directory",
    ]
    assert list(stage.home.glob(".entire-demo/sessions/*/*.jsonl"))


def test_an_agent_that_ends_early_is_a_failure(stage: Stage) -> None:
    with pytest.raises(Failed, match="too early"), stage.converse() as conversation:
        conversation.say("/exit")


def test_a_command_that_fails_ends_the_story(stage: Stage) -> None:
    assert stage.run("git", "init", "--quiet") == ""
    with pytest.raises(Failed, match="exit code 1"):
        stage.run("git", "rev-parse", "--verify", "--quiet", "HEAD")
    with pytest.raises(Failed, match="no-such-program"):
        stage.run("no-such-program")


def test_the_home_is_not_the_users(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stage.environment["HOME"] == str(stage.home)
    assert {name for name in stage.environment if name.startswith("GIT_")} == {"GIT_CONFIG_NOSYSTEM"}
    assert "ENTIRE_DEMO_HOME" not in stage.environment


@pytest.mark.parametrize(
    ("screen", "variables", "coloured"),
    [
        (Screen(), {}, True),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"NO_COLOR": ""}, True),
        (Screen(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colour_is_for_terminals(
    screen: io.StringIO, variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    teller = Teller(screen)
    teller.title("Title")
    teller.command("git log")
    teller.output("a\n\nb")
    assert ("\x1b[" in screen.getvalue()) == coloured
    if not coloured:
        assert screen.getvalue() == "\nTitle\n\n  $ git log\n    a\n\n    b\n"
