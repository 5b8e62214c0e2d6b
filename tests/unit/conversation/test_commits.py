"""Which tool call made a commit."""

from __future__ import annotations

import pytest

from entire.conversation import commits
from entire.conversation.records import Call, Record, Result

COMMIT = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"


def found(*runs: list[Record], moment: float = 100.0) -> str:
    call = commits.maker([record for run in runs for record in run], COMMIT, moment)
    return call.answer if call is not None else ""


def run(answer: str, command: str = "", output: str = "", started: float = 99.0, ended: float = 99.5) -> list[Record]:
    call = Call(position=0, id=answer, answer=answer, command=command, time=started)
    if not ended and not output:
        return [call]
    return [call, Result(position=1, call=answer, time=ended, output=output, commits=commits.printed(output))]


@pytest.mark.parametrize(
    "output",
    [
        "[main 1a2b3c4] Subject\n 1 file changed",
        "[main (root-commit) 1a2b3c4d5] Subject",
        "[detached HEAD 1a2b3c4] Subject",
        "noise [feature/x-1 1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d] S",
    ],
)
def test_gits_own_line_is_enough_at_any_time(output: str) -> None:
    assert found(run("a", output=output, started=5.0, ended=6.0)) == "a"
    assert found(run("a", output=output, started=0.0, ended=0.0)) == "a"


@pytest.mark.parametrize("output", ["1a2b3c4 Subject", "commit 1a2b3c4d5e6f\n", "x 1a2b3c4."])
def test_other_output_counts_only_at_that_time(output: str) -> None:
    assert found(run("a", output=output)) == "a"
    assert found(run("a", output=output, started=101.0, ended=102.0)) == ""
    assert found(run("a", output=output, started=90.0, ended=98.0)) == ""


@pytest.mark.parametrize("output", ["1a2b3c", "1a2b3c5", "x1a2b3c4", "1a2b3c4g", "", "[main 9999999] Other"])
def test_other_ids_do_not_count(output: str) -> None:
    assert found(run("a", output=output)) == ""


@pytest.mark.parametrize(
    ("command", "commits"),
    [
        ("git commit -qm x", True),
        ("git -c core.hooksPath= commit -q -m x", True),
        ("git -C 'a b' -c user.name=\"A B\" --no-pager commit", True),
        ("cd x && git add -A && git commit -q", True),
        ("git merge -q topic", True),
        ("git log --grep commit", False),
        ("git show commit", False),
        ("echo git; ./commit", False),
        ("", False),
    ],
)
def test_a_command_that_commits_counts_at_that_time(command: str, *, commits: bool) -> None:
    assert found(run("a", command)) == ("a" if commits else "")
    assert found(run("a", command, ended=0.0)) == ("a" if commits else "")  # it still runs
    assert found(run("a", command, started=90.0, ended=95.0)) == ""


def test_the_best_evidence_wins() -> None:
    quiet, log = run("quiet", "git commit -q"), run("log", "git log", "1a2b3c4 Subject")
    said = run("said", "git commit", "[main 1a2b3c4] Subject")
    other = run("other", "git commit", "[main 9999999] Other")
    assert found(other, quiet) == "quiet"
    assert found(other, said, log) == "said"
    assert found(log, said) == "said"
    assert found() == ""
