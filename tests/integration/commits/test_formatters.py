"""Formatters between the agent's turn and the commit: hooks that format and stage, editors that format on save
(linking.md section 1).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.integration.kept import lines, slot_of, unlinked
from tests.integration.story import Session, Story

BLACK = f"{Path(sys.executable).parent}/black -q"
OLD = "one\ntwo\nthree\n"


def pre_commit(story: Story, *commands: str) -> None:
    """Install a pre-commit hook."""
    hook = story.path(".git/hooks/pre-commit")
    hook.write_text("\n".join(["#!/bin/sh", *commands, ""]))
    hook.chmod(0o755)


def formats_with_black(story: Story) -> None:
    pre_commit(
        story,
        "files=$(git diff --cached --name-only --diff-filter=AM -- '*.py')",
        f'[ -z "$files" ] || {{ {BLACK} $files && git add $files; }}',
    )


@pytest.fixture
def session(story: Story) -> Session:
    story.write("old.txt", OLD)
    story.commit("old")
    return story.started()


def is_closed(story: Story, session: Session) -> None:
    """Nothing is open any more: no file, no step, and a clean worktree."""
    assert not session.state().get("files_touched")
    assert story.git("status", "--porcelain") == ""
    branches = story.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire/").split()
    assert branches == ["entire/checkpoints/v1"]
    assert story.log_errors() == []


@pytest.mark.parametrize("how", ["-m", "-am", "path", "editor"])
def test_a_hook_that_indents_every_line(story: Story, session: Session, how: str) -> None:
    pre_commit(story, "sed -i 's/^/    /' new.py", "git add new.py")
    with session.turn("go"):
        session.write("new.py", "a = 1\nb = 2\n")
    story.git("add", "-A")
    editor = {"GIT_EDITOR": "sh -c 'echo Message >>\"$1\"' -"}
    words = {"-m": ["-m", "c"], "-am": ["-am", "c"], "path": ["-m", "c", "--", "new.py"], "editor": []}[how]
    story.git("commit", "-q", *words, env=editor if how == "editor" else None)
    assert story.git("show", "HEAD:new.py") == "    a = 1\n    b = 2\n"
    record = slot_of(story, session)
    assert (record["files_touched"], lines(record)) == (["new.py"], (2, 0, 0, 0, 2))
    if how == "path":
        story.git("reset", "-q")  # the hook staged for this commit only: git's own index is behind
    is_closed(story, session)


@pytest.mark.parametrize(
    ("written", "command"),
    [
        ("a = 'x'\nb = 2\n", 'sed -i "s/\'/\\"/g" old.txt'),
        ("a = 1   \nb = 2\n", "sed -i 's/ *$//' old.txt"),
        ("a = 1\nb = 2", "echo >>old.txt"),
        ("a = 1\nb = 2\n", "sed -i 's/$/\\r/' old.txt"),
        ("a = [1, 2]\nb = 2\n", "sed -i 's/a = .*/a = [\\n    1,\\n    2,\\n]/' old.txt"),
        ("a = [\n    1,\n    2,\n]\n", "printf 'a = [1, 2]\\n' >old.txt"),
    ],
    ids=["quotes", "trailing-space", "final-newline", "line-ends", "split", "join"],
)
@pytest.mark.parametrize("by", ["hook", "editor"])
def test_what_only_differs_in_format_is_the_sessions(
    story: Story, session: Session, written: str, command: str, by: str
) -> None:
    with session.turn("go"):
        session.write("old.txt", written)
    if by == "hook":
        pre_commit(story, command, "git add -u")
    else:
        story.git("-c", f"alias.format=!{command}", "format")
    story.commit("c")
    committed = story.git("cat-file", "-p", "HEAD:old.txt")
    assert committed != written or "\\r" in command  # the tests read line ends as Python does
    assert lines(slot_of(story, session)) == (len(committed.split("\n")) - 1, 0, 0, 0, len(committed.split("\n")) - 1)
    is_closed(story, session)


def test_an_editor_that_formats_on_save_between_turns(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.write("a.py", "def f():\n  return 'x'\n")
    story.write("a.py", 'def f():\n    return "x"\n')
    with session.turn("more"):
        session.write("b.py", "b\n")
    story.commit("c")
    assert lines(slot_of(story, session)) == (3, 0, 0, 0, 3)
    is_closed(story, session)


def test_a_persons_change_beside_the_formatting_is_the_persons(story: Story, session: Session) -> None:
    pre_commit(story, "sed -i 's/^ */    /' old.txt", "git add -u")
    with session.turn("go"):
        session.edit("old.txt", "two\n", "agent 1\nagent 2\nagent 3\n")
    story.write("old.txt", story.read("old.txt").replace("agent 2", "person"))
    story.commit("c")
    assert story.git("show", "HEAD:old.txt") == "".join(
        f"    {line}\n" for line in ("one", "agent 1", "person", "agent 3", "three")
    )
    assert lines(slot_of(story, session)) == (2, 0, 1, 0, 5)  # one and three are the hook's
    is_closed(story, session)


def test_what_else_a_hook_changes_is_nobodys(story: Story, session: Session) -> None:
    pre_commit(story, "for f in new.txt mine.txt; do sed -i '1i licence' $f; git add $f; done")
    with session.turn("go"):
        session.write("new.txt", "agent\n")
    story.write("mine.txt", "person\n")
    story.commit("c")
    record = slot_of(story, session)
    assert (record["files_touched"], lines(record)) == (["new.txt"], (1, 1, 0, 0, 4))
    files = story.linked()["lineage"]["files"]
    assert files["new.txt"]["added"][0] == [1, 1, "nobody"]
    assert files["mine.txt"]["added"] == [[1, 1, "nobody"], [2, 2, "person"]]
    is_closed(story, session)


def test_a_hook_that_rewrites_every_line_leaves_the_file_the_sessions(story: Story, session: Session) -> None:
    pre_commit(story, "tr a-z A-Z <new.txt >other && mv other new.txt", "git add -u")
    with session.turn("go"):
        session.write("new.txt", "agent\n")
    story.commit("c")
    record = slot_of(story, session)
    assert (record["files_touched"], lines(record)) == (["new.txt"], (0, 0, 0, 0, 1))
    is_closed(story, session)


def test_a_hook_that_takes_lines_away_leaves_nothing_open(story: Story, session: Session) -> None:
    pre_commit(story, "sed -i '/unused/d' new.txt", "git add -u")
    with session.turn("go"):
        session.write("new.txt", "unused\nagent\n")
    story.commit("c")
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    is_closed(story, session)


def test_a_person_who_takes_lines_away_leaves_nothing_open(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.edit("old.txt", "two\n", "agent 1\nagent 2\n")
    story.write("old.txt", "one\nagent 1\nthree\n")
    story.commit("c")
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    is_closed(story, session)


def test_the_persons_file_stays_the_persons(story: Story, session: Session) -> None:
    formats_with_black(story)
    with session.turn("go"):
        session.write("agent.py", "def f(a, b):\n  return {'a': a,\n     'b': b}\n")
    story.write("person.py", "def g(a, b):\n  return {'a': a,\n     'b': b}\n")
    story.commit("c")
    assert story.git("show", "HEAD:agent.py") == 'def f(a, b):\n    return {"a": a, "b": b}\n'
    record = slot_of(story, session)
    assert (record["files_touched"], lines(record)) == (["agent.py"], (2, 2, 0, 0, 4))
    is_closed(story, session)


LONG = "result = some_function_name(first_argument_value, second_argument_value, third_argument='three', f=4)"


def test_black_splits_and_joins(story: Story, session: Session) -> None:
    formats_with_black(story)
    with session.turn("go"):
        session.write(
            "a.py",
            f"import sys\nimport os\n\ndef f():\n  x = [1,\n       2]\n  {LONG}\n  return x\ndef g ( ):\n  pass   ",
        )
    story.commit("c")
    total = story.git("show", "HEAD:a.py").count("\n")
    assert total == 14
    assert lines(slot_of(story, session)) == (total, 0, 0, 0, total)
    is_closed(story, session)


def test_the_agent_commits_in_its_turn_and_the_hook_formats(story: Story, session: Session) -> None:
    formats_with_black(story)
    story.write("person.py", "p = 'x'\n")
    with session.turn("go"):
        session.write("agent.py", "a = 'x'\n")
        session.commit("c")
        assert lines(slot_of(story, session)) == (1, 1, 0, 0, 2)
        session.write("later.py", "b = 1\n")
    assert session.state()["files_touched"] == ["later.py"]
    story.commit("d")
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    is_closed(story, session)


def test_the_next_commit_counts_only_its_own_lines(story: Story, session: Session) -> None:
    formats_with_black(story)
    with session.turn("go"):
        session.write("a.py", "a = 'x'\nb = 'y'\n")
    story.commit("c")
    with session.turn("more"):
        session.edit("a.py", 'b = "y"\n', "b = 'z'\nc = 'new'\n")
    story.commit("d")
    assert lines(slot_of(story, session)) == (2, 0, 0, 0, 2)
    story.write("a.py", story.read("a.py") + "d = 'person'\n")
    story.commit("e")
    assert unlinked(story) == ""
    is_closed(story, session)


def test_the_part_that_is_staged_is_formatted(story: Story, session: Session) -> None:
    """As lint-staged does with a file that is staged in part: the rest of it stays as it is in the worktree."""
    story.write("f.txt", "".join(f"line {number}\n" for number in range(20)))
    story.commit("f")
    with session.turn("go"):
        session.edit("f.txt", "line 2\n", "agent 2\n")
        session.edit("f.txt", "line 18\n", "agent 18\n")
    story.git("add", "-p", "f.txt", stdin="y\nn\n")
    pre_commit(
        story,
        "git show :f.txt | sed 's/agent/  agent/' >formatted",
        "git update-index --cacheinfo 100644,$(git hash-object -w formatted),f.txt; rm formatted",
    )
    story.commit("first", add=False)
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    assert session.state()["files_touched"] == ["f.txt"]
    story.commit("rest")
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    assert not session.state().get("files_touched")


def test_a_hook_that_fails_after_formatting(story: Story, session: Session) -> None:
    """As the pre-commit framework does: the first commit fails, the person stages what changed and commits again."""
    formats_with_black(story)
    hook = story.path(".git/hooks/pre-commit")
    hook.write_text(hook.read_text().replace("git add $files", "git diff --quiet"))
    with session.turn("go"):
        session.write("a.py", "a = 'x'\n")
    story.git("add", "-A")
    story.git("commit", "-qm", "c", ok=False)
    story.commit("c")
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    is_closed(story, session)
