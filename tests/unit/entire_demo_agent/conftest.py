"""A folder for the demo agent to work in, with a home of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entire_demo_agent import hooks, program

Record = dict[str, Any]


class Bench:
    """Runs the agent in a folder and looks at what it leaves."""

    def __init__(self, home: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self.folder = folder
        self.log = home / "hooks.log"
        self._capsys = capsys

    def ask(self, prompt: str, *options: str) -> str:
        """Give the agent one prompt; returns what it shows."""
        code = program.main(["-p", prompt, *options])
        shown = self._capsys.readouterr()
        assert code == 0, shown.err
        return shown.out

    def fails(self, *options: str) -> str:
        """Start the agent in vain; returns what it says."""
        assert program.main(["-p", "say hello", *options]) == 1
        return self._capsys.readouterr().err

    def write_hooks(self, base: Path, command: Callable[[str], str]) -> None:
        """Configure a command for every event, below the folder ``base``."""
        table = {event: [{"command": command(event)}] for event in hooks.EVENTS}
        (base / ".demo-agent").mkdir(exist_ok=True)
        (base / ".demo-agent" / "settings.json").write_text(json.dumps({"hooks": table}))

    def fired(self) -> list[Any]:
        """Return the payloads of the hooks that logged themselves."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def transcript(self, session_id: str) -> Path:
        """Return a session's transcript."""
        (path,) = self.home.glob(f".entire-demo/sessions/*/{session_id}.jsonl")
        return path

    def records(self, session_id: str) -> list[Record]:
        """Return the records of a session."""
        return [json.loads(line) for line in self.transcript(session_id).read_bytes().splitlines()]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    """Return a bench in a fresh home and folder."""
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("ENTIRE_DEMO_HOME", raising=False)
    monkeypatch.chdir(folder)
    return Bench(home, folder, capsys)
