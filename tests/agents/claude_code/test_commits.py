"""Which answer of Claude Code made a commit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents.claude_code.agent import ClaudeCode
from entire.agents.claude_code.transcript import ClaudeTranscript
from entire.model.positions import START

FIRST, SECOND = "1a2b3c4d" * 5, "9f8e7d6c" * 5
COMMITTED = 1767225602.0  # 2026-01-01T00:00:02Z


def shell(number: int, second: int, command: str, output: str, *, listed: bool = False) -> list[dict[str, object]]:
    """Return a call of the Bash tool and its result; ``listed``: the result's content is a list of blocks."""
    time = f"2026-01-01T00:00:{second:02}.500Z"
    block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    result: dict[str, object] = {"type": "tool_result", "tool_use_id": f"t{number}"}
    result["content"] = [{"type": "text", "text": output}] if listed else ""
    usage = {"input_tokens": 1, "output_tokens": 1}
    return [
        {"parentUuid": None, "type": "assistant", "uuid": f"u{number}", "timestamp": time,
         "message": {"id": f"m{number}", "role": "assistant", "content": [block], "usage": usage}},
        {"parentUuid": f"u{number}", "type": "user", "uuid": f"v{number}", "timestamp": time,
         "message": {"role": "user", "content": [result]},
         "toolUseResult": "Error" if listed else {"stdout": output, "stderr": ""}},
    ]  # fmt: skip


@pytest.fixture
def transcript(tmp_path: Path) -> ClaudeTranscript:
    records = [
        *shell(1, 2, "git commit", f"[main {FIRST[:7]}] One\n"),
        *shell(2, 2, "./release", f"[main (root-commit) {SECOND[:9]}] Two\n", listed=True),
        *shell(3, 9, "git log", f"{FIRST[:7]} One\n"),
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return ClaudeCode().transcript(str(path))


def test_the_answer_is_found_by_the_commits_id(transcript: ClaudeTranscript) -> None:
    ends = [transcript.answer_boundary(START, COMMITTED + 1, commit) for commit in (FIRST, SECOND)]
    assert [(end.count, end.mark) for end in ends] == [(1, "m1"), (3, "m2")]
    assert transcript.answer_boundary(ends[0], COMMITTED + 1, SECOND) == ends[1]
    assert transcript.answer_boundary(START, COMMITTED + 1, "0" * 40) == ends[1]  # the last one that ran then


def test_a_stored_copy_answers_the_same(transcript: ClaudeTranscript) -> None:
    copy = ClaudeCode().transcript("", transcript.snapshot())
    for commit in (FIRST, SECOND):
        assert copy.answer_boundary(START, COMMITTED + 1, commit) == transcript.answer_boundary(
            START, COMMITTED + 1, commit
        )


def test_who_made_a_commit(transcript: ClaudeTranscript) -> None:
    assert transcript.makes_commit(START, COMMITTED + 1, FIRST)
    after = transcript.answer_boundary(START, COMMITTED + 1, SECOND)
    assert not transcript.makes_commit(after, COMMITTED + 1, FIRST)  # only looked at later
    assert not transcript.makes_commit(START, COMMITTED + 100, "0" * 40)
    assert not transcript.makes_commit(START, COMMITTED, "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "id", "message", "content", "input", "command", "toolUseResult", "stdout", "text",
                         "tool_use_id", "timestamp"]),
        inner | st.sampled_from(["tool_use", "tool_result", "assistant", "user"]), max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(json_values, max_size=4))
def test_strange_records_never_raise(values: list[object]) -> None:
    data = "".join(json.dumps(value) + "\n" for value in values).encode() + b'{"tool_use":'
    assert not ClaudeCode().transcript("", data).makes_commit(START, 1.0, FIRST)
