"""``entire undo``: the last change of any command, in one list and by one command."""

from __future__ import annotations

import json

import pytest

from tests.integration.commandline import Command
from tests.integration.kept import PERSON
from tests.integration.story import Story


@pytest.fixture
def undo(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(story, capsys, "undo")


def test_without_a_change_there_is_nothing_to_undo(undo: Command) -> None:
    assert "nothing to undo" in undo("--list")
    assert json.loads(undo("--list", "--json")) == []
    undo("--yes", status=1)
    assert "nothing to undo" in undo.err


def test_the_last_change_is_undone_whatever_made_it(
    story: Story, capsys: pytest.CaptureFixture[str], undo: Command
) -> None:
    session = story.session()
    session.start()
    with session.turn("Write a.py"):
        session.write("a.py", "one = 1\n")
    with session.turn("Write more"):
        session.write("a.py", "one = 2\n")
    rewind, reset = Command(story, capsys, "rewind"), Command(story, capsys, "reset")
    points = json.loads(rewind("--list"))
    rewind("--to", points[-1]["id"], "--force", "--yes")
    assert story.read("a.py") == "one = 1\n"
    reset("-f")
    listed = json.loads(undo("--list", "--json"))
    assert [(change["command"], change["can_undo"]) for change in listed] == [("reset", True), ("rewind", True)]
    assert "reset of the steps on" in undo("--list")
    undo(status=2)
    assert "needs your confirmation" in undo.err

    told = json.loads(undo("--yes", "--json"))
    assert (told["command"], told["undone"]) == ("reset", listed[0]["id"])
    after = json.loads(undo("--list", "--json"))
    assert [(change["command"], change["is_undone"], change["can_undo"]) for change in after] == [
        ("reset", True, False),
        ("rewind", False, True),
    ], "an undo of a reset is not a change to undo"
    assert "Undone: rewind to" in undo(listed[1]["id"], "--force", "--yes")
    assert story.read("a.py") == "one = 2\n"
    for name, why in ((listed[0]["id"], "it was undone"), ("zzz", "no such change"), ("20", "several changes")):
        undo(name, "--yes", status=1)
        assert why in undo.err
    undo("--list", "--yes", status=2)
    assert "--list can only be combined with --json" in undo.err
    assert story.log_errors() == []


def test_an_undone_rewind_can_be_done_again(story: Story, capsys: pytest.CaptureFixture[str], undo: Command) -> None:
    (story.root / "a.py").write_text("one = 1\n")
    story.commit("First", env=PERSON)
    session = story.session()
    session.start()
    with session.turn("Change it"):
        session.write("a.py", "one = 2\n")
    Command(story, capsys, "rewind")("--before-last-prompt", "--force", "--yes")
    assert story.read("a.py") == "one = 1\n"
    undo("--force", "--yes")
    assert story.read("a.py") == "one = 2\n"
    undo("--force", "--yes")
    assert story.read("a.py") == "one = 1\n"
