"""What the captured exports really hold, read off the files by eye."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures" / "opencode"
PROJECT = "/home/dev/project"
CHILD = "ses_e035051b7ffe0nY1eKYJqJ2UsF"
_FIRST, _SECOND = '"please do the first task"', "second task please"
PROMPTS = {
    "turn1": [_FIRST],
    "turn2-same-session": [_FIRST, _SECOND],
    "turn3-same-session": [_FIRST, _SECOND, "third task via stdin with spaces\n"],
    "turn3-imported-elsewhere": [_FIRST, _SECOND, "third task via stdin with spaces\n"],
    "subagent-parent": ["delegate this please"],
    "subagent-child": [],
    "compacted-auto": ["grow it"],
    "compacted-manual": ["first task", "third task"],
    "killed-mid-tool": ["slow please"],
    "reverted-undo-pending": ["first task"],
    "reverted-then-prompted": ["first task", "third task"],
}
FILES = {
    "turn1": ["a.txt"], "turn2-same-session": ["a.txt", "c.txt"], "turn3-same-session": ["a.txt", "c.txt"],
    "turn3-imported-elsewhere": ["a.txt", "c.txt"], "subagent-child": ["sub.txt"], "compacted-auto": ["grow.txt"],
    "compacted-manual": ["a.txt"], "reverted-undo-pending": ["a.txt", "c.txt"], "reverted-then-prompted": ["a.txt"],
}  # fmt: skip
LAST_TEXT = {
    "turn1": "First task finished.", "turn2-same-session": "Second task finished.",
    "turn3-same-session": "Third task answered, no edits.",
    "turn3-imported-elsewhere": "Third task answered, no edits.",
    "subagent-parent": "Delegation finished.", "subagent-child": "sub done",
    "compacted-auto": "continued after compaction", "compacted-manual": "## Goal\nScripted summary of the session.",
    "killed-mid-tool": "", "reverted-undo-pending": "Second task finished.",
    "reverted-then-prompted": "Third task answered, no edits.",
}  # fmt: skip
CALLS = {
    "turn1": 4, "turn2-same-session": 6, "turn3-same-session": 7, "turn3-imported-elsewhere": 7, "subagent-parent": 2,
    "subagent-child": 2, "compacted-auto": 3, "compacted-manual": 6, "killed-mid-tool": 0, "reverted-undo-pending": 6,
    "reverted-then-prompted": 5,
}  # fmt: skip
NAMES = sorted(PROMPTS)


def path_of(name: str) -> Path:
    return FIXTURES / "transcripts" / f"{name}.json"


def load(name: str) -> Any:
    return json.loads(path_of(name).read_bytes())


def lines(name: str) -> bytes:
    """Return what is stored of an export: its messages, after what it says of the session on any machine."""
    told = load(name)
    kept = ("id", "parentID", "slug", "version", "title", "permission", "revert")
    info = {key: told["info"][key] for key in kept if key in told["info"]}
    info["time"] = {"created": told["info"]["time"]["created"]}
    return b"".join(json.dumps(native, separators=(",", ":")).encode() + b"\n"
                    for native in ({"info": info}, *told["messages"]))  # fmt: skip


def tokens(name: str) -> tuple[int, int, int, int]:
    """Return what OpenCode itself has added up: input, read from the cache, written to it, output."""
    told = load(name)["info"]["tokens"]
    return told["input"], told["cache"]["read"], told["cache"]["write"], told["output"]
