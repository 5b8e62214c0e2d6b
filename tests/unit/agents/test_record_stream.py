"""Records of the lines after a position: whatever part is read, it is what the whole says there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from entire.agents.record_stream import RecordStream
from entire.conversation.records import PERSON, Prompt
from entire.model.positions import START, Position


class Words(RecordStream):
    """Every line is a prompt; the last one before the position is looked for."""

    skipped = (b'{"skip"',)
    seen_before = ""

    def take(self, native: dict[str, Any], at: int, end: int) -> Iterator[Prompt]:
        self.last = str(native["text"])
        yield Prompt(position=at, text=self.last, time=0.0, id="", by=PERSON)

    def look_back(self) -> None:
        self.seen_before = next((json.loads(line)["text"] for line in self.before() if b"text" in line), "")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    lines = [{"text": "one"}, {"skip": 1}, {"text": "two"}, {"text": "three"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def read(path: Path, since: Position = START) -> tuple[list[tuple[int, str]], Words]:
    stream = Words(str(path), since, details=False)
    return [(record.position, record.text) for record in stream if isinstance(record, Prompt)], stream


def test_parts_say_what_the_whole_says(file: Path) -> None:
    found, whole = read(file)
    assert found == [(0, "one"), (2, "two"), (3, "three")]
    assert whole.end == Position(count=4, byte=file.stat().st_size, mark="three")
    for count, seen in ((1, "one"), (2, "one"), (3, "two")):
        part, stream = read(file, Position(count=count))
        assert part == [(at, text) for at, text in found if at >= count]
        assert (stream.end, stream.seen_before) == (whole.end, seen)


def test_a_newline_that_came_after_the_position_is_no_line(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    _, stream = read(file)
    assert (stream.end.count, stream.end.byte) == (4, len(whole) - 1)
    file.write_bytes(whole + b'{"text": "four"}\n')
    found, later = read(file, stream.end)
    assert (found, later.end.count) == ([(4, "four")], 5)


def test_a_line_that_is_being_written_waits(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"text": "fo')
    _, stream = read(file)
    assert stream.end.byte == len(whole)
