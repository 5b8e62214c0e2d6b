"""Plays every situation of the table with every agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table import AGENTS
from turn_commits import SITUATIONS, Situation

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("world", AGENTS, indirect=True, ids=lambda agent: agent.__name__)
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_situation(world: World, situation: Situation) -> None:
    situation.play(world)
