"""Claude Code 2.1.197: its captured payloads and transcripts, and sessions in its own form."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from typing import Any

from entire.agents.registry import BUILTIN
from entire.model.tokens import TokenUsage
from entire_plugin_kit import Captured, ConfigSample, Payload, Player, Rig
from tests.agents.claude_code import oracle

_CASES = Path(oracle.__file__).parent / "cases" / "payloads.json"
_SUBAGENTS = {
    oracle.LONG: ("a1c6d93a27d2dd0d0", "a93c9ed39773603cf", "aab5abd2fca17a36b", "a28cdada78e2a825c"),
    oracle.HELPER: ("a49511f336928e13e",),
    "2.1.332/interactive-esc-ctrlc-queued-rewind": ("a2c8524def4a65d3b",),
    "2.1.332/interactive-exit-while-helper-runs-resumed": ("a7f58a791ecaebfc3",),
}
_UNSETTLED = {"headless-slash-command": (3,)}  # a command counts once its expansion is there


def is_of(name: str, version: str) -> bool:
    """Tell whether a captured file is a version's; those of the oldest one have no folder of their own."""
    return name.startswith(f"{version}/") if version else not name.startswith("2.")


def payloads(version: str = "") -> tuple[Payload, ...]:
    """Return the payloads that were captured from a version."""
    found = []
    for name, case in json.loads(_CASES.read_text()).items():
        if not is_of(name, version):
            continue
        data = (oracle.FIXTURES / "payloads" / f"{name}.json").read_bytes()
        given = json.loads(data)
        common = {"session_id": given["session_id"], "session_ref": given["transcript_path"], "cwd": given["cwd"]}
        event = case["event"] and {**common, **case["event"]}
        found.append(Payload(name=name, verb=case["hook"], data=data, event=event))
    return tuple(found)


def transcripts(version: str = "") -> tuple[Captured, ...]:
    """Return the transcripts that were captured from a version."""
    return tuple(_captured(name) for name in oracle.transcripts() if is_of(name, version))


def _captured(name: str) -> Captured:
    path = Path(oracle.path_of(name))
    records = oracle.load(path.read_bytes())
    given, written, cached, output, calls = oracle.tokens(records, 0, len(records))
    return Captured(
        name=name,
        path=path,
        prompts=[text for _, text in oracle.PROMPTS[name]],
        files=[f"/home/dev/project/{file}" for file in oracle.FILES.get(name, [])],
        tokens=TokenUsage(input_tokens=given, cache_creation_tokens=written, cache_read_tokens=cached,
                          output_tokens=output, api_call_count=calls, reasoning_tokens=_thoughts(records)),
        subagents=_SUBAGENTS.get(name, ()),
        unsettled=_UNSETTLED.get(name, ()),
    )  # fmt: skip


def _thoughts(records: list[dict[str, Any]]) -> int | None:
    """Return the tokens of thoughts, None if no answer tells any."""
    usages = {record["message"]["id"]: record["message"].get("usage") or {} for record in records
              if record.get("type") == "assistant" and "id" in record["message"]}  # fmt: skip
    told = [usage["output_tokens_details"]["thinking_tokens"] for usage in usages.values()
            if usage.get("output_tokens") and usage.get("output_tokens_details")]  # fmt: skip
    return sum(told) if told else None


