"""Plays the situations of the table with every agent, as far as the table says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table import played
from turn_commits import Situation

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("situation", "world"),
    [pytest.param(situation, agent, id=f"{situation.name}-{agent.__name__}") for situation, agent in played()],
    indirect=["world"],
)
def test_situation(world: World, situation: Situation) -> None:
    situation.play(world)
