"""The agent of a session is started in the worktree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from entire import process
from entire.errors import EntireError
from entire.model.views.resumes import ResumedView
from entire.resume import start


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Sequence[str], str]]:
    found: list[tuple[Sequence[str], str]] = []
    monkeypatch.setattr(process, "become", lambda words, folder: found.append((words, folder)))
    return found


def view(session_id: str, command: str) -> ResumedView:
    return ResumedView(session_id=session_id, agent="Parrot", command=command)


def test_the_last_session_is_continued(started: list[tuple[Sequence[str], str]]) -> None:
    start.start("/top", [view("a", "parrot -r a"), view("b", "parrot -r 'b c'")])
    assert started == [(["parrot", "-r", "b c"], "/top")]


@pytest.mark.parametrize("command", ["", "parrot 'b", "./parrot b", "parrot\nb"])
def test_without_a_command_nothing_is_started(started: list[tuple[Sequence[str], str]], command: str) -> None:
    with pytest.raises(EntireError, match="the agent names no command that continues session b"):
        start.start("/top", [view("b", command)])
    assert started == []


def test_without_a_session_nothing_is_started(started: list[tuple[Sequence[str], str]]) -> None:
    with pytest.raises(EntireError, match="there is no session to start"):
        start.start("/top", [])
    assert started == []
