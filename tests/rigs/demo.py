"""The demo agent: its own program writes the transcripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from entire.agents.registry import BUILTIN
from entire.model.tokens import TokenUsage
from entire_demo_agent.conversation import helper_transcript
from entire_demo_agent.memory import MODEL, Transcript
from entire_plugin_kit import Captured, ConfigSample, Payload, Player, Rig

FIXTURES = Path(__file__).parents[1] / "fixtures" / "demo"


class DemoPlayer(Player):
    has_subagents = writes_unknown = writes_interruptions = True

    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    @property
    def transcript(self) -> Transcript:
        return Transcript(Path(self.ref))

    def fire(self, verb: str, **payload: object) -> None:
        self.call(verb, json.dumps({"session_id": self.id, "transcript_path": self.ref, "cwd": str(self.root),
                                    **payload}).encode())  # fmt: skip

    def start(self) -> None:
        self.turn = 0
        source = "resume" if Path(self.ref).exists() else "startup"
        self.transcript.append("session", session_id=self.id, cwd=str(self.root), source=source, model=MODEL)
        self.fire("session-start", source=source)

    def prompt(self, text: str) -> None:
        self.turn_id = f"turn_{self.transcript.memory.turns}"
        self.fire("prompt-submit", prompt_id=self.turn_id, prompt=text, model=MODEL)
        self.transcript.append("prompt", prompt_id=self.turn_id, text=text)

    def answer(self, text: str) -> None:
        self.said = text
        _answer(self.transcript, text, self.turn_id)

    def change(self, path: str) -> None:
        _change(self.transcript, path, self.turn_id)

    def unknown(self, text: str) -> None:
        self.transcript.append("from-the-future", text=text)

    def interrupt(self) -> None:
        self.transcript.append("interrupt")

    def stop(self) -> None:
        self.fire("turn-end", prompt_id=self.turn_id, last_answer=self.said)

    def end(self) -> None:
        self.fire("session-end", reason="done")

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        answer = _answer(self.transcript, "I ask a helper.", self.turn_id)
        call = self.transcript.append("call", answer=answer, tool="helper", input={"prompt": task}, helper=subagent_id)
        about = {"subagent_id": subagent_id, "subagent_type": "helper", "tool_use_id": call["id"], "task": task}
        self.fire("subagent-start", **about)
        helper = Transcript(helper_transcript(Path(self.ref), subagent_id))
        helper.append("session", session_id=self.id, helper=subagent_id, cwd=str(self.root), model=MODEL)
        helper.append("prompt", prompt_id=call["id"], text=task)
        _change(helper, path, call["id"])
        _answer(helper, "Done.", call["id"])
        self.fire("subagent-end", **about, subagent_transcript_path=str(helper.path), last_answer="Done.")
        self.transcript.append("result", call=call["id"], tool="helper", ok=True, output="Done.", helper=subagent_id)


def _answer(transcript: Transcript, text: str, turn: str) -> str:
    usage = transcript.memory.usage("in", text)
    return str(transcript.append("answer", prompt_id=turn, model=MODEL, text=text, usage=usage)["id"])


def _change(transcript: Transcript, path: str, turn: str) -> None:
    answer = _answer(transcript, "I write.", turn)
    call: dict[str, Any] = transcript.append("call", answer=answer, tool="create", input={"path": path})
    transcript.append("result", call=call["id"], tool="create", ok=True, output="", path=path, change="created")


def _payload(verb: str, kind: str, wanted: dict[str, Any], **given: object) -> Payload:
    data = {"session_id": "s", "transcript_path": "/home/dev/s.jsonl", "cwd": "/home/dev/project", **given}
    event = {"type": kind, "session_id": "s", "session_ref": "/home/dev/s.jsonl", "cwd": "/home/dev/project", **wanted}
    return Payload(name=verb, verb=verb, data=json.dumps(data).encode(), event=event)


_HELPER = {"subagent_id": "h1", "subagent_type": "helper", "tool_use_id": "call_1"}


class DemoRig(Rig):
    entry = BUILTIN["demo"]
    player = DemoPlayer
    payloads = (
        _payload("session-start", "SESSION_START", {"source": "startup"}, source="startup"),
        _payload("prompt-submit", "TURN_START", {"prompt": "say hi", "turn_ref": "t1", "model": "obedient-1"},
                 prompt="say hi", prompt_id="t1", model="obedient-1"),
        _payload("turn-end", "TURN_END", {"turn_ref": "t1", "final_text": "hi"}, prompt_id="t1", last_answer="hi"),
        _payload("subagent-start", "SUBAGENT_START", {**_HELPER, "task_description": "work"}, **_HELPER, task="work"),
        _payload("subagent-end", "SUBAGENT_END", _HELPER, **_HELPER, task="work"),
        _payload("compaction", "COMPACTION", {"source": "manual"}, trigger="manual"),
        _payload("session-end", "SESSION_END", {"source": "done"}, reason="done"),
    )  # fmt: skip
    transcripts = (
        Captured(
            name="three-turns",
            path=FIXTURES / "a-session.jsonl",
            prompts=(
                "create a.txt with one then append two to a.txt; create ../no with x",
                'ask a helper to "create h.txt with x; say fine"; say bye',
                "delete a.txt; run touch b.txt",
            ),
            files=("/home/dev/project/a.txt",),
            tokens=TokenUsage(input_tokens=66, cache_creation_tokens=85, cache_read_tokens=772, output_tokens=87,
                              api_call_count=10),
            subagents=("helper_9593faaab965",),
        ),
    )  # fmt: skip
    configs = (
        ConfigSample(name="absent", data=None),
        ConfigSample(name="empty object", data=b"{}\n"),
        ConfigSample(name="foreign entries", data=json.dumps(
            {"hooks": {"TurnEnd": [{"command": "make lint", "timeout": 5}], "Else": []}, "colour": "\u00e9"}, indent=4,
            ensure_ascii=False).encode()),
        ConfigSample(name="tabs and CRLF", data=b'{\r\n\t"hooks": {},\r\n\t"a": [1, 2]\r\n}\r\n'),
        ConfigSample(name="one line", data=b'{"a":1}'),
        ConfigSample(name="comments, which it does not read", data=b'{\n  // mine\n  "a": 1\n}\n', is_broken=True),
        ConfigSample(name="half of it", data=b'{"hooks": {', is_broken=True),
        ConfigSample(name="a list", data=b"[]", is_broken=True),
        ConfigSample(name="hooks in another form", data=b'{"hooks": []}', is_broken=True),
        ConfigSample(name="not UTF-8", data=b"\xff", is_broken=True),
    )  # fmt: skip


RIG = DemoRig()
