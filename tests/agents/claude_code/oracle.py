"""A second, plain reading of the captured transcripts (whole file, no shortcuts), and what they really hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from entire.model.positions import Position

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude_code"
LONG = "interactive-long/04b82098-8309-42a4-b860-806b2de7c76b"
HELPER = "2.1.332/background-subagent/99467daa-40b1-4a00-aba5-01b53c188e3d"


def transcripts() -> list[str]:
    """Return the names of all captured transcripts."""
    folder = FIXTURES / "transcripts"
    return sorted(str(path.relative_to(folder)).removesuffix(".jsonl") for path in folder.rglob("*.jsonl"))


def path_of(name: str) -> str:
    return str(FIXTURES / "transcripts" / f"{name}.jsonl")


def load(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def places(data: bytes) -> list[Position]:
    """Return the position before each line, and the end."""
    found = [Position()]
    mark, byte = "", 0
    for count, line in enumerate(data.splitlines(keepends=True), 1):
        record = json.loads(line)
        byte += len(line)
        if record.get("type") == "assistant":
            mark = record["message"]["id"]
        found.append(Position(count=count, byte=byte, mark=mark))
    return found


def tokens(records: list[dict[str, Any]], first: int, stop: int) -> tuple[int, int, int, int, int]:
    """Sum (input, cache creation, cache read, output, calls) of the answers whose first record is in the range."""
    firsts: dict[str, int] = {}
    usage: dict[str, dict[str, int]] = {}
    for line, record in enumerate(records):
        if record.get("type") == "assistant":
            firsts.setdefault(record["message"]["id"], line)
            usage[record["message"]["id"]] = record["message"]["usage"]
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    chosen = [usage[key] for key, line in firsts.items() if first <= line < stop]
    chosen = [used for used in chosen if any(used[name] for name in names)]
    a, b, c, d = (sum(used[name] for used in chosen) for name in names)
    return a, b, c, d, len(chosen)


# Read off the files by eye: (line of the prompt record, text), changed files, tokens as above.
PROMPTS: dict[str, list[tuple[int, str]]] = {
    "headless-after-turn1": [(2, "create greeting file")],
    "headless-after-turn2-resumed": [(2, "create greeting file"), (14, "change greeting")],
    "headless-after-turn3-resumed": [(2, "create greeting file"), (14, "change greeting"), (24, "say hi")],
    "headless-api-error": [(13, "what do you remember"), (16, "say hi")],
    "headless-notebook-edit": [(2, "make a notebook")],
    "headless-slash-command": [(2, "/greet bob")],
    "headless-turn1-restored-then-resumed": [(2, "create greeting file"), (14, "what do you remember")],
    "interactive-after-clear": [(6, "say hi")],
    LONG: [
        (4, "please create greeting file"),
        (16, "please use a helper"),
        (24, "make a todo"),
        (37, "failing tool please"),
        (50, "parallel writes"),
        (60, "use two helpers"),
        (70, "background helper"),
        (83, "long bash now"),
        (93, "api error"),
        (98, "api error"),
        (102, "slow answer please"),
        (109, "say hi (queued)"),
        (116, "say hi again"),  # "slow answer again" (114) was taken back with Esc
        (121, "think hard"),
        (127, "commit it"),
        (155, "what do you remember"),
        (161, "what do you remember"),
    ],
    f"{LONG}/subagents/agent-a1c6d93a27d2dd0d0": [],
    f"{LONG}/subagents/agent-a28cdada78e2a825c": [],
    f"{LONG}/subagents/agent-a93c9ed39773603cf": [],
    f"{LONG}/subagents/agent-aab5abd2fca17a36b": [],
    "interactive-native-rewind-fork": [
        (6, "show env"),
        (19, "change dir"),
        (39, "think hard"),
    ],  # without (31, "say hi")
    "interactive-plan-mode": [(4, "make a plan"), (12, "make a plan")],
    "stop-hook-start": [(2, "please create greeting file")],
    "stop-hook-start-plus-3s": [(2, "please create greeting file")],
    f"{HELPER}": [(5, "use a helper")],
    f"{HELPER}/subagents/agent-a49511f336928e13e": [],
    "2.1.332/headless-bash-edit-diff": [(2, "bash edits")],
    "2.1.332/headless-fork-session": [(5, "create greeting file"), (24, "change greeting"), (31, "say hi")],
    "2.1.332/headless-resumed-without-api-request-lines": [
        (2, "create greeting file"),
        (34, "change greeting"),
        (48, "what do you remember"),
    ],
    "2.1.332/headless-turn1": [(2, "create greeting file")],
    "2.1.332/headless-two-turns-resumed": [(2, "create greeting file"), (40, "change greeting")],
    "2.1.332/interactive-after-clear": [(8, "say hi after clear")],
    "2.1.332/interactive-esc-before-answer-exit-resumed": [
        (4, "say hi"),
        (28, "slow answer"),  # Esc before the answer, then left: on resume it was still there
        (38, "what do you remember"),
    ],
    "2.1.332/interactive-esc-ctrlc-queued-rewind": [  # (48) to (95) were taken back by a rewind
        (4, "say hi"),
        (28, "edit after edit"),
        (38, "second edit"),
        (119, "say hi after rewind"),
        (125, "find the todo tools"),
    ],
    "2.1.332/interactive-exit-while-helper-runs-resumed": [
        (1, "background helper"),
        (19, "what do you remember now"),
    ],
    "2.1.332/interactive-model-rename-compaction-apierror": [
        (13, "say hi on another model"),
        (49, "say hi after compact"),
        (84, "api error"),
    ],
    "2.1.332/interactive-plan-mode": [(4, "make a plan")],
    "2.1.332/interactive-prompt-typed-while-tool-runs": [
        (4, "say hi"),
        (28, "slow tool"),
        (35, "say hi during the tool"),  # joined to the running turn
        (42, "say hi last"),
    ],
    "2.1.332/interactive-rewind-to-first-prompt": [(34, "what do you remember")],
}
FILES: dict[str, list[str]] = {
    "headless-after-turn1": ["hello.py"],
    "headless-after-turn2-resumed": ["hello.py"],
    "headless-after-turn3-resumed": ["hello.py"],
    "headless-notebook-edit": ["n.ipynb"],
    "headless-turn1-restored-then-resumed": ["hello.py"],
    LONG: ["p1.txt", "p2.txt"],
    f"{LONG}/subagents/agent-a1c6d93a27d2dd0d0": ["note.txt"],
    f"{LONG}/subagents/agent-a28cdada78e2a825c": ["bg.txt"],
    f"{LONG}/subagents/agent-aab5abd2fca17a36b": ["other.txt"],
    "stop-hook-start": ["hello.py"],
    "stop-hook-start-plus-3s": ["hello.py"],
    f"{HELPER}/subagents/agent-a49511f336928e13e": ["note.txt"],
    "2.1.332/headless-bash-edit-diff": ["README.md", "d/y.txt", "made.txt", "READ2.md"],
    "2.1.332/headless-fork-session": ["hello.py"],
    "2.1.332/headless-resumed-without-api-request-lines": ["hello.py"],
    "2.1.332/headless-turn1": ["hello.py"],
    "2.1.332/headless-two-turns-resumed": ["hello.py"],
    "2.1.332/interactive-esc-ctrlc-queued-rewind": ["r.txt"],
}
TOKENS: dict[str, tuple[int, int, int, int, int]] = {
    "headless-after-turn1": (3300, 200, 530, 120, 3),
    "headless-api-error": (21, 0, 0, 11, 2),
    "headless-notebook-edit": (300, 0, 0, 60, 3),
    "interactive-after-clear": (10, 0, 0, 5, 1),
    "interactive-native-rewind-fork": (610, 0, 0, 125, 7),
    "stop-hook-start": (2100, 200, 230, 90, 2),
    "2.1.332/headless-turn1": (3300, 200, 530, 120, 3),
    "2.1.332/headless-fork-session": (3610, 200, 530, 185, 7),
}
