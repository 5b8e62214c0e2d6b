"""Copilot CLI: payloads and events that the real agent wrote, and sessions in its own form."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from entire.agents.registry import BUILTIN
from entire.model.tokens import TokenUsage
from entire_plugin_kit import Captured, ConfigSample, Payload, Player, Rig
from entire_plugin_kit.rig import IN_OUTPUT
from tests.agents.copilot import oracle
from tests.agents.copilot.writer import Events

CASES: dict[str, Any] = json.loads((Path(oracle.__file__).parent / "cases" / "payloads.json").read_text())


class CopilotPlayer(Player):
    has_subagents = writes_unknown = writes_interruptions = True
    late = 1  # the end of the hook

    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    def fire(self, verb: str, **payload: object) -> None:
        common = {"sessionId": self.id, "timestamp": int(time.time() * 1000), "cwd": str(self.root)}
        self.call(verb, json.dumps({**common, **payload}).encode())

    def start(self) -> None:
        path = Path(self.ref)
        self.events = Events(path, self.id, str(self.root))
        is_new = not path.exists()
        self.fire("session-start", source="new" if is_new else "resume")
        if is_new:
            self.events.begin()

    def prompt(self, text: str) -> None:
        self.fire("user-prompt-submitted", prompt=text)
        self.events.prompt(text)

    def change(self, path: str) -> None:
        self.events.add_file(path)

    def answer(self, text: str) -> None:
        self.events.say(text)

    def unknown(self, text: str) -> None:
        self.events.append("from.the_future", text=text)

    def interrupt(self) -> None:
        self.events.append("abort", reason="user initiated")

    def stop(self) -> None:
        self.events.hook("agentStop")
        self.fire("agent-stop", transcriptPath=self.ref, stopReason="end_turn", stop_hook_active=False)
        self.events.hook_end("agentStop")

    def end(self) -> None:
        self.fire("session-end", reason="complete")

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        call = self.events.call("task", prompt=task, agent_type="general-purpose", description=task)
        own = Events(self.events.path, self.id, str(self.root), agent=subagent_id)
        own.append("subagent.started", toolCallId=call, agentName="general-purpose", agentDescription=task,
                   executionMode="sync")  # fmt: skip
        about = {"agentId": subagent_id, "agentType": "general-purpose", "parentAgentId": self.id,
                 "transcriptPath": self.ref}  # fmt: skip
        self.fire("subagent-start", **about, agentName="general-purpose")
        self.fire("user-prompt-submitted", **{**about, "sessionId": subagent_id, "prompt": task})
        own.prompt(task, source=f"agent-{self.id}")
        own.add_file(path)
        own.say("Done.")
        self.fire("agent-stop", **{**about, "sessionId": subagent_id})
        self.fire("subagent-stop", **about, response="Done.")
        self.events.result(call, "Done.")


def _payload(name: str) -> Payload:
    data, case = (oracle.FIXTURES / "payloads" / f"{name}.json").read_bytes(), CASES[name]
    given, wanted = json.loads(data), case["event"]
    common = {"session_id": given["sessionId"], "cwd": given["cwd"], "timestamp": given["timestamp"] / 1000}
    if "transcriptPath" in given:  # else it is found by the id
        common["session_ref"] = given["transcriptPath"]
    return Payload(name=name, verb=case["hook"], data=data, event=wanted and {**common, **wanted})


def _captured(name: str) -> Captured:
    given, written, cached, output, calls, thoughts = oracle.TOKENS[name]
    return Captured(
        name=name,
        path=oracle.path_of(name),
        prompts=[text for _, text in oracle.PROMPTS[name]],
        files=[f"{oracle.PROJECT}/{file}" for file in oracle.FILES[name]],
        tokens=TokenUsage(
            input_tokens=given,
            cache_creation_tokens=written,
            cache_read_tokens=cached,
            output_tokens=output,
            api_call_count=calls,
            reasoning_tokens=thoughts,
        ),
        subagents=[oracle.HELPER] if name == oracle.DELEGATED else (),
    )


class CopilotRig(Rig):
    entry = BUILTIN["copilot-cli"]
    reasoning = IN_OUTPUT
    player = CopilotPlayer
    payloads = tuple(map(_payload, sorted(CASES)))
    transcripts = tuple(map(_captured, oracle.IDS))
    configs = (
        ConfigSample(name="absent", data=None),
        ConfigSample(name="foreign entries", data=json.dumps(
            {"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "make lint", "timeoutSec": 5}]}},
            indent=2).encode() + b"\n"),
        ConfigSample(name="half of it", data=b'{"hooks": {', is_broken=True),
        ConfigSample(name="a list", data=b"[]", is_broken=True),
        ConfigSample(name="hooks in another form", data=b'{"version": 1, "hooks": {"agentStop": {}}}', is_broken=True),
        ConfigSample(name="not UTF-8", data=b"\xff", is_broken=True),
    )  # fmt: skip


RIG = CopilotRig()
