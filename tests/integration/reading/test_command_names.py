"""Words on the command line that name nothing, help by name, and limits."""

from __future__ import annotations

import importlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from entire.commands import TABLE
from entire.ui.console import group
from tests.integration.commandline import Repo


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
    subprocess.run(["git", "-C", str(top), "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    monkeypatch.chdir(top)
    return Repo(top, capsys)


# ---------------------------------------------------------------- did you mean


SIMILAR = [
    ("stauts", "status", 2),
    ("plugin alow parrot", "allow", 2),
    ("help stauts", "status", 2),
    ("help plugin alow", "allow", 2),
    ("rewind --undoo", "--undo", 2),
    ("explain --comit HEAD", "--commit", 2),
    ("--versoin", "--version", 2),
    ("enable --agent cluade-code", "claude-code", 2),
    ("enable --agent claude", "claude-code", 2),
    ("explain maim", "main", 1),
    ("explain feature/long-nmae", "feature/long-name", 1),
    ("resume v1.O", "v1.0", 1),
]


@pytest.mark.parametrize(("line", "meant", "code"), SIMILAR)
def test_a_name_like_a_known_one_is_offered(repo: Repo, line: str, meant: str, code: int) -> None:
    repo.git("branch", "feature/long-name")
    repo.git("tag", "v1.0")
    assert repo.entire(*line.split()) == code
    assert f"\nhint: did you mean `{meant}`?" in repo.err
    assert repo.out == ""


@pytest.mark.parametrize("line", ["xyzzy", "rewind --xyzzy", "enable --agent xyzzy", "explain xyzzy", "help xyzzy"])
def test_a_name_like_no_other_gets_the_plain_hint(repo: Repo, line: str) -> None:
    assert repo.entire(*line.split()) in (1, 2)
    assert "did you mean" not in repo.err
    assert "\nhint: " in repo.err


def test_our_own_branches_are_not_offered(repo: Repo) -> None:
    repo.git("branch", "entire/checkpoints/v1")
    assert repo.entire("explain", "entire/checkpoint/v1") == 1
    assert "did you mean" not in repo.err


def test_json_has_the_suggestion_too(repo: Repo) -> None:
    assert repo.entire("status", "--jsn", "--json") == 2
    assert '"hint": "did you mean `--json`? Run `entire status --help`"' in repo.out


# ---------------------------------------------------------------- help


def test_no_word_at_all_prints_the_help(repo: Repo) -> None:
    help_of_all = repo.ok("--help")
    assert "Commands:" in help_of_all
    assert repo.ok() == help_of_all
    assert repo.ok("help") == help_of_all
    assert repo.ok("plugin") == repo.ok("plugin", "--help")


@pytest.mark.parametrize("words", [*([name] for name in TABLE), ["plugin", "check"]])
def test_help_of_a_command_is_what_its_option_prints(repo: Repo, words: list[str]) -> None:
    assert repo.ok("help", *words) == repo.ok(*words, "--help")


def test_help_of_what_is_no_group(repo: Repo) -> None:
    assert repo.entire("help", "status", "me") == 2
    assert repo.err == "entire: entire status has no commands\nhint: run `entire help status`\n"


# ---------------------------------------------------------------- limits


def with_limit() -> Iterator[str]:
    for name in TABLE:
        command = importlib.import_module(f"entire.commands.{name.replace('-', '_')}").command
        options = [option for option in command.params if isinstance(option, click.Option)]
        if any("--limit" in option.opts for option in options):
            yield name


@pytest.mark.parametrize("name", list(with_limit()))
def test_a_negative_limit_is_refused(repo: Repo, name: str) -> None:
    words = {"search": ["word"]}.get(name, [])
    for limit in ("--limit=-1", "--limit=-1000000"):
        assert repo.entire(name, *words, limit) == 2
        assert "--limit" in repo.err
        assert repo.out == ""


def test_a_limit_that_is_no_number(repo: Repo) -> None:
    assert repo.entire("explain", "--limit", "many") == 2


def test_the_limit_option_names_what_it_limits() -> None:
    @click.command()
    @group.limit(7, "parrots")
    def command(limit: int) -> None:
        """Take a limit."""

    assert "--limit INTEGER  List at most this many parrots; 0 lists all.  [default: 7]" in command.get_help(
        click.Context(command)
    )
