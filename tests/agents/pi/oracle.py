"""What the captured sessions really hold: prompts, files and last words read off by eye, tokens summed up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures" / "pi"
SESSIONS = FIXTURES / "sessions"
PROJECT = "/home/dev/project"
DELEGATED, FORKED = "06-subagent-example-extension", "04-forked-session-model-change"
ORIGIN, TREE = "03-compaction-tree-branch-summary", "08-tui-tree-two-branches-abort-userbash"
HELPER = "call_1c32f3eb13f1"
PROMPTS = {
    "01-print-then-continue": ["create hello", "second prompt"],
    "02-text-only": ["just talk"],
    ORIGIN: ["create hello now", "second prompt please", "just talk on another branch"],
    FORKED: ["create hello now", "just talk on the fork", "second prompt on the fork"],
    "05-new-session-parallel-tools-name-bash": ["two tools here", "rm please"],
    DELEGATED: ["please delegate"],
    "07-auto-compaction-overflow-error": ["just talk first", "grow big", "just talk after auto compaction",
                                          "overflow now", "retry me"],
    TREE: ["create hello in the tui", "just talk on branch two"],
    "09-injected-custom_message": ["just talk"],
    "10-custom-entry": ["just talk (transformed)"],
    "old-01-print": ["create hello"],
    "old-02-compaction": ["create hello now", "second prompt please", "just talk after compaction"],
    "old-03-branched": ["create hello now", "just talk on the branch"],
}  # fmt: skip
_TWO = ["hello.txt", "second.txt"]
FILES = {
    "01-print-then-continue": _TWO, ORIGIN: _TWO, FORKED: _TWO, TREE: _TWO, "old-02-compaction": _TWO,
    "05-new-session-parallel-tools-name-bash": ["p1.txt", "p2.txt"],
    "07-auto-compaction-overflow-error": ["big.txt"],
    "old-01-print": ["hello.txt"], "old-03-branched": ["hello.txt"],
}  # fmt: skip


def path_of(name: str) -> Path:
    return SESSIONS / f"{name}.jsonl"


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path_of(name).read_text().splitlines()]


def tokens(name: str) -> tuple[int, int, int, int, int]:
    """Return input, written to the cache, read from it, output, and answers that took any."""
    told = [entry["message"]["usage"] for entry in load(name) if "usage" in entry.get("message", {})]
    sums = [sum(usage[key] for usage in told) for key in ("input", "cacheWrite", "cacheRead", "output")]
    return sums[0], sums[1], sums[2], sums[3], sum(usage["totalTokens"] > 0 for usage in told)
