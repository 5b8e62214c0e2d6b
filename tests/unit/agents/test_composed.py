"""Lines that an adapter composes of what is not a file."""

from __future__ import annotations

import pytest

from entire.agents import composed
from entire.agents.composed import ComposedLines, FilePart
from entire.agents.record_lines import RecordLines
from entire.conversation.records import Prompt
from entire.model.positions import START, Position
from entire.model.transcripts import FileLines

DATA = b'{"say": "one"}\n{"say": "two"}\n'


class Rows(ComposedLines, RecordLines):
    asked = 0

    def compose(self) -> tuple[bytes, int]:
        self.asked += 1
        return DATA, 15

    def read(self, native, position, end, *, details):  # type: ignore[no-untyped-def]
        return [Prompt(position=position, text=native["say"])]


def test_they_are_composed_at_the_first_question_and_read_like_a_file() -> None:
    rows = Rows("rows:/a.db#s")
    assert rows.asked == 0
    assert [prompt.text for prompt in rows.prompts(START)] == ["one", "two"]
    end = rows.end()
    assert (end, rows.size(), rows.asked) == (Position(count=2, byte=30), 30, 1)
    assert rows.file_lines(end) == FileLines(lines=2, size=30, content=DATA, settled=15)
    assert rows.file_lines(rows.at(1)) == FileLines(lines=1, size=15, content=DATA[:15], settled=15)
    assert rows.cut(rows.at(1)) == DATA[:15]


def test_a_stored_copy_is_read_alone() -> None:
    copy = Rows("rows:/a.db#s", DATA[:15])
    assert (copy.snapshot(), copy.file_lines(copy.end()), copy.asked) == (DATA[:15], None, 0)


# ---------------------------------------------------------------- parts of a session's file


FILE = "/s/x.jsonl"


def test_a_reference_to_a_part_is_taken_apart_again() -> None:
    assert FilePart(FILE).subagent_ref("call_1") == FilePart(f"{FILE}#other").subagent_ref("call_1") == f"{FILE}#call_1"
    assert composed.parts_of(f"{FILE}#call_1") == (FILE, "call_1")
    assert [FilePart(FILE).subagent_ref(name) for name in ("../x", "", "a/b")] == ["", "", ""]


@pytest.mark.parametrize("session_ref", [FILE, "/s#t/x.jsonl", f"{FILE}#", f"{FILE}#../x", "/s/x#call_1", ""])
def test_other_references_are_about_a_session(session_ref: str) -> None:
    assert composed.parts_of(session_ref) == (session_ref, "")
