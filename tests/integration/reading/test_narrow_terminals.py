"""A terminal of 40 columns: no line of a list, a sentence or a question is longer, whatever it names."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from entire.ui.console import prompts
from tests.integration.story import Story

COLUMNS = 40
COLOUR = re.compile("\033\\[[0-9;]*m")
FILE = "目录名称很长的文件夹/问候语文件名非常非常长的模块 with words.py"
PROMPT = "请写一个函数 that greets 世界上所有的人, 并且用许多不同的语言说你好 🎉🎉🎉, in as few words as possible"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Wide names: a commit with a session, one by a person, and a turn that is not committed."""
    story = Story(tmp_path_factory.mktemp("narrow") / "repo")
    session = story.started()
    with session.turn(PROMPT):
        session.write(FILE, "问候 = '你好, 世界! 这一行很长很长很长很长很长很长很长很长很长很长很长很长'\n" * 3)
    story.commit("加入问候语函数, so that 所有人都能听到, which is a long 提交标题")
    story.write("mine.py", "手写的一行\n" * 3)
    story.git("add", "-A")
    story.git("commit", "-q", "--author", "艾达·洛夫莱斯 of a long name <a@b>", "-m", "By hand 手写")
    with session.turn("未提交的工作, 一个很长很长的提示, 需要换行才能显示完整的内容"):
        session.write("未提交的文件 with a name of some words.py", "y = '很长'\n")
    return story


def shown(story: Story, monkeypatch: pytest.MonkeyPatch, *args: str) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("TERM", "xterm")
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, Terminal())
    story.entire(*args)
    assert isinstance(sys.stdout, Terminal)
    return COLOUR.sub("", sys.stdout.getvalue()).splitlines()


@pytest.mark.parametrize(
    "command",
    [
        "log --no-pager", "log -p --no-pager", "explain --no-pager", "explain --limit 1 --no-pager",
        "explain HEAD~1 --no-pager", "show HEAD~1 --no-pager", "show --uncommitted --no-pager",
        "why --uncommitted --no-pager", "search 问候", "status", "status --detailed", "doctor", "clean", "clean --all",
        "reset --dry-run", "link HEAD~1 --dry-run", "link HEAD --dry-run --session S", "unlink HEAD~1 --dry-run",
        "unlink HEAD --dry-run", "plugin list", "help", "link --help",
    ],
)  # fmt: skip
def test_every_line_fits(story: Story, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    (session,) = (path.stem for path in Path(story.root, ".git/entire/sessions").glob("*.json"))
    lines = shown(story, monkeypatch, *(session if word == "S" else word for word in command.split()))
    assert lines
    assert [line for line in lines if cell_len(line) > COLUMNS] == []


@pytest.mark.parametrize("lines", ["", ":1", ":1-2"])
def test_the_owners_of_lines_fit(story: Story, monkeypatch: pytest.MonkeyPatch, lines: str) -> None:
    found = shown(story, monkeypatch, "why", FILE + lines, "--no-pager")
    assert found
    assert [line for line in found if cell_len(line) > COLUMNS] == []


def test_the_columns_of_blame_leave_room_for_the_lines(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (FILE, "mine.py"):
        for line in shown(story, monkeypatch, "blame", name, "--no-pager"):
            assert cell_len(line.partition(") ")[0]) < COLUMNS - 2


def test_questions_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert prompts.confirm("Push checkpoints (prompts and transcripts) to your remote with every `git push`?")
    assert screen.getvalue() == (
        "Push checkpoints (prompts and\ntranscripts) to your remote with\nevery `git push`? [y/N] "
    )
