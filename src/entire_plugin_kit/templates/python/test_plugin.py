"""Plays sessions of the agent and reads what was captured from it: every promise that the agents of Entire keep.

Run it with `pip install 'entire[testing]'` and `pytest`. `pytest -rs` names what is skipped, and why.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

from entire.plugin import AgentEntry
from entire_plugin_kit import Captured, Case, ConfigSample, Payload, Player, Rig, cases

HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"


def _load(path: Path) -> Any:
    """Import the program, although its name is not that of a module."""
    loader = SourceFileLoader("plugin_under_test", str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[loader.name] = module
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


Plugin = _load(HERE / "entire-agent-parrot").Plugin


class PluginPlayer(Player):
    """REPLACE: writes a session as the agent does, and calls its hooks."""

    turn = 0

    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    def hook(self, verb: str, **given: object) -> None:
        payload = {"session_id": self.id, "transcript_path": self.ref, "cwd": str(self.root), **given}
        self.call(verb, json.dumps(payload).encode())

    def say(self, kind: str, **record: object) -> None:
        path = Path(self.ref)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps({"type": kind, **record, "time": datetime.now(UTC).isoformat()}) + "\n")

    def start(self) -> None:
        self.hook("session-start")

    def prompt(self, text: str) -> None:
        self.turn = len(self.agent.transcript(self.ref).snapshot())
        self.hook("prompt", turn_id=f"t{self.turn}", prompt=text, model="parrot-1")
        self.say("prompt", text=text)

    def change(self, path: str) -> None:
        self.say("change", path=path)

    def answer(self, text: str) -> None:
        self.say("answer", text=text, model="parrot-1", input_tokens=12, output_tokens=3)

    def stop(self) -> None:
        self.hook("stop", turn_id=f"t{self.turn}")

    def end(self) -> None:
        self.hook("session-end")


def _read(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text())


class PluginRig(Rig):
    entry = AgentEntry(
        name=Plugin.name,
        type=Plugin.type,
        target="plugin_under_test:Plugin",
        protected_dirs=Plugin.protected_dirs,
    )
    player = PluginPlayer
    payloads = (
        Payload(
            name="stop",
            verb="stop",
            data=json.dumps(_read("payloads/stop.json")["payload"]).encode(),
            event={"type": "TURN_END", "session_id": "s1", "turn_ref": "t1", "final_text": "Hi."},
        ),
    )
    transcripts = (
        Captured(
            name="two-turns",
            path=FIXTURES / "transcripts" / "two-turns.jsonl",
            prompts=_read("transcripts/two-turns.json")["prompts"],
            files=_read("transcripts/two-turns.json")["files"],
        ),
    )
    configs = (
        ConfigSample(name="absent", data=None),
        ConfigSample(name="of others", data=b'{"theme": "green", "hooks": {"stop": [{"command": "make lint"}]}}\n'),
        ConfigSample(name="broken", data=b'{"hooks": ', is_broken=True),
    )


RIG = PluginRig()


@pytest.mark.parametrize("case", cases(RIG), ids=str)
def test_promises(case: Case) -> None:
    case.run()
