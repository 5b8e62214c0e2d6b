"""The plugin of ``version_one.py`` as an agent of the promises: what holds without any extension of the protocol."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from entire.agents.registry import AgentEntry
from entire.model.tokens import TokenUsage
from entire.plugin_host.agent import ExternalAgent
from entire.plugin_host.language import protocol
from entire.plugin_host.programs.program import Program
from entire_plugin_kit import Captured, Payload, Player, Rig
from tests import plugins

_CAPABILITIES = (
    "hooks", "transcript_analyzer", "token_calculator", "hook_response_writer", "compact_transcript",
)  # fmt: skip
_FOLDER = tempfile.TemporaryDirectory(prefix="entire-version-one-")
_PLUGIN = plugins.version_one(Path(_FOLDER.name), capabilities=_CAPABILITIES)
_RECORDS: tuple[dict[str, Any], ...] = (
    {"prompt": "create a"},
    {"file": "/p/a"},
    {"answer": "done", "in": 5, "out": 2},
    {"prompt": "create b"},
    {"file": "/p/b"},
    {"answer": "done again", "in": 7, "out": 3},
)


def connect(metadata: Mapping[str, str] = {}) -> ExternalAgent:
    """Return the adapter for the environment and folder of now."""
    return ExternalAgent(_program(), _info(), metadata=metadata)


def _program() -> Program:
    return Program(str(_PLUGIN), root=os.getcwd(), in_hook=False)


@cache
def _info() -> protocol.Info:
    return protocol.parse_info(_program().run("info"), "one")


def _captured() -> Path:
    path = Path(_FOLDER.name) / "captured.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in _RECORDS))
    return path


class VersionOnePlayer(Player):
    names_turns = False

    @property
    def ref(self) -> str:
        return str(Path(os.environ["HOME"]) / "sessions" / f"{self.id}.jsonl")

    def fire(self, verb: str, **more: object) -> None:
        self.call(verb, json.dumps({"session_id": self.id, "session_ref": self.ref, **more}).encode())

    def say(self, **record: object) -> None:
        Path(self.ref).parent.mkdir(exist_ok=True)
        with Path(self.ref).open("a") as file:
            file.write(json.dumps(record) + "\n")

    def start(self) -> None:
        self.fire("session-start")

    def prompt(self, text: str) -> None:
        self.fire("prompt", prompt=text)
        self.say(prompt=text)

    def change(self, path: str) -> None:
        self.say(file=path)
        self.say(answer="I wrote it.", **{"in": 3, "out": 1})

    def answer(self, text: str) -> None:
        self.say(answer=text, **{"in": 5, "out": 2})

    def stop(self) -> None:
        self.fire("stop")

    def end(self) -> None:
        self.fire("session-end")


_ONLY_THE_REST = "version 1 tells only the rest of a transcript: a part that ends before is unknown"


class VersionOneRig(Rig):
    entry = AgentEntry(name="one", type="Version One", target=f"{__name__}:connect", protected_dirs=(".one",))
    player = VersionOnePlayer
    thinning = 8
    payloads = (
        Payload(name="prompt", verb="prompt", data=b'{"session_id": "s", "prompt": "fix it"}',
                event={"type": "TURN_START", "session_id": "s", "prompt": "fix it"}),
        Payload(name="nothing", verb="stop", data=b"null", event=None),
    )  # fmt: skip
    transcripts = (
        Captured(name="two-turns", path=_captured(), prompts=("create a", "create b"), files=("/p/a", "/p/b"),
                 tokens=TokenUsage(input_tokens=12, output_tokens=5, api_call_count=2)),
    )  # fmt: skip
    exceptions = {
        **dict.fromkeys(("pieces", "tokens", "until", "growth", "put-back"), _ONLY_THE_REST),
        "answer-ends": "version 1 cannot say where an answer ends: what a turn used counts for its last commit",
        "commands": "version 1 does not say which files a plugin writes",
    }


RIG = VersionOneRig()
