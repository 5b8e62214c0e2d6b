"""Lines that a session wrote and that did not stay."""

from __future__ import annotations

import pytest

from entire.model.transcripts import Edit
from entire.summaries.discarded_lines import DiscardedLines


def wrote(path: str, new: str) -> Edit:
    return Edit(path=path, new=new, is_whole=True)


def edited(path: str, old: str, new: str) -> Edit:
    return Edit(path=path, old=old, new=new)


def discarded(*steps: Edit | str, committed: dict[str, str | None] | None = None) -> list[tuple[str, str, int, str]]:
    """Return what did not stay of edits, between which commands may run."""
    lines = DiscardedLines()
    for at, step in enumerate(steps):
        if isinstance(step, Edit):
            lines.edit(step.path, step, at)
        else:
            lines.command(step)
    return [(digest.fate, digest.text, digest.lines, digest.instead) for digest in lines.digests(committed or {})]


def test_lines_that_the_session_replaced() -> None:
    calls = wrote("a.py", "import os\nimport sys\n\nprint(os)\n"), edited("a.py", "import sys\n", "import re\n")
    assert discarded(*calls) == [("replaced", "import sys", 1, "import re")]


def test_a_part_of_a_line() -> None:
    assert discarded(edited("a.py", "pass", "print('hello')"), edited("a.py", "hello", "goodbye")) == [
        ("replaced", "print('hello')", 1, "print('goodbye')")
    ]


def test_lines_that_the_session_removed() -> None:
    assert discarded(edited("a.py", "x\n", "x\ndebug()\n"), edited("a.py", "debug()\n", "")) == [
        ("removed", "debug()", 1, "")
    ]


def test_lines_that_came_back_stay() -> None:
    assert discarded(wrote("a.py", "one\n"), wrote("a.py", "two\n"), wrote("a.py", "one\n")) == [
        ("replaced", "two", 1, "one")
    ]


def test_moved_and_reformatted_lines_stay() -> None:
    calls = wrote("a.py", "one = 'x'\ntwo\n"), wrote("a.py", 'two\n    one  =  "x",\n')
    assert discarded(*calls, committed={"a.py": 'if y:\n  one="x"\ntwo\n'}) == []


@pytest.mark.parametrize("command", [
    "git checkout -- src/a.py", "git checkout .", "git restore a.py", "git reset --hard", "git stash", "rm src/a.py",
    "cd src && rm -f a.py", "git checkout HEAD~1 -- src", "git restore --source=HEAD --staged --worktree src/",
])  # fmt: skip
def test_a_file_that_a_command_reverted(command: str) -> None:
    assert discarded(wrote("src/a.py", "one\ntwo\n"), command) == [("reverted", "one", 2, "")]


@pytest.mark.parametrize("command", [
    "git checkout main", "git restore --staged src/a.py", "git reset HEAD src/a.py", "git stash pop", "rm b.py",
    "git stash list", "git add .", "rm -rf build",
])  # fmt: skip
def test_other_commands_revert_nothing(command: str) -> None:
    assert discarded(wrote("src/a.py", "one\ntwo\n"), command) == []


def test_lines_that_are_not_in_the_commit() -> None:
    calls = wrote("a.py", "one\ntwo\n{\n"), wrote("b.py", "three\n"), wrote("c.py", "four\n")
    assert discarded(*calls, committed={"a.py": "one\n", "b.py": None}) == [
        ("not in the commit", "two", 1, ""),
        ("not in the commit", "three", 1, ""),
    ]
