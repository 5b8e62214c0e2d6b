"""A second, plain reading of the captured chats (whole file, no shortcuts), and what they really hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures" / "gemini"
RESUMED = "02-four-turns-resumed-within-the-same-minute"
SUBAGENT = "02-subagent-of-turn-4"
DENIED = "03-interactive-denied-cancelled-compress-bang-shell"
REWOUND = "04-interactive-resumed-then-slash-rewind"
STUB = "04-stub-file-left-by-the-resume"
COMPRESSED = "05-auto-compress-inside-a-turn"
RESTORED = "06-interactive-checkpointing-restore"


def transcripts() -> list[str]:
    """Return the names of all captured chats."""
    folder = FIXTURES / "transcripts"
    return sorted(str(path.relative_to(folder)).removesuffix(".jsonl") for path in folder.rglob("*.jsonl"))


def path_of(name: str) -> Path:
    return FIXTURES / "transcripts" / f"{name}.jsonl"


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path_of(name).read_text().splitlines()]


def tokens(name: str, first: int, stop: int) -> tuple[int, int, int, int]:
    """Sum (input, cached, output, calls) of the messages whose figures appear first in the range."""
    firsts: dict[str, tuple[int, dict[str, int]]] = {}
    for line, record in enumerate(load(name)):
        if record.get("tokens"):
            firsts.setdefault(record["id"], (line, record["tokens"]))
    used = [figures for line, figures in firsts.values() if first <= line < stop]
    return (*(sum(figures[key] for figures in used) for key in ("input", "cached", "output")), len(used))  # type: ignore[return-value]


# Read off the files by eye: (line of the prompt record, text); names of the changed files; tokens as above.
PROMPTS: dict[str, list[tuple[int, str]]] = {
    "01-one-turn-write_file": [(2, "create hello please")],
    RESUMED: [(2, "create hello please"), (15, "edit hello now"), (33, "read two files"), (46, "delegate this")],
    SUBAGENT: [],
    DENIED: [
        (2, "create hello interactive"),
        (11, "edit hello with denial"),
        (27, "slow interactive"),
        (38, "long answer please"),  # again in 41, when a loop was detected
        (46, "long answer again"),
        (54, "plain after compress"),
        (61, "plain in resumed"),  # 65 is a command of the `!` mode
    ],
    REWOUND: [(2, "plain after clear"), (8, "create hello after resume"), (17, "edit hello after resume")],  # not 31
    STUB: [],
    COMPRESSED: [(2, "long answer auto"), (12, "edit hello after auto compress")],
    RESTORED: [(2, "create hello with checkpoint"), (15, "edit hello with checkpoint")],  # 13 is the agent's own
    "snapshots/01-at-BeforeTool": [(2, "create hello please")],
    "snapshots/02-at-AfterTool": [(2, "create hello please")],
    "snapshots/03-at-AfterAgent": [(2, "create hello please")],
}
FILES: dict[str, list[str]] = {
    "01-one-turn-write_file": ["hello.txt"],
    RESUMED: ["hello.txt", "hello.txt"],
    SUBAGENT: ["sub.txt"],
    DENIED: ["hello.txt"],
    REWOUND: ["hello.txt", "hello.txt", "hello.txt"],
    RESTORED: ["hello.txt", "hello.txt", "hello.txt"],
    "snapshots/03-at-AfterAgent": ["hello.txt"],
}
TOKENS: dict[str, tuple[int, int, int, int]] = {
    "01-one-turn-write_file": (2100, 700, 50, 2),
    RESUMED: (10300, 710, 237, 9),
    SUBAGENT: (1010, 0, 31, 2),
    DENIED: (4400, 705, 9095, 7),
    REWOUND: (8150, 1400, 191, 8),
    STUB: (0, 0, 0, 0),
    COMPRESSED: (4800, 0, 9086, 4),
    RESTORED: (6000, 700, 136, 5),
    "snapshots/01-at-BeforeTool": (1000, 300, 20, 1),
    "snapshots/02-at-AfterTool": (1000, 300, 20, 1),
    "snapshots/03-at-AfterAgent": (2100, 700, 50, 2),
}
LAST_TEXT: dict[str, str] = {
    RESUMED: "The subagent is done.",
    DENIED: "Plain scripted answer.",
    REWOUND: "Created hello.txt with a greeting.",
    RESTORED: "Edited hello.txt and ran a command.",
    STUB: "",
}
