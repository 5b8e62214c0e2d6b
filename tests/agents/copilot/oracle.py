"""What the captured sessions really hold, read off the files by eye."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures" / "copilot"
SESSIONS = FIXTURES / "session-state"
PROJECT = "/home/dev/project"
FIRST, DELEGATED, INTERRUPTED = "first-turn", "with-a-subagent", "interrupted"
HELPER = "b8bb03de-6801-4aef-959f-727b43fe0dd4"
IDS = {
    FIRST: "f5b9969c-5171-49ee-a6c1-0a5c1ed5ee39",
    DELEGATED: "eeed310d-242c-4d4b-bee6-2858d1d6a255",
    INTERRUPTED: "d0953c31-ab9d-48f7-9c38-560aad293b8f",
}
PROMPTS = {FIRST: [(8, "first task")], DELEGATED: [(8, "delegate")], INTERRUPTED: [(2, "do it")]}
FILES = {FIRST: ["hello.py", "notes.txt"], DELEGATED: [], INTERRUPTED: []}
TOKENS = {FIRST: (1250, 3200, 123, 4, 10), DELEGATED: (3900, 0, 53, 2, 0), INTERRUPTED: (0, 0, 0, 0, None)}
"""Input without what was cached, read from the cache, output, calls, reasoning; of the session's own calls."""
LAST_TEXT = {FIRST: "First task finished.", DELEGATED: "Delegation finished.", INTERRUPTED: ""}


def path_of(name: str) -> Path:
    return SESSIONS / IDS[name] / "events.jsonl"


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path_of(name).read_text().splitlines()]
