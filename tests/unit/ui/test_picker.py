"""Choosing on a real terminal: keys, search, marks, previews, sizes, and a terminal that is as before afterwards."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator

import pytest

from tests.screen import Screen

PICK = """
import sys, time
from entire.errors import EntireError
from entire.ui.console import prompts

def preview(number):
    if number == 2:
        raise EntireError("no preview of this one")
    if number == 3:
        raise RuntimeError("a bug")
    if number == 4:
        print("working", file=sys.stderr, flush=True)
        time.sleep(120)
    yield f"<preview {number}>", ""
    yield "a\\tb", "cyan"
    yield from ((f"line {n}", "") for n in range(50))

words = ["alpha", "beta", "gamma", "delta", "epsilon 日本語"]
rows = lambda width: [(word + " " + "." * max(0, width - 10), "") for word in words]
print(prompts.pick("Which one?", words, rows, preview))
"""

CHOOSE = """
from entire.ui.console import prompts
options = [("ada", "Ada: \\033[2Jfirst"), ("bob", "Bob: second"), ("cleo", "Cleo: third")]
print(prompts.choose("Which agents?", options, preset=["bob"]))
"""


@pytest.fixture
def screen(request: pytest.FixtureRequest) -> Iterator[Screen]:
    program, env = getattr(request, "param", (PICK, {}))
    found = Screen(program, env)
    yield found
    found.close()


def colours(screen: Screen) -> set[str]:
    return set(re.findall(r"\033\[([0-9;]*)m", screen.seen)) - {"0", ""}


# ---------------------------------------------------------------- one line


def test_choosing(screen: Screen) -> None:
    screen.wait_for("Which one.*> alpha.*1/5")
    screen.type("\033[B\033OB")
    assert screen.wait_for("> gamma.*3/5").count("alpha") == 1
    screen.type("k\r")
    assert screen.end() == "1"
    assert screen.is_as_before()
    assert screen.shown.strip() == ""  # the list is gone
    assert colours(screen) == {"0;1", "0;2"}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("jj\033[Ak\r", "0"),
        ("\033[F\r", "4"),
        ("Gj\x10\r", "3"),
        ("\033[4~\033[H\x0e\r", "1"),
        ("\033[6~\r", "4"),
        ("G\033[5~\r", "0"),
        ("\x06\x02\r", "0"),
        ("/eta\r\r", "1"),
        ("/zz\r\r\033j\r", "1"),  # Enter does not choose from an empty list, Esc shows all again
        ("/zz\x08\x08\x15delt\r\r", "3"),
        ("/a\033[B\r\r", "1"),  # arrows move in a search too
        ("/日本\r\r", "4"),
        ("\033[200~jj\033[201~\r", "0"),  # pasted text is not a command
        ("\x1a\x1c\x13\x11j\r", "1"),  # Ctrl-Z, Ctrl-\ and Ctrl-S would leave a broken terminal
        ("\033[1;5P\0?j\r", "1"),  # keys without a meaning here
    ],
)
def test_keys(screen: Screen, keys: str, expected: str) -> None:
    screen.wait_for("1/5")
    for key in re.findall(r"\033\[200~.*?\033\[201~|\033\[[0-9;]*[A-Za-z~]|\033(?=j)|.", keys, re.DOTALL):
        screen.type(key)
        if key == "\033":
            screen.wait_for("1/5   ↑↓ move")
    assert screen.end() == expected
    assert screen.is_as_before()


@pytest.mark.parametrize("keys", ["q", "\033", "\x04", "/x\x04"])
def test_leaving(screen: Screen, keys: str) -> None:
    screen.wait_for("1/5")
    screen.type(keys)
    assert screen.end() == "None"
    assert screen.is_as_before()


def test_a_search_is_left_before_the_list(screen: Screen) -> None:
    screen.wait_for("1/5")
    screen.type("/q")
    screen.wait_for("nothing matches.*/q.*0/0   type to search")
    screen.type("\x7fe")
    screen.wait_for("> beta.*delta.*epsilon.*/e\n1/3")
    screen.type("\r")
    screen.wait_for("1/3   ↑↓ move")
    screen.type("\033")
    screen.wait_for("> beta.*2/5   ↑↓ move")
    screen.type("\033")
    assert screen.end() == "None"


def test_previewing(screen: Screen) -> None:
    screen.wait_for("1/5")
    screen.type("jd")
    screen.wait_for("> beta.*\n─+\n<preview 1>\na   b\nline 0\nline 1\nline 2\nline 3\n... and 46 more lines\n2/5")
    screen.type("j")
    screen.wait_for("> gamma.*no preview of this one.*3/5")
    screen.type(" ")
    screen.wait_for("alpha.*> gamma.*delta.*epsilon.*3/5")
    screen.type("\r")
    assert screen.end() == "2"


def test_a_bug_in_a_preview_leaves_a_whole_terminal(screen: Screen) -> None:
    screen.wait_for("1/5")
    screen.type("Gkd")
    assert screen.end() == ""
    assert screen.process.returncode == 1
    assert "RuntimeError: a bug" in screen.shown
    assert screen.is_as_before()


# ---------------------------------------------------------------- several lines


@pytest.mark.parametrize("screen", [(CHOOSE, {})], indirect=True)
def test_marking(screen: Screen) -> None:
    screen.wait_for(r"agents\?\n> \[ \] ada .*\n  \[x\] bob .*\n  \[ \] cleo .*\n1/3   .*space mark")
    assert "first" in screen.shown
    assert "\033[2J" not in screen.seen  # what a name says is not a command
    screen.type(" j ")
    screen.wait_for(r"  \[x\] ada.*\n> \[ \] bob")
    screen.type("j \r")
    assert screen.end() == "['ada', 'cleo']"
    assert screen.is_as_before()
    assert screen.shown.strip() == ""


@pytest.mark.parametrize("screen", [(CHOOSE, {})], indirect=True)
def test_what_is_preset_is_accepted_at_once(screen: Screen) -> None:
    screen.wait_for("1/3")
    screen.type("\r")
    assert screen.end() == "['bob']"


@pytest.mark.parametrize("screen", [(CHOOSE, {})], indirect=True)
def test_at_least_one_is_marked(screen: Screen) -> None:
    screen.wait_for("1/3")
    screen.type("j \r")
    screen.wait_for(r"\[ \] ada.*> \[ \] bob.*\[ \] cleo.*mark at lea")
    screen.type("/cleo\r \r")
    assert screen.end() == "['cleo']"


@pytest.mark.parametrize("screen", [(CHOOSE, {})], indirect=True)
@pytest.mark.parametrize("keys", ["q", "\033", "\x04"])
def test_leaving_marks_aborts(screen: Screen, keys: str) -> None:
    screen.wait_for("1/3")
    screen.type(keys)
    assert screen.end() == ""
    assert "Abort" in screen.shown
    assert screen.is_as_before()


# ---------------------------------------------------------------- signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("is_working", [False, True])
def test_being_ended(screen: Screen, number: signal.Signals, is_working: bool) -> None:
    """Also in the middle of a slow preview, where no key is read."""
    screen.wait_for("1/5")
    if is_working:
        screen.type("Gd")
        screen.wait_for("working")
    if number == signal.SIGINT:
        screen.type("\x03")
    else:
        os.kill(screen.process.pid, number)
    screen.end()
    assert screen.process.returncode in ((-number, 1, 130) if number == signal.SIGINT else (-number,))
    assert screen.is_as_before(), (screen.seen[-60:], termios.tcgetattr(screen.slave) == screen.before)


def test_a_terminal_that_goes_away() -> None:
    screen = Screen(PICK, {})
    screen.wait_for("1/5")
    os.close(screen.master)
    assert screen.process.communicate(timeout=60)[0] in ("None\n", "")  # left, or ended by SIGHUP
    os.close(screen.slave)


# ---------------------------------------------------------------- sizes and kinds of terminals


@pytest.mark.parametrize("screen", [(PICK.replace("number == 3", "False"), {})], indirect=True)
def test_another_size(screen: Screen) -> None:
    """Every line has a preview here: it comes whenever the machine has taken its time over a size."""
    screen.wait_for("1/5")
    screen.type("d")
    screen.wait_for("<preview 0>")
    termios.tcsetwinsize(screen.slave, (24, 60))
    screen.wait_for("> alpha " + r"\." * 47 + "\n")
    screen.type("Gk")
    for rows, columns in ((8, 30), (4, 12), (2, 10), (1, 9), (3, 2), (30, 100)):
        termios.tcsetwinsize(screen.slave, (rows, columns))
        line = re.escape(f"> delta {'.' * (columns - 13)}"[:columns].rstrip())
        screen.wait_for(rf"\A(?=(.*\n)?{line}(\n|\Z))[^\n]*(\n[^\n]*){{0,{rows - 1}}}\Z")
    screen.type("\r")
    assert screen.end() == "3"
    assert screen.is_as_before()


LONG = """
from entire.ui.console import prompts
words = [f"line {n}" for n in range(5000)]
print(prompts.pick("Which one?", words, lambda _: [(word, "") for word in words], lambda _: []))
"""


@pytest.mark.parametrize("screen", [(LONG, {})], indirect=True)
def test_a_long_list_follows_the_highlighted_line(screen: Screen) -> None:
    screen.wait_for("> line 0\n")
    screen.type("\033[6~\033[6~")
    screen.wait_for("> line 20\n.*21/5000")
    screen.type("G")
    assert "line 4980" not in screen.wait_for("line 4998\n> line 4999\n5000/5000")
    screen.type("/ 77\033[B\r\r")
    assert screen.end() == "177"


@pytest.mark.parametrize("screen", [(PICK, {"NO_COLOR": "1"})], indirect=True)
def test_without_colours(screen: Screen) -> None:
    screen.wait_for("> alpha.*1/5")
    screen.type("d")
    screen.wait_for("<preview 0>")
    screen.type("j\r")
    assert screen.end() == "1"
    assert colours(screen) == set()


PLAIN = [(program, env) for program in (PICK, CHOOSE) for env in ({"TERM": "dumb"}, {"ACCESSIBLE": "1"})]


@pytest.mark.parametrize("screen", PLAIN, indirect=True)
def test_plain_lines_on_a_terminal(screen: Screen) -> None:
    screen.wait_for("Which.*1\\).*2\\).*3\\).*Number")
    assert screen.seen.count("\033") == screen.seen.count("\033[2J")
    assert termios.tcgetattr(screen.slave) == screen.before
    screen.type("2\r")
    assert screen.end() in ("1", "['bob']")


def test_the_library_is_loaded_only_to_draw() -> None:
    code = "import sys; from entire.commands import enable, rewind; print('prompt_toolkit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
