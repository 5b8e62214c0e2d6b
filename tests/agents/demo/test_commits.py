"""Which answer of the demo agent made a commit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents.demo.agent import Demo
from entire.agents.demo.transcript import DemoTranscript
from entire.model.positions import START

FIRST, SECOND = "1a2b3c4d" * 5, "9f8e7d6c" * 5
COMMITTED = 1767225602.0  # 2026-01-01T00:00:02Z


def record(kind: str, second: int, **value: object) -> str:
    return json.dumps({"type": kind, "time": f"2026-01-01T00:00:{second:02}.500000Z", **value}) + "\n"


def run(number: int, second: int, command: str, output: str) -> list[str]:
    return [
        record("answer", second, id=f"a{number}"),
        record("call", second, id=f"c{number}", answer=f"a{number}", tool="run", input={"command": command}),
        record("result", second, id=f"r{number}", call=f"c{number}", ok=True, output=output),
    ]


@pytest.fixture
def transcript(tmp_path: Path) -> DemoTranscript:
    lines = [
        *run(1, 2, "git commit", f"[main {FIRST[:7]}] One\n"),
        *run(2, 2, "git commit", f"[main {SECOND[:9]}] Two\n"),
        *run(3, 9, "git log", f"{FIRST[:7]} One\n"),
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(lines))
    found = Demo().transcript(str(path))
    assert isinstance(found, DemoTranscript)
    return found


def test_the_answer_is_found_by_the_commits_id(transcript: DemoTranscript) -> None:
    ends = [transcript.answer_boundary(START, COMMITTED + 1, commit) for commit in (FIRST, SECOND)]
    assert [(end.count, end.mark) for end in ends] == [(2, "a1"), (5, "a2")]
    assert transcript.answer_boundary(ends[0], COMMITTED + 1, SECOND) == ends[1]


def test_without_such_an_answer_the_moment_decides(transcript: DemoTranscript) -> None:
    at = COMMITTED + 1
    assert transcript.answer_boundary(START, at, "0" * 40) == transcript.answer_boundary(START, at)


def test_who_made_a_commit(transcript: DemoTranscript) -> None:
    assert transcript.makes_commit(START, COMMITTED + 1, FIRST)
    after = transcript.answer_boundary(START, COMMITTED + 1, SECOND)
    assert not transcript.makes_commit(after, COMMITTED + 1, FIRST)  # only looked at later
    assert not transcript.makes_commit(START, COMMITTED + 100, "0" * 40)
    assert not transcript.makes_commit(START, COMMITTED, "")
