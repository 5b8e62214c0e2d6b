"""Writes rollouts as Codex writes them, in the form of version 0.171.0."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path


def stamp(moment: float | None = None) -> str:
    now = time.time() if moment is None else moment
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"


class Rollout:
    """A rollout, written as the agent writes it; it goes on where a file ends that is there already."""

    def __init__(self, path: Path, session_id: str, cwd: str, parent: str = "") -> None:
        self.path, self.id, self.cwd, self.parent = path, session_id, cwd, parent
        self.turn = ""
        self.ordinal = len(path.read_bytes().splitlines()) if path.exists() else 0

    def append(self, kind: str, **payload: object) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        record = {"timestamp": stamp(), "ordinal": self.ordinal, "type": kind, "payload": payload}
        self.ordinal += 1
        with self.path.open("a") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def event(self, kind: str, **payload: object) -> None:
        self.append("event_msg", type=kind, turn_id=self.turn, **payload)

    def item(self, kind: str, **fields: object) -> None:
        self.event("item_completed", thread_id=self.id, item={"type": kind, **fields})

    def begin(self, **more: object) -> None:
        origin = {"thread_source": "subagent", "source": {"subagent": {}}, "parent_thread_id": self.parent}
        own = origin if self.parent else {"thread_source": "user", "source": "exec"}
        self.append("session_meta", session_id=self.parent or self.id, id=self.id, timestamp=stamp(), cwd=self.cwd,
                    cli_version="0.171.0", history_mode="paginated", **own, **more)  # fmt: skip

    def begin_turn(self, turn: str) -> None:
        self.turn = turn
        self.event("task_started")
        self.append("turn_context", turn_id=turn, cwd=self.cwd, model="gpt-5.5")

    def prompt(self, text: str) -> None:
        content = [{"type": "input_text", "text": text}]
        self.append("response_item", type="message", role="user", content=content)
        self.item("UserMessage", id=str(uuid.uuid4()), content=[{"type": "text", "text": text, "text_elements": []}])

    def say(self, text: str) -> None:
        own_id = f"msg_{uuid.uuid4().hex}"
        self.item("AgentMessage", id=own_id, content=[{"type": "Text", "text": text}])
        self.append("response_item", type="message", id=own_id, role="assistant",
                    content=[{"type": "output_text", "text": text}])  # fmt: skip
        self.usage()

    def call(self, kind: str, name: str, **given: object) -> str:
        """Write a response that calls a tool; return the call's id."""
        own_id = f"call_{uuid.uuid4().hex[:12]}"
        self.append("response_item", type=kind, call_id=own_id, name=name, status="completed", **given)
        self.usage()
        return own_id

    def result(self, kind: str, call: str, output: object) -> None:
        self.append("response_item", type=f"{kind}_output", call_id=call, output=output)

    def add_file(self, path: str, content: str = "x\n") -> None:
        patch = f"*** Begin Patch\n*** Add File: {path}\n+{content}*** End Patch\n"
        call = self.call("custom_tool_call", "apply_patch", input=patch)
        said = f"Success. Updated the following files:\nA {path}\n"
        self.item("FileChange", id=call, changes={path: {"type": "add", "content": content}}, status="completed",
                  stdout=said, stderr="")  # fmt: skip
        self.result("custom_tool_call", call, f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{said}")

    def spawn(self, subagent_id: str, task: str) -> str:
        call = self.call("function_call", "spawn_agent", arguments=json.dumps({"message": task}))
        helper = {"thread_id": subagent_id, "agent_nickname": "Noether", "agent_role": "worker"}
        self.item("CollabAgentToolCall", id=call, tool="spawn_agent", status="completed", prompt=task,
                  receiver_thread_ids=[subagent_id], receiver_agents=[helper])  # fmt: skip
        self.result("function_call", call, json.dumps({"agent_id": subagent_id}))
        return call

    def usage(self) -> None:
        used = {"input_tokens": 100, "cached_input_tokens": 30, "cache_write_input_tokens": 0, "output_tokens": 10,
                "reasoning_output_tokens": 4, "total_tokens": 110}  # fmt: skip
        self.append("token_usage_record", thread_id=self.id, turn_id=self.turn, response_id=f"resp_{uuid.uuid4().hex}",
                    usage=used)  # fmt: skip

    def end_turn(self) -> None:
        self.event("task_complete")

    def abort_turn(self) -> None:
        self.event("turn_aborted", reason="interrupted")
