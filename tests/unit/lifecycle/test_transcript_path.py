"""Where a session.s transcript is, as its events say."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from entire.lifecycle import transcript_path
from entire.model.events import Event, EventType
from entire.model.positions import SessionRef
from entire.model.session import Session


@pytest.mark.parametrize(
    ("known", "given", "accepted"),
    [
        ("", "new", "new"),
        ("", "gone", "gone"),
        ("old", "", "old"),
        ("old", "new", "new"),
        ("old", "gone", "old"),
        ("lost", "gone", "gone"),
        ("lost", "new", "new"),
    ],
)
def test_a_path_that_does_not_exist_never_replaces_one_that_does(
    tmp_path: Path, known: str, given: str, accepted: str
) -> None:
    for name in ("old", "new"):
        (tmp_path / name).write_text("{}\n")

    def path(name: str) -> str:
        return str(tmp_path / name) if name else ""

    context: Any = SimpleNamespace(adapters=SimpleNamespace(of=lambda _session: None))
    session = Session("s")
    session.session_ref = SessionRef(path(known))
    transcript_path.accept(context, session, Event(type=EventType.TURN_START, session_id="s", session_ref=path(given)))
    assert session.session_ref == path(accepted)
