"""Codex: payloads and rollouts that the real agent wrote, and sessions in its own form."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from entire.agents.registry import BUILTIN
from entire.model.tokens import TokenUsage
from entire_plugin_kit import Captured, ConfigSample, Payload, Player, Rig
from entire_plugin_kit.rig import IN_OUTPUT
from tests.agents.codex import oracle
from tests.agents.codex.writer import Rollout

CASES: dict[str, Any] = json.loads((Path(oracle.__file__).parent / "cases" / "payloads.json").read_text())


class CodexPlayer(Player):
    has_subagents = writes_unknown = writes_interruptions = writes_forks = True
    late = 1  # `task_complete`

    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    def fire(self, verb: str, **payload: object) -> None:
        common = {"session_id": self.id, "transcript_path": self.ref, "cwd": str(self.root), "model": "gpt-5.5"}
        self.call(verb, json.dumps({**common, **payload}).encode())

    def start(self) -> None:
        path = Path(self.ref)
        self.rollout = Rollout(path, self.id, str(self.root))
        is_new = not path.exists()
        if is_new:
            self.rollout.begin()
        self.fire("session-start", source="startup" if is_new else "resume")

    def prompt(self, text: str) -> None:
        self.rollout.begin_turn(str(uuid.uuid4()))
        self.fire("user-prompt-submit", prompt=text, turn_id=self.rollout.turn)
        self.rollout.prompt(text)

    def change(self, path: str) -> None:
        self.rollout.add_file(path)

    def answer(self, text: str) -> None:
        self.rollout.say(text)

    def unknown(self, text: str) -> None:
        self.rollout.append("from_the_future", text=text)

    def interrupt(self) -> None:
        self.rollout.abort_turn()

    def fork(self, session_id: str) -> Player:
        """Go on in a file that names this one as its beginning, as ``codex fork ID`` does."""
        fork = type(self)(self.agent, self.root, session_id, self.call)
        fork.rollout = Rollout(Path(fork.ref), session_id, str(self.root))
        fork.rollout.ordinal = self.rollout.ordinal
        base = {"thread_id": self.id, "end_ordinal_exclusive": self.rollout.ordinal,
                "end_byte_offset": self.rollout.path.stat().st_size}  # fmt: skip
        fork.rollout.begin(forked_from_id=self.id, history_base=base)
        fork.fire("session-start", source="fork")
        return fork

    def stop(self) -> None:
        self.fire("stop", turn_id=self.rollout.turn, stop_hook_active=False)
        self.rollout.end_turn()

    def end(self) -> None:
        self.fire("session-end", reason="other")

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        own = Rollout(Path(self.agent.transcript(self.ref).subagent_ref(subagent_id)), subagent_id, str(self.root),
                      parent=self.id)  # fmt: skip
        self.rollout.spawn(subagent_id, task)
        about = {"agent_id": subagent_id, "agent_type": "worker", "turn_id": str(uuid.uuid4())}
        self.fire("subagent-start", **{**about, "transcript_path": str(own.path)})
        own.begin()
        own.begin_turn(about["turn_id"])
        self.fire("user-prompt-submit", **{**about, "transcript_path": str(own.path), "prompt": task})
        own.prompt(task)
        own.add_file(path)
        own.say("Done.")
        self.fire("subagent-stop", **about, agent_transcript_path=str(own.path), last_assistant_message="Done.")
        own.end_turn()


def _payload(name: str) -> Payload:
    data, case = (oracle.FIXTURES / "payloads" / f"{name}.json").read_bytes(), CASES[name]
    given, wanted = json.loads(data), case["event"]
    common = {"session_id": given["session_id"], "session_ref": given["transcript_path"], "cwd": given["cwd"]}
    return Payload(name=name, verb=case["hook"], data=data, event=wanted and {**common, **wanted})


def _captured(name: str) -> Captured:
    given, written, cached, output, calls, thoughts = oracle.tokens(name)
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
            reasoning_tokens=thoughts,
            at_least=("cache_creation_tokens",) if written and name in oracle.PARTLY_OLDER else (),
        ),
        subagents=[oracle.id_of(oracle.SUBAGENTS[name])] if name in oracle.SUBAGENTS else (),
    )


class CodexRig(Rig):
    entry = BUILTIN["codex"]
    reasoning = IN_OUTPUT
    player = CodexPlayer
    payloads = tuple(map(_payload, sorted(CASES)))
    transcripts = tuple(_captured(name) for name in oracle.names())
    configs = (
        ConfigSample(name="absent", data=None),
        ConfigSample(name="empty object", data=b"{}\n"),
        ConfigSample(name="foreign entries", data=json.dumps(
            {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "make lint", "timeout": 5}]}]}},
            indent=2).encode() + b"\n"),
        ConfigSample(name="tabs and CRLF", data=b'{\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}\r\n'),
        ConfigSample(name="half of it", data=b'{"hooks": {', is_broken=True),
        ConfigSample(name="a list", data=b"[]", is_broken=True),
        ConfigSample(name="hooks in another form", data=b'{"hooks": {"Stop": {}}}', is_broken=True),
        ConfigSample(name="not UTF-8", data=b"\xff", is_broken=True),
    )  # fmt: skip


RIG = CodexRig()
