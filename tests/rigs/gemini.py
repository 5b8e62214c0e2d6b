"""Gemini CLI: payloads and chats that the real agent wrote."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from entire.agents.registry import BUILTIN
from entire.model.tokens import TokenUsage
from entire_plugin_kit import Captured, ConfigSample, Payload, Player, Rig
from entire_plugin_kit.rig import BESIDE_OUTPUT
from tests.agents.gemini import oracle
from tests.agents.gemini.writer import Chat, stamp

CASES: dict[str, Any] = json.loads((Path(oracle.__file__).parent / "cases" / "payloads.json").read_text())
PROJECT = "/home/dev/project"


class GeminiPlayer(Player):
    has_subagents = writes_unknown = writes_interruptions = writes_forks = True
    names_turns = False

    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    def fire(self, verb: str, event: str, **payload: object) -> None:
        common = {"session_id": self.id, "transcript_path": str(self.chat.path), "cwd": str(self.root)}
        self.call(verb, json.dumps({**common, "hook_event_name": event, "timestamp": stamp(), **payload}).encode())

    def start(self) -> None:
        self.chat = Chat(Path(self.ref), self.id)
        if not self.chat.path.exists():
            self.chat.begin()
            self.fire("session-start", "SessionStart", source="startup")
            return
        stub = Chat(self.chat.path.with_name(f"session-2026-01-01T10-00-{self.id[:8]}.jsonl"), self.id)
        if stub.path != self.chat.path:
            stub.begin()
        self.fire("session-start", "SessionStart", source="resume", transcript_path=str(stub.path))
        self.chat.append(**{"$set": {"sessionId": self.id}})

    def prompt(self, text: str) -> None:
        self.fire("before-agent", "BeforeAgent", prompt=text)
        self.fire("pre-compress", "PreCompress", trigger="auto")
        self.chat.message("user", [{"text": text}])

    def change(self, path: str) -> None:
        self.chat.call("write_file", {"file_path": path, "content": "x"}, resultDisplay={"filePath": path})

    def answer(self, text: str) -> None:
        self.chat.answer(text)

    def unknown(self, text: str) -> None:
        self.chat.message("from-the-future", text)

    def interrupt(self) -> None:
        self.chat.message("info", "Request cancelled.")

    def fork(self, session_id: str) -> Player:
        """Continue in a copy, as ``gemini --session-file`` does."""
        fork = type(self)(self.agent, self.root, session_id, self.call)
        lines = self.chat.path.read_text().replace(json.dumps(self.id), json.dumps(session_id))
        fork.chat = Chat(Path(fork.ref), session_id)
        fork.chat.answers = self.chat.answers
        fork.chat.path.write_text(lines)
        fork.fire("session-start", "SessionStart", source="resume")
        fork.chat.append(**{"$set": {"sessionId": session_id}})
        return fork

    def stop(self) -> None:
        self.fire("after-agent", "AfterAgent", prompt="?", prompt_response="? ?", stop_hook_active=False)

    def end(self) -> None:
        for _ in range(2):
            self.fire("session-end", "SessionEnd", reason="exit")

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        given = {"agent_name": "generalist", "prompt": task}
        answer = self.chat.answer()
        self.fire("before-tool", "BeforeTool", tool_name="invoke_agent", tool_input=given)
        chat = Chat(self.chat.path.parent / self.id / f"{subagent_id}.jsonl", subagent_id, kind="subagent")
        chat.begin()
        chat.message("user", [{"text": task}])
        chat.call("write_file", {"file_path": path, "content": "x"}, resultDisplay={"filePath": path})
        display = {"isSubagentProgress": True, "recentActivity": [{"id": f"{subagent_id}#0-0", "type": "tool_call"}]}
        response = {"llmContent": [{"text": "done"}], "returnDisplay": display}
        self.fire("after-tool", "AfterTool", tool_name="invoke_agent", tool_input=given, tool_response=response)
        self.chat.call("invoke_agent", given, answer=answer, agentId=subagent_id)


def _payload(name: str) -> Payload:
    data, case = (oracle.FIXTURES / "payloads" / f"{name}.json").read_bytes(), CASES[name]
    given, wanted = json.loads(data), case["event"]
    common = {"session_id": given["session_id"], "session_ref": given["transcript_path"], "cwd": given["cwd"]}
    return Payload(name=name, verb=case["hook"], data=data, event=wanted and {**common, **wanted})


def _captured(name: str) -> Captured:
    given, cached, output, calls = oracle.TOKENS[name]
    thoughts = _thoughts(oracle.path_of(name)) if calls else None
    return Captured(
        name=name,
        path=oracle.path_of(name),
        prompts=[text for _, text in oracle.PROMPTS[name]],
        files=[f"{PROJECT}/{file}" for file in dict.fromkeys(oracle.FILES.get(name, []))],
        tokens=TokenUsage(
            input_tokens=given,
            cache_read_tokens=cached,
            output_tokens=output,
            api_call_count=calls,
            reasoning_tokens=thoughts,
            reasoning_beside=thoughts or 0,
        ),
        subagents=["78870d44-8426-46b7-ba49-a2f4e3841d10"] if name == oracle.RESUMED else (),
    )


def _thoughts(path: Path) -> int:
    """Return the tokens of thoughts: what each answer says last, whatever else was written between."""
    said: dict[str, int] = {}
    for line in path.read_bytes().splitlines():
        for found in re.finditer(rb'"id":"([^"]+)","timestamp":"[^"]+","type":"gemini".*?"thoughts":(\d+)', line):
            said[found[1].decode()] = int(found[2])
    return sum(said.values())


class GeminiRig(Rig):
    entry = BUILTIN["gemini"]
    reasoning = BESIDE_OUTPUT
    player = GeminiPlayer
    payloads = tuple(map(_payload, sorted(CASES)))
    transcripts = tuple(_captured(name) for name in oracle.transcripts() if name != oracle.SUBAGENT)
    configs = (
        ConfigSample(name="absent", data=None),
        ConfigSample(name="empty object", data=b"{}\n"),
        ConfigSample(name="comments", data=b'// mine\n{\n  // a theme\n  "ui": { "theme": "x" } // dark\n}\n'),
        ConfigSample(name="foreign entries", data=json.dumps(
            {"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "make lint"}]}]}, "a": "\u00e9"},
            indent=4, ensure_ascii=False).encode()),
        ConfigSample(name="tabs and CRLF", data=b'{\r\n\t"hooksConfig": {"enabled": true},\r\n\t"a": [1, 2]\r\n}\r\n'),
        ConfigSample(name="half of it", data=b'{"hooks": {', is_broken=True),
        ConfigSample(name="a list", data=b"[]", is_broken=True),
        ConfigSample(name="hooks in another form", data=b'{"hooks": []}', is_broken=True),
        ConfigSample(name="not UTF-8", data=b"\xff", is_broken=True),
    )  # fmt: skip


RIG = GeminiRig()
