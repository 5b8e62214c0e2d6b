"""The front door: words, errors, exit codes."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import entire
from entire import cli
from entire.commands import TABLE
from entire.errors import EntireError, NotEnabledError


def fails_with(error: BaseException) -> Callable[..., int]:
    def run(*args: object, **options: object) -> int:
        raise error

    return run


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"entire {entire.__version__}\n"
    assert cli.main(["version"]) == 0
    assert capsys.readouterr().out.startswith(f"entire {entire.__version__} (Python 3.")
    assert cli.main(["version", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == entire.__version__


def test_the_version_is_that_of_the_project() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    assert f'\nversion = "{entire.__version__}"\n' in project.read_text()


@pytest.mark.parametrize("args", [["--help"], ["-h"]])
def test_the_help_has_every_command_and_the_exit_codes(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(args) == 0
    out = capsys.readouterr().out
    assert [word for word in TABLE if f"\n  {word} " in out] == list(TABLE)
    assert "4 not enabled" in out


@pytest.mark.parametrize("name", TABLE)
def test_the_help_of_each_command_has_the_exit_codes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--help"]) == 0
    assert "130" in " ".join(capsys.readouterr().out.split())


def test_without_a_word_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([])
    said = capsys.readouterr()
    assert "Usage: entire" in said.out + said.err


@pytest.mark.parametrize("args", [["nonsense"], ["version", "--nonsense"], ["version", "more"], ["completion", "tcsh"]])
def test_what_cannot_be_understood_is_exit_code_2(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(args) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("entire: ")
    assert "\nhint: run `entire" in said.err


def test_an_expected_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("entire.commands.version.run", fails_with(NotEnabledError("not here", hint="go there")))
    assert cli.main(["version"]) == 4
    assert capsys.readouterr() == ("", "entire: not here\nhint: go there\n")
    assert cli.main(["version", "--json"]) == 4
    said = capsys.readouterr()
    assert json.loads(said.out) == {"error": {"message": "not here", "hint": "go there", "exit_code": 4}}
    assert cli.main(["--debug", "version"]) == 4
    assert "Traceback" in capsys.readouterr().err


def test_an_error_with_broken_bytes_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("entire.commands.version.run", fails_with(EntireError("no \udcff here")))
    assert cli.main(["version"]) == 1
    assert capsys.readouterr().err == "entire: no \N{REPLACEMENT CHARACTER} here\n"


def test_an_error_cannot_command_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("entire.commands.version.run", fails_with(EntireError("no \x1b[31m", hint="try \x07")))
    assert cli.main(["version"]) == 1
    assert capsys.readouterr().err == "entire: no ^[[31m\nhint: try ^G\n"
    assert cli.main(["version", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["message"] == "no \x1b[31m"


def test_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (KeyboardInterrupt(), click.Abort()):
        monkeypatch.setattr("entire.commands.version.run", fails_with(error))
        assert cli.main(["version"]) == 130


def test_a_reader_that_went_away(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("entire.commands.version.run", fails_with(BrokenPipeError()))
    monkeypatch.setattr(cli, "_discard_output", lambda: None)
    assert cli.main(["version"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("shell", "status", "error"),
    [
        ("version >&-", 0, ""),
        ("version <&- >&- 2>&-", 0, ""),
        ("versoin 2>&-", 2, ""),
        pytest.param(
            "help >/dev/full",
            1,
            "entire: No space left on device\nhint: free some disk space\n",
            marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device"),
        ),
    ],
)
def test_streams_that_are_closed_or_full(shell: str, status: int, error: str, tmp_path: Path) -> None:
    command = ["sh", "-c", f'exec "$0" -m entire {shell}', sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", error)


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.EACCES, "doctor"), (errno.EROFS, "doctor"), (errno.EFBIG, "doctor"), (errno.ENOSPC, "disk space")],
)
def test_what_the_system_refuses_is_no_bug(
    number: int, hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = OSError(number, os.strerror(number), "/somewhere/file")
    monkeypatch.setattr("entire.commands.version.run", fails_with(error))
    assert cli.main(["version"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"entire: /somewhere/file: {os.strerror(number)}\nhint: ")
    assert hint in said


def test_a_bug_outside_of_a_repository(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("entire.commands.version.run", fails_with(ValueError("secret")))
    assert cli.main(["version"]) == 1
    hint = "run it again with --debug to see the traceback"
    assert capsys.readouterr().err == f"entire: internal error: ValueError\nhint: {hint}\n"


def test_a_bug_in_an_enabled_repository_leaves_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (".git/objects", ".git/refs", ".entire"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".entire/settings.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("entire.commands.version.run", fails_with(ValueError("secret")))
    assert cli.main(["version"]) == 1
    (report,) = (tmp_path / ".git/entire/logs").iterdir()
    assert str(report) in capsys.readouterr().err
    assert "secret" not in report.read_text()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    assert "_ENTIRE_COMPLETE" in capsys.readouterr().out
    monkeypatch.setenv("_ENTIRE_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "entire expl")
    monkeypatch.setenv("COMP_CWORD", "expl" if shell == "fish" else "1")
    assert cli.main([]) == 0
    assert "explain" in capsys.readouterr().out


def test_nothing_heavy_is_loaded_before_the_first_word_is_known() -> None:
    code = "import sys, entire.cli; print({'click', 'rich', 'typing', 'pathlib'} & set(sys.modules))"
    import subprocess

    path = str(Path(entire.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({path!r}); {code}"],
        capture_output=True,
        text=True,
    )
    assert done.stdout == "set()\n", done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_is_reported_once_and_the_end_of_the_process_adds_nothing() -> None:
    import subprocess

    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "entire", "version"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "entire: No space left on device\nhint: free some disk space\n"


def test_what_was_registered_for_the_end_of_the_process_is_done() -> None:
    import subprocess

    code = ("import atexit, runpy, sys; atexit.register(print, 'done'); sys.argv = ['entire', 'no-such-command']; "
            "runpy.run_module('entire', run_name='__main__')")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "done\n")
    assert "no such command" in done.stderr
