"""What a compaction within a turn leaves of the positions that were known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from entire.model.events import Event, EventType
from entire.model.positions import START, Position, StoredLines
from entire.model.session import Covered, Session, Storage, Turn
from entire.turns import turn

COUNTED, BEGUN = Position(count=5), Position(count=3)


@pytest.mark.parametrize(("records", "counted", "begun"), [(9, COUNTED, BEGUN), (4, START, BEGUN), (2, START, START)])
def test_what_a_compaction_took_is_read_from_the_start(records: int, counted: Position, begun: Position) -> None:
    session = Session("s")
    session.covered, session.turn = Covered(position=COUNTED), Turn(id="t", start=BEGUN)
    session.storage = Storage(extent=StoredLines(lines=5, size=50), parts=[["oid", 5]])
    transcript = SimpleNamespace(holds=lambda position: position.count <= records)
    context: Any = SimpleNamespace(transcripts=SimpleNamespace(of=lambda _session: transcript))
    turn.reset_position(context, session, Event(type=EventType.COMPACTION, session_id="s"))
    assert (session.covered.position, session.turn.start) == (counted, begun)
    assert session.turn.is_rewritten == (begun == START)
    assert (session.storage.extent, session.storage.parts) == (StoredLines(), [])
