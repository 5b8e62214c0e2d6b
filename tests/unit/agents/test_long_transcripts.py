"""What is too long for memory reaches only adapters that take it so."""

from __future__ import annotations

import pytest

from entire import contents
from entire.agents import long_transcripts
from entire.agents.claude_code.agent import ClaudeCode
from entire.agents.demo.agent import Demo
from entire.agents.gemini.agent import Gemini
from entire.agents.gemini.document import ChatDocument
from entire.contents import Scratch
from entire.model.positions import Position

LINES = b'{"sessionId":"s","kind":"main"}\n{"id":"1","type":"user","content":"one"}\n'
PRINTED = b'{\n  "sessionId": "s",\n  "messages": [\n    {"id": "1", "type": "user", "content": "one"}\n  ]\n}\n'
COMPACT = b'{"sessionId":"s","messages":[{"id":"1","type":"user","content":"one"}]}\n'


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MOST", 8)
    monkeypatch.setattr(contents, "_BLOCK", 11)


@pytest.mark.parametrize("text", [LINES, PRINTED, COMPACT])
def test_only_lines_are_given_block_by_block(text: bytes) -> None:
    long = Scratch().keep([text])
    assert not isinstance(long, bytes)
    assert long_transcripts.given(ClaudeCode(), long) is long
    assert isinstance(long_transcripts.given(Gemini(), long), bytes) == (text is not LINES)
    assert long_transcripts.given(Demo(), long) == text  # an adapter that does not say that it takes it so
    assert long_transcripts.given(Demo(), b"short") == b"short"


@pytest.mark.parametrize("text", [LINES, PRINTED, COMPACT])
def test_a_long_transcript_is_read_as_the_same_bytes(text: bytes) -> None:
    gemini, long = Gemini(), Scratch().keep([text])
    opened, whole = long_transcripts.opened(gemini, "", long), gemini.transcript("", text)
    assert isinstance(opened, ChatDocument) == (text is not LINES)
    assert (opened.end(), long_transcripts.content(opened)) == (whole.end(), text)
    one = Position(count=1)
    assert bytes(long_transcripts.until(opened, one)) == whole.cut(one)
    assert long_transcripts.agreement(gemini, whole, long).__dict__ == whole.agreement(text).__dict__
    written = {effect.path: bytes(effect.data) for effect in gemini.put_back("/x/s.jsonl", long, {}).effects}  # type: ignore[union-attr]
    assert written == {effect.path: effect.data for effect in gemini.put_back("/x/s.jsonl", text, {}).effects}  # type: ignore[union-attr]
