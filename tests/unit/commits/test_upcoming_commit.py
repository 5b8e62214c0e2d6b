"""Whose commit it is, where plugins say by which variables their agents' programs are recognised."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from entire.commits import upcoming_commit
from entire.model.events import EventType, GitEvent
from entire.model.session import Connection, Session

EVENT = GitEvent(type=EventType.PREPARE_COMMIT)


def maker(*sessions: Session) -> str:
    context: Any = SimpleNamespace(running=lambda: list(sessions))
    return upcoming_commit.committing_session(context, EVENT, [])


def session(name: str, *variables: str) -> Session:
    made = Session(name)
    made.connection = Connection(caller_variables=list(variables))
    return made


@pytest.fixture(autouse=True)
def _variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_AGENT", "s-2")
    monkeypatch.setenv("X_EMPTY", "")


def test_a_variable_that_is_set_names_the_one_session_of_its_agent() -> None:
    assert maker(session("s-1"), session("s-3", "X_EMPTY"), session("s-4", "X_AGENT")) == "s-4"


def test_of_several_sessions_the_one_that_its_value_names_commits() -> None:
    assert maker(session("s-1", "X_AGENT"), session("s-2", "X_AGENT")) == "s-2"


def test_a_variable_of_several_sessions_that_names_none_of_them_says_nothing() -> None:
    assert maker(session("s-1", "X_AGENT"), session("s-3", "X_AGENT")) == ""
