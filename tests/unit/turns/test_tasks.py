"""Which task an event means."""

from __future__ import annotations

from typing import Any

import pytest

from entire.model.events import Event, EventType
from entire.model.session import Session, SubagentTask, Turn
from entire.model.transcripts import Subagent
from entire.redact import Redactor
from entire.turns import tasks


def session(**known: SubagentTask) -> Session:
    made = Session("s")
    made.turn = Turn(id="1" * 12, started=100.0)
    made.tasks = known
    return made


def task(
    *, started: float = 101.0, done: float = 0.0, subagent: str = "", kind: str = "", ref: str = ""
) -> SubagentTask:
    made = SubagentTask(started=started, subagent=subagent, kind=kind, ref=ref)
    made.done = done
    return made


def ended(known: Session, **event: Any) -> str:
    return tasks.ended_by(known, Event(type=EventType.SUBAGENT_END, session_id="s", **event))


def started(known: Session, **event: Any) -> str:
    return tasks.started_by(known, Event(type=EventType.SUBAGENT_START, session_id="s", **event))


def test_new_names_are_numbered_in_their_turn() -> None:
    known = session()
    first = started(known)
    known.tasks[first] = task()
    second = started(known)
    assert first != second
    assert (first[:10], second[:10]) == ("unnamed-1-", "unnamed-2-")
    assert started(session()) == first, "the same events give the same name"
    known.turn = Turn(id="2" * 12, started=200.0)
    assert started(known) not in (first, second)
    known.turn = None
    assert started(known)[:10] == "unnamed-1-"


@pytest.mark.parametrize(
    ("event", "name"),
    [
        ({}, "new"),
        ({"subagent_type": "Plan"}, "new"),
        ({"subagent_type": "Explore"}, "explore"),
        ({"subagent_id": "h1"}, "named"),
        ({"subagent_id": "h9"}, "new"),
        ({"tool_use_id": "explore"}, "explore"),
        ({"tool_use_id": "other"}, "other"),
        ({"tool_use_id": "other", "subagent_id": "h1"}, "other"),
    ],
)
def test_an_end_without_a_known_id_means_the_first_that_fits(event: dict[str, Any], name: str) -> None:
    known = session(
        left=task(started=50.0),
        done=task(done=102.0),
        new=task(),
        explore=task(kind="Explore"),
        named=task(subagent="h1"),
    )
    assert ended(known, **event) == name


def test_an_older_task_is_the_last_choice() -> None:
    assert ended(session(left=task(started=50.0))) == "left"
    assert ended(session(left=task(started=50.0), new=task(kind="Plan")), subagent_type="Explore") == "left"


def test_an_end_that_fits_nothing() -> None:
    assert ended(session()) == ""
    assert ended(session(), subagent_id="h1") == "h1"
    assert ended(session(), subagent_type="Explore").startswith("unnamed-1-")
    assert ended(session(done=task(done=102.0, kind="Explore")), subagent_type="Explore") == "", "reported twice"
    assert ended(session(done=task(done=102.0, ref="/a")), subagent_ref="/b").startswith("unnamed-1-")


def test_the_transcript_completes_tasks_by_call_id_place_and_order() -> None:
    known = session(call=task(), h1=task(subagent="h1"), at=task(ref="/at"), **{"unnamed-1-x": task(), "other": task()})
    found = [
        Subagent(id="a", tool_use_id="call", session_ref="/a", type="T", description="d" * 300),
        Subagent(id="h1", session_ref="/h1"),
        Subagent(id="b", session_ref="/at"),
        Subagent(id="c", tool_use_id="unknown", session_ref="/c"),
        Subagent(id="d", tool_use_id="unknown too", session_ref="/d"),
    ]
    assert tasks.has_unnamed(known)
    tasks.identify(known, found, Redactor())
    tasks.identify(known, found, Redactor())
    assert {name: (task.subagent, task.ref) for name, task in known.tasks.items()} == {
        "call": ("a", "/a"),
        "h1": ("h1", "/h1"),
        "at": ("b", "/at"),
        "unnamed-1-x": ("c", "/c"),
        "other": ("", ""),
    }
    assert (known.tasks["call"].type, len(known.tasks["call"].description)) == ("T", 200)
