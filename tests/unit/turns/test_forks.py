"""A session that begins with another one's history: where its own prompt stands, and whose history it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from entire.model.positions import START, Position
from entire.model.session import Session, SessionAgent, Turn
from entire.redact import Redactor
from entire.store import sessions
from entire.turns import forks

END = Position(count=9)


class Transcript:
    """One with two prompts: the origin's, and the fork's own at record 5."""

    def __init__(self, shared: bool) -> None:
        self._shared = shared

    def shares_answer(self, end: Position) -> bool:
        return self._shared and end != START

    def prompts(self, since: Position, until: Position) -> list[Any]:
        return [SimpleNamespace(id="", text="Write a", position=0), SimpleNamespace(id="", text="Write b", position=5)]

    def at(self, count: int) -> Position:
        return Position(count=count)


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> Session:
    """Return the only other session, whose turn has ended."""
    other = Session("origin", "demo", "Demo")
    other.turn = Turn(id="1", finish=END)
    monkeypatch.setattr(sessions, "recent", lambda place, count: [Session("fork", "demo", "Demo"), other])
    return other


def context(*, shared: bool) -> Any:
    transcripts = SimpleNamespace(of=lambda session: Transcript(shared))
    return SimpleNamespace(place=None, redactor=Redactor(), transcripts=transcripts)


@pytest.mark.parametrize("shared", [True, False])
def test_a_fork_has_an_answer_of_another_session(others: Session, shared: bool) -> None:
    session = Session("fork", "demo", "Demo")
    assert forks.is_fork(context(shared=shared), session, END) is shared
    assert not forks.is_fork(context(shared=shared), session, START), "nothing is there yet"
    others.agent = SessionAgent(name="another")
    assert not forks.is_fork(context(shared=shared), session, END)


@pytest.mark.parametrize(("shared", "start"), [(True, 5), (False, 0)])
def test_a_forks_first_turn_begins_at_its_own_prompt(others: Session, shared: bool, start: int) -> None:
    session = Session("fork", "demo", "Demo")
    transcript: Any = Transcript(shared)
    turn = forks.behind_copied(context(shared=shared), session, transcript, Turn(id="2", prompt="Write b"), END)
    assert (turn.start.count, turn.prompt_position, session.covered.position.count) == (start, start, start)


def test_a_prompt_that_is_not_there_leaves_the_turn_as_it_is(others: Session) -> None:
    session = Session("fork", "demo", "Demo")
    transcript: Any = Transcript(True)
    turn = Turn(id="2", prompt="Write c")
    assert forks.behind_copied(context(shared=True), session, transcript, turn, END) is turn
