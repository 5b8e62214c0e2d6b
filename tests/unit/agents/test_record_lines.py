"""Transcripts that are lines, each of which says something by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from entire.agents.record_lines import RecordLines
from entire.conversation.records import Answer, Prompt, Record
from entire.model.positions import START, Position


class Transcript(RecordLines):
    def read(self, native: dict[str, Any], position: int, end: int, *, details: bool) -> Iterator[Record]:
        if "ask" in native:
            yield Prompt(position=position, text=native["ask"])
        if "say" in native:
            yield Answer(position=position, end=end, id=f"a{position}", text=native["say"] + ("!" if details else ""))


LINES = [b'{"ask": "one", "say": "uno"}\n', b"broken\n", b"[]\n", b'{"ask": "two"}\n', b'{"say": "due"}']


def test_lines_are_records_in_their_place() -> None:
    transcript = Transcript("", b"".join(LINES))
    assert [(prompt.text, prompt.position) for prompt in transcript.prompts(START)] == [("one", 0), ("two", 3)]
    assert transcript.end() == Position(count=5, byte=len(b"".join(LINES)), mark="a4")
    assert transcript.summary(START) == "due"
    assert [record.text for record in transcript.records() if isinstance(record, Answer)] == ["uno!", "due!"]


def test_each_part_has_what_was_written_in_it(tmp_path: Path) -> None:
    path, positions = tmp_path / "s.jsonl", [START]
    for number in range(1, len(LINES) + 1):
        path.write_bytes(b"".join(LINES[:number]))
        positions.append(Transcript(str(path)).end(positions[-1]))
    assert [position.count for position in positions] == [0, 1, 2, 3, 4, 5]
    for since in positions:
        later = [prompt.text for prompt in Transcript(str(path)).prompts(since)]
        assert later == ["one", "two"][sum(since.count > place for place in (0, 3)) :]
    assert Transcript(str(path)).end(Position(count=3)) == positions[-1], "a position without a byte"


def test_a_line_that_is_being_written_is_left_for_later(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(LINES[0] + b'{"ask": "tw')
    end = Transcript(str(path)).end()
    assert end.count == 1
    path.write_bytes(LINES[0] + json.dumps({"ask": "two"}).encode())
    assert [prompt.text for prompt in Transcript(str(path)).prompts(end)] == ["two"]
    assert Transcript(str(path)).end(end).count == 2
