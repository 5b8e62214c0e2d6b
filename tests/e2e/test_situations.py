"""Plays every situation of the table with every agent, and some with those that take long to start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table import AGENTS, PARTLY
from turn_commits import SITUATIONS, Situation

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e


PLAYED = [
    *((situation, agent) for situation in SITUATIONS for agent in AGENTS),
    *((situation, agent) for situation in SITUATIONS for agent, names in PARTLY.items() if situation.name in names),
]


@pytest.mark.parametrize(
    ("situation", "world"),
    [pytest.param(situation, agent, id=f"{situation.name}-{agent.__name__}") for situation, agent in PLAYED],
    indirect=["world"],
)
def test_situation(world: World, situation: Situation) -> None:
    situation.play(world)
