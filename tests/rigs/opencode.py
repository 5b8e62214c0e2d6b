"""OpenCode: what its plugin reports, exports that the real agent printed, and sessions in a database like its own."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from entire.agents.registry import BUILTIN
from entire.model.positions import SessionRef
from entire.model.tokens import TokenUsage
from entire_plugin_kit import Captured, ConfigSample, Payload, Player, Rig
from entire_plugin_kit.rig import BESIDE_OUTPUT
from tests import forks
from tests.agents.opencode import oracle, store
from tests.agents.opencode.store import Store
from tests.agents.opencode.writer import Session

CASES: dict[str, Any] = json.loads((Path(oracle.__file__).parent / "cases" / "payloads.json").read_text())
_FOLDER = tempfile.TemporaryDirectory(prefix="entire-opencode-")


class OpencodePlayer(Player):
    has_subagents = writes_unknown = writes_interruptions = writes_forks = True
    turn = ""

    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    @property
    def session(self) -> Session:
        return Session(Store(Path(SessionRef(self.ref).database)), self.id, str(self.root))

    def fire(self, verb: str, **payload: object) -> None:
        self.call(verb, json.dumps({"session_id": self.id, "cwd": str(self.root), **payload}).encode())

    def start(self) -> None:
        is_new = not self.session.store.has(self.id)
        if is_new:
            self.session.begin()
        self.fire("session-start", source="startup" if is_new else "resume")

    def prompt(self, text: str) -> None:
        self.turn = f"msg_{hash(text)}_{len(self.session.store.rows('SELECT 1 FROM message'))}"
        self.fire("turn-start", turn_id=self.turn, prompt=text, model="scripted")
        self.session.prompt(text)

    def change(self, path: str) -> None:
        self.session.add_file(path)

    def answer(self, text: str) -> None:
        self.session.answer(text)

    def unknown(self, text: str) -> None:
        self.session.append("from the future", [{"type": "from the future", "text": text}])

    def interrupt(self) -> None:
        self.session.stop()

    def fork(self, session_id: str) -> Player:
        fork = type(self)(self.agent, self.root, session_id, self.call)
        self.session.copy(session_id)
        fork.fire("session-start", source="startup")
        return fork

    def stop(self) -> None:
        self.fire("turn-end", turn_id=self.turn)

    def end(self) -> None:
        self.fire("session-end", reason="exit")

    def lose(self) -> None:
        self.session.store.change("DELETE FROM session WHERE id = ?", self.id)

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        given = {"description": task, "prompt": task, "subagent_type": "general"}
        done = self.session.tool("task", given, "Done.", metadata={"sessionId": subagent_id})
        self.fire("subagent-start", tool_use_id=done["callID"], tool_input=given)
        own = Session(self.session.store, subagent_id, str(self.root), parent=self.id)
        own.begin()
        own.prompt(task)
        own.add_file(path)
        own.answer("Done.")
        self.fire("subagent-end", tool_use_id=done["callID"], tool_input=given, subagent_id=subagent_id)
        self.session.say(done, finish="tool-calls")


@cache
def _programs() -> str:
    """Return a folder with what stands for `opencode`."""
    text = f"import sys\nsys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
    forks.write(
        Path(_FOLDER.name) / "opencode", f"{text}from {store.__name__} import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    return _FOLDER.name


def _payload(name: str) -> Payload:
    case = CASES[name]
    common = {"session_id": case["payload"]["session_id"], "cwd": case["payload"]["cwd"]}
    verb = name.partition(" ")[0]
    return Payload(name=name, verb=verb, data=json.dumps(case["payload"]).encode(),
                   event=case["event"] and {**common, **case["event"]})  # fmt: skip


def _captured(name: str) -> Captured:
    given, read, written, output = oracle.tokens(name)
    thoughts = 0 if oracle.CALLS[name] else None
    path = Path(_FOLDER.name) / "captured" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(oracle.lines(name))
    return Captured(
        name=name,
        path=path,
        prompts=oracle.PROMPTS[name],
        files=[f"{oracle.PROJECT}/{file}" for file in oracle.FILES.get(name, [])],
        tokens=TokenUsage(
            input_tokens=given,
            cache_creation_tokens=written,
            cache_read_tokens=read,
            output_tokens=output,
            api_call_count=oracle.CALLS[name],
            reasoning_tokens=thoughts,
        ),
        summary=oracle.LAST_TEXT[name],
        subagents=[oracle.CHILD] if name == "subagent-parent" else (),
        unsettled=[3] if name == "killed-mid-tool" else (),
    )


class OpencodeRig(Rig):
    entry = BUILTIN["opencode"]
    reasoning = BESIDE_OUTPUT
    player = OpencodePlayer
    payloads = tuple(map(_payload, CASES))
    transcripts = tuple(map(_captured, oracle.NAMES))
    configs = (
        ConfigSample(name="absent", data=None),
        ConfigSample(name="a plugin of the user's", data=b"export const Mine = async () => ({})\n", is_broken=True),
    )

    def adapter(self, metadata: Mapping[str, str] = {}) -> Any:
        """Return an adapter, where there is an `opencode` on PATH."""
        if (folder := _programs()) not in os.environ["PATH"]:
            os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        return super().adapter(metadata)


RIG = OpencodeRig()
