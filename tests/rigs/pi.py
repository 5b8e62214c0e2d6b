"""Pi: what our extension reported in the real agent, sessions that it wrote, and sessions in its own form."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from entire.agents.registry import BUILTIN
from entire.model.tokens import TokenUsage
from entire_plugin_kit import Captured, ConfigSample, Payload, Player, Rig
from tests.agents.pi import oracle
from tests.agents.pi.writer import Entries

CASES: dict[str, Any] = json.loads((Path(oracle.__file__).parent / "cases" / "payloads.json").read_text())


class PiPlayer(Player):
    has_subagents = writes_unknown = writes_interruptions = writes_forks = True

    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    def fire(self, verb: str, **payload: object) -> None:
        leaf, turn = self.entries.leaf, getattr(self, "turn", None)
        told = {"session_id": self.id, "transcript_path": self.ref, "cwd": str(self.root), "model": "scripted",
                "leaf": leaf, "last": leaf, "turn_id": turn}  # fmt: skip
        self.call(verb, json.dumps({**told, **payload}).encode())

    def start(self) -> None:
        path = Path(self.ref)
        self.entries = Entries(path, self.id, str(self.root))
        self.fire("session-start", source="startup")
        if not path.exists():  # with the first answer, as far as Pi is concerned
            self.entries.begin()

    def prompt(self, text: str) -> None:
        self.turn = str(uuid.uuid4())
        self.fire("turn-start", prompt=text)
        self.entries.prompt(text)

    def change(self, path: str) -> None:
        self.entries.add_file(path)

    def answer(self, text: str) -> None:
        self.entries.say(text)

    def unknown(self, text: str) -> None:
        self.entries.append("from_the_future", text=text)

    def interrupt(self) -> None:
        self.entries.abort()

    def fork(self, session_id: str) -> Player:
        """Go on in a copy under another id, as ``/fork`` does."""
        fork = type(self)(self.agent, self.root, session_id, self.call)
        lines = self.entries.path.read_text().splitlines(keepends=True)
        fork.entries = Entries(Path(fork.ref), session_id, str(self.root))
        fork.entries.begin(parent=self.ref)
        with fork.entries.path.open("a") as file:
            file.writelines(lines[1:])
        fork.entries = Entries(Path(fork.ref), session_id, str(self.root))
        fork.fire("session-start", source="fork")
        return fork

    def stop(self) -> None:
        self.fire("turn-end")

    def end(self) -> None:
        self.fire("session-end", reason="quit")

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        """Let a tool's result tell what a subagent did, as that of the extension in Pi's examples does."""
        scratch = Path(self.ref).with_suffix(".subagent")
        own = Entries(scratch, subagent_id, str(self.root))
        own.prompt(f"Task: {task}")
        own.add_file(path)
        own.say("Done.")
        messages = [json.loads(line)["message"] for line in scratch.read_text().splitlines()]
        scratch.unlink()
        self.entries.call("subagent", subagent_id, agent="worker", task=task)
        done = {"agent": "worker", "task": task, "exitCode": 0, "messages": messages}
        self.entries.result(subagent_id, "subagent", "Done.", details={"mode": "single", "results": [done]})
        self.fire("subagent-end", tool_use_id=subagent_id, agent="worker", task=task)


def _payload(name: str) -> Payload:
    data, case = (oracle.FIXTURES / "payloads" / f"{name}.json").read_bytes(), CASES[name]
    given = json.loads(data)
    common = {"session_id": given["session_id"], "session_ref": given["transcript_path"], "cwd": given["cwd"],
              "timestamp": given["timestamp"] / 1000, "pid": given["pid"]}  # fmt: skip
    return Payload(name=name, verb=case["hook"], data=data, event={**common, **case["event"]})


def _captured(name: str) -> Captured:
    given, written, cached, output, calls = oracle.tokens(name)
    return Captured(
        name=name,
        path=oracle.path_of(name),
        prompts=oracle.PROMPTS[name],
        files=[f"{oracle.PROJECT}/{file}" for file in oracle.FILES.get(name, [])],
        tokens=TokenUsage(
            input_tokens=given,
            cache_creation_tokens=written,
            cache_read_tokens=cached,
            output_tokens=output,
            api_call_count=calls,
        ),
        subagents=[oracle.HELPER] if name == oracle.DELEGATED else (),
    )


class PiRig(Rig):
    entry = BUILTIN["pi"]
    player = PiPlayer
    payloads = tuple(map(_payload, sorted(CASES)))
    transcripts = tuple(map(_captured, oracle.PROMPTS))
    configs = (
        ConfigSample(name="absent", data=None),
        ConfigSample(name="another extension", repository={".pi/extensions/other.ts": "export default () => {};\n"}),
        ConfigSample(name="an extension of the user in our place", data=b"export default () => {};\n", is_broken=True),
        ConfigSample(name="not UTF-8", data=b"\xff", is_broken=True),
    )


RIG = PiRig()
