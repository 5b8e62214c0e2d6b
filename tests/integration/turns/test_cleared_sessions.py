"""Which session continues after a conversation was cleared."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.agents.test_bare_agent import Bared
from tests.integration.turns.test_agent_events import own_state, pids, played

__all__ = ["pids", "played"]


def as_session(played: Bared, session_id: str, verb: str, **more: object) -> None:
    played.hook(verb, session_id=session_id, session_ref="", **more)


def previous(played: Bared, session_id: str) -> str:
    return str(own_state(played, session_id)["metadata"].get("previous_session_id", ""))


def test_a_cleared_session_continues_in_the_next(played: Bared) -> None:
    """The agent names no turn; an end may be reported twice, also after the start."""
    as_session(played, "old", "turn-start", prompt="Hello")
    as_session(played, "old", "turn-end")
    for number in range(3):
        before, after = ("old", *"abc")[number : number + 2]
        for verb, name in (("end", before), ("end", before), ("start", after), ("end", before), ("start", after)):
            as_session(played, name, f"session-{verb}", is_clearing=True)
        assert previous(played, after) == before
    assert previous(played, "old") == ""
    assert played.story.log_errors() == []


def test_sessions_cleared_at_the_same_time_are_told_apart_by_their_process(played: Bared, pids: list[int]) -> None:
    for name, pid in zip("ab", pids, strict=False):
        as_session(played, name, "turn-start", prompt="Hello", pid=pid)
    for verb, names in (("end", "ab"), ("start", "dc")):
        for name, pid in zip(names, pids if verb == "end" else pids[1::-1], strict=False):
            as_session(played, name, f"session-{verb}", is_clearing=True, pid=pid)
    assert [previous(played, name) for name in "cd"] == ["a", "b"]


def test_sessions_cleared_at_the_same_time_are_told_apart_by_their_turn(played: Bared) -> None:
    for verb, names in (("end", "ab"), ("start", "dc")):
        for name in names:
            as_session(played, name, f"session-{verb}", is_clearing=True, turn_ref="1" if name in "ac" else "2")
    assert [previous(played, name) for name in "cd"] == ["a", "b"]


@pytest.mark.parametrize(
    ("ends", "start"),
    [
        ([{"session_id": "a"}], {"pid": 1}),  # another agent runs
        ([{"session_id": "a", "is_clearing": False}], {}),
        ([{"session_id": "a", "turn_ref": "1"}], {"turn_ref": "2"}),
        ([{"session_id": "a"}, {"session_id": "b"}], {}),
        ([{"session_id": "a"}], {"is_clearing": False}),
    ],
)
def test_what_is_not_certain_is_not_linked(
    played: Bared, pids: list[int], ends: list[dict[str, Any]], start: dict[str, Any]
) -> None:
    for end in ends:
        as_session(played, verb="session-end", **{"is_clearing": True, "pid": pids[0], **end})
    start["pid"] = pids[start.get("pid", 0)]
    as_session(played, "new", "session-start", **{"is_clearing": True, **start})
    assert previous(played, "new") == ""


def test_a_session_that_was_resumed_after_it_was_cleared(played: Bared) -> None:
    as_session(played, "a", "session-end", is_clearing=True)
    as_session(played, "a", "turn-start", prompt="Resumed")
    as_session(played, "a", "session-end")
    as_session(played, "b", "session-start", is_clearing=True)
    assert previous(played, "b") == ""


def test_another_worktrees_session_is_not_continued(played: Bared) -> None:
    as_session(played, "a", "session-end", is_clearing=True)
    linked = played.story.root.parent / "linked"
    played.story.git("worktree", "add", "-q", str(linked))
    played.story.root = linked
    as_session(played, "b", "session-start", is_clearing=True)
    played.story.root = linked.parent / "repo"
    assert previous(played, "b") == ""
