"""An agent that keeps each message in a file of its own: a session is a folder, a subagent's a folder in it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from entire.agents.registry import AgentEntry
from entire.model.effects import Delete, PutBack, Run, Write
from entire.model.positions import Position
from entire.model.transcripts import Subagent
from tests.bare_agent import Bare, SessionResumer
from tests.rigs.document import Document


class Composed(Document):
    """The messages of a folder's files as one document, which no file holds."""

    def __init__(self, session_ref: str, stored: bytes | None = None) -> None:
        super().__init__(session_ref, composed(session_ref) if stored is None else stored)

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        found = [message["helper"] for _, message in self.messages_between(since, until, "call")]
        return [Subagent(id=name, session_ref=self.subagent_ref(name), tool_use_id=f"call_{name}") for name in found]

    def subagent_ref(self, subagent_id: str) -> str:
        return os.path.join(self.session_ref, "helpers", subagent_id) if subagent_id.isalnum() else ""


class ComposedAgent(SessionResumer):
    capabilities: ClassVar[frozenset[str]] = frozenset(
        {"session_resumer", "subagent_extractor", "token_calculator", "transcript_analyzer"}
    )

    def transcript(self, session_ref: str, stored: bytes | None = None) -> Composed:
        return Composed(session_ref, stored)

    def session_dir(self, root: str) -> str:
        return os.path.join(os.path.dirname(root), "projects", "today")

    def put_back(self, session_ref: str, transcript: bytes, subagents: Mapping[str, bytes]) -> PutBack:
        locate = Composed(session_ref, transcript).subagent_ref
        folders = {session_ref: transcript, **{locate(name): data for name, data in subagents.items()}}
        return PutBack(effects=tuple(effect for folder, data in folders.items() for effect in _files(folder, data)))


def entry() -> AgentEntry:
    return AgentEntry(name=Bare.name, type=Bare.type, target=f"{__name__}:ComposedAgent", description="Has folders")


def composed(folder: str) -> bytes:
    """Return a folder's messages as one document."""
    found: list[Any] = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
    return json.dumps({"messages": found}).encode() if found else b""


def _files(folder: str, data: bytes) -> list[Write | Delete]:
    messages = json.loads(data)["messages"] if data else []
    names = [os.path.join(folder, f"{number:03}.json") for number in range(len(messages))]
    gone = {str(path) for path in Path(folder).glob("*.json")} - {*names}
    return [
        *(Write(path=name, data=json.dumps(message).encode()) for name, message in zip(names, messages, strict=True)),
        *(Delete(path=path) for path in sorted(gone)),
    ]


def put_back_by_a_command(_self: ComposedAgent, session_ref: str, transcript: bytes, _: Mapping[str, bytes]) -> PutBack:
    """Plan what ``put_back`` does as a command of the agent's program, which reads a document."""
    command, present = (sys.executable, "-c", _PROGRAM, session_ref), composed(session_ref)
    return PutBack(effects=(Run(argv=command, stdin=transcript, undo_argv=command, undo_stdin=present),))


_PROGRAM = """
import json, pathlib, sys
folder, data = pathlib.Path(sys.argv[1]), sys.stdin.read()
for path in folder.glob("*.json"):
    path.unlink()
for number, message in enumerate(json.loads(data)["messages"] if data else []):
    folder.joinpath(f"{number:03}.json").write_text(json.dumps(message))
"""
