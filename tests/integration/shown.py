"""``entire show`` in a story's repository."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.story import Session, Story


class Shown:
    """The command in a story's repository."""

    def __init__(self, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
        self.story = story
        self._capsys = capsys

    def __call__(self, *args: str, command: str = "show") -> str:
        out, err = self.noted(*args, command=command)
        assert err == "", args
        return out

    def noted(self, *args: str, command: str) -> tuple[str, str]:
        """Return what is shown, and the note beside it."""
        self._capsys.readouterr()
        status = self.story.entire(command, *args)
        out, err = self._capsys.readouterr()
        assert status == 0, (args, err)
        return out, err

    def printed(self) -> str:
        return self._capsys.readouterr().out

    def json(self, *args: str, command: str = "show") -> Any:
        return json.loads(self(*args, "--json", command=command))

    def incomplete(self, *args: str) -> tuple[str, str]:
        """Return what is shown, and the error about what is missing of it."""
        self._capsys.readouterr()
        assert self.story.entire("show", *args) == 1
        out, err = self._capsys.readouterr()
        return out, err

    def error(self, *args: str, status: int = 1) -> str:
        self._capsys.readouterr()
        assert self.story.entire("show", *args) == status
        out, err = self._capsys.readouterr()
        assert out == ""
        return err


@pytest.fixture
def show(story: Story, capsys: pytest.CaptureFixture[str]) -> Shown:
    return Shown(story, capsys)


def begun(story: Story) -> Session:
    """Return a session with two turns that are committed, and a third that is running."""
    session = story.started()
    with session.turn("Add a greeting"):
        session.write("hello.py", "print('hi')\nprint('there')\n")
        with session.shell("pytest -q") as output:
            output.append("collected 1\nE assert 0\nExit code 1\n")
    story.commit("Greet")
    with session.turn("Say hello"):
        session.edit("hello.py", "'hi'", "'hello'")
    story.commit("Say hello")
    session.prompt("And now the rest")
    session.write("rest.py", "rest\n")
    return session
