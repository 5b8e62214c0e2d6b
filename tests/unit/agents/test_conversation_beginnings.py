"""Earlier states of a conversation, told from the whole of it: as if each had been read."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.agents import conversation

ROOT = Path(__file__).parents[2] / "fixtures"
FILES = sorted(path for name in ("claude_code", "gemini", "conversations") for path in (ROOT / name).rglob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_beginning_is_what_would_be_read(path: Path) -> None:
    data = path.read_bytes()
    whole = conversation.read_whole(data)
    assert whole.messages == conversation.read(data)
    lines = data.split(b"\n")
    for end in range(0, len(lines) + 1, 1 + len(lines) // 60):
        for part in (b"\n".join(lines[:end]), b"".join(line + b"\n" for line in lines[:end])):
            found = conversation.beginning(whole, data, part)
            assert found is None or found == conversation.read(part)


def test_some_beginnings_need_no_reading_and_others_do() -> None:
    grown = [path.read_bytes() for path in FILES if conversation.read_whole(path.read_bytes()).only_grew]
    assert len(grown) > len(FILES) / 4
    data = next(data for data in grown if data.count(b"\n") > 4)
    part = b"".join(data.splitlines(keepends=True)[:3])
    whole = conversation.read_whole(data)
    assert conversation.beginning(whole, data, part) is not None
    assert conversation.beginning(whole, data, part[:-5]) is None
    assert conversation.beginning(whole, data, b'{"other": 1}\n') is None
