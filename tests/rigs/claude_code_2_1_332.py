"""Claude Code 2.1.332, which writes what it sends to the model beside the conversation, and whose helpers work in the
background.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from entire_plugin_kit import Rig
from entire_plugin_kit.rig import IN_OUTPUT
from tests.rigs import claude_code

VERSION = "2.1.332"
BLOB = {"type": "api-request-blob", "hash": "0f", "message": {}}


class NewerPlayer(claude_code.ClaudeCodePlayer):
    version = VERSION

    def record(self, path: Path, kind: str, message: dict[str, Any], **more: object) -> None:
        """Append a record, and around it what the agent notes for itself: the message as it was sent, the leaf."""
        if kind == "assistant":
            self.append(path, {"type": "api-request", "id": str(uuid.uuid4()), "querySource": "sdk", "tail": ["0f"]})
        super().record(path, kind, message, **more)
        if "promptSource" in more:
            leaf = str(uuid.uuid4())
            self.append(path, {"type": "last-prompt", "lastPrompt": message["content"], "leafUuid": leaf,
                               "sessionId": self.id})  # fmt: skip
            self.link(path, type="attachment", attachment={"type": "prompt_snapshot"}, uuid=leaf)
            text = [{"type": "text", "text": "<system-reminder>\nNow\n</system-reminder>"},
                    {"type": "text", "text": message["content"]}]  # fmt: skip
            self.append(path, {**BLOB, "message": {"role": "user", "content": text}})

    def start(self) -> None:
        if Path(self.ref).exists():  # written at the last exit
            self.append(Path(self.ref), {"type": "cost-state", "sessionId": self.id, "modelUsage": {}})
        super().start()

    def begin_fork(self, fork: claude_code.ClaudeCodePlayer) -> None:
        fork.fire("session-start", source="fork")

    def copy_of(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record as a fork copies it: those of people have the new prompt's id."""
        prompt = {"promptId": self.turn} if record.get("type") == "user" else {}
        return {**super().copy_of(record), **prompt}

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        call = f"toolu_{uuid.uuid4().hex[:20]}"
        given = {"description": "Help", "prompt": task, "subagent_type": "general-purpose"}
        self.say(Path(self.ref), {"type": "tool_use", "id": call, "name": "Agent", "input": given})
        self.fire("pre-task", tool_name="Agent", tool_use_id=call, tool_input=given)
        result = {"isAsync": True, "status": "async_launched", "agentId": subagent_id, "description": "Help"}
        self.fire("post-task", tool_name="Agent", tool_use_id=call, tool_input=given, tool_response=result)
        block = {"tool_use_id": call, "type": "tool_result", "content": [{"type": "text", "text": "Launched."}]}
        self.record(Path(self.ref), "user", {"role": "user", "content": [block]}, toolUseResult=result)
        own = Path(self.ref).with_suffix("") / "subagents" / f"agent-{subagent_id}.jsonl"
        side: dict[str, Any] = {"isSidechain": True, "agentId": subagent_id}
        own.parent.mkdir(parents=True, exist_ok=True)
        about = {"agentType": "general-purpose", "description": "Help", "toolUseId": call}
        own.with_suffix(".meta.json").write_text(json.dumps(about))
        self.record(own, "user", {"role": "user", "content": task}, promptId=self.turn, **side)
        self.write(own, path, **side)
        self.say(own, {"type": "text", "text": "Done."}, **side)
        running = {"id": subagent_id, "type": "subagent", "status": "running"}
        self.fire("subagent-stop", agent_id=subagent_id, agent_type="general-purpose", agent_transcript_path=str(own),
                  last_assistant_message="Done.", background_tasks=[running])  # fmt: skip


class NewerRig(Rig):
    entry = claude_code.RIG.entry
    version = VERSION
    reasoning = IN_OUTPUT
    player = NewerPlayer
    payloads = claude_code.payloads(VERSION)
    transcripts = claude_code.transcripts(VERSION)


RIG = NewerRig()
