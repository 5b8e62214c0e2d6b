"""Which sessions are relevant: of many stored ones, those that another program wrote are looked for only once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from entire import layout
from entire.directory import AgentDirectory
from entire.layout import Place
from entire.recording.context import Context
from entire.settings import Settings
from entire.store import gojson, sessions


@pytest.fixture
def place(tmp_path: Path) -> Place:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    found = layout.find(str(tmp_path))
    assert found is not None
    return found


class Hooks:
    """Contexts of hooks, a second apart."""

    def __init__(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        self._place, self._clock = place, 1.7e9
        self.looked = 0
        really = sessions.foreign_since

        def counted(where: Place, moment: float) -> list[str]:
            self.looked += 1
            return really(where, moment)

        monkeypatch.setattr(sessions, "foreign_since", counted)

    def run(self) -> list[str]:
        """Do what each hook does; return the relevant sessions."""
        self._clock += 1
        context = Context(self._place, Settings(), AgentDirectory.without_plugins(), now=lambda: self._clock)
        with context.lock():
            names = [session.session_id for session in context.relevant_sessions()]
            context.open_session("own", "claude-code")
            context.save(*filter(None, [context.session("own")]))
        return names

    def note_seen(self) -> None:
        """Do what hooks do when another program has written states, once these are imported."""
        sessions.note_seen(self._place, sessions.folder_time(self._place), noticed=self._clock)


def by_another(place: Place, session_id: str) -> None:
    os.makedirs(place.sessions_dir, exist_ok=True)
    state = {"session_id": session_id, "worktree_path": place.top, "phase": "idle"}
    Path(sessions.go_path(place, session_id)).write_bytes(gojson.dumps(state))


def test_own_states_are_not_looked_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = Hooks(place, monkeypatch)
    hooks.run()
    hooks.note_seen()
    hooks.run()
    hooks.run()  # until then, what was written in the last seconds may be another program's
    hooks.run()
    before = hooks.looked
    hooks.run()
    assert hooks.looked == before


def test_states_of_another_program_are_found(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = Hooks(place, monkeypatch)
    hooks.run()
    hooks.note_seen()
    for _ in range(4):
        hooks.run()
    by_another(place, "theirs")
    assert "theirs" in hooks.run()
    hooks.note_seen()


def test_a_worktree_finds_what_was_noticed_in_another(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = Hooks(place, monkeypatch)
    for _ in range(4):
        hooks.run()
    by_another(place, "theirs")
    hooks.note_seen()  # by a hook in another worktree
    assert sessions.is_seen(place)
    assert "theirs" in hooks.run()


def test_a_note_that_cannot_be_read_makes_hooks_look(place: Place) -> None:
    assert sessions.last_noticed(place) == float("inf")
    sessions.note_seen(place, 0)
    assert sessions.last_noticed(place) == 0.0
    Path(place.sessions_seen).write_bytes(b"soon")
    assert sessions.last_noticed(place) == float("inf")
