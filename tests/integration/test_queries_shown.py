"""What a name means: turns by number and id, subagents."""

from __future__ import annotations

import pytest

from tests.integration.shown import Shown, begun, show
from tests.integration.story import Session, Story

__all__ = ["show"]


@pytest.fixture
def session(story: Story) -> Session:
    return begun(story)


def test_a_turn_by_its_number_and_its_id(session: Session, show: Shown) -> None:
    numbered = show(f"{session.id[:8]}:2")
    assert "Say hello" in numbered
    assert "Add a greeting" not in numbered
    assert "And now the rest" not in numbered
    view = show.json(f"{session.id}:2")
    turn = view["conversations"][0]["turns"][0]["turn"]
    assert (view["kind"], view["id"]) == ("turn", f"{session.id}/{turn}")
    assert show(f"{session.id[:8]}/{turn}") == show(f"{session.id}/{turn[:6]}") == numbered


@pytest.mark.parametrize("name", [":0", ":4", ":99999999999999999999", ":x", "/ffffffffffff", "/", ":", ":-1"])
def test_a_turn_that_does_not_exist(session: Session, show: Shown, name: str) -> None:
    assert session.id in show.error(session.id + name)
