"""Chats too large for one part: cut as the Go CLI joins them, and joined."""

from __future__ import annotations

import json

from entire.agents.gemini.agent import Gemini
from tests.agents.gemini.test_records import HEADER, lines, user


def test_a_document_in_parts_as_the_go_cli_joins_them() -> None:
    agent = Gemini(env={})
    messages = [user(f"u{number}", "é" * 40) for number in range(30)]
    whole = json.dumps({**HEADER, "messages": messages}, indent=2).encode()
    parts = agent.chunk_transcript(whole, 1000)
    assert len(parts) > 3
    assert all(len(part) <= 1000 for part in parts)
    documents = [json.loads(part) for part in parts]
    assert [message for document in documents for message in document["messages"]] == messages
    assert documents[0]["sessionId"] == "s1"
    assert all(set(document) == {"messages"} for document in documents[1:])
    assert json.loads(agent.reassemble_transcript(parts)) == json.loads(whole)
    assert agent.chunk_transcript(whole, len(whole)) == [whole]


def test_an_oversized_message_is_shortened() -> None:
    parts = Gemini(env={}).chunk_transcript(
        json.dumps({"messages": [user("u1", "x" * 5000), user("u2", "y")]}).encode(), 1000
    )
    assert all(len(part) <= 1000 for part in parts)
    (first, second) = [message for part in parts for message in json.loads(part)["messages"]]
    assert "[cut: " in first["content"]
    assert second["content"] == "y"


def test_lines_in_parts_come_back() -> None:
    agent = Gemini(env={})
    whole = lines(HEADER, *[user(f"u{number}", "x" * 100) for number in range(30)])
    parts = agent.chunk_transcript(whole, 1000)
    assert all(len(part) <= 1000 for part in parts)
    assert agent.reassemble_transcript(parts) == whole
