"""What a turn of a long session costs in git."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from entire_plugin_kit.framework.repository import Repository, open_repository
from entire_plugin_kit.surroundings import sealed
from tests.rigs.opencode import RIG


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repository]:
    with sealed(tmp_path / "home"), open_repository(RIG, tmp_path / "work") as opened:
        yield opened


def test_two_new_messages_cost_kilobytes(repo: Repository) -> None:
    """Also where OpenCode adds what a turn changed to its prompt, and the session gets its title."""
    player: Any = repo.play()
    words = random.Random(7)
    player.prompt("look around")
    player.session.say(player.session.tool("read", {"filePath": "x"}, words.randbytes(1 << 19).hex()))
    player.stop()
    player.session.store.change("UPDATE session SET time_updated = time_updated + 5")
    repo.turn(player, "create one", one="1\n")
    before = _size(repo.root / ".git/objects")
    data = repo.turn(player, "create two", two="2\n")
    checkpoint = repo.commit("Add both")
    assert _size(repo.root / ".git/objects") - before < 60_000 < len(data) // 10
    assert repo.workspace().checkpoints.transcript(checkpoint, player.id) == data


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
