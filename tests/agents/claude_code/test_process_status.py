"""What a process of Claude Code says of itself in its folder, as 2.1.197 and 2.1.332 wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from entire.agents.claude_code.transcript import ClaudeTranscript
from entire.model.positions import START
from entire.model.times import parse_time

SESSION = "96d60207-8db4-49f9-989e-105ebff0f0d5"
PROMPTED, STOPPED = "2026-11-27T10:00:00.500Z", 1795773603250  # milliseconds: 10:00:03.250
ANSWER = {"role": "assistant", "id": "msg_1", "content": [{"type": "text", "text": "Yes"}]}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a session that was asked something."""
    transcript(tmp_path).parent.mkdir(parents=True)
    (tmp_path / ".claude/sessions").mkdir()
    add(tmp_path, "user", {"role": "user", "content": "work long"}, promptId="p1")
    return tmp_path


def transcript(home: Path) -> Path:
    return home / ".claude/projects/-home-dev-project" / f"{SESSION}.jsonl"


def add(home: Path, kind: str, message: Mapping[str, object], **more: object) -> None:
    record = {"type": kind, "uuid": kind, "sessionId": SESSION, "timestamp": PROMPTED, "message": message, **more}
    with transcript(home).open("a") as file:
        file.write(json.dumps(record) + "\n")


def tell(home: Path, status: str, when: object, *, pid: int = 23390, session: str = SESSION) -> None:
    said = {"pid": pid, "sessionId": session, "startedAt": 1795773590000, "procStart": "5206301", "version": "2.1.197",
            "kind": "interactive", "status": status, "updatedAt": when, "statusUpdatedAt": when}  # fmt: skip
    (home / f".claude/sessions/{pid}.json").write_text(json.dumps(said))


def interrupted(home: Path) -> float:
    activity = ClaudeTranscript(str(transcript(home))).activity(START)
    assert activity is not None
    return activity.interrupted


def test_escape_before_the_first_answer_leaves_the_agent_idle(home: Path) -> None:
    tell(home, "idle", STOPPED)
    assert interrupted(home) == parse_time("2026-11-27T10:00:03.250Z")


def test_an_agent_at_work_is_not_interrupted(home: Path) -> None:
    assert interrupted(home) == 0.0, "it says nothing"
    tell(home, "busy", STOPPED)
    assert interrupted(home) == 0.0
    tell(home, "idle", STOPPED - 3000)
    assert interrupted(home) == 0.0, "before the prompt"
    tell(home, "idle", STOPPED, session="another")
    assert interrupted(home) == 0.0


def test_the_newest_of_two_processes_counts(home: Path) -> None:
    tell(home, "idle", STOPPED, pid=1)
    tell(home, "busy", STOPPED + 1000, pid=2)
    assert interrupted(home) == 0.0
    tell(home, "idle", STOPPED + 2000, pid=2)
    assert interrupted(home) == parse_time("2026-11-27T10:00:05.250Z")


def test_an_answer_says_itself_how_it_ended(home: Path) -> None:
    """A turn that has one is over when its hook says so, and idle is also who waits for a permission."""
    tell(home, "idle", STOPPED)
    add(home, "assistant", ANSWER)
    assert interrupted(home) == 0.0


@pytest.mark.parametrize("text", ["", "[]", "null", '{"sessionId": 1}', "[" * 100_000, "\udcff"])
def test_nonsense_tells_nothing(home: Path, text: str) -> None:
    (home / ".claude/sessions/7.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    (home / ".claude/sessions/8.json").mkdir()
    (home / ".claude/sessions/9.json").symlink_to(home)
    assert interrupted(home) == 0.0
    for when in ("soon", None, True, float("inf"), 10**400):
        tell(home, "idle", when)
        assert interrupted(home) == 0.0
