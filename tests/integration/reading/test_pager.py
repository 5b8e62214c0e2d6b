"""A terminal shows the same colours with the pager as without: through the real ``less``, where there is one, and
through pagers of our own.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import termios
from pathlib import Path

import pytest

from tests.forks import BIN
from tests.integration.story import Story

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
OTHER = re.compile(r"\x1b\[\??[0-9;]*[A-Za-ln-z]|\x1b[=>]|\r|\x07")
# A program that shows what it reads, and as ``less`` does, the codes of colours only if it is told to.
PLAIN = "import sys\nsys.stdout.write(sys.stdin.read())\n"
LIKE_LESS = """import os, sys
raw = "R" in os.environ.get("LESS", "") + "".join(sys.argv[1:])
text = sys.stdin.read()
sys.stdout.write(text if raw else text.replace("\\x1b", "ESC"))
"""
COMMANDS = (("log",), ("show", "HEAD"), ("why", "a.py"), ("blame", "a.py"))


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    story = Story(tmp_path_factory.mktemp("paged") / "repo")
    session = story.started()
    with session.turn("Write a"):
        session.write("a.py", "a = 1\nb = 2\n")
    story.commit("Add a")
    return story


def pager(folder: Path, name: str, program: str = PLAIN) -> str:
    path = folder / name
    path.write_text(f"#!{BIN}/python\n{program}")
    path.chmod(0o755)
    return str(path)


def on_a_terminal(story: Story, *words: str, **env: str) -> str:
    """Run a command on a pseudo-terminal; return what the terminal got, but what moves its cursor."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (100, 100))
    whole = {name: value for name, value in story.env.items() if name not in ("LESS", "PAGER", "GIT_PAGER", "NO_COLOR")}
    child = subprocess.Popen([str(BIN / "entire"), *words], cwd=story.root, stdin=slave, stdout=slave, stderr=slave,
                             env={**whole, "TERM": "xterm", **env}, start_new_session=True)  # fmt: skip
    os.close(slave)
    seen = b""
    try:
        while data := os.read(master, 65536):
            seen += data
    except OSError:  # the last program has closed the terminal
        pass
    finally:
        os.close(master)
    assert child.wait(timeout=60) == 0, seen
    return OTHER.sub("", seen.decode())


def cells(seen: str) -> list[tuple[str, str]]:
    """Return each visible character with the colour that it has."""
    found, colour = [], ""
    for number, part in enumerate(re.split(f"({COLOUR.pattern})", seen)):
        if number % 2:
            colour = "" if part in ("\x1b[0m", "\x1b[m") else colour + part
        else:
            found += [(char, colour) for char in part if not char.isspace()]
    return found


REAL = ["less", "pager"] if shutil.which("less") else []


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("name", ["own", "like less", *REAL])
def test_the_pager_shows_the_colours_of_the_terminal(
    story: Story, tmp_path: Path, words: tuple[str, ...], name: str
) -> None:
    program = {"own": pager(tmp_path, "own"), "like less": pager(tmp_path, "less", LIKE_LESS), "less": "less"}.get(name)
    if program is None:
        program = str(tmp_path / "pager")
        os.symlink(str(shutil.which("less")), program)  # as Debian names it
    direct = on_a_terminal(story, *words, "--no-pager")
    assert COLOUR.search(direct) or words[0] == "blame", "blame has no colours, as git's"
    assert cells(on_a_terminal(story, *words, GIT_PAGER=program)) == cells(direct)


@pytest.mark.parametrize(
    ("options", "arguments", "in_colour"),
    [("-R", "", True), ("R", "", True), ("-i", "", False), ("", "", False), ("-i", " -R", True), ("iMFX", "", False),
     ("", " --RAW-CONTROL-CHARS", True), ("--quit-if-one-screen", "", False)],
)  # fmt: skip
def test_who_wants_no_colours_in_less_gets_none(
    story: Story, tmp_path: Path, options: str, arguments: str, in_colour: bool
) -> None:
    less = pager(tmp_path, "less", LIKE_LESS)
    seen = on_a_terminal(story, "log", GIT_PAGER=less + arguments, LESS=options)
    assert ("ESC" in seen, bool(COLOUR.search(seen))) == (False, in_colour)


def test_no_color_is_heard(story: Story, tmp_path: Path) -> None:
    assert not COLOUR.search(on_a_terminal(story, "log", GIT_PAGER=pager(tmp_path, "own"), NO_COLOR="1"))
