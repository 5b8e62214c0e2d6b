"""An agent with nothing but the contract: an opaque transcript, and no capability."""

from __future__ import annotations

import json
from pathlib import Path

from entire_plugin_kit import Payload, Player, Rig
from tests import bare_agent


class BarePlayer(Player):
    @property
    def ref(self) -> str:
        return str(self.root.parent / f"{self.id}.jsonl")

    def fire(self, verb: str, **payload: object) -> None:
        self.call(verb, json.dumps({"session_id": self.id, "session_ref": self.ref, **payload}).encode())

    def say(self, **record: object) -> None:
        with Path(self.ref).open("a") as file:
            file.write(json.dumps(record) + "\n")

    def start(self) -> None:
        self.fire("session-start")

    def prompt(self, text: str) -> None:
        self.turn = str(Path(self.ref).exists() and Path(self.ref).stat().st_size)
        self.fire("turn-start", prompt=text, turn_ref=self.turn)
        self.say(prompt=text)

    def change(self, path: str) -> None:
        self.say(file=path)

    def answer(self, text: str) -> None:
        self.say(answer=text)

    def stop(self) -> None:
        self.fire("turn-end", turn_ref=self.turn)

    def end(self) -> None:
        self.fire("session-end")


class BareRig(Rig):
    entry = bare_agent.entry("Bare")
    player = BarePlayer
    payloads = tuple(
        Payload(name=verb, verb=verb, data=b'{"session_id": "s", "session_ref": "/s"}',
                event={"type": kind.name, "session_id": "s", "session_ref": "/s"})
        for verb, kind in bare_agent.EVENTS.items()
    )  # fmt: skip


RIG = BareRig()
