"""Events: the numbers are those of the external agent protocol, everything but type and session has a default."""

from __future__ import annotations

from entire.model.events import Event, EventType, GitEvent


def test_the_numbers_of_the_protocol() -> None:
    assert {kind.name: kind.value for kind in EventType if kind.value <= 7} == {
        "SESSION_START": 1,
        "TURN_START": 2,
        "TURN_END": 3,
        "COMPACTION": 4,
        "SESSION_END": 5,
        "SUBAGENT_START": 6,
        "SUBAGENT_END": 7,
    }


def test_an_event_needs_a_type_and_a_session_and_has_the_fields_of_the_plan() -> None:
    event = Event(type=EventType.TURN_START, session_id="s")
    assert event.metadata == {}
    assert {name for name in Event._fields if getattr(event, name) in ("", 0.0, {}, ())} >= {
        "previous_session_id",
        "session_ref",
        "prompt",
        "model",
        "timestamp",
        "tool_use_id",
        "subagent_id",
        "tool_input",
        "subagent_type",
        "task_description",
        "response_message",
        "metadata",
    }


def test_an_event_of_git_needs_a_type_only() -> None:
    event = GitEvent(type=EventType.GIT_COMMIT)
    assert {name for name in GitEvent._fields if getattr(event, name) in ("", {}, ())} == set(GitEvent._fields) - {
        "type"
    }
