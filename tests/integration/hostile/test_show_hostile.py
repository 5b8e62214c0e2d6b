"""``show`` of hostile and broken conversations: nothing commands the terminal, and nothing hangs."""

from __future__ import annotations

import re
import subprocess

import pytest

from entire.model.conversations import ShowRequest
from entire.ui.console import text
from entire.ui.console.text import Style
from entire.ui.console.wrapping import width
from entire.ui.screens.shown import Form, Printer
from entire.workspace import Workspace
from tests.integration.shown import Shown, show
from tests.integration.story import Session, Story

__all__ = ["show"]

EVIL = "\x1b]0;t\x07\x9b31m\u202e \r\x1b[2J &#27;[31m"
COMMANDS = re.compile("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202e]|\x1b(?!\\[[0-9;]*m)")
GARBAGE = b'\xff\xfe {"type": \n{"type":"user","message":{"role":"user","content":' + b"[" * 50_000 + (
    b'\n\0\0\n{"type":"assistant","message":5}\n[]\n"x"\n{"half": ')  # fmt: skip


@pytest.fixture
def session(story: Story) -> Session:
    session = story.started()
    session.prompt("do " + EVIL)
    session.answer({"type": "text", "text": f"# {EVIL}\n\n```\n{EVIL}\n```\n[l](http://x/{EVIL})\n|a|\n|-|\n|{EVIL}|"})
    session.answer({"type": "text", "text": "word " * 200_000})
    session.answer({"type": "text", "text": "\n".join("> " * depth + "q" for depth in range(200))})
    with session.shell(f"cat {EVIL}\n" + "y" * 5_000) as output:
        output.append("".join(map(chr, range(256))) * 500 + "\n" * 3_000 + "Exit code 3")
    session.tool("Edit", {"file_path": f"/a\n{EVIL}", "old_string": "a\n" * 9_000, "new_string": "b\n" * 9_000}, {})
    session.tool("Write", {"file_path": 5, "content": ["x"]}, {})
    with session.file.open("ab") as file:
        file.write(GARBAGE)
    story.write("evil\x1b[31m\n.txt", "x\n")
    session.stop()
    return session


@pytest.mark.parametrize("columns", [0, 40, 160])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("is_uncommitted", [False, True])
def test_only_colours_reach_the_terminal(
    story: Story, session: Session, columns: int, full: bool, is_uncommitted: bool
) -> None:  # fmt: skip
    request = ShowRequest(name=session.id, is_uncommitted=is_uncommitted)
    view = Workspace.find(story.root).history.show(request)
    lines = list(Printer(Form(is_full=full), Style(True), columns).lines(view))
    lines = [text.shown(line, in_colour=True) for line in lines]
    assert [line for line in lines if COMMANDS.search(line)] == []
    plain = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in lines]
    assert not columns or max(map(width, plain)) <= columns
    assert sum(map(len, plain)) < (2_000_000 if full else 100_000)
    rest = "(--full --json shows all)" if full else "(--full shows all)"
    assert rest in " ".join(" ".join(plain).split())


def test_json_and_plain_output_of_it(story: Story, session: Session, show: Shown) -> None:
    assert not COMMANDS.search(show(session.id, "--full", "--json").replace("\t", ""))
    story.commit("Evil")
    for args in (["HEAD"], ["HEAD", "--full"], ["HEAD", "--short"]):
        assert not COMMANDS.search(show(*args))
    assert not COMMANDS.search(show("HEAD", "--full", command="explain"))


def test_a_transcript_that_git_lacks(story: Story, show: Shown) -> None:
    session = story.started()
    with session.turn("Write"):
        session.write("a.py", "a\n")
    story.commit("A")
    folder = f"entire/checkpoints/v1:{story.ids()[0].path}/0"
    oid = story.git("rev-parse", f"{folder}/full.jsonl").strip()
    leave_out(story, oid)
    shown, error = show.incomplete("HEAD")
    assert f"is missing in git (object {oid})" in shown
    assert f"is missing in git (object {oid})\nhint: if a remote has it" in error
    assert "  Write\n" in shown
    assert show(session.id, "--short").startswith(f"Session {session.id}")


def leave_out(story: Story, oid: str) -> None:
    """Make git lose one object: unpack all objects, and remove its file."""
    packs = list((story.root / ".git/objects/pack").glob("*.pack"))
    for pack in packs:
        moved = story.root.parent / pack.name
        pack.rename(moved)
        pack.with_suffix(".idx").unlink()
        with moved.open("rb") as data:
            subprocess.run(["git", "unpack-objects", "-q"], cwd=story.root, stdin=data, check=True)
    (story.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
