"""What the captured sessions really hold, read off the files by eye."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures" / "copilot"
SESSIONS = FIXTURES / "session-state"
PROJECT = "/home/dev/project"
FIRST, DELEGATED, INTERRUPTED, COMPACTED = "first-turn", "with-a-subagent", "interrupted", "compacted"
HELPER = "b8bb03de-6801-4aef-959f-727b43fe0dd4"
IDS = {
    FIRST: "f5b9969c-5171-49ee-a6c1-0a5c1ed5ee39",
    DELEGATED: "eeed310d-242c-4d4b-bee6-2858d1d6a255",
    COMPACTED: "158f5162-652d-44a9-a075-0d744b43d742",
    INTERRUPTED: "d0953c31-ab9d-48f7-9c38-560aad293b8f",
}
PROMPTS = {
    FIRST: [(8, "first task")],
    DELEGATED: [(8, "delegate")],
    COMPACTED: [(7, "write a"), (36, "write b")],
    INTERRUPTED: [(2, "do it")],
}
FILES = {FIRST: ["hello.py", "notes.txt"], DELEGATED: [], COMPACTED: ["a.txt", "b.txt"], INTERRUPTED: []}
TOKENS = {
    FIRST: (1250, 0, 3200, 123, 4, 10),
    DELEGATED: (3900, 0, 0, 53, 2, 0),
    COMPACTED: (12812, 89684, 64060, 38436, 5, 0),  # the summary's call, too, whose thoughts are not told
    INTERRUPTED: (0, 0, 0, 0, 0, None),
}
"""Input without what was cached, written to the cache, read from it, output, calls, reasoning; of the session's own
calls.
"""
LAST_TEXT = {
    FIRST: "First task finished.",
    DELEGATED: "Delegation finished.",
    COMPACTED: "write b: done",
    INTERRUPTED: "",
}


def path_of(name: str) -> Path:
    return SESSIONS / IDS[name] / "events.jsonl"


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path_of(name).read_text().splitlines()]
