"""The budgets of hooks' instructions: every hook has one, and a hook that exceeds it is named. ``make instructions``
counts; here no figure is judged.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import instructions
from bench.instructions import ALLOWED, Budget, Row
from entire.agents.claude_code import settings as claude_code
from entire.agents.gemini import settings as gemini

BUDGETS = {"git post-commit": Budget(2.0, 1.5), "git pre-push": Budget(3.0)}


def row(name: str, times: float) -> Row:
    return Row(name, round(times * 1000), 1000)


def test_every_hook_that_is_installed_has_a_budget() -> None:
    _, budgets = instructions.load(instructions.BUDGETS)
    names = {" ".join(entry.command.split()[2:4]) for entry in claude_code.ENTRIES}
    names |= {" ".join(entry.command.split()[2:4]) for entry in gemini.TABLE.entries}
    names |= {"git prepare-commit-msg", "git post-commit", "claude-code notification", "claude-code stop, much stored"}
    assert names - budgets.keys() == set()


@pytest.mark.parametrize(("times", "wrong"), [(1.0, 0), (2.0 * ALLOWED, 0), (2.0 * ALLOWED + 0.01, 1)])
def test_a_hook_may_exceed_its_budget_by_three_percent(times: float, wrong: int) -> None:
    problems = instructions.problems([row("git post-commit", times)], BUDGETS)
    assert len(problems) == wrong
    assert ("OVER" in instructions.line(row("git post-commit", times), BUDGETS["git post-commit"])) is bool(wrong)
    for problem in problems:
        assert problem.startswith(
            "git post-commit takes 2.07 times the instructions of a bare interpreter; its budget is"
        )
        assert "ENTIRE_ACCEPT=1 make instructions" in problem


def test_a_hook_without_a_budget_is_an_error() -> None:
    assert instructions.problems([row("git commit-msg", 1.0)], BUDGETS) == [
        "No budget for git commit-msg: store one with ENTIRE_ACCEPT=1 make instructions"
    ]


def test_accepted_figures_replace_budgets_and_keep_targets_and_rows_that_were_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "budgets.json"
    path.write_text(instructions.accepted([row("git post-commit", 2.3), row("git commit-msg", 1.25)], BUDGETS))
    version, budgets = instructions.load(path)
    assert version == instructions.python_version()
    assert budgets == {
        "git post-commit": Budget(2.3, 1.5),
        "git pre-push": Budget(3.0),
        "git commit-msg": Budget(1.25),
    }


def test_the_stored_file_is_as_it_would_be_written() -> None:
    """So a new figure is a change of one line."""
    _, budgets = instructions.load(instructions.BUDGETS)
    text = instructions.BUDGETS.read_text()
    assert instructions.accepted([], budgets).splitlines()[2:] == text.splitlines()[2:]
    assert json.loads(text)["rows"].keys() == budgets.keys()


def test_budgets_of_another_python_are_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "budgets.json"
    path.write_text('{"python": "3.1", "rows": {"git post-commit": {"budget": 1.0, "target": 0}}}')
    monkeypatch.setattr(instructions, "BUDGETS", path)
    monkeypatch.setattr(instructions, "rows", lambda *_: iter([row("git post-commit", 5.0)]))
    monkeypatch.setattr("shutil.which", lambda _: "valgrind")
    monkeypatch.setattr("sys.argv", ["instructions"])
    monkeypatch.delenv("ENTIRE_ACCEPT", raising=False)
    assert instructions.main() == 0
    assert "Not compared: the budgets are those of Python 3.1" in capsys.readouterr().err
    path.write_text(path.read_text().replace("3.1", instructions.python_version()))
    assert instructions.main() == 1
    assert "git post-commit takes 5.00 times" in capsys.readouterr().err