class ClaudeCodePlayer(Player):
    has_subagents = writes_unknown = writes_interruptions = writes_forks = True
    version = "2.1.197"
    copied: list[dict[str, Any]] | None = None  # what a fork writes at its first prompt

    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    def fire(self, verb: str, **payload: object) -> None:
        given = {"session_id": self.id, "transcript_path": self.ref, "cwd": str(self.root), **payload}
        if self.turn:
            given.setdefault("prompt_id", self.turn)
        self.call(verb, json.dumps(given).encode())

    def record(self, path: Path, kind: str, message: dict[str, Any], **more: object) -> None:
        self.link(path, type=kind, message=message, **more)

    def link(self, path: Path, **fields: object) -> None:
        """Append a record of the tree."""
        now = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        known = [line["uuid"] for line in lines if "uuid" in line]
        self.append(path, {
            "parentUuid": known[-1] if known else None, "isSidechain": False, "userType": "external",
            "cwd": str(self.root), "sessionId": self.id, "version": self.version, "uuid": str(uuid.uuid4()),
            "timestamp": stamp, **fields,
        })  # fmt: skip

    def append(self, path: Path, value: dict[str, Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(value, separators=(",", ":")) + "\n")

    def say(self, path: Path, block: dict[str, Any], **more: object) -> None:
        usage = {"input_tokens": 100, "output_tokens": 10, "cache_creation_input_tokens": 5,
                 "cache_read_input_tokens": 3}  # fmt: skip
        message = {"id": f"msg_{uuid.uuid4().hex[:12]}", "type": "message", "role": "assistant", "model": "claude-x",
                   "content": [block], "usage": usage}  # fmt: skip
        self.record(path, "assistant", message, requestId="req_1", **more)

    def tool(self, path: Path, name: str, given: dict[str, Any], result: dict[str, Any], **more: object) -> str:
        """Write a tool's call and its result; return the call's id."""
        call = f"toolu_{uuid.uuid4().hex[:20]}"
        self.say(path, {"type": "tool_use", "id": call, "name": name, "input": given}, **more)
        block = {"tool_use_id": call, "type": "tool_result", "content": "ok"}
        self.record(path, "user", {"role": "user", "content": [block]}, toolUseResult=result, **more)
        return call

    def write(self, path: Path, target: str, **more: object) -> None:
        given = {"file_path": target, "content": "x"}
        result: dict[str, Any] = {
            "type": "create",
            "filePath": target,
            "content": "x",
            "structuredPatch": [],
            "originalFile": None,
        }
        self.tool(path, "Write", given, result, **more)

    def start(self) -> None:
        self.turn = ""
        self.fire("session-start", source="resume" if Path(self.ref).exists() else "startup")

    def prompt(self, text: str) -> None:
        self.turn = str(uuid.uuid4())
        self.fire("user-prompt-submit", prompt=text)
        for record in self.copied or ():
            self.append(Path(self.ref), self.copy_of(record))
        self.copied = None
        message = {"role": "user", "content": text}
        self.record(Path(self.ref), "user", message, promptId=self.turn, promptSource="sdk")

    def change(self, path: str) -> None:
        self.write(Path(self.ref), path)

    def answer(self, text: str) -> None:
        self.said = text
        self.say(Path(self.ref), {"type": "text", "text": text})

    def unknown(self, text: str) -> None:
        self.link(Path(self.ref), type="from-the-future", message={"role": "seer", "content": text})

    def interrupt(self) -> None:
        text = [{"type": "text", "text": "[Request interrupted by user]"}]
        self.record(Path(self.ref), "user", {"role": "user", "content": text})

    def fork(self, session_id: str) -> Player:
        """Continue in a copy, as ``claude --resume ID --fork-session`` does."""
        fork = type(self)(self.agent, self.root, session_id, self.call)
        fork.turn = ""
        fork.copied = [json.loads(line) for line in Path(self.ref).read_text().splitlines()]
        self.begin_fork(fork)
        return fork

    def begin_fork(self, fork: ClaudeCodePlayer) -> None:
        """Tell that the fork begins: the hook still has the old session's id."""
        self.fire("session-start", source="resume")

    def copy_of(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record as a fork copies it."""
        return {**record, "sessionId": self.id}

    def stop(self) -> None:
        self.fire("stop", last_assistant_message=self.said, stop_hook_active=False)

    def end(self) -> None:
        self.fire("session-end", reason="other")

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        call = f"toolu_{uuid.uuid4().hex[:20]}"
        given = {"description": "Help", "prompt": task, "subagent_type": "general-purpose"}
        self.say(Path(self.ref), {"type": "tool_use", "id": call, "name": "Agent", "input": given})
        self.fire("pre-task", tool_name="Agent", tool_use_id=call, tool_input=given)
        own = Path(self.ref).with_suffix("") / "subagents" / f"agent-{subagent_id}.jsonl"
        side: dict[str, Any] = {"isSidechain": True, "agentId": subagent_id}
        own.parent.mkdir(parents=True, exist_ok=True)
        about = {"agentType": "general-purpose", "description": "Help", "toolUseId": call}
        own.with_suffix(".meta.json").write_text(json.dumps(about))
        self.record(own, "user", {"role": "user", "content": task}, **side)
        self.write(own, path, **side)
        self.say(own, {"type": "text", "text": "Done."}, **side)
        result = {"status": "completed", "agentId": subagent_id, "prompt": task}
        block = {"tool_use_id": call, "type": "tool_result", "content": "Done."}
        self.fire("post-task", tool_name="Agent", tool_use_id=call, tool_input=given, tool_response=result)
        self.record(Path(self.ref), "user", {"role": "user", "content": [block]}, toolUseResult=result)


class ClaudeCodeRig(Rig):
    entry = BUILTIN["claude-code"]
    player = ClaudeCodePlayer
    payloads = payloads()
    transcripts = transcripts()
    configs = (
        ConfigSample(name="absent", data=None),
        ConfigSample(name="empty object", data=b"{}"),
        ConfigSample(name="foreign entries", data=json.dumps({
            "model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "my-hook"}]}]},
            "permissions": {"allow": ["Bash(ls:*)"], "deny": ["Read(./.env)"]}}, indent=2).encode() + b"\n"),
        ConfigSample(name="four blanks", data=b'{\n    "env": {\n        "A": "1"\n    }\n}\n'),
        ConfigSample(name="tabs and CRLF", data=b'{\r\n\t"env": {\r\n\t\t"A": "1"\r\n\t}\r\n}\r\n'),
        ConfigSample(name="byte order mark", data=b'\xef\xbb\xbf{\n  "a": 1\n}\n'),
        ConfigSample(name="odd layout", data=b'{ "a":1,\n\n\n   "z" : "\\u2603",   "b" :[ 1,2 ,\n3 ]}\n\n'),
        ConfigSample(name="comments, which it does not read", data=b'{\n  // mine\n  "a": 1\n}\n', is_broken=True),
        ConfigSample(name="half of it", data=b"{", is_broken=True),
        ConfigSample(name="a list", data=b"[]", is_broken=True),
        ConfigSample(name="hooks in another form", data=b'{"hooks": {"Stop": {}}}', is_broken=True),
        ConfigSample(name="not UTF-8", data=b"\xff", is_broken=True),
    )  # fmt: skip


RIG = ClaudeCodeRig()
