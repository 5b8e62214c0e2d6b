"""What an event waits for before it is handled."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from entire.model.events import Event, EventType
from entire.turns import waiting


class Preparer:
    """Notes what it is asked to wait for."""

    capabilities = frozenset({"transcript_preparer"})

    def __init__(self) -> None:
        self.waited: list[str] = []

    def prepare_transcript(self, event: Event, _since: object) -> None:
        self.waited.append(event.session_ref)


@pytest.mark.parametrize(("kind", "waits"), [("file", True), ("missing", True), ("pipe", False)])
def test_only_what_can_be_read_is_waited_for(tmp_path: Path, kind: str, waits: bool) -> None:
    path, agent = tmp_path / "transcript", Preparer()
    if kind == "file":
        path.write_text("{}\n")
    elif kind == "pipe":
        os.mkfifo(path)
    agents = SimpleNamespace(make_if_possible=lambda _name: agent)
    context: Any = SimpleNamespace(session=lambda _id: None, agents=agents)
    event = Event(type=EventType.TURN_END, session_id="s", session_ref=str(path))
    assert waiting.wait(context, event) is event
    assert agent.waited == ([str(path)] if waits else [])
