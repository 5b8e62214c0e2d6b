"""An agent that keeps a session as one JSON document, which it writes again and again."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from entire.agents import put_back, transcripts, untrusted
from entire.agents.documents import DocumentTranscript
from entire.agents.registry import AgentEntry
from entire.agents.untrusted import clean
from entire.conversation.records import Prompt
from entire.model.effects import PutBack
from entire.model.ids import is_session_id
from entire.model.positions import Position
from entire.model.tokens import TokenUsage
from entire.model.transcripts import FileReport
from entire_plugin_kit import Captured, Player, Rig
from tests.bare_agent import Bare
from tests.rigs.bare import BarePlayer

FIXTURES = Path(__file__).parents[1] / "fixtures" / "document"


class Document(DocumentTranscript):
    """Messages of people (``user``), answers (``agent``, with ``tokens``) and calls (``tool``, with ``file``)."""

    def messages_between(self, since: Position, until: Position | None, kind: str) -> Iterator[tuple[int, Any]]:
        stop = len(self.natives()) if until is None else until.count
        for number, message in list(enumerate(self.natives()))[since.count : stop]:
            if isinstance(message, dict) and message.get("type") == kind:
                yield number, message

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        found = self.messages_between(since, until, "user")
        return [Prompt(text=clean(message.get("text")), position=number, id=clean(message.get("id")))
                for number, message in found]  # fmt: skip

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        found = self.messages_between(since, until, "tool")
        reports = (FileReport(path=clean(message.get("file"))) for _, message in found if message.get("ok") is True)
        return list(dict.fromkeys(report for report in reports if report.path))

    def summary(self, since: Position) -> str:
        texts = [clean(message.get("text")) for _, message in self.messages_between(since, None, "agent")]
        return texts[-1] if texts else ""

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        return any(True for _ in self.messages_between(since, until, "agent"))

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        return self.end()

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        found = [message.get("tokens") for _, message in self.messages_between(since, until, "agent")]
        known = [spent for spent in found if type(spent) is int]
        return TokenUsage(output_tokens=sum(known), api_call_count=len(known)) if known else TokenUsage()


class DocumentAgent(Bare):
    name: ClassVar[str] = "document"
    type: ClassVar[str] = "Document Agent"
    capabilities: ClassVar[frozenset[str]] = frozenset({"session_resumer", "token_calculator", "transcript_analyzer"})

    def transcript(self, session_ref: str, stored: bytes | None = None) -> Document:
        return Document(session_ref, stored)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        """Split a document into documents with some of the messages each, the first of which has all else."""
        document = untrusted.loads(transcript)
        if len(transcript) <= max_size or not _has_messages(document):
            return transcripts.chunk(transcript, max_size)
        parts: list[dict[str, Any]] = [{**document, "messages": []}]
        for message in document["messages"]:
            small = json.loads(transcripts.shorten(json.dumps(message).encode(), max_size // 2))
            if len(json.dumps(parts[-1])) + len(json.dumps(small)) + 2 > max_size:
                parts.append({"messages": []})
            parts[-1]["messages"].append(small)
        return [json.dumps(part).encode() for part in parts]

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        parts = [untrusted.loads(chunk) for chunk in chunks]
        if len(parts) < 2 or not all(map(_has_messages, parts)):
            return transcripts.join(chunks)
        return json.dumps({**parts[0], "messages": [one for part in parts for one in part["messages"]]}).encode()

    def session_dir(self, root: str) -> str:
        return os.path.expanduser("~/.documents")

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return os.path.join(session_dir, f"{session_id}.json") if is_session_id(session_id) else ""

    def own_session_id(self, session_id: str, transcript: bytes) -> str:
        return session_id

    def put_back(self, session_ref: str, transcript: bytes, subagents: Mapping[str, bytes]) -> PutBack:
        return put_back.files(session_ref, transcript, {}, lambda subagent: "")

    def format_resume_command(self, session_id: str) -> str:
        return f"document --session={shlex.quote(session_id)}"


def _has_messages(document: object) -> bool:
    return isinstance(document, dict) and isinstance(document.get("messages"), list)


class DocumentPlayer(BarePlayer):
    @property
    def ref(self) -> str:
        return str(self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id))

    def say(self, **message: object) -> None:
        path = Path(self.ref)
        path.parent.mkdir(exist_ok=True)
        new: dict[str, Any] = {"sessionId": self.id, "messages": []}
        document = json.loads(path.read_text()) if path.exists() else new
        document["messages"].append({"id": f"m{len(document['messages'])}", **message})
        document["lastUpdated"] = len(document["messages"])
        path.write_text(json.dumps(document, indent=2))

    def prompt(self, text: str) -> None:
        self.turn = str(len(Document(self.ref).natives()))
        self.fire("turn-start", prompt=text, turn_ref=self.turn)
        self.say(type="user", text=text)

    def change(self, path: str) -> None:
        self.say(type="tool", file=path, ok=True)

    def answer(self, text: str) -> None:
        self.say(type="agent", text=text, tokens=5)


class DocumentRig(Rig):
    entry = AgentEntry(name="document", type="Document Agent", target=f"{__name__}:DocumentAgent")
    player: type[Player] = DocumentPlayer
    transcripts = (
        Captured(
            name="three-turns",
            path=FIXTURES / "a-session.json",
            prompts=("create one", "say hi", "change one and two"),
            files=("/home/dev/project/one.txt", "/home/dev/project/two.txt"),
            tokens=TokenUsage(output_tokens=41, api_call_count=4),
        ),
    )


RIG = DocumentRig()
